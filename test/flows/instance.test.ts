/** Operators look after the instance: they list, open, suspend and look into accounts, and what they do is seen by them and by the account. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import {
  addOperator,
  createInstanceKey,
  holdAccount,
  listInstanceKeys,
  removeOperator,
  revokeInstanceKey,
} from "../../src/accounts/accounts.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { sql } from "../../src/platform/db/db.ts";
import { INSTANCE } from "../../src/platform/http/audit.ts";
import { toPublicId } from "../../src/platform/ids.ts";
import { createApp, type TestApp } from "../support/app.ts";
import { createTestClock } from "../support/clock.ts";
import { makeFixture } from "../support/fixtures.ts";
import { makeOperator } from "../support/operators.ts";
import { addPerson, openBrowser, PASSWORD, type Person, tokenOfLink } from "../support/people.ts";
import { allRoutes, exampleOf, fillPath } from "../support/routes.ts";
import { type Json, makeList, settled, uuidOf } from "../support/subscribers.ts";
import { until } from "../support/until.ts";

const MINUTE_MS = 60_000;
const clock = createTestClock();
let app: TestApp;
let operator: Person;
let operatorId: string;
let key: string;
let other: { accountId: string; key: string };
let otherOwner: Person;
before(async () => {
  app = await createApp({ clock });
  operator = await addPerson(app, "operator@example.com", "marketer");
  operatorId = await makeOperator(app, operator, clock);
  key = await app.db.transaction((tx) => createInstanceKey({ sql: tx, clock }, "Billing"));
  const made = await app.api("POST", "/v1/instance/accounts", {
    key,
    body: { name: "Brook 100%_Books", owner_email: "brook@example.com", owner_name: "Brook" },
  });
  assert.equal(made.status, 201, made.text);
  const accountId = uuidOf("acc", made.body.id);
  const browser = openBrowser(app);
  const token = tokenOfLink(made.body.owner_link);
  const joined = await browser.send("POST", "/v1/password_links/redeem", { token, password: PASSWORD });
  assert.equal(joined.status, 201, joined.text);
  otherOwner = { id: joined.body.user.id, email: "brook@example.com", browser };
  other = { accountId: made.body.id, key: await app.addKey(["full"], accountId) };
});
after(() => app.stop());

const ask = (path: string, as = key) => app.api("GET", `/v1/instance/${path}`, { key: as });
const auditOf = (accountId: string) =>
  app.db.many<Json>(
    sql`select action, actor_kind, actor_id, target_id, fields from audit_log where account_id = ${accountId} order by created_at, id`,
  );

async function subscribe(listId: string, email: string): Promise<void> {
  const body = { email, list_id: listId };
  assert.equal((await app.api("POST", "/v1/subscribers", { key: other.key, body })).status, 201);
}

describe("the accounts of the instance", () => {
  test("are listed newest first, by state and by part of the name or the id, with their counts", async () => {
    const listId = await makeList(app, {}, other.key);
    await subscribe(listId, "ada@example.com");
    const all = await ask("accounts?include_total=true");
    assert.equal(all.status, 200, all.text);
    assert.equal(all.body.total, 2);
    const found = all.body.data.find(({ id }: Json) => id === other.accountId);
    assert.deepEqual(
      [found.name, found.state, found.users, found.subscribers, found.mails_30_days, found.holds],
      ["Brook 100%_Books", "active", 1, 1, 0, []],
    );
    const idsOf = async (query: string) =>
      (await ask(`accounts?${query}`)).body.data.map(({ id }: Json) => id).toSorted();
    assert.deepEqual(await idsOf("q=100%25_b"), [other.accountId]);
    assert.deepEqual(await idsOf("q=100_"), [], "an underscore is a letter as any");
    assert.deepEqual(await idsOf(`q=${other.accountId}`), [other.accountId]);
    assert.deepEqual(await idsOf("state=suspended"), []);
    assert.equal((await idsOf("state=active")).length, 2);
    const first = await ask("accounts?limit=1");
    const second = await ask(`accounts?limit=1&cursor=${first.body.next_cursor}`);
    assert.equal(second.body.has_more, false);
    assert.notEqual(first.body.data[0].id, second.body.data[0].id);
    const summary = await ask("summary");
    assert.deepEqual([summary.body.accounts.total, summary.body.operators], [2, 1], summary.text);
    const unknown = await ask("accounts/acc_01k9zq4t3xe8k8y0v6d3m2n1pq");
    assert.deepEqual([unknown.status, unknown.body.code], [404, "not_found"]);
  });

  test("count the mails that servers took within 30 days, of campaigns and of programs", async () => {
    const listId = await makeList(app, {}, other.key);
    await subscribe(listId, "reader@example.com");
    const body = { name: "News", list_id: listId, subject: "News", html: "<p>News</p>" };
    const made = await app.api("POST", "/v1/campaigns", { key: other.key, body });
    assert.equal(
      (await app.api("POST", `/v1/campaigns/${made.body.id}/send`, { key: other.key })).status,
      202,
    );
    const mail = { from: "a@example.com", to: ["one@example.com"], subject: "One", text: "One" };
    assert.equal((await app.api("POST", "/v1/emails", { key: other.key, body: mail })).status, 202);
    await until(async () => (await ask(`accounts/${other.accountId}`)).body.mails_30_days === 2);
    clock.advance(31 * 24 * 60 * MINUTE_MS);
    assert.equal((await ask(`accounts/${other.accountId}`)).body.mails_30_days, 0);
    // Nobody is signed in any more by then.
    clock.advance(-31 * 24 * 60 * MINUTE_MS);
  });

  test("are opened with an owner's link and a list, which a replay shows no more", async () => {
    const body = { name: "Fern", owner_email: "fern@example.com" };
    const headers = { "idempotency-key": "open fern" };
    const made = await app.api("POST", "/v1/instance/accounts", { key, body, headers });
    assert.equal(made.status, 201, made.text);
    assert.match(made.body.owner_link, /#prl_/);
    const again = await app.api("POST", "/v1/instance/accounts", { key, body, headers });
    assert.deepEqual([again.body.id, again.body.owner_link], [made.body.id, null], again.text);
    const bad = await app.api("POST", "/v1/instance/accounts", {
      key,
      body: { name: " ", owner_email: "x" },
    });
    assert.equal(bad.status, 422, bad.text);
    const noAddress = await app.api("POST", "/v1/instance/accounts", {
      key,
      body: { name: "Moss", owner_email: "x" },
    });
    assert.deepEqual(
      noAddress.body.errors.map(({ pointer, code }: Json) => [pointer, code]),
      [["/owner_email", "invalid_email"]],
    );
    const log = await auditOf(uuidOf("acc", made.body.id));
    assert.deepEqual(
      log.map((row) => [row["action"], row["actor_kind"], row["actor_id"]]),
      [["account.created", "operator", null]],
    );
  });
});

describe("a suspension", () => {
  test("is told of by an event and by mail to the owners, and so is its end; what changes nothing isn't", async () => {
    const running = await createApp();
    try {
      const asked = await running.db.transaction((tx) =>
        createInstanceKey({ sql: tx, clock: systemClock }, "Billing"),
      );
      await addPerson(running, "told@example.com", "owner");
      await addPerson(running, "marketer@example.com", "marketer");
      const send = (what: string, body?: unknown) =>
        running.api("POST", `/v1/instance/accounts/${running.accountId}/${what}`, { key: asked, body });
      const mailsTo = async (email: string) => {
        const { body } = await running.api("GET", `/v1/sandbox/messages?to=${email}`);
        return body.data.map(({ subject }: Json) => subject as string);
      };
      const isTold = (words: string) => async () =>
        (await mailsTo("told@example.com")).some((subject: string) => subject.includes(words));
      for (const reason of ["Unpaid since May", "Again"])
        assert.equal((await send("suspend", { reason })).status, 200);
      await until(isTold("was suspended"));
      for (const _ of [1, 2]) assert.equal((await send("reinstate")).status, 200);
      await until(isTold("was reinstated"));
      await settled(running);
      const { body } = await running.api("GET", "/v1/events?type=account.suspended&type=account.reinstated");
      assert.deepEqual(
        body.data.map(({ type, actor, data }: Json) => [type, actor, data]).sort(),
        ["account.reinstated", "account.suspended"].map((type) => [type, { kind: "system", id: null }, {}]),
      );
      const told = async (email: string) =>
        (await mailsTo(email)).filter((subject: string) => /suspended|reinstated/.test(subject)).length;
      assert.deepEqual([await told("told@example.com"), await told("marketer@example.com")], [2, 0]);
    } finally {
      await running.stop();
    }
  });

  test("holds at once with its reason, and ends by a reinstatement; both logs have it, without what was written", async () => {
    const send = (what: string, body?: unknown) => {
      // Two rows of one millisecond would stand in any order.
      clock.advance(1);
      return operator.browser.send("POST", `/v1/instance/accounts/${other.accountId}/${what}`, body);
    };
    const suspended = await send("suspend", { reason: "Unpaid since May" });
    assert.equal(suspended.status, 200, suspended.text);
    assert.deepEqual(
      [suspended.body.state, suspended.body.holds[0].reason],
      ["suspended", "Unpaid since May"],
    );
    const refused = await otherOwner.browser.send("POST", "/v1/lists", { name: "No" });
    assert.deepEqual([refused.status, refused.body.code], [403, "account_suspended"], refused.text);
    assert.equal((await ask("accounts?state=suspended")).body.data.length, 1);
    assert.equal((await send("suspend", { reason: "Again" })).body.holds[0].reason, "Unpaid since May");
    const back = await send("reinstate");
    assert.deepEqual([back.status, back.body.state, back.body.holds], [200, "active", []], back.text);
    assert.equal((await otherOwner.browser.send("POST", "/v1/lists", { name: "Yes" })).status, 201);
    // What changes nothing stands in no log.
    for (const [what, body] of [["reinstate"], ["release", { reason: "None" }]] as const)
      assert.equal((await send(what, body)).status, 200);
    const own = await auditOf(uuidOf("acc", other.accountId));
    const seen = own.filter(({ actor_kind }) => actor_kind === "operator").slice(-2);
    assert.deepEqual(
      seen.map(({ action, actor_id, target_id, fields }) => [action, actor_id, target_id, fields]),
      [
        ["account.suspended", null, other.accountId, ["reason"]],
        ["account.reinstated", null, other.accountId, []],
      ],
    );
    const log = await operator.browser.send("GET", "/v1/instance/audit");
    assert.deepEqual(
      log.body.data.slice(0, 2).map(({ action, target_id }: Json) => [action, target_id]),
      [
        ["account.reinstated", other.accountId],
        ["account.suspended", other.accountId],
      ],
    );
    assert.match(log.body.data[0].actor.id, /^per_/);
    assert.ok(!JSON.stringify(log.body).includes("Unpaid"));
  });

  test("can't be taken out of the instance's log again", async () => {
    await assert.rejects(
      app.db.execute(sql`delete from audit_log where account_id = ${INSTANCE}`),
      /append-only/,
    );
  });
});

describe("looking in", () => {
  const named = () => ({ "postrider-account": other.accountId });

  test("shows an operator the account as a viewer sees it, until its time is over, and its owners the reason", async () => {
    const before = await operator.browser.send("GET", "/v1/campaigns", undefined, named());
    assert.deepEqual([before.status, before.body.code], [404, "account_unknown"]);
    const visit = await operator.browser.send("POST", `/v1/instance/accounts/${other.accountId}/look_in`, {
      reason: "They asked why a campaign stands still",
      minutes: 30,
    });
    assert.equal(visit.status, 201, visit.text);
    const session = await operator.browser.send("GET", "/v1/session", undefined, named());
    assert.deepEqual(
      [session.body.account_id, session.body.user.role],
      [other.accountId, "viewer"],
      session.text,
    );
    assert.equal(session.body.memberships.length, 2);
    assert.equal((await operator.browser.send("GET", "/v1/campaigns", undefined, named())).status, 200);
    const write = await operator.browser.send("POST", "/v1/lists", { name: "No" }, named());
    assert.deepEqual([write.status, write.body.code], [403, "missing_scope"], write.text);
    assert.equal((await operator.browser.send("GET", "/v1/subscribers", undefined, named())).status, 403);
    // Without a name, a request is about the account that they belong to.
    const unnamed = await operator.browser.send("GET", "/v1/account");
    assert.deepEqual([unnamed.status, unnamed.body.id], [200, app.accountId], unnamed.text);
    const visits = await otherOwner.browser.send("GET", "/v1/visits");
    assert.deepEqual(
      visits.body.data.map(({ id, reason }: Json) => [id, reason]),
      [[visit.body.id, "They asked why a campaign stands still"]],
    );
    const users = await otherOwner.browser.send("GET", "/v1/users");
    const shown = users.body.data.find(({ visit_until }: Json) => visit_until !== null);
    assert.deepEqual([shown.email, shown.role], [operator.email, "viewer"]);
    const raised = await otherOwner.browser.send("PATCH", `/v1/users/${shown.id}`, { role: "admin" });
    assert.deepEqual([raised.status, raised.body.code], [409, "operator_visit"], raised.text);
    // An account that could set an operator's password would become one.
    const link = await otherOwner.browser.send("POST", `/v1/users/${shown.id}/password_link`);
    assert.deepEqual([link.status, link.body.code], [409, "operator_visit"], link.text);
    const log = await otherOwner.browser.send("GET", "/v1/audit?action=account.looked_into");
    assert.deepEqual(
      log.body.data.map(({ actor, target_id }: Json) => [actor.kind, target_id]),
      [["operator", visit.body.id]],
    );
    clock.advance(30 * MINUTE_MS);
    const after = await operator.browser.send("GET", "/v1/campaigns", undefined, named());
    assert.deepEqual([after.status, after.body.code], [404, "account_unknown"], after.text);
  });

  test("may be ended by the account, and wants an hour at most, a reason, and a person who doesn't belong to it", async () => {
    await confirm();
    const look = (body: unknown, id = other.accountId) =>
      operator.browser.send("POST", `/v1/instance/accounts/${id}/look_in`, body);
    assert.equal((await look({ reason: "x", minutes: 61 })).status, 422);
    assert.equal((await look({ reason: " " })).status, 422);
    const own = await look({ reason: "My own" }, app.accountId);
    assert.deepEqual([own.status, own.body.code], [409, "user_exists"], own.text);
    const byKey = await app.api("POST", `/v1/instance/accounts/${other.accountId}/look_in`, {
      key,
      body: { reason: "A program" },
    });
    assert.deepEqual([byKey.status, byKey.body.code], [404, "no_session"], byKey.text);
    assert.equal((await look({ reason: "Again" })).status, 201);
    assert.equal((await look({ reason: "And again" })).status, 201, "one takes the place of another");
    const users = await otherOwner.browser.send("GET", "/v1/users");
    const visitors = users.body.data.filter(({ visit_until }: Json) => visit_until !== null);
    assert.equal(visitors.length, 1);
    assert.equal((await otherOwner.browser.send("DELETE", `/v1/users/${visitors[0].id}`)).status, 204);
    const gone = await operator.browser.send("GET", "/v1/campaigns", undefined, named());
    assert.equal(gone.status, 404, gone.text);
    const seen = await otherOwner.browser.send("GET", "/v1/visits");
    for (const { reason, expires_at } of seen.body.data.slice(0, 2))
      assert.ok(expires_at <= clock.now().toISOString(), `${reason} ended when it was ended: ${expires_at}`);
  });
});

describe("a visit", () => {
  const named = () => ({ "postrider-account": other.accountId });
  const look = (by: Person) =>
    by.browser.send("POST", `/v1/instance/accounts/${other.accountId}/look_in`, { reason: "A look" });

  test("takes the place of an invitation, by which the account could keep the operator out", async () => {
    await confirm();
    const body = { email: operator.email, role: "viewer" };
    const made = await app.api("POST", "/v1/invitations", { key: other.key, body });
    assert.equal(made.status, 201, made.text);
    const visit = await look(operator);
    assert.equal(visit.status, 201, visit.text);
    const invitations = await otherOwner.browser.send("GET", "/v1/invitations");
    assert.deepEqual(invitations.body.data, []);
    const exported = await app.api("GET", "/v1/account/export", { key: other.key });
    assert.equal(exported.status, 200, exported.text);
    const users = exported.text.split("\n").filter((line) => line.includes('"object":"user"'));
    assert.ok(users.some((line) => line.includes(otherOwner.email)));
    assert.ok(!users.some((line) => line.includes(operator.email)), "an operator is nobody of the account");
  });

  test("ends with the operator", async () => {
    const short = await addPerson(app, "short@example.com");
    const id = await makeOperator(app, short, clock);
    const visit = await look(short);
    assert.equal(visit.status, 201, visit.text);
    assert.equal((await short.browser.send("GET", "/v1/campaigns", undefined, named())).status, 200);
    await app.db.transaction((tx) => removeOperator({ sql: tx, clock }, id));
    const after = await short.browser.send("GET", "/v1/campaigns", undefined, named());
    assert.deepEqual([after.status, after.body.code], [404, "account_unknown"], after.text);
    assert.equal((await short.browser.send("GET", "/v1/campaigns")).status, 200, "they belong elsewhere");
  });
});

/** The confirmation of the sign-in is over once the clock has moved. */
async function confirm(): Promise<void> {
  await app.db.execute(
    sql`update sessions set confirmed_at = ${clock.now()} where person_id = ${operatorId}`,
  );
}

