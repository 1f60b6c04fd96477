/** One person in several accounts: which of them a request is about, and what people of one can't do to those of another. */
import assert from "node:assert/strict";
import { request } from "node:http";
import { after, before, test } from "node:test";
import { sql } from "../../src/platform/db/db.ts";
import { toPublicId } from "../../src/platform/ids.ts";
import { createApp, type TestApp } from "../support/app.ts";
import {
  addPerson,
  type Browser,
  cookieOf,
  joinAs,
  openBrowser,
  PASSWORD,
  type Person,
  signIn,
  tokenOfLink,
} from "../support/people.ts";
import { settled } from "../support/subscribers.ts";
import { until } from "../support/until.ts";

let app: TestApp;
let other: { accountId: string; key: string };
let both: Person;
let here: string;
let there: string;
before(async () => {
  app = await createApp();
  other = await app.addAccount();
  both = await addPerson(app, "both@example.com", "owner");
  const joined = await joinAs(app, both, other.key);
  both.browser = joined.browser;
  here = app.accountId;
  there = toPublicId("acc", other.accountId);
});
after(() => app.stop());

const naming = (account: string) => ({ "postrider-account": account });
const redeem = (token: string, password = PASSWORD) =>
  openBrowser(app).send("POST", "/v1/password_links/redeem", { token, password });
const linkOf = async (key: string, email: string) => {
  const made = await app.api("POST", "/v1/invitations", { key, body: { email } });
  assert.equal(made.status, 201, made.text);
  return { id: made.body.id as string, token: tokenOfLink(made.body.link) };
};

test("the session lists what the person belongs to, in the order of joining", async () => {
  const { status, body } = await both.browser.send("GET", "/v1/session");
  assert.equal(status, 200, "it needs no account to be named");
  assert.equal(body.account_id, here);
  assert.equal(body.user.role, "owner");
  assert.deepEqual(
    body.memberships.map((one: { account_id: string; role: string }) => [one.account_id, one.role]),
    [
      [here, "owner"],
      [there, "marketer"],
    ],
  );
  const named = await both.browser.send("GET", "/v1/session", undefined, naming(there));
  assert.deepEqual([named.body.account_id, named.body.user.role], [there, "marketer"]);
  assert.equal(named.body.user.id, body.memberships[1].user_id);
  assert.equal(named.body.memberships[1].account_name, "Another");
});

test("with several accounts a request names one, by header or on a GET by the query", async () => {
  const { browser } = both;
  const none = await browser.send("GET", "/v1/account");
  assert.deepEqual([none.status, none.body.code], [400, "account_required"]);
  const change = await browser.send("PATCH", "/v1/account", { name: "Whose?" });
  assert.deepEqual([change.status, change.body.code], [400, "account_required"]);
  for (const account of [here, there]) {
    assert.equal((await browser.send("GET", "/v1/account", undefined, naming(account))).body.id, account);
    assert.equal((await browser.send("GET", `/v1/account?account=${account}`)).body.id, account);
  }
  const agreeing = await browser.send("GET", `/v1/account?account=${there}`, undefined, naming(there));
  assert.equal(agreeing.body.id, there);
  const page = await browser.send("GET", `/v1/users?limit=1&account=${here}`);
  assert.equal(page.status, 200, page.text);
  const written = await browser.send("PATCH", `/v1/account?account=${here}`, { name: "X" });
  assert.deepEqual([written.status, written.body.code], [400, "account_required"], written.text);
});

test("the role is that of the account which is named", async () => {
  const { browser } = both;
  assert.equal((await browser.send("GET", "/v1/api_keys", undefined, naming(here))).status, 200);
  assert.equal((await browser.send("GET", "/v1/api_keys", undefined, naming(there))).status, 403);
  const { body: list } = await browser.send("POST", "/v1/lists", { name: "Ours" }, naming(here));
  const read = await browser.send("GET", `/v1/lists/${list.id}`, undefined, naming(there));
  assert.equal(read.status, 404, "an id of one account is none of the other");
});

