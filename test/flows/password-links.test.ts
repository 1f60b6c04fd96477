import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../src/platform/db/db.ts";
import { createApp, type TestApp } from "../support/app.ts";
import { createTestClock, type TestClock } from "../support/clock.ts";
import { addPerson, openBrowser, PASSWORD, setToken, signIn, tokenOfLink } from "../support/people.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
let app: TestApp;
let clock: TestClock;
before(async () => {
  clock = createTestClock();
  app = await createApp({ clock });
});
after(() => app.stop());

const redeem = (token: string, more: object = {}) =>
  openBrowser(app).send("POST", "/v1/password_links/redeem", { token, password: PASSWORD, ...more });
const inspect = (token: string) =>
  app.api("POST", "/v1/password_links/inspect", { key: null, body: { token } });
const faultsOf = (reply: { body: { errors: { pointer: string; code: string }[] } }) =>
  reply.body.errors.map((error) => `${error.pointer} ${error.code}`);

async function invite(email: string): Promise<{ id: string; token: string }> {
  const { body } = await app.api("POST", "/v1/invitations", { body: { email } });
  return { id: body.id, token: tokenOfLink(body.link) };
}
async function makeLink(id: string): Promise<{ token: string; purpose: string; expires_at: string }> {
  const reply = await app.api("POST", `/v1/users/${id}/password_link`);
  assert.equal(reply.status, 201);
  assert.equal(reply.body.user_id, id);
  return { ...reply.body, token: tokenOfLink(reply.body.url) };
}

test("the link of the first start makes the owner, once, and signs in", async () => {
  const token = tokenOfLink(app.setupLink);
  assert.equal(app.setupLink, `${app.baseUrl}/setup#${token}`);
  const state = await inspect(token);
  assert.equal(state.status, 200);
  assert.equal(state.body.user_id, null);
  assert.equal(state.body.email, null);
  assert.equal(state.body.url, null);
  assert.deepEqual(faultsOf(await redeem(token)), ["/email required"]);
  assert.deepEqual(faultsOf(await redeem(token, { email: "x", password: "1234567890" })), [
    "/email invalid_email",
  ]);
  const weak = await redeem(token, { email: "jane@example.com", password: "Jane@example.com" });
  assert.deepEqual(faultsOf(weak), ["/password same_as_email"]);
  const browser = openBrowser(app);
  const body = { token, password: PASSWORD, email: "jane@example.com", name: "Jane" };
  const reply = await browser.send("POST", "/v1/password_links/redeem", body);
  assert.equal(reply.status, 201);
  assert.equal(reply.body.user.role, "owner");
  assert.equal(reply.body.user.name, "Jane");
  assert.equal((await browser.send("GET", "/v1/session")).body.id, reply.body.id);
  assert.equal((await browser.send("GET", "/v1/users")).body.data.length, 1);
  for (const again of [await redeem(token, { email: "eve@example.com" }), await inspect(token)]) {
    assert.equal(again.status, 409);
    assert.equal(again.body.code, "link_used");
    assert.equal(setToken(again), undefined);
  }
});

test("a set-up link for an owner is void once the account has one by another way", async () => {
  const fresh = await createApp();
  try {
    await addPerson(fresh, "other-way@example.com", "owner");
    const body = { token: tokenOfLink(fresh.setupLink), password: PASSWORD, email: "late@example.com" };
    const reply = await openBrowser(fresh).send("POST", "/v1/password_links/redeem", body);
    assert.equal(reply.status, 409);
    assert.equal(reply.body.code, "link_used");
  } finally {
    await fresh.stop();
  }
});

test("an address that is taken leaves the first owner's link good", async () => {
  const fresh = await createApp();
  try {
    await fresh.api("POST", "/v1/invitations", { body: { email: "taken@example.com" } });
    const send = (email: string) =>
      openBrowser(fresh).send("POST", "/v1/password_links/redeem", {
        token: tokenOfLink(fresh.setupLink),
        password: PASSWORD,
        email,
      });
    assert.equal((await send("taken@example.com")).body.code, "user_exists");
    assert.equal((await send("free@example.com")).status, 201);
  } finally {
    await fresh.stop();
  }
});

test("a user's set-up link sets the password, and takes no other address", async () => {
  const { token } = await invite("invited@example.com");
  assert.equal((await inspect(token)).body.email, "invited@example.com");
  assert.deepEqual(faultsOf(await redeem(token, { email: "eve@example.com" })), ["/email not_allowed"]);
  const reply = await redeem(token, { name: "New Name" });
  assert.equal(reply.status, 201);
  assert.equal(reply.body.user.name, "New Name");
  assert.equal(reply.body.user.role, "marketer");
  assert.equal((await signIn(app, "invited@example.com")).reply.status, 201);
});