describe("whoever changes the instance", () => {
  test("needs a second factor, and a confirmation of just now", async () => {
    const suspend = (person: Person) =>
      person.browser.send("POST", `/v1/instance/accounts/${other.accountId}/suspend`, { reason: "A test" });
    const bare = await addPerson(app, "bare@example.com");
    const { id } = await app.db.one<{ id: string }>(sql`select id from people where email = ${bare.email}`);
    await app.db.transaction((tx) => addOperator({ sql: tx, clock }, id));
    assert.equal((await bare.browser.send("GET", "/v1/instance/accounts")).status, 200);
    const without = await suspend(bare);
    assert.deepEqual([without.status, without.body.code], [403, "two_factor_required"], without.text);
    await confirm();
    clock.advance(16 * MINUTE_MS);
    const late = await suspend(operator);
    assert.deepEqual([late.status, late.body.code], [403, "confirmation_required"], late.text);
    await app.db.transaction((tx) => removeOperator({ sql: tx, clock }, id));
    assert.equal((await bare.browser.send("GET", "/v1/instance/accounts")).status, 404);
    assert.equal((await ask(`accounts/${other.accountId}`)).body.state, "active");
  });

  test("loses it with the key, at once", async () => {
    const short = await app.db.transaction((tx) => createInstanceKey({ sql: tx, clock }, "Short"));
    assert.equal((await ask("summary", short)).status, 200);
    const made = (await listInstanceKeys(app.db)).find(({ name }) => name === "Short");
    assert.ok(made?.last_used_at);
    await app.db.transaction((tx) => revokeInstanceKey({ sql: tx, clock }, made.id));
    assert.equal((await ask("summary", short)).status, 401);
    const stored = await app.db.many<Json>(sql`select * from instance_keys`);
    assert.ok(!JSON.stringify(stored).includes(key.slice(4)), "only hashes are stored");
  });
});