test("an account that isn't the person's is 404, one that is named badly or twice is 400", async () => {
  const third = toPublicId("acc", (await app.addAccount()).accountId);
  const single = await addPerson(app, "single@example.com");
  for (const browser of [both.browser, single.browser]) {
    for (const path of ["/v1/account", "/v1/session"]) {
      const reply = await browser.send("GET", path, undefined, naming(third));
      assert.deepEqual([reply.status, reply.body.code], [404, "account_unknown"], path);
      const byQuery = await browser.send("GET", `${path}?account=${third}`);
      assert.equal(byQuery.body.code, "account_unknown");
    }
    for (const bad of [
      "x",
      "acc_x",
      "",
      `${here}, ${here}`,
      here.toUpperCase(),
      here.replace("acc", "usr"),
    ]) {
      const reply = await browser.send("GET", "/v1/account", undefined, naming(bad));
      assert.deepEqual([reply.status, reply.body.code], [400, "account_required"], bad);
    }
    const twice = await browser.send("GET", `/v1/account?account=${here}&account=${here}`);
    assert.equal(twice.body.code, "account_required");
    const differing = await browser.send("GET", `/v1/account?account=${here}`, undefined, naming(there));
    assert.equal(differing.body.code, "account_required");
    assert.equal(await statusOfTwoHeaders(browser, here), 400);
  }
  assert.equal((await single.browser.send("GET", "/v1/account")).status, 200, "one membership needs no name");
  const stranger = await app.api("GET", "/v1/account", { key: null, headers: naming(here) });
  assert.equal(stranger.status, 401);
});

