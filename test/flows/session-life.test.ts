import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { sql } from "../../src/platform/db/db.ts";
import { createApp, type TestApp } from "../support/app.ts";
import { createTestClock, type TestClock } from "../support/clock.ts";
import { addPerson, cookieOf, openBrowser, PASSWORD, setToken, signIn } from "../support/people.ts";

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const DAY = 24 * HOUR;
const NEW_PASSWORD = "sturdy mule charger clip";

let app: TestApp;
let clock: TestClock;
let email: string;
let people = 0;
before(async () => {
  clock = createTestClock();
  app = await createApp({ clock });
});
after(() => app.stop());
beforeEach(async () => {
  email = `person${++people}@example.com`;
  await addPerson(app, email);
});

const get = (token: string) =>
  app.api("GET", "/v1/session", { key: null, headers: { cookie: cookieOf(token) } });
const sessionsOf = async (address: string) => {
  const { count } = await app.db.one<{ count: number }>(sql`
    select count(*) as count from sessions join people on people.id = person_id where email = ${address}`);
  return count;
};

test("a session ends 14 days after it was last used", async () => {
  const { browser } = await signIn(app, email);
  clock.advance(14 * DAY - SECOND);
  assert.equal((await browser.send("GET", "/v1/session")).status, 200);
  clock.advance(14 * DAY - SECOND);
  const late = await browser.send("GET", "/v1/session");
  assert.equal(late.status, 200);
  assert.equal(late.body.expires_at, new Date(clock.now().getTime() + 14 * DAY).toISOString());
  clock.advance(14 * DAY);
  assert.equal((await browser.send("GET", "/v1/session")).status, 401);
});

test("a session ends 90 days after it began, however much it is used", async () => {
  const { browser, reply } = await signIn(app, email);
  const end = new Date(reply.body.created_at).getTime() + 90 * DAY;
  for (let day = 10; day < 90; day += 10) {
    clock.advance(10 * DAY);
    assert.equal((await browser.send("GET", "/v1/session")).status, 200, `day ${day}`);
  }
  const last = await browser.send("GET", "/v1/session");
  assert.equal(last.body.expires_at, new Date(end).toISOString());
  clock.advance(10 * DAY);
  assert.equal((await browser.send("GET", "/v1/session")).status, 401);
});

test("expired sessions are removed at the next sign-in", async () => {
  await signIn(app, email);
  clock.advance(15 * DAY);
  await signIn(app, email);
  assert.equal(await sessionsOf(email), 1);
});

test("a token older than an hour is replaced when it is used, and only then", async () => {
  const { browser } = await signIn(app, email);
  const first = browser.token;
  clock.advance(HOUR);
  assert.equal(setToken(await get(first)), undefined);
  clock.advance(SECOND);
  assert.equal((await browser.send("GET", "/v1/session")).status, 200);
  assert.notEqual(browser.token, first);
  assert.equal(setToken(await get(browser.token)), undefined, "the new one is young");
});

test("requests at once all succeed when the token is replaced, and all get the same new one", async () => {
  const { browser } = await signIn(app, email);
  clock.advance(2 * HOUR);
  const replies = await Promise.all(Array.from({ length: 12 }, () => get(browser.token)));
  assert.deepEqual([...new Set(replies.map((reply) => reply.status))], [200]);
  const tokens = new Set(replies.map(setToken));
  assert.equal(tokens.size, 1);
  const [next] = tokens;
  assert.ok(next && next !== browser.token);
  assert.equal((await get(next)).status, 200);
  assert.equal(await sessionsOf(email), 2, "this one, and the one of the set-up link");
});

test("a lost answer is made good: within a minute the old token still works and brings the new one", async () => {
  const { browser } = await signIn(app, email);
  clock.advance(2 * HOUR);
  const lost = setToken(await get(browser.token));
  clock.advance(59 * SECOND);
  const again = await get(browser.token);
  assert.equal(again.status, 200);
  assert.equal(setToken(again), lost);
});

test("an old token used after its grace ends the session for whoever holds it", async () => {
  const { browser } = await signIn(app, email);
  const stolen = browser.token;
  clock.advance(2 * HOUR);
  await browser.send("GET", "/v1/session");
  clock.advance(61 * SECOND);
  assert.equal((await browser.send("GET", "/v1/session")).status, 200);
  assert.equal((await get(stolen)).status, 401);
  assert.equal((await browser.send("GET", "/v1/session")).status, 401, "the holder of the new one too");
  assert.ok(app.logs.some((line) => line.includes("may be stolen") && line.includes("ses_")));
});

test("a forged Origin neither acts nor replaces the token", async () => {
  const { browser } = await signIn(app, email);
  clock.advance(2 * HOUR);
  const forged = await app.api("DELETE", "/v1/session", {
    key: null,
    headers: { cookie: cookieOf(browser.token), origin: "https://evil.example" },
  });
  assert.equal(forged.status, 403);
  assert.equal(setToken(forged), undefined);
  clock.advance(61 * SECOND);
  assert.equal((await browser.send("GET", "/v1/session")).status, 200);
});

