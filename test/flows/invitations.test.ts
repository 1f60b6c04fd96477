/** Invitations: their life, what they tell, and who may accept them. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { sql } from "../../src/platform/db/db.ts";
import { createApp, type TestApp } from "../support/app.ts";
import { createTestClock, type TestClock } from "../support/clock.ts";
import { addPerson, openBrowser, PASSWORD, signIn, tokenOfLink } from "../support/people.ts";
import { addApp } from "../support/second-factors.ts";
import { startRelay } from "../support/smtp/relay.ts";
import { settled } from "../support/subscribers.ts";
import { until } from "../support/until.ts";

const DAY_MS = 24 * 3_600_000;

let app: TestApp;
let clock: TestClock;
let other: { accountId: string; key: string };
before(async () => {
  clock = createTestClock();
  app = await createApp({ clock });
  other = await app.addAccount();
});
after(() => app.stop());

const invite = (body: unknown, key = app.key) => app.api("POST", "/v1/invitations", { key, body });
const redeem = (link: string, more: object = {}, browser = openBrowser(app)) =>
  browser.send("POST", "/v1/password_links/redeem", {
    token: tokenOfLink(link),
    password: PASSWORD,
    ...more,
  });
const codes = (reply: { body: { errors: { pointer: string; code: string }[] } }) =>
  reply.body.errors.map((error) => `${error.pointer} ${error.code}`);

describe("an invitation", () => {
  it("lets nobody into an account whose deletion has begun", async () => {
    const { key, accountId } = await app.addAccount();
    const { body } = await invite({ email: "shut-out@example.com", name: "Late" }, key);
    await app.db.execute(sql`
      insert into account_deletions (account_id, requested_at, due_at, started_at)
      values (${accountId}, ${clock.now()}, ${clock.now()}, ${clock.now()})`);
    const refused = await redeem(body.link);
    assert.deepEqual([refused.status, refused.body.code], [404, "link_unknown"], refused.text);
    assert.deepEqual((await app.api("GET", "/v1/users", { key })).body.data, []);
    await app.db.execute(sql`delete from account_deletions where account_id = ${accountId}`);
  });

  it("is made, read, listed, accepted, and then is a user", async () => {
    const { key } = await app.addAccount();
    const made = await invite({ email: "Jane@Example.com", name: "Jane Doe" }, key);
    assert.equal(made.status, 201, made.text);
    const { link, mailed, ...invitation } = made.body;
    assert.equal(mailed, false, "without a server it stays in the sandbox");
    assert.match(link, /^http:\/\/127\.0\.0\.1:\d+\/setup#prl_[0-9A-Za-z]{54}$/);
    assert.equal(made.headers.get("location"), `${app.baseUrl}/v1/invitations/${invitation.id}`);
    assert.deepEqual(
      [invitation.email, invitation.role, invitation.status],
      ["Jane@Example.com", "marketer", "pending"],
    );
    assert.equal(new Date(invitation.expires_at).getTime(), clock.now().getTime() + 7 * DAY_MS);
    const path = `/v1/invitations/${invitation.id}`;
    assert.deepEqual((await app.api("GET", path, { key })).body, invitation);
    const list = await app.api("GET", "/v1/invitations?include_total=true", { key });
    assert.deepEqual([list.body.data, list.body.total], [[invitation], 1]);
    assert.deepEqual((await app.api("GET", "/v1/users", { key })).body.data, []);
    const joined = await redeem(link);
    assert.deepEqual([joined.status, joined.body.user.name], [201, "Jane Doe"], joined.text);
    assert.equal((await app.api("GET", path, { key })).status, 404);
    const { body: users } = await app.api("GET", "/v1/users?include_total=true", { key });
    assert.deepEqual([users.data.length, users.total, users.data[0].id], [1, 1, joined.body.user.id]);
  });

  it("is revoked with its links, by whoever might have made it", async () => {
    const { body } = await invite({ email: "revoked@example.com", role: "owner" });
    const path = `/v1/invitations/${body.id}`;
    const admin = await addPerson(app, "admin@example.com", "admin");
    for (const act of [
      () => admin.browser.send("DELETE", path),
      () => admin.browser.send("POST", `${path}/resend`),
    ])
      assert.equal((await act()).body.code, "missing_scope", "an admin doesn't touch an owner's");
    // Another owner has to be there before an invited one may go.
    await addPerson(app, "owner@example.com", "owner");
    assert.equal((await app.api("DELETE", path)).status, 204);
    assert.equal((await app.api("DELETE", path)).status, 404);
    assert.equal((await redeem(body.link)).body.code, "link_unknown");
    const left = await app.db.many(sql`select 1 from people where email_key = 'revoked@example.com'`);
    assert.equal(left.length, 0, "nobody is known by an invitation that was taken back");
  });

  it("ends after 7 days, and begins anew when it is sent again", async () => {
    const { body } = await invite({ email: "late@example.com" });
    clock.advance(7 * DAY_MS + 1);
    const path = `/v1/invitations/${body.id}`;
    assert.equal((await app.api("GET", path)).body.status, "expired");
    assert.equal((await redeem(body.link)).body.code, "link_unknown");
    assert.equal((await invite({ email: "late@example.com" })).body.code, "user_exists");
    const again = await app.api("POST", `${path}/resend`);
    assert.deepEqual([again.status, again.body.status], [200, "pending"], again.text);
    assert.equal((await redeem(body.link)).body.code, "link_unknown", "the first link is over");
    assert.equal((await redeem(again.body.link)).status, 201);
  });

  it("is refused to a member and to somebody who is invited already, also at once", async () => {
    await addPerson(app, "member@example.com");
    for (const email of ["member@example.com", "MEMBER@example.com"])
      assert.deepEqual(
        [(await invite({ email })).status, (await invite({ email })).body.code],
        [409, "user_exists"],
      );
    const three = await Promise.all([1, 2, 3].map(() => invite({ email: "race@example.com" })));
    assert.deepEqual(three.map(({ status }) => status).sort(), [201, 409, 409]);
    assert.equal((await invite({ email: "race@example.com" }, other.key)).status, 201, "another account may");
  });

  it("names each fault of bad input", async () => {
    for (const email of [
      "nobody",
      "a b@example.com",
      "a@b@example.com",
      "a@localhost",
      "a\u0007@example.com",
    ])
      assert.deepEqual(codes(await invite({ email })), ["/email invalid_email"], email);
    const many = await invite({ email: 5, name: "x".repeat(101), role: "member", password: "x" });
    assert.deepEqual(codes(many).sort(), [
      "/email invalid_type",
      "/name too_long",
      "/password unknown_field",
      "/role invalid_value",
    ]);
    assert.deepEqual(codes(await invite({ email: "c@example.com", name: "a\nb" })), [
      "/name invalid_character",
    ]);
  });

  it("under an idempotency key is made once, and its link shown once", async () => {
    const headers = { "idempotency-key": "invite jane" };
    const body = { email: "replayed@example.com" };
    const first = await app.api("POST", "/v1/invitations", { body, headers });
    const again = await app.api("POST", "/v1/invitations", { body, headers });
    assert.deepEqual([again.status, again.headers.get("idempotency-replayed")], [201, "true"]);
    assert.deepEqual(again.body, { ...first.body, link: null });
  });

  it("stands in the event log by ids alone, and the user when they join", async () => {
    const { key } = await app.addAccount();
    const { body: one } = await invite({ email: "logged@example.com", name: "Secret" }, key);
    const { body: two } = await invite({ email: "taken-back@example.com" }, key);
    const joined = await redeem(one.link);
    await app.api("DELETE", `/v1/invitations/${two.id}`, { key });
    await settled(app);
    const { body } = await app.api("GET", "/v1/events?limit=20", { key });
    const seen = body.data
      .filter(({ type }: { type: string }) => /^invitation|^user\.created/.test(type))
      .map(({ type, data }: { type: string; data: object }) => [type, Object.values(data)[0]]);
    assert.deepEqual(seen.reverse(), [
      ["invitation.created", one.id],
      ["invitation.created", two.id],
      ["user.created", joined.body.user.id],
      ["invitation.deleted", two.id],
    ]);
    assert.ok(!/example\.com|Secret/.test(JSON.stringify(body.data)));
  });
});

describe("what an invitation tells", () => {
  it("is the same for somebody whom the instance knows and for somebody whom it doesn't", async () => {
    await addPerson(app, "Known.Person@example.com", "owner", (await app.addAccount()).key);
    const answers = [];
    for (const email of ["known.person@example.com", "unknown.person@example.com"]) {
      const { status, headers, body } = await invite({ email }, other.key);
      const read = await app.api("GET", `/v1/invitations/${body.id}`, { key: other.key });
      assert.equal(body.email, email, "as it was typed, and not as it is known");
      const same = (one: object) => ({ ...one, id: "", link: "", email: "", created_at: "", updated_at: "" });
      answers.push({ status, names: [...headers.keys()].sort(), body: same(body), read: same(read.body) });
    }
    assert.deepEqual(answers[0], answers[1]);
  });

  it("goes to nobody but the person where the instance has a server of its own", async () => {
    const instance = await startRelay({ disabledCommands: ["STARTTLS", "AUTH"] });
    const own = await startRelay({ disabledCommands: ["STARTTLS", "AUTH"] });
    const live = await createApp({
      settings: {
        SMTP_URL: `smtp://127.0.0.1:${instance.port}`,
        SYSTEM_FROM: "mailer@host.example",
        INTERNAL_HOSTS: "127.0.0.1",
      },
    });
    try {
      const body = { name: "Own", host: "127.0.0.1", port: own.port, tls: "never" };
      const transport = await live.api("POST", "/v1/transports", { body });
      assert.equal(transport.status, 201, transport.text);
      const made = await live.api("POST", "/v1/invitations", { body: { email: "new@example.com" } });
      assert.deepEqual([made.body.mailed, made.body.link], [true, null], made.text);
      await until(() => instance.received.length === 1);
      assert.equal(own.received.length, 0, "people of the account may read what their server takes");
    } finally {
      await live.stop();
      await Promise.all([instance.close(), own.close()]);
    }
  });
});

describe("who accepts", () => {
  it("is not somebody else who is signed in", async () => {
    const eve = await addPerson(app, "eve@example.com");
    const { body } = await invite({ email: "adam@example.com" }, other.key);
    const refused = await redeem(body.link, {}, eve.browser);
    assert.deepEqual([refused.status, refused.body.code], [409, "wrong_person"]);
    assert.equal((await eve.browser.send("GET", "/v1/session")).status, 200, "and stays signed in");
    await eve.browser.send("DELETE", "/v1/session");
    assert.equal((await redeem(body.link, {}, eve.browser)).status, 201, "the link is as good as before");
  });

  it("may be the person themselves while signed in", async () => {
    const person = await addPerson(app, "same@example.com");
    const { body } = await invite({ email: "same@example.com" }, other.key);
    const joined = await redeem(body.link, {}, person.browser);
    assert.deepEqual([joined.status, joined.body.memberships?.length], [201, 2], joined.text);
  });

  it("is one of those who do it at once, and the others are told that it was used", async () => {
    await addPerson(app, "twice@example.com");
    const { body } = await invite({ email: "twice@example.com" }, other.key);
    const both = await Promise.all([redeem(body.link), redeem(body.link)]);
    assert.deepEqual(both.map(({ status }) => status).sort(), [201, 409]);
    assert.equal(both.find(({ status }) => status === 409)?.body.code, "link_used");
    const { reply } = await signIn(app, "twice@example.com");
    assert.equal(reply.body.memberships.length, 2, "and belongs to it once");
  });
});

describe("the link of a first owner", () => {
  const withOwnerLink = async (run: (fresh: TestApp) => Promise<void>) => {
    const fresh = await createApp();
    try {
      await run(fresh);
    } finally {
      await fresh.stop();
    }
  };
  const take = (fresh: TestApp, email: string, password: string) =>
    openBrowser(fresh).send("POST", "/v1/password_links/redeem", {
      token: tokenOfLink(fresh.setupLink),
      password,
      email,
    });

  it("wants the password of somebody who is known, and sets none", () =>
    withOwnerLink(async (fresh) => {
      const { key } = await fresh.addAccount();
      await addPerson(fresh, "known@example.com", "owner", key);
      const wrong = await take(fresh, "known@example.com", "another password");
      assert.deepEqual(codes(wrong), ["/password wrong_password"]);
      const right = await take(fresh, "Known@example.com", PASSWORD);
      assert.deepEqual([right.status, right.body.memberships.length], [201, 2], right.text);
      assert.equal((await signIn(fresh, "known@example.com")).reply.status, 201);
    }));

  it("isn't stopped by another account's invitation", () =>
    withOwnerLink(async (fresh) => {
      const { key } = await fresh.addAccount();
      const body = { email: "wanted@example.com" };
      assert.equal((await fresh.api("POST", "/v1/invitations", { key, body })).status, 201);
      const taken = await take(fresh, "wanted@example.com", PASSWORD);
      assert.deepEqual([taken.status, taken.body.user?.role], [201, "owner"], taken.text);
    }));
});

describe("an invitation of somebody who has a second factor", () => {
  it("makes no membership by the password alone, and one once the factor was given", async () => {
    const account = await app.addAccount();
    const person = await addPerson(app, "careful@example.com");
    const factor = await addApp(person.browser, clock.now());
    const { body: made } = await invite({ email: person.email }, account.key);
    const path = `/v1/invitations/${made.id}`;
    const users = () => app.api("GET", "/v1/users", { key: account.key });
    const browser = openBrowser(app);
    const due = await redeem(made.link, { name: "Careful" }, browser);
    assert.deepEqual([due.status, due.body.factors], [202, ["totp"]], due.text);
    assert.deepEqual((await users()).body.data, [], "the password alone joins nothing");
    assert.equal((await app.api("GET", path, { key: account.key })).body.status, "pending");
    const prove = (token: string, code: string) =>
      browser.send("POST", "/v1/session/second_factor", { token, code });
    assert.equal((await prove(due.body.token, "000000")).status, 401);
    assert.deepEqual((await users()).body.data, [], "nor does a wrong code");

    const second = await redeem(made.link);
    assert.equal(second.status, 202, "the link is still good");
    const joined = await prove(due.body.token, factor.code(clock.now()));
    assert.equal(joined.status, 201, joined.text);
    assert.deepEqual([joined.body.user.name, joined.body.memberships.length], ["Careful", 2]);
    assert.equal(joined.body.user.id, (await users()).body.data[0].id);
    const { body: log } = await app.api("GET", "/v1/audit?action=user.link_redeemed", {
      key: account.key,
    });
    assert.equal(log.data.length, 1, "and the account's audit log has it");
    const late = await prove(second.body.token, factor.code(clock.now(), 1));
    assert.deepEqual([late.status, late.body.code], [409, "link_used"]);
  });

  it("ends with what was begun by it when it is revoked", async () => {
    const account = await app.addAccount();
    const person = await addPerson(app, "revoked.careful@example.com");
    const factor = await addApp(person.browser, clock.now());
    const { body: made } = await invite({ email: person.email }, account.key);
    const due = await redeem(made.link);
    assert.equal(due.status, 202, due.text);
    const revoked = await app.api("DELETE", `/v1/invitations/${made.id}`, { key: account.key });
    assert.equal(revoked.status, 204, revoked.text);
    const body = { token: due.body.token, code: factor.code(clock.now()) };
    const late = await openBrowser(app).send("POST", "/v1/session/second_factor", body);
    assert.deepEqual([late.status, late.body.code], [401, "sign_in_expired"]);
    assert.deepEqual((await app.api("GET", "/v1/users", { key: account.key })).body.data, []);
  });
});
