/** Single sign-on with a real provider: who is let in, as what, and what becomes of their roles. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { linkOperator, unlinkOperator } from "../../src/accounts/accounts.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { sql } from "../../src/platform/db/db.ts";
import { createApp, type Reply, type TestApp } from "../support/app.ts";
import { addPerson, joinAs, type Person } from "../support/people.ts";
import { freePort } from "../support/ports.ts";
import { addApp } from "../support/second-factors.ts";
import {
  openSsoBrowser,
  passProvider,
  type SsoBrowser,
  ssoSettings,
  startProvider,
  type TestProvider,
} from "../support/single-sign-on.ts";
import { uuidOf } from "../support/subscribers.ts";

let app: TestApp;
let provider: TestProvider;
let rules: string;
let database: TestApp;
before(async () => {
  // The setting names accounts by their ids, so the accounts are there first.
  database = await createApp();
  const second = await database.addAccount();
  const { body } = await database.api("GET", "/v1/account", { key: second.key });
  rules = [
    `owners=${database.accountId}:owner`,
    `/mail,team=${database.accountId}:marketer`,
    `readers=${database.accountId}:viewer`,
    `readers=${body.id}:writer`,
  ].join("; ");
  const port = await freePort();
  provider = await startProvider(`http://127.0.0.1:${port}/sign-in/sso`);
  const settings = await ssoSettings(provider.issuer, port, {
    OIDC_GROUPS: rules,
    OIDC_SCOPES: "openid email profile groups",
  });
  app = await createApp({ databaseUrl: database.databaseUrl, settings });
});
after(async () => {
  await app.stop();
  await database.stop();
  await provider.stop();
});

let count = 0;
const unique = () => `sso${++count}@example.com`;
const outcome = (reply: Reply) => [reply.status, reply.body.code];
const roleOf = (reply: Reply) =>
  reply.body.memberships?.find((one: { account_id: string }) => one.account_id === app.accountId)?.role;

/** What the provider says of somebody; they sign in by their address as the login. */
function say(email: string, more: Record<string, unknown> = {}): void {
  provider.people.set(email, { sub: email, email, email_verified: true, name: "Ada Fern", ...more });
}

async function come(
  login: string,
  begin: Record<string, unknown> = {},
): Promise<{ browser: SsoBrowser; reply: Reply }> {
  const browser = openSsoBrowser(app);
  const { reply: begun, url } = await browser.begin(begin);
  assert.equal(begun.status, 201, begun.text);
  return { browser, reply: await browser.finish(await passProvider(url.href, login)) };
}

describe("the way to the provider", () => {
  it("is offered, and asks with PKCE, a nonce and a state", async () => {
    const methods = await app.api("GET", "/v1/sign_in_methods", { key: null });
    assert.deepEqual(methods.body, {
      object: "sign_in_methods",
      password: true,
      single_sign_on: { name: "Fernhill login" },
      sign_up: "closed",
    });
    const { reply, url } = await openSsoBrowser(app).begin();
    const asked = url.searchParams;
    assert.equal(asked.get("code_challenge_method"), "S256");
    assert.equal(asked.get("redirect_uri"), `${app.baseUrl}/sign-in/sso`);
    assert.equal(asked.get("response_type"), "code");
    for (const name of ["state", "nonce", "code_challenge"]) assert.equal(asked.get(name)?.length, 43, name);
    assert.match(
      reply.headers.get("set-cookie") ?? "",
      /^__Host-postrider_sso=[\w-]{43}; Path=\/; Secure; HttpOnly; SameSite=Lax/,
    );
    const [row] = await app.db.many<{ text: string }>(
      sql`select sso_sign_ins::text as text from sso_sign_ins`,
    );
    for (const name of ["state", "nonce"])
      assert.ok(!row?.text.includes(asked.get(name) ?? ""), "hashes alone are kept");
  });
});

describe("a code", () => {
  it("is good once, also under a new sign-in of the same browser", async () => {
    const person = await addPerson(app, unique());
    say(person.email);
    const browser = openSsoBrowser(app);
    const { url } = await browser.begin();
    const answer = await passProvider(url.href, person.email);
    assert.equal((await browser.finish(answer)).status, 201);
    const state = (await browser.begin()).url.searchParams.get("state") ?? "";
    assert.deepEqual(outcome(await browser.finish({ ...answer, state })), [403, "sso_refused"]);
  });
});