test("a change of password gives this session a new token at once and ends all others", async () => {
  const here = (await signIn(app, email)).browser;
  const there = (await signIn(app, email)).browser;
  const before = here.token;
  const change = { current_password: PASSWORD, new_password: NEW_PASSWORD };
  const reply = await here.send("POST", "/v1/session/password", change);
  assert.equal(reply.status, 200, reply.text);
  assert.notEqual(here.token, before);
  assert.equal((await here.send("GET", "/v1/session")).body.id, reply.body.id);
  assert.equal((await get(before)).status, 401, "no grace for the token before");
  assert.equal((await there.send("GET", "/v1/session")).status, 401);
  assert.equal((await signIn(app, email)).reply.status, 401);
  assert.equal((await signIn(app, email, NEW_PASSWORD)).reply.status, 201);
});

test("a change of password works when the token is due to be replaced anyway", async () => {
  const { browser } = await signIn(app, email);
  clock.advance(2 * HOUR);
  const change = { current_password: PASSWORD, new_password: NEW_PASSWORD };
  assert.equal((await browser.send("POST", "/v1/session/password", change)).status, 200);
  assert.equal((await browser.send("GET", "/v1/session")).status, 200);
});

test("signing out works when the token is due to be replaced anyway", async () => {
  const { browser } = await signIn(app, email);
  clock.advance(2 * HOUR);
  assert.equal((await browser.send("DELETE", "/v1/session")).status, 204);
  assert.equal(browser.token, "");
});

test("of two changes of password at once, one wins", async () => {
  const { browser } = await signIn(app, email);
  const one = openBrowser(app, browser.token);
  const two = openBrowser(app, browser.token);
  const change = (own: typeof one, password: string) =>
    own.send("POST", "/v1/session/password", { current_password: PASSWORD, new_password: password });
  const replies = await Promise.all([change(one, "first new password"), change(two, "second new password")]);
  assert.deepEqual(replies.map((reply) => reply.status).sort(), [200, 422]);
});

test("a new password is judged, and the present one must be right", async () => {
  const { browser } = await signIn(app, email);
  const change = (current: string, next: string) =>
    browser.send("POST", "/v1/session/password", { current_password: current, new_password: next });
  const wrong = await change("a wrong password", NEW_PASSWORD);
  assert.equal(wrong.status, 422);
  assert.deepEqual(wrong.body.errors[0].pointer, "/current_password");
  assert.equal(wrong.body.errors[0].code, "wrong_password");
  for (const [next, code] of [
    ["short", "too_short"],
    ["e\u0301".repeat(9), "too_short"],
    ["x".repeat(201), "too_long"],
    [email.toUpperCase(), "same_as_email"],
  ] as const) {
    const reply = await change(PASSWORD, next);
    assert.equal(reply.status, 422, next);
    assert.deepEqual(
      reply.body.errors.map((error: { pointer: string; code: string }) => [error.pointer, error.code]),
      [["/new_password", code]],
    );
  }
  assert.equal((await browser.send("GET", "/v1/session")).status, 200);
});

test("guessing the present password by a stolen session is throttled too", async () => {
  const { browser } = await signIn(app, email);
  const guess = () =>
    browser.send("POST", "/v1/session/password", {
      current_password: "a wrong password",
      new_password: NEW_PASSWORD,
    });
  for (let i = 0; i < 5; i++) assert.equal((await guess()).status, 422);
  assert.equal((await guess()).body.code, "too_many_attempts");
});

test("a change of role holds at the next request, and a removed user's session is gone", async () => {
  const { browser, reply } = await signIn(app, email);
  const { id } = reply.body.user;
  assert.equal((await browser.send("GET", "/v1/api_keys")).status, 403);
  await app.api("PATCH", `/v1/users/${id}`, { body: { role: "owner" } });
  assert.equal((await browser.send("GET", "/v1/api_keys")).status, 200);
  assert.equal((await app.api("PATCH", `/v1/users/${id}`, { body: { role: "marketer" } })).status, 409);
  await addPerson(app, `other${people}@example.com`, "owner");
  assert.equal((await app.api("DELETE", `/v1/users/${id}`)).status, 204);
  assert.equal((await browser.send("GET", "/v1/session")).status, 401);
  assert.equal((await signIn(app, email)).reply.status, 401);
});

test("a hash made at another cost is made anew at the next sign-in", async () => {
  const outdated =
    "$argon2id$v=19$m=64,t=1,p=1$MDEyMzQ1Njc4OWFiY2RlZg$aq42HBL+IPAitHspChw/8mx5JRX2jFDkTmlsBskwH/0";
  await app.db.execute(sql`update people set password_hash = ${outdated} where email = ${email}`);
  const { reply } = await signIn(app, email);
  assert.equal(reply.status, 201);
  const { hash } = await app.db.one<{ hash: string }>(
    sql`select password_hash as hash from people where email = ${email}`,
  );
  assert.match(hash, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  assert.equal((await signIn(app, email)).reply.status, 201);
});