/** Sends the header twice, which fetch would join. */
function statusOfTwoHeaders(browser: Browser, account: string): Promise<number> {
  const headers = ["host", new URL(app.baseUrl).host, "cookie", cookieOf(browser.token)];
  const twice = ["Postrider-Account", account, "Postrider-Account", account];
  return new Promise((resolve, reject) => {
    const sent = request(`${app.baseUrl}/v1/account`, { headers: [...headers, ...twice] }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.on("error", reject);
    sent.end();
  });
}

test("an invitation to somebody who has a password wants that password, and sets none", async () => {
  const person = await addPerson(app, "known@example.com");
  const { id, token } = await linkOf(other.key, "Known@Example.com");
  const state = await app.api("POST", "/v1/password_links/inspect", { key: null, body: { token } });
  assert.equal(state.body.purpose, "join");
  const before = await person.browser.send("GET", "/v1/session");
  assert.equal(before.body.memberships.length, 1, "nobody joins without having accepted");
  assert.equal((await person.browser.send("GET", "/v1/account")).status, 200);
  const guess = await redeem(token, "a password of the inviter's");
  assert.equal(guess.status, 422);
  assert.deepEqual(guess.body.errors[0].code, "wrong_password");
  assert.equal((await signIn(app, "known@example.com")).reply.status, 201, "the password is as it was");
  const accepted = await redeem(token);
  assert.equal(accepted.status, 201, accepted.text);
  assert.equal(accepted.body.account_id, there);
  assert.equal((await app.api("GET", `/v1/invitations/${id}`, { key: other.key })).status, 404);
  assert.equal((await person.browser.send("GET", "/v1/account")).body.code, "account_required");
  assert.equal((await redeem(token)).body.code, "link_used");
});

test("guessing at an invitation is throttled like guessing at the sign-in", async () => {
  await addPerson(app, "guessed@example.com");
  const { token } = await linkOf(other.key, "guessed@example.com");
  const codes: string[] = [];
  for (let i = 0; i < 8; i++) codes.push((await redeem(token, `a wrong guess ${i}`)).body.code);
  assert.equal(codes[0], "validation_failed");
  assert.equal(codes.at(-1), "too_many_attempts", codes.join());
  assert.equal((await signIn(app, "guessed@example.com")).reply.status, 429, "they count together");
});

test("of two invitations of somebody new, the second wants the password that the first has set", async () => {
  const first = await linkOf(app.key, "wanted@example.com");
  const second = await linkOf(other.key, "wanted@example.com");
  assert.equal((await redeem(first.token, "the person's own password")).status, 201);
  assert.equal((await redeem(second.token, "a password of the inviter's")).status, 422);
  assert.equal((await redeem(second.token, "the person's own password")).status, 201);
});

test("nobody of one account sets the password of somebody who belongs to another too", async () => {
  const person = await addPerson(app, "shared@example.com");
  const early = await app.api("POST", `/v1/users/${person.id}/password_link`);
  assert.equal(early.status, 201);
  await joinAs(app, person, other.key);
  const late = await redeem(tokenOfLink(early.body.url), "a password of the inviter's");
  assert.deepEqual([late.status, late.body.code], [404, "link_unknown"], "also by a link of before");
  const made = await app.api("POST", `/v1/users/${person.id}/password_link`);
  assert.deepEqual([made.status, made.body.code], [409, "person_elsewhere"]);
  assert.equal((await signIn(app, "shared@example.com")).reply.status, 201);
});

test("a link by mail to somebody of several accounts goes by no server of an account's own", async () => {
  await app.api("POST", "/v1/password_resets", { key: null, body: { email: both.email } });
  await until(() => /belongs to several accounts.*users reset/.test(app.logs.join("")));
  const links = await app.db.many(sql`
    select 1 from user_links join users on users.id = user_id join people on people.id = person_id
    where email = ${both.email} and used_at is null`);
  assert.equal(links.length, 0, "the sandbox, which people of an account read, has none");
});

test("a new password ends the sessions, and each account's log says so", async () => {
  const person = await addPerson(app, "logged@example.com");
  await joinAs(app, person, other.key);
  const { browser } = await signIn(app, person.email);
  const change = { current_password: PASSWORD, new_password: "sturdy mule charger clip" };
  assert.equal((await browser.send("POST", "/v1/session/password", change)).status, 200);
  assert.equal((await person.browser.send("GET", "/v1/session")).status, 401);
  await settled(app);
  for (const key of [app.key, other.key]) {
    const { body } = await app.api("GET", "/v1/events?limit=10", { key });
    const types = body.data.map((event: { type: string }) => event.type);
    assert.ok(types.includes("user.password_changed") && types.includes("user.signed_in"), types.join());
  }
});

test("whoever is removed from one account keeps the other, and is known no more after the last", async () => {
  const person = await addPerson(app, "leaving@example.com");
  const { id, browser } = await joinAs(app, person, other.key);
  assert.equal((await app.api("DELETE", `/v1/users/${id}`, { key: other.key })).status, 204);
  const gone = await browser.send("GET", "/v1/account", undefined, naming(there));
  assert.deepEqual([gone.status, gone.body.code], [404, "account_unknown"]);
  assert.equal((await browser.send("GET", "/v1/account")).body.id, here);
  const { browser: tab } = await signIn(app, person.email);
  assert.equal((await tab.send("DELETE", "/v1/session", undefined, naming(there))).status, 204);
  assert.equal((await tab.send("GET", "/v1/session")).status, 401, "its page signs out all the same");
  assert.equal((await app.api("DELETE", `/v1/users/${person.id}`)).status, 204);
  assert.equal((await browser.send("GET", "/v1/session")).status, 401);
  const left = await app.db.many(sql`select 1 from people where email = ${person.email}`);
  assert.equal(left.length, 0);
});

test("whoever is only invited once they are removed chooses a password anew", async () => {
  const person = await addPerson(app, "renewed@example.com");
  const { token } = await linkOf(other.key, person.email);
  assert.equal((await app.api("DELETE", `/v1/users/${person.id}`)).status, 204);
  assert.equal((await signIn(app, person.email)).reply.status, 401);
  assert.equal((await person.browser.send("GET", "/v1/session")).status, 401);
  const state = await app.api("POST", "/v1/password_links/inspect", { key: null, body: { token } });
  assert.equal(state.body.purpose, "setup");
  assert.equal((await redeem(token, "a password chosen anew")).status, 201);
});

test("a removed member is refused at once by another process too", async () => {
  const second = await createApp({ databaseUrl: app.databaseUrl });
  try {
    const person = await addPerson(app, "elsewhere@example.com");
    const elsewhere = openBrowser(second, person.browser.token);
    assert.equal((await elsewhere.send("GET", "/v1/account")).status, 200);
    await app.api("DELETE", `/v1/users/${person.id}`);
    assert.equal((await elsewhere.send("GET", "/v1/account")).status, 401);
  } finally {
    await second.stop();
  }
});

test("of a person who joins and whose invitation is revoked at once, one wins, and never half", async () => {
  for (let round = 0; round < 5; round++) {
    const email = `race${round}@example.com`;
    const { id, token } = await linkOf(app.key, email);
    const path = `/v1/invitations/${id}`;
    const [joined, revoked] = await Promise.all([redeem(token), app.api("DELETE", path)]);
    const hasJoined = joined.status === 201;
    assert.ok(hasJoined || [404, 409].includes(joined.status), joined.text);
    assert.equal(revoked.status, hasJoined ? 404 : 204, revoked.text);
    const left = await app.db.many(sql`
      select 1 from people join users on person_id = people.id where email = ${email} and joined_at is not null`);
    assert.equal(left.length, hasJoined ? 1 : 0);
    assert.equal((await app.api("GET", path)).status, 404);
  }
});
