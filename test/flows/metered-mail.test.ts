/** Which mail an account uses: tests that leave count, and the product's own mail doesn't. */
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { createInstanceKey } from "../../src/accounts/accounts.ts";
import { INSTANCE_TRANSPORT } from "../../src/delivery/ids.ts";
import { settleTestMail, takeTestMails } from "../../src/delivery/usage/usage.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { systemCtx } from "../../src/platform/context.ts";
import { sql } from "../../src/platform/db/db.ts";
import { createLog } from "../../src/platform/log.ts";
import { createApp, type TestApp } from "../support/app.ts";
import { act, makeCampaign } from "../support/campaigns.ts";
import { setUpOwner } from "../support/people.ts";
import { givePlan } from "../support/plans.ts";
import { startRelay } from "../support/smtp/relay.ts";
import { makeList, uuidOf } from "../support/subscribers.ts";
import { until } from "../support/until.ts";
import { addUsage, assertUsageAgrees, usageOf } from "../support/usage.ts";

describe("what an account uses", () => {
  let app: TestApp;
  let relay: Awaited<ReturnType<typeof startRelay>>;
  let operator: string;
  let accountId: string;
  const refused = new Set<string>();
  before(async () => {
    relay = await startRelay({
      hideSTARTTLS: true,
      authOptional: true,
      onRcptTo: ({ address }: { address: string }, _session: unknown, done: (error?: Error) => void) => {
        const error = Object.assign(new Error("no such user"), { responseCode: 550 });
        if (refused.has(address)) done(error);
        else done();
      },
    });
    app = await createApp({
      settings: {
        SMTP_URL: `smtp://127.0.0.1:${relay.port}`,
        PUBLIC_URL: "https://mail.example.com",
        SYSTEM_FROM: "mailer@host.example",
      },
    });
    accountId = uuidOf("acc", app.accountId);
    operator = await app.db.transaction((tx) =>
      createInstanceKey({ sql: tx, clock: systemClock }, "Billing"),
    );
    await setUpOwner(app);
  });
  after(async () => {
    await app.stop();
    await relay.close();
  });
  beforeEach(() => app.db.execute(sql`delete from billing_subscriptions where account_id = ${accountId}`));

  const subscribe = (plan: object) => givePlan(app, operator, { ...plan }, { at: "now" });
  const allowance = async () => (await app.api("GET", "/v1/billing")).body.allowance;
  const untilCame = (to: string) => until(() => relay.received.some((one) => one.to.includes(to)));
  async function makeDraft(): Promise<string> {
    const listId = await makeList(app, { from_email: "news@acme.example", postal_address: "1 Road" });
    return (await makeCampaign(app, listId)).id;
  }
  const sendTests = (id: string, ...to: string[]) =>
    app.api("POST", `/v1/campaigns/${id}/test`, { body: { to } });

  test("isn't the product's own mail, which leaves where nothing is left", async () => {
    await subscribe({ included_mails: 0 });
    const asked = await app.api("POST", "/v1/password_resets", {
      key: null,
      body: { email: "owner@example.com" },
    });
    assert.equal(asked.status, 202, asked.text);
    await untilCame("owner@example.com");
    const invited = await app.api("POST", "/v1/invitations", {
      body: { email: "new@example.com", role: "marketer" },
    });
    assert.equal(invited.status, 201, invited.text);
    await untilCame("new@example.com");
    await until(async () => ((await usageOf(app.db, accountId))["transactional system"] ?? 0) >= 2);
    await assertUsageAgrees(app.db);
    const { body: usage } = await app.api("GET", "/v1/usage");
    assert.deepEqual([usage.sent, usage.sandbox, usage.by_via], [0, 0, { instance: 0, own: 0 }]);
    const { used, reserved, left } = await allowance();
    assert.deepEqual({ used, reserved, left }, { used: 0, reserved: 0, left: 0 });
    const { statement } = (await app.api("GET", "/v1/billing")).body;
    assert.equal(statement.mails, 0, JSON.stringify(statement));
  });

  test("are tests that a server took, and not those that it refused", async () => {
    await subscribe({ included_mails: 100 });
    const id = await makeDraft();
    refused.add("gone@example.com");
    const before = (await allowance()).used;
    const sent = await sendTests(id, "ada@example.com", "gone@example.com");
    assert.equal(sent.status, 202, sent.text);
    await until(async () => {
      const { used, reserved } = await allowance();
      return used === before + 1 && reserved === 0;
    });
    assert.equal((await usageOf(app.db, accountId))["transactional instance"], before + 1);
    await assertUsageAgrees(app.db);
    const stats = await app.api("GET", `/v1/campaigns/${id}/stats`);
    assert.equal(stats.body.sent, 0);
  });

  test("holds tests to the quota, also those that are about to leave", async () => {
    const id = await makeDraft();
    await subscribe({ included_mails: (await usageOf(app.db, accountId))["transactional instance"] ?? 0 });
    const { used: there } = await allowance();
    await subscribe({ included_mails: there + 3 });
    const answers = await Promise.all(
      [1, 2, 3, 4].map((n) => sendTests(id, `a${n}@example.com`, `b${n}@example.com`)),
    );
    assert.deepEqual(answers.map(({ status }) => status).sort(), [202, 402, 402, 402]);
    const { body } = answers.find(({ status }) => status === 402) ?? { body: {} };
    assert.deepEqual([body.code, body.limit, typeof body.resets_at], ["quota_reached", there + 3, "string"]);
    await until(async () => (await allowance()).used === there + 2);
    assert.equal((await sendTests(id, "one@example.com")).status, 202);
    await until(async () => (await allowance()).used === there + 3);
    await assertUsageAgrees(app.db);
  });

  test("is in the proof of what the period costs, to the mail", async () => {
    await subscribe({ included_mails: 1_000 });
    const { body } = await app.api("GET", "/v1/billing");
    const proof = (await app.api("GET", `/v1/usage/statements/${body.statement.id}/proof`)).body;
    const { used } = await allowance();
    assert.ok(used > 0);
    assert.deepEqual(
      proof.sources.map(({ kind, accepted }: { kind: string; accepted: number }) => [kind, accepted]),
      [["transactional", used]],
    );
    assert.equal(proof.mails, used);
  });

  test("leaves no mail of a test to a campaign, and a campaign's none to a test", async () => {
    const id = await makeDraft();
    await subscribe({ included_mails: null });
    await app.db.execute(sql`
      insert into test_mails (account_id, id, transport_id, state, created_at, changed_at)
      values (${accountId}, gen_random_uuid(), gen_random_uuid(), 'waiting', now(), now())`);
    await addUsage(app.db, accountId, { [new Date().toISOString()]: 1 });
    const used = Object.entries(await usageOf(app.db, accountId))
      .filter(([key]) => !/ (system|sandbox)$/.test(key))
      .reduce((sum, [, sent]) => sum + sent, 0);
    await subscribe({ included_mails: used + 2 });
    assert.equal((await allowance()).left, 1);
    assert.equal((await sendTests(id, "x@example.com", "y@example.com")).status, 402);
    assert.equal((await act(app, id, "send")).status, 422);
    await app.db.execute(sql`delete from test_mails where state = 'waiting'`);
    assert.equal((await allowance()).left, 2);
  });

  test("counts a test once, though its job runs again after it was sent", async () => {
    const log = createLog({ level: "silent", pretty: false });
    const before = await usageOf(app.db, accountId);
    const [id = ""] = await app.db.transaction((tx) =>
      takeTestMails(systemCtx({ clock: systemClock, log }, tx, accountId), 1, INSTANCE_TRANSPORT),
    );
    for (let n = 0; n < 3; n++) await settleTestMail(app.db, accountId, id, new Date());
    const after = await usageOf(app.db, accountId);
    assert.equal(after["transactional instance"], (before["transactional instance"] ?? 0) + 1);
  });
});