describe("every POST of the instance", () => {
  const posts = allRoutes().filter(({ method, ofInstance }) => method === "POST" && ofInstance);
  const countRows = async () =>
    (await app.db.one<{ count: number }>(sql`select count(*) as count from audit_log`)).count;

  for (const route of posts) {
    test(`has one effect under its idempotency key, and a row in each log: ${route.path}`, async () => {
      await confirm();
      const target = await app.addAccount({ isNew: true });
      const id = route.path.includes("/reviews/")
        ? await makeFixture(app, target.key, "rev")
        : route.path.includes("/plans/")
          ? await makeFixture(app, target.key, "pln")
          : toPublicId("acc", target.accountId);
      // A plan is no account's, so the log of the instance has it alone.
      const logs = route.path.startsWith("/v1/instance/plans") ? 1 : 2;
      const [, verb] = route.path.match(/\/(reinstate|release|grace)$/) ?? [];
      const hold = ({ reinstate: "suspended", grace: "payment_overdue" } as const)[verb ?? ""] ?? "standing";
      if (verb)
        await app.db.transaction((tx) =>
          holdAccount({ sql: tx, accountId: target.accountId, clock }, hold, null),
        );
      const path = fillPath(route, () => id);
      const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
      const body = verb === "grace" ? { until: tomorrow, reason: "Told" } : exampleOf(route);
      const send = () =>
        operator.browser.send("POST", path, body, { "idempotency-key": `once ${route.path}` });
      const before = await countRows();
      const first = await send();
      assert.ok(first.status < 300, first.text);
      assert.equal(await countRows(), before + logs);
      const again = await send();
      assert.deepEqual([again.status, again.headers.get("idempotency-replayed")], [first.status, "true"]);
      assert.equal(await countRows(), before + logs);
      const refused = await operator.browser.send("POST", path, { no_such_field: 1 });
      assert.equal(refused.status, 422, refused.text);
      assert.equal(await countRows(), before + logs);
    });
  }
});