describe("somebody whom nobody here knows", () => {
  it("is made a member by their groups, of each account that these name, in the highest role", async () => {
    const email = unique();
    say(email, { groups: ["readers", "/mail,team", "elsewhere"] });
    const { reply, browser } = await come(email);
    assert.equal(reply.status, 201, reply.text);
    assert.equal(reply.body.user.email, email);
    assert.equal(reply.body.user.name, "Ada Fern");
    assert.deepEqual(reply.body.memberships.map((one: { role: string }) => one.role).sort(), [
      "marketer",
      "writer",
    ]);
    const named = { "postrider-account": app.accountId };
    assert.equal((await browser.send("GET", "/v1/account", undefined, named)).status, 200);
    const log = await app.api("GET", `/v1/audit?action=user.sso_joined`);
    assert.equal(log.body.data[0].target_id, roleUser(reply));
  });

  it("is made once, though they come in several tabs at once", async () => {
    const email = unique();
    say(email, { groups: ["readers"] });
    const begun: [SsoBrowser, Record<string, string>][] = [];
    for (let tab = 0; tab < 4; tab++) {
      const browser = openSsoBrowser(app);
      const { url } = await browser.begin();
      begun.push([browser, await passProvider(url.href, email)]);
    }
    const replies = await Promise.all(begun.map(([browser, answer]) => browser.finish(answer)));
    assert.deepEqual(
      replies.map(({ status }) => status),
      [201, 201, 201, 201],
    );
    assert.equal(new Set(replies.map(roleUser)).size, 1);
  });

  it("is told nothing more than that they have no account, without groups or a verified address", async () => {
    const without = unique();
    say(without);
    assert.deepEqual(outcome((await come(without)).reply), [403, "sso_not_a_member"]);
    const unverified = unique();
    say(unverified, { email_verified: false, groups: ["readers"] });
    const { reply } = await come(unverified);
    assert.deepEqual(outcome(reply), [403, "sso_not_a_member"]);
    const known = await app.db.many(sql`select from people where email in (${without}, ${unverified})`);
    assert.equal(known.length, 0, "nobody is left behind");
  });
});

const roleUser = (reply: Reply) =>
  reply.body.memberships.find((one: { account_id: string }) => one.account_id === app.accountId).user_id;

