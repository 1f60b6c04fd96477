import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createApp, type TestApp } from "../support/app.ts";
import { createTestClock, type TestClock } from "../support/clock.ts";
import { addPerson, joinAs, openBrowser, PASSWORD, signIn } from "../support/people.ts";

let app: TestApp;
let clock: TestClock;
before(async () => {
  clock = createTestClock();
  app = await createApp({ clock });
});
after(() => app.stop());

type Shown = { id: string; is_present: boolean; user_agent: string; network: string };

test("one's own sessions are listed, with what each was opened from", async () => {
  const person = await addPerson(app, "list@example.com", "viewer");
  clock.advance(1_000);
  const browser = openBrowser(app);
  const agent = `Mozilla/5.0 ${"x".repeat(1_000)}`;
  const body = { email: person.email, password: PASSWORD };
  const opened = await browser.send("POST", "/v1/session", body, { "user-agent": agent });
  const { status, body: page } = await browser.send("GET", "/v1/sessions");
  assert.equal(status, 200);
  const [newest, older] = page.data as Shown[];
  assert.equal(page.data.length, 2);
  assert.deepEqual([newest?.id, newest?.is_present, older?.is_present], [opened.body.id, true, false]);
  assert.equal(newest?.user_agent, agent.slice(0, 500));
  assert.equal(newest?.network, "127.0.0.1");
  assert.ok(!JSON.stringify(page).includes("prs_") && !JSON.stringify(page).includes("hash"));
});

test("one is ended by its id, at once; that of another person is none", async () => {
  const person = await addPerson(app, "end@example.com");
  const { browser } = await signIn(app, person.email);
  const other = await addPerson(app, "other@example.com");
  const foreign = (await other.browser.send("GET", "/v1/sessions")).body.data[0] as Shown;
  const refused = await browser.send("DELETE", `/v1/sessions/${foreign.id}`);
  assert.deepEqual([refused.status, refused.body.code], [404, "not_found"]);
  assert.equal((await other.browser.send("GET", "/v1/session")).status, 200);
  const sessions = (await browser.send("GET", "/v1/sessions")).body.data as Shown[];
  const first = sessions.find(({ is_present }) => !is_present);
  assert.equal((await browser.send("DELETE", `/v1/sessions/${first?.id}`)).status, 204);
  assert.equal((await person.browser.send("GET", "/v1/session")).status, 401);
  assert.equal((await browser.send("DELETE", `/v1/sessions/${first?.id}`)).status, 404);
  const present = (await browser.send("GET", "/v1/sessions")).body.data[0] as Shown;
  assert.equal((await browser.send("DELETE", `/v1/sessions/${present.id}`)).status, 204);
  assert.equal(browser.token, "", "the cookie is cleared");
});

test("all others are ended together, in every account of the person's", async () => {
  const person = await addPerson(app, "all@example.com");
  const elsewhere = await app.addAccount();
  const joined = await joinAs(app, person, elsewhere.key);
  const { browser } = await signIn(app, person.email);
  assert.equal((await browser.send("GET", "/v1/sessions")).body.data.length, 3, "no account is named");
  assert.equal((await browser.send("DELETE", "/v1/sessions")).status, 204);
  for (const gone of [person.browser, joined.browser]) {
    assert.equal((await gone.send("GET", "/v1/session")).status, 401);
  }
  assert.equal((await browser.send("GET", "/v1/sessions")).body.data.length, 1);
});

test("an expired session isn't listed, a key has none, and another site's page ends none", async () => {
  const person = await addPerson(app, "expired@example.com");
  clock.advance(14 * 24 * 3_600_000);
  const { browser } = await signIn(app, person.email);
  assert.equal((await browser.send("GET", "/v1/sessions")).body.data.length, 1);
  for (const [method, path] of [
    ["GET", "/v1/sessions"],
    ["DELETE", "/v1/sessions"],
  ] as const) {
    const reply = await app.api(method, path);
    assert.deepEqual([reply.status, reply.body.code], [404, "no_session"]);
  }
  const forged = await browser.send("DELETE", "/v1/sessions", undefined, { origin: "https://evil.example" });
  assert.deepEqual([forged.status, forged.body.code], [403, "origin_mismatch"]);
});
