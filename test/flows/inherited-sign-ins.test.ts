/** Nobody becomes somebody else by a link, by a password of before, or in the place of whoever was removed. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
  addOperator,
  createInstanceKey,
  lockUser,
  makeFirstOwnerLink,
  makeMailedLink,
  makeOperatorLink,
} from "../../src/accounts/accounts.ts";
import { systemClock as clock } from "../../src/platform/clock.ts";
import { systemCtx } from "../../src/platform/context.ts";
import { sql } from "../../src/platform/db/db.ts";
import { toPublicId } from "../../src/platform/ids.ts";
import { createLog } from "../../src/platform/log.ts";
import { createApp, type Reply, type TestApp } from "../support/app.ts";
import { addPerson, openBrowser, PASSWORD, signIn, tokenOfLink } from "../support/people.ts";
import { freePort } from "../support/ports.ts";
import { addApp } from "../support/second-factors.ts";
import {
  type Liar,
  openSsoBrowser,
  signInWithLiar,
  ssoSettings,
  startLiar,
} from "../support/single-sign-on.ts";
import { settled, uuidOf } from "../support/subscribers.ts";

const log = createLog({ level: "silent", pretty: false });
const THEIRS = "a password of somebody else";
let database: TestApp;
let app: TestApp;
let liar: Liar;
/** The account whose owners the group makes. */
let grouped: { accountId: string; key: string };
before(async () => {
  database = await createApp();
  await addPerson(database, "first@example.com", "owner");
  grouped = await database.addAccount();
  const { body } = await database.api("GET", "/v1/account", { key: grouped.key });
  liar = await startLiar();
  const settings = await ssoSettings(liar.issuer, await freePort(), {
    OIDC_GROUPS: `owners=${body.id}:owner`,
  });
  app = await createApp({ databaseUrl: database.databaseUrl, settings });
});
after(async () => {
  await app.stop();
  await database.stop();
  await liar.stop();
});

let count = 0;
const unique = () => `vic${++count}@example.com`;
const outcome = (reply: Reply) => [reply.status, reply.body.code];
const WRONG = [422, "wrong_password"];
const firstCode = (reply: Reply) => [reply.status, reply.body.errors?.[0]?.code];
const say = (email: string, groups: readonly string[]) => ({
  sub: email,
  email,
  email_verified: true,
  groups,
});
/** Comes with the provider, who says that they belong to the group. */
const comeByGroups = (email: string) => signInWithLiar(app, liar, say(email, ["owners"]));
const redeem = (token: string, more: Record<string, unknown> = {}) =>
  openBrowser(app).send("POST", "/v1/password_links/redeem", { token, password: THEIRS, ...more });

async function hashOf(email: string): Promise<string | null> {
  const row = await app.db.one<{ password_hash: string | null }>(
    sql`select password_hash from people where email = ${email}`,
  );
  return row.password_hash;
}

async function invite(email: string, key = app.key): Promise<string> {
  const made = await app.api("POST", "/v1/invitations", { key, body: { email, role: "viewer" } });
  assert.equal(made.status, 201, made.text);
  return tokenOfLink(made.body.link);
}

async function makeOperatorOf(email: string): Promise<void> {
  const { id } = await app.db.one<{ id: string }>(sql`select id from people where email = ${email}`);
  await app.db.transaction((tx) => addOperator({ sql: tx, clock }, id));
}

describe("somebody who comes by single sign-on alone", () => {
  it("gets no password by the link of an account that is opened for them", async () => {
    const email = unique();
    assert.equal((await comeByGroups(email)).reply.status, 201);
    const key = await app.db.transaction((tx) => createInstanceKey({ sql: tx, clock }, "Billing"));
    const opened = await app.api("POST", "/v1/instance/accounts", {
      key,
      body: { name: "Lure", owner_email: email },
    });
    assert.equal(opened.status, 201, opened.text);
    const token = tokenOfLink(opened.body.owner_link);
    const shown = await openBrowser(app).send("POST", "/v1/password_links/inspect", { token });
    assert.equal(shown.body.purpose, "join");
    assert.deepEqual(firstCode(await redeem(token)), WRONG);
    assert.equal(await hashOf(email), null);
    const { reply } = await signInWithLiar(app, liar, say(email, ["owners"]), { invitation: token });
    assert.equal(reply.status, 201, `they accept by the provider: ${reply.text}`);
    assert.equal(reply.body.memberships.length, 2);
  });

  it("gets none by an invitation that was made before they came", async () => {
    const email = unique();
    const token = await invite(email);
    assert.equal((await comeByGroups(email)).reply.status, 201);
    assert.deepEqual(firstCode(await redeem(token)), WRONG);
    assert.equal(await hashOf(email), null);
  });

  it("gets none by a first owner's link to which somebody types their address", async () => {
    const email = unique();
    assert.equal((await comeByGroups(email)).reply.status, 201);
    const { accountId } = await app.addAccount();
    const { token } = await app.db.transaction((tx) =>
      makeFirstOwnerLink(systemCtx({ clock, log }, tx, accountId)),
    );
    assert.deepEqual(firstCode(await redeem(token, { email })), WRONG);
    assert.equal(await hashOf(email), null);
  });

  it("gets none by a link that people of their account make", async () => {
    const email = unique();
    const { reply } = await comeByGroups(email);
    const made = await app.api("POST", `/v1/users/${reply.body.user.id}/password_link`, { key: grouped.key });
    assert.deepEqual(outcome(made), [409, "person_elsewhere"], made.text);
  });
});