describe("somebody who is known by a password", () => {
  it("is linked by their verified address, and known by the subject from then on", async () => {
    const person = await addPerson(app, unique(), "viewer");
    say(person.email);
    const first = await come(person.email);
    assert.equal(first.reply.status, 201, first.reply.text);
    assert.equal(first.reply.body.user.id, person.id);
    provider.people.set(person.email, { sub: person.email, email: unique(), email_verified: false });
    const second = await come(person.email);
    assert.equal(second.reply.status, 201, "the address is no longer asked for");
    assert.equal(second.reply.body.user.email, person.email, "and isn't taken over");
  });

  it("isn't linked by an address that nobody verified, nor where another identity has the person", async () => {
    const person = await addPerson(app, unique());
    say(person.email, { email_verified: false });
    assert.deepEqual(outcome((await come(person.email)).reply), [403, "sso_not_a_member"]);
    say(person.email);
    assert.equal((await come(person.email)).reply.status, 201);
    const other = `another-${person.email}`;
    provider.people.set(other, { sub: other, email: person.email, email_verified: true, groups: ["owners"] });
    assert.deepEqual(outcome((await come(other)).reply), [403, "sso_not_a_member"], "the subject is another");
  });

  it("isn't linked by an address where they look after the instance", async () => {
    const operator = await addPerson(app, unique(), "viewer");
    await app.db.execute(sql`
      insert into operators (person_id, created_at) select id, now() from people where email = ${operator.email}`);
    say(operator.email, { groups: ["owners"] });
    assert.deepEqual(outcome((await come(operator.email)).reply), [403, "sso_not_a_member"]);
    assert.equal(
      (await app.db.many(sql`select from person_identities where email = ${operator.email}`)).length,
      0,
    );
  });

  it("signs in as an operator once the command line has linked them, and no more once it has unlinked them", async () => {
    const operator = await addPerson(app, unique(), "viewer");
    const { id } = await app.db.one<{ id: string }>(sql`
      insert into operators (person_id, created_at) select id, now() from people where email = ${operator.email}
      returning person_id as id`);
    say(operator.email);
    const making = <T>(work: (tools: Parameters<typeof linkOperator>[0]) => Promise<T>) =>
      app.db.transaction((tx) => work({ sql: tx, clock: systemClock }));
    const linked = { issuer: provider.issuer, subject: operator.email };
    assert.equal(await making((tools) => linkOperator(tools, id, linked)), true);
    const { browser, reply } = await come(operator.email);
    assert.equal(reply.status, 201, reply.text);
    assert.equal(reply.body.user.email, operator.email);
    assert.equal((await browser.send("GET", "/v1/instance/accounts")).status, 200);
    assert.equal(await making((tools) => unlinkOperator(tools, id)), true);
    assert.equal(
      (await browser.send("GET", "/v1/instance/accounts")).status,
      401,
      "what it opened has ended",
    );
    assert.deepEqual(outcome((await come(operator.email)).reply), [403, "sso_not_a_member"]);
  });

  it("owes no second factor of ours, and an account that wants one lets them in", async () => {
    const { key } = await app.addAccount();
    const owner = await addPerson(app, unique(), "owner", key);
    await addApp(owner.browser, new Date());
    assert.equal(
      (await owner.browser.send("PATCH", "/v1/account", { require_two_factor: true })).status,
      200,
    );
    say(owner.email);
    const { reply, browser } = await come(owner.email);
    assert.equal(reply.status, 201, "the provider's word is enough");
    const member = await addPerson(app, unique(), "viewer", key);
    assert.equal((await member.browser.send("GET", "/v1/account")).status, 403);
    say(member.email);
    const byProvider = await come(member.email);
    assert.equal((await byProvider.browser.send("GET", "/v1/account")).status, 200);
    assert.equal((await browser.send("GET", "/v1/account")).status, 200);
    assert.equal(
      (await member.browser.send("GET", "/v1/account")).status,
      401,
      "what a password had opened has ended",
    );
  });

  it("gets a new session, and the one before in the same browser ends", async () => {
    const person = await addPerson(app, unique());
    say(person.email);
    const browser = openSsoBrowser(app);
    browser.token = person.browser.token;
    const { url } = await browser.begin();
    const reply = await browser.finish(await passProvider(url.href, person.email));
    assert.equal(reply.status, 201, reply.text);
    assert.notEqual(browser.token, person.browser.token);
    assert.equal((await person.browser.send("GET", "/v1/session")).status, 401);
    assert.equal(reply.body.confirmed_until, null, "the provider may have asked nothing");
    const anew = await come(person.email, { again: true });
    assert.ok(anew.reply.body.confirmed_until, "it was asked to ask");
  });
});

describe("groups that change", () => {
  it("raise and lower at every sign-in, and end a membership that they made", async () => {
    await addPerson(app, unique(), "owner");
    const email = unique();
    say(email, { groups: ["readers"] });
    assert.equal(roleOf((await come(email)).reply), "viewer");
    say(email, { groups: ["readers", "owners"] });
    const raised = await come(email);
    assert.equal(roleOf(raised.reply), "owner");
    say(email, { groups: ["/mail,team"] });
    const lowered = await come(email);
    assert.equal(roleOf(lowered.reply), "marketer");
    assert.equal(lowered.reply.body.memberships.length, 1, "the other account is left");
    assert.equal(
      (await raised.browser.send("GET", "/v1/api_keys")).status,
      403,
      "older sessions follow at once",
    );
    say(email, { groups: [] });
    const gone = await come(email);
    assert.deepEqual(outcome(gone.reply), [403, "sso_not_a_member"]);
    assert.equal((await lowered.browser.send("GET", "/v1/session")).status, 401, "and are shut out");
    assert.equal((await app.db.many(sql`select from people where email = ${email}`)).length, 0);
  });

  it("make nobody a member of an account whose deletion has begun", async () => {
    const email = unique();
    say(email, { groups: ["readers"] });
    const begun = sql`account_id <> ${uuidOf("acc", app.accountId)}`;
    await app.db.execute(sql`
      insert into account_deletions (account_id, requested_at, due_at, started_at)
      select account_id, now(), now(), now() from accounts where ${begun}`);
    const { reply } = await come(email);
    assert.equal(reply.status, 201, reply.text);
    const ids = reply.body.memberships.map((one: { account_id: string }) => one.account_id);
    assert.deepEqual(ids, [app.accountId]);
    await app.db.execute(sql`delete from account_deletions where ${begun}`);
    assert.equal((await come(email)).reply.body.memberships.length, 2);
  });

  it("leave a membership alone that somebody else made", async () => {
    const person = await addPerson(app, unique(), "writer");
    say(person.email, { groups: [] });
    assert.equal(roleOf((await come(person.email)).reply), "writer");
    say(person.email, { groups: ["/mail,team"] });
    assert.equal(roleOf((await come(person.email)).reply), "marketer", "but their role is the group's");
    say(person.email, { groups: [] });
    assert.equal(roleOf((await come(person.email)).reply), "marketer");
  });

  it("never take an account's last owner away", async () => {
    const email = unique();
    say(email, { groups: ["owners"] });
    const { reply } = await come(email);
    assert.equal(roleOf(reply), "owner");
    const others = await app.api("GET", "/v1/users?limit=200");
    for (const { id, role } of others.body.data)
      if (role === "owner" && id !== roleUser(reply)) await app.api("DELETE", `/v1/users/${id}`);
    say(email, { groups: ["readers"] });
    assert.equal(roleOf((await come(email)).reply), "owner", "not lowered");
    say(email, { groups: [] });
    assert.equal(roleOf((await come(email)).reply), "owner", "nor removed");
  });
});