test("of many who redeem one link at once, one wins", async () => {
  const { token } = await invite("contested@example.com");
  const replies = await Promise.all(
    [1, 2, 3, 4].map((i) => redeem(token, { password: `password number ${i}` })),
  );
  assert.deepEqual(replies.map((reply) => reply.status).sort(), [201, 409, 409, 409]);
  const winner = replies.findIndex((reply) => reply.status === 201) + 1;
  const opened = await signIn(app, "contested@example.com", `password number ${winner}`);
  assert.equal(opened.reply.status, 201);
});

test("of two who would be the first owner at once, one is", async () => {
  const fresh = await createApp();
  try {
    const replies = await Promise.all(
      ["a@example.com", "b@example.com"].map((email) =>
        openBrowser(fresh).send("POST", "/v1/password_links/redeem", {
          token: tokenOfLink(fresh.setupLink),
          password: PASSWORD,
          email,
        }),
      ),
    );
    assert.deepEqual(replies.map((reply) => reply.status).sort(), [201, 409]);
    assert.equal((await fresh.api("GET", "/v1/users?include_total=true")).body.total, 1);
  } finally {
    await fresh.stop();
  }
});

test("a set-up link is good for 7 days, a reset link for an hour", async () => {
  const early = await invite("early@example.com");
  const late = await invite("late@example.com");
  clock.advance(7 * DAY - 1);
  const joined = await redeem(early.token);
  assert.equal(joined.status, 201);
  clock.advance(1);
  assert.equal((await redeem(late.token)).body.code, "link_unknown");
  assert.equal((await redeem(late.token)).status, 404);
  const reset = await makeLink(joined.body.user.id);
  assert.equal(reset.purpose, "reset");
  assert.equal(reset.expires_at, new Date(clock.now().getTime() + HOUR).toISOString());
  clock.advance(HOUR);
  assert.equal((await redeem(reset.token)).status, 404);
});

test("a reset ends all sessions, replaces the password, and frees who has forgotten it from waiting", async () => {
  const { id, browser, email } = await addPerson(app, "forgetful@example.com");
  for (let i = 0; i < 6; i++) await signIn(app, email, "a wrong password");
  assert.equal((await signIn(app, email)).reply.status, 429);
  const { token } = await makeLink(id);
  const reply = await redeem(token, { password: "a password to remember" });
  assert.equal(reply.status, 201);
  assert.equal((await browser.send("GET", "/v1/session")).status, 401);
  assert.equal((await signIn(app, email, "a password to remember")).reply.status, 201);
  assert.equal((await signIn(app, email)).reply.status, 401);
});

test("a new link ends the one before, and a new password ends both", async () => {
  const { id, browser } = await addPerson(app, "several@example.com");
  const one = await makeLink(id);
  const two = await makeLink(id);
  assert.equal((await inspect(one.token)).status, 404);
  assert.equal((await inspect(two.token)).status, 200);
  const change = { current_password: PASSWORD, new_password: "sturdy mule charger clip" };
  assert.equal((await browser.send("POST", "/v1/session/password", change)).status, 200);
  assert.equal((await redeem(two.token)).status, 404);
});

test("a removed user's link is gone, and a made-up one opens nothing", async () => {
  const { id } = await addPerson(app, "removed@example.com");
  const { token } = await makeLink(id);
  assert.equal((await app.api("DELETE", `/v1/users/${id}`)).status, 204);
  const flipped = token.slice(0, -1) + (token.endsWith("A") ? "B" : "A");
  for (const bad of [token, flipped, `prs_${token.slice(4)}`, app.key, "x"]) {
    for (const reply of [await redeem(bad), await inspect(bad)]) {
      assert.equal(reply.status, 404);
      assert.equal(reply.body.code, "link_unknown");
    }
  }
});

test("another site's page can't redeem a link", async () => {
  const { token } = await invite("cross@example.com");
  const headers = { origin: "https://evil.example" };
  const body = { token, password: PASSWORD };
  const reply = await app.api("POST", "/v1/password_links/redeem", { key: null, body, headers });
  assert.equal(reply.status, 403);
  assert.equal((await inspect(token)).status, 200);
});

test("links are stored as hashes, and stand in no log", async () => {
  const { token } = await invite("stored@example.com");
  const rows = await app.db.many<{ row: string }>(sql`select user_links::text as row from user_links`);
  const stored = rows.map(({ row }) => row).join();
  assert.ok(!stored.includes(token) && !stored.includes(Buffer.from(token).toString("hex")));
  assert.ok(!/prl_|example\.com|password to remember/.test(app.logs.join("")));
});