describe("somebody whose password others may have chosen", () => {
  it("is linked without it, and what was opened by it ends", async () => {
    const { id, email, browser } = await addPerson(app, unique());
    await addApp(browser, new Date());
    const link = await app.api("POST", `/v1/users/${id}/password_link`);
    const { reply } = await comeByGroups(email);
    assert.equal(reply.status, 201, reply.text);
    assert.equal(reply.body.memberships.length, 2);
    assert.equal((await browser.send("GET", "/v1/session")).status, 401);
    assert.deepEqual(outcome((await signIn(app, email)).reply), [401, "wrong_credentials"]);
    assert.deepEqual(outcome(await redeem(tokenOfLink(link.body.url))), [404, "link_unknown"]);
    const { factors } = await app.db.one<{ factors: number }>(sql`
      select count(*) as factors from factors join people on people.id = person_id where email = ${email}`);
    assert.equal(factors, 0, "a passkey would let them in too");
    await settled(app);
    const events = await app.api("GET", "/v1/events?type=user.password_changed");
    assert.equal(events.body.data[0]?.data.user_id, id, "and is told");
  });
});

describe("a sign-in by the provider", () => {
  const seconds = (minutesAgo: number) => Math.floor(Date.now() / 1_000) - minutesAgo * 60;

  it("confirms only where it was begun so, and where the token says nothing else", async () => {
    const email = unique();
    const come = async (begin: Record<string, unknown>, more: Record<string, unknown>) => {
      const claims = { ...say(email, ["owners"]), ...more };
      const { reply } = await signInWithLiar(app, liar, claims, begin);
      assert.equal(reply.status, 201, reply.text);
      return reply.body.confirmed_until !== null;
    };
    const again = { again: true };
    assert.equal(await come({}, {}), false);
    assert.equal(await come({}, { auth_time: seconds(0) }), false);
    assert.equal(await come(again, { auth_time: seconds(5) }), false, "the browser left the question out");
    assert.equal(await come(again, { auth_time: seconds(0) }), true);
    assert.equal(await come(again, {}), true, "some providers never say it");
    const { url } = await openSsoBrowser(app).begin(again);
    const asked = ["prompt", "max_age"].map((name) => url.searchParams.get(name));
    assert.deepEqual(asked, ["login", "0"]);
  });

  it("confirms nothing that an operator changes", async () => {
    const email = unique();
    const come = () => signInWithLiar(app, liar, say(email, ["owners"]), { again: true });
    const { code } = await addApp((await come()).browser, new Date());
    await makeOperatorOf(email);
    const { browser } = await come();
    const other = await app.addAccount();
    const path = `/v1/instance/accounts/${toPublicId("acc", other.accountId)}`;
    const suspend = () => browser.send("POST", `${path}/suspend`, { reason: "A test" });
    assert.deepEqual(outcome(await suspend()), [403, "confirmation_required"]);
    const confirmed = await browser.send("POST", "/v1/session/confirm", { code: code(new Date()) });
    assert.equal(confirmed.status, 200, confirmed.text);
    assert.equal((await suspend()).status, 200);
    assert.equal((await browser.send("POST", `${path}/look_in`, { reason: "A look" })).status, 201);
    const linked = await app.api("GET", "/v1/single_sign_on/users", { key: other.key });
    assert.deepEqual(
      [linked.status, linked.body.data],
      [200, []],
      "whoever looks in is nobody of the account",
    );
  });
});

describe("an operator", () => {
  it("keeps the password when they are removed from their account, and an invitation wants it", async () => {
    const { id, email } = await addPerson(app, unique());
    await makeOperatorOf(email);
    const other = await app.addAccount();
    const token = await invite(email, other.key);
    assert.equal((await app.api("DELETE", `/v1/users/${id}`)).status, 204);
    assert.deepEqual(firstCode(await redeem(token)), WRONG);
    assert.deepEqual(
      outcome((await signIn(app, email)).reply),
      [401, "wrong_credentials"],
      "without an account",
    );
    assert.equal((await redeem(token, { password: PASSWORD })).status, 201);
  });

  it("gets a new password by the command line alone", async () => {
    const { id, email } = await addPerson(app, unique());
    const early = await app.api("POST", `/v1/users/${id}/password_link`);
    assert.equal(early.status, 201, early.text);
    await makeOperatorOf(email);
    assert.deepEqual(outcome(await redeem(tokenOfLink(early.body.url))), [404, "link_unknown"]);
    const late = await app.api("POST", `/v1/users/${id}/password_link`);
    assert.deepEqual(outcome(late), [409, "person_elsewhere"]);
    const accountId = uuidOf("acc", app.accountId);
    const make = (isMailed: boolean) =>
      app.db.transaction(async (tx) => {
        const user = await lockUser(tx, accountId, uuidOf("usr", id));
        assert.ok(user);
        const ctx = systemCtx({ clock, log }, tx, accountId);
        const seenBy = { of_instance: true, transport_id: null };
        return (await (isMailed ? makeMailedLink(ctx, user, seenBy) : makeOperatorLink(ctx, user))).token;
      });
    assert.deepEqual(outcome(await redeem(await make(true))), [404, "link_unknown"]);
    assert.equal((await redeem(await make(false))).status, 201);
  });
});