describe("an invitation", () => {
  const invite = async (email: string) => {
    const made = await app.api("POST", "/v1/invitations", { body: { email, role: "writer" } });
    assert.equal(made.status, 201, made.text);
    return new URL(made.body.link).hash.slice(1);
  };

  it("is accepted by single sign-on with its address alone", async () => {
    const email = unique();
    const invitation = await invite(email);
    say(email);
    assert.deepEqual(outcome((await come(email)).reply), [403, "sso_not_a_member"], "not without the link");
    const other = await addPerson(app, unique());
    say(other.email);
    const wrong = await come(other.email, { invitation });
    assert.deepEqual(outcome(wrong.reply), [409, "wrong_person"]);
    const { reply } = await come(email, { invitation });
    assert.equal(reply.status, 201, reply.text);
    assert.equal(roleOf(reply), "writer");
    const again = await openSsoBrowser(app).begin({ invitation });
    assert.deepEqual(outcome(again.reply), [409, "link_used"]);
  });

  it("is no way round a link that sets a password", async () => {
    const person = await addPerson(app, unique());
    const made = await app.api("POST", `/v1/users/${person.id}/password_link`);
    const invitation = new URL(made.body.url).hash.slice(1);
    assert.deepEqual(outcome((await openSsoBrowser(app).begin({ invitation })).reply), [404, "link_unknown"]);
  });
});

describe("what an owner sees", () => {
  it("is how it is set up, and who is linked; unlinking ends what was opened by it", async () => {
    const owner: Person = await addPerson(app, unique(), "owner");
    const shown = await owner.browser.send("GET", "/v1/single_sign_on");
    assert.equal(shown.status, 200, shown.text);
    assert.equal(shown.body.issuer, provider.issuer);
    assert.equal(shown.body.redirect_url, `${app.baseUrl}/sign-in/sso`);
    assert.deepEqual(shown.body.groups, [
      { group: "owners", role: "owner" },
      { group: "/mail,team", role: "marketer" },
      { group: "readers", role: "viewer" },
    ]);
    const person = await addPerson(app, unique());
    say(person.email);
    const { browser } = await come(person.email);
    const list = await owner.browser.send("GET", "/v1/single_sign_on/users?limit=200");
    const found = list.body.data.find((one: { id: string }) => one.id === person.id);
    assert.deepEqual([found.provider_email, found.by_groups], [person.email, false]);
    assert.equal((await browser.send("GET", "/v1/single_sign_on")).status, 403, "owners alone see it");
    const unlinked = await owner.browser.send("DELETE", `/v1/single_sign_on/users/${person.id}`);
    assert.equal(unlinked.status, 204, unlinked.text);
    assert.equal((await browser.send("GET", "/v1/session")).status, 401);
    assert.equal(
      (await person.browser.send("GET", "/v1/session")).status,
      401,
      "and a password's session had ended with the linking",
    );
    const after = await owner.browser.send("GET", "/v1/single_sign_on/users?limit=200");
    assert.ok(!after.body.data.some((one: { id: string }) => one.id === person.id));
  });

  it("is not enough to unlink somebody who belongs to another account too", async () => {
    const owner = await addPerson(app, unique(), "owner");
    const person = await addPerson(app, unique());
    say(person.email);
    await joinAs(app, person, (await app.addAccount()).key);
    assert.equal((await come(person.email)).reply.status, 201);
    const reply = await owner.browser.send("DELETE", `/v1/single_sign_on/users/${person.id}`);
    assert.deepEqual(outcome(reply), [409, "person_elsewhere"]);
  });
});
