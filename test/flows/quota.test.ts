/** A plan's mails, over HTTP: campaigns that wait for them, mail that is refused, what is said before and while it happens. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { createAccount, createInstanceKey } from "../../src/accounts/accounts.ts";
import { allowAheadJob } from "../../src/billing/billing.ts";
import { followAllowancesJob } from "../../src/campaigns/campaigns.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { sql } from "../../src/platform/db/db.ts";
import { toPublicId } from "../../src/platform/ids.ts";
import { createLog } from "../../src/platform/log.ts";
import { createApp, type TestApp } from "../support/app.ts";
import { act, makeCampaign, readCampaign } from "../support/campaigns.ts";
import { MAIL } from "../support/emails.ts";
import { startRelay } from "../support/smtp/relay.ts";
import { eventsSince, type Json, makeList, settled, uuidOf } from "../support/subscribers.ts";
import { until } from "../support/until.ts";
import { addUsage } from "../support/usage.ts";

const MONTHLY = { name: "Growth", price: "29.00", currency: "EUR" };

describe("the mails of a plan", () => {
  let app: TestApp;
  let relay: Awaited<ReturnType<typeof startRelay>>;
  let operator: string;
  before(async () => {
    relay = await startRelay({ hideSTARTTLS: true, authOptional: true });
    app = await createApp({
      settings: { SMTP_URL: `smtp://127.0.0.1:${relay.port}`, PUBLIC_URL: "https://mail.example.com" },
    });
    operator = await app.db.transaction((tx) =>
      createInstanceKey({ sql: tx, clock: systemClock }, "Billing"),
    );
  });
  after(async () => {
    await app.stop();
    await relay.close();
  });

  const ofInstance = (method: string, path: string, body?: Json) =>
    app.api(method, `/v1/instance/${path}`, { key: operator, ...(body && { body }) });
  const subscriptionPath = () => `accounts/${app.accountId}/subscription`;
  async function subscribe(plan: Json, more: Json = {}): Promise<void> {
    const made = await ofInstance("POST", "plans", { ...MONTHLY, ...plan });
    assert.equal(made.status, 201, made.text);
    const put = await ofInstance("PUT", subscriptionPath(), { plan_id: made.body.id, at: "now", ...more });
    assert.equal(put.status, 200, put.text);
  }
  const allowance = async () => (await app.api("GET", "/v1/billing")).body.allowance;
  /** Begins a test with nothing used. */
  async function startAnew(): Promise<void> {
    await ofInstance("DELETE", subscriptionPath());
    const accountId = uuidOf("acc", app.accountId);
    await app.db.execute(sql`delete from usage_hours where account_id = ${accountId}`);
    await app.db.execute(sql`delete from allowance_notices where account_id = ${accountId}`);
  }
  let lists = 0;
  async function makeAudience(people: number): Promise<string> {
    const name = `q${++lists}`;
    const listId = await makeList(app, { from_email: "news@acme.example", postal_address: "1 Road" });
    const subscribers = Array.from({ length: people }, (_, n) => ({
      email: `p${n}@d${n % 10}.${name}.example`,
      list_id: listId,
    }));
    const added = await app.api("POST", "/v1/subscribers/batch", { body: { subscribers } });
    assert.ok(added.status < 300, added.text);
    return listId;
  }
  const untilIs = (id: string, status: string) =>
    until(async () => (await readCampaign(app, id))["status"] === status);
  const sentOf = async (id: string) => (await app.api("GET", `/v1/campaigns/${id}/stats`)).body.sent;

  test("are no limit without a plan, and with one that has none", async () => {
    assert.equal(await allowance(), null);
    await subscribe({ included_mails: null });
    assert.equal(await allowance(), null);
    await subscribe({ included_mails: 10, at_limit: "overage", overage_per_1000: "1.00" });
    const { limit, included, left, at_limit } = await allowance();
    assert.deepEqual([limit, included, left, at_limit], [null, 10, null, "overage"]);
  });

  test("refuse a campaign to more people than there are mails, and say how many", async () => {
    await startAnew();
    await subscribe({ included_mails: 20 });
    const { id } = await makeCampaign(app, await makeAudience(31));
    const refused = await act(app, id, "send");
    assert.equal(refused.status, 422, refused.text);
    const [fault] = refused.body.errors;
    assert.equal(fault.code, "quota_reached");
    assert.match(fault.detail, /^31 would be sent, 20 left until \d{1,2} \w+ \d{4}$/);
    const looked = await app.api("GET", `/v1/campaigns/${id}/checks`);
    const told = looked.body.checks.filter(({ code }: Json) => code === "quota_reached");
    assert.deepEqual(
      told.map(({ severity, message }: Json) => [severity, message]),
      [["warning", `The plan has too few mails: ${fault.detail}.`]],
    );
    const tomorrow = new Date(Date.now() + 24 * 3_600_000).toISOString();
    assert.equal((await act(app, id, "schedule", { send_at: tomorrow })).status, 422);
    const scheduled = await act(app, id, "schedule", { send_at: tomorrow, on_quota: "pause" });
    assert.equal(scheduled.status, 200, scheduled.text);
    // In a later period there are mails again, but no more than in this one.
    const later = new Date(Date.now() + 45 * 24 * 3_600_000).toISOString();
    assert.equal((await act(app, id, "schedule", { send_at: later })).status, 422);
  });

  test("pause a campaign that uses them up, which goes on by itself with the rest after an upgrade", async () => {
    await startAnew();
    await subscribe({ included_mails: 20 });
    const { cursor } = await eventsSince(app);
    const { id } = await makeCampaign(app, await makeAudience(50));
    assert.equal((await act(app, id, "send", { on_quota: "pause" })).status, 202);
    await untilIs(id, "paused");
    const paused = await readCampaign(app, id);
    assert.equal(paused["pause_reason"], "quota_reached");
    assert.match(paused["status_reason"], /^the 20 mails until .* are used up$/);
    assert.deepEqual(paused["allowed_actions"], ["resume", "cancel", "duplicate"]);
    assert.equal(await sentOf(id), 20);
    const { limit, used, reserved, left, daily, spending, at_limit } = await allowance();
    assert.deepEqual(
      { limit, used, reserved, left, daily, spending, at_limit },
      { limit: 20, used: 20, reserved: 0, left: 0, daily: null, spending: null, at_limit: "stop" },
    );
    // Credited mails make room for as many, and another plan for the others.
    const credit = await ofInstance("POST", `accounts/${app.accountId}/credits`, {
      mails: 5,
      reason: "Sorry",
    });
    assert.equal(credit.status, 201, credit.text);
    await until(async () => (await sentOf(id)) === 25);
    await untilIs(id, "paused");
    await subscribe({ included_mails: 1_000 });
    await untilIs(id, "sent");
    assert.equal(await sentOf(id), 50);
    await settled(app);
    const { events } = await eventsSince(app, cursor);
    const ofCampaign = events
      .filter(({ data, type }) => data["campaign_id"] === id && /paused|resumed/.test(type))
      .map(({ type, data }) => `${type} ${data["reason"]}`);
    assert.deepEqual(ofCampaign, [
      "campaign.paused quota_reached",
      "campaign.resumed quota_reached",
      "campaign.paused quota_reached",
      "campaign.resumed quota_reached",
    ]);
    const told = events.filter(({ type }) => type === "quota.threshold_reached");
    // Each part is told once of as many mails as there were.
    assert.deepEqual(
      told.map(({ data }) => `${data["percent"]} of ${data["limit"]}`),
      [20, 25].flatMap((limit) => [50, 80, 90, 100].map((percent) => `${percent} of ${limit}`)),
    );
  });

  test("without money are a quota: fewer hold at once, and whoever may see usage alone sees them without money", async () => {
    await startAnew();
    const free = { price: "0.00" };
    await subscribe({ included_mails: 1_000, ...free });
    await addUsage(app.db, uuidOf("acc", app.accountId), { [new Date().toISOString()]: 60 });
    const made = await ofInstance("POST", "plans", { ...MONTHLY, ...free, included_mails: 50 });
    const put = await ofInstance("PUT", subscriptionPath(), { plan_id: made.body.id });
    assert.deepEqual([put.status, put.body.pending_change], [200, null], put.text);
    const { spending, ...shown } = await allowance();
    assert.deepEqual([shown.limit, shown.used, shown.left, spending], [55, 60, 0, null]);
    const { api } = app;
    const key = await api("POST", "/v1/api_keys", { body: { name: "Usage", scopes: ["usage:read"] } });
    assert.equal(key.status, 201, key.text);
    const usage = await api("GET", "/v1/usage", { key: key.body.key ?? key.body.secret });
    assert.deepEqual(usage.body.allowance, shown, usage.text);
    // Where somebody pays, fewer hold from the next period.
    await subscribe({ included_mails: 1_000 });
    const less = await ofInstance("PUT", subscriptionPath(), { plan_id: made.body.id });
    assert.equal(less.body.pending_change?.plan.id, made.body.id, less.text);
    await startAnew();
  });

  test("stop what is being sent when they are made fewer than are used", async () => {
    await startAnew();
    await addUsage(app.db, uuidOf("acc", app.accountId), { [new Date().toISOString()]: 100 });
    await subscribe({ included_mails: 1_000 });
    const { id } = await makeCampaign(app, await makeAudience(5));
    await subscribe({ included_mails: 50 });
    assert.equal((await act(app, id, "send", { on_quota: "pause" })).status, 202);
    await untilIs(id, "paused");
    assert.equal(await sentOf(id), 0);
    const { limit, used, left } = await allowance();
    assert.deepEqual([limit, used, left], [55, 100, 0]);
    await subscribe({ included_mails: null });
    await untilIs(id, "sent");
    await app.db.execute(sql`
      update usage_hours set sent = sent - 100 where account_id = ${uuidOf("acc", app.accountId)} and worker_id = '00000000-0000-0000-0000-000000000000'`);
  });

  test("are refused to transactional mail with 402 once they are used, with the numbers", async () => {
    await startAnew();
    await addUsage(app.db, uuidOf("acc", app.accountId), { [new Date().toISOString()]: 54 });
    await subscribe({ included_mails: 50 });
    const send = (more: Json = {}) =>
      app.api("POST", "/v1/emails", { body: { ...MAIL, to: ["ada@example.com"], ...more } });
    assert.equal((await send({ to: ["a@example.com", "b@example.com"] })).status, 402);
    // Of a batch, as many are accepted as there is room for.
    const some = await app.api("POST", "/v1/emails/batch", {
      body: {
        emails: [["a", "b"], ["c"], ["d"]].map((names) => ({
          ...MAIL,
          to: names.map((name) => `${name}@example.com`),
        })),
      },
    });
    assert.deepEqual(
      some.body.results.map((one: Json) => one["error"]?.code ?? "accepted"),
      ["quota_reached", "accepted", "quota_reached"],
      some.text,
    );
    const { resets_at: reset } = await allowance();
    for (const item of [some.body.results[0], some.body.results[2]]) {
      const { status, error } = item;
      assert.deepEqual([status, error.limit, error.used, error.resets_at], [402, 55, 54, reset], some.text);
    }
    await until(async () => (await allowance()).used === 55);
    const refused = await send();
    assert.equal(refused.status, 402, refused.text);
    const { code, limit, used, resets_at } = refused.body;
    assert.deepEqual([code, limit, used], ["quota_reached", 55, 55]);
    assert.equal(resets_at, (await allowance()).resets_at);
    const batch = await app.api("POST", "/v1/emails/batch", {
      body: { emails: [{ ...MAIL, to: ["ada@example.com"] }] },
    });
    assert.equal(
      batch.body.results[0].error?.code ?? batch.body.results[0].code,
      "quota_reached",
      batch.text,
    );
  });

  test("that are used up for the day hold a campaign, which says why and until when", async () => {
    await startAnew();
    await subscribe({ included_mails: 1_000, daily_mails: 12 });
    const { id } = await makeCampaign(app, await makeAudience(30));
    assert.equal((await act(app, id, "send")).status, 202);
    const progress = async () => (await readCampaign(app, id))["progress"];
    await until(async () => (await progress()).phase === "held");
    const { held, done, remaining, eta } = await progress();
    assert.deepEqual([done, remaining, eta], [12, 18, null]);
    const { daily } = await allowance();
    assert.deepEqual(held, { by: "plan", until: daily.resets_at, providers: [] });
    assert.equal((await readCampaign(app, id))["status"], "sending");
    await subscribe({ included_mails: 1_000 });
    await untilIs(id, "sent");
    assert.equal(await sentOf(id), 30);
  });

  test("of a day are shown apart, and a cap limits what may be charged", async () => {
    await startAnew();
    await subscribe(
      {
        included_mails: 1_000,
        at_limit: "overage",
        overage_per_1000: "1.00",
        daily_mails: 200,
        transactional_reserve: 100,
      },
      { spending_cap: "2.50" },
    );
    const { limit, daily, spending, transactional_reserve, at_limit } = await allowance();
    // Five mails are credited, and the cap pays for 2,504: half a cent is rounded up.
    assert.deepEqual([limit, transactional_reserve, at_limit], [1_000 + 5 + 2_504, 100, "overage"]);
    assert.deepEqual(
      [daily.limit, daily.used, spending],
      [200, 0, { cap: "2.50", spent: "0.00", waived: "0.00" }],
    );
    await addUsage(app.db, uuidOf("acc", app.accountId), { [new Date().toISOString()]: 200 });
    const refused = await app.api("POST", "/v1/emails", {
      body: { ...MAIL, to: ["ada@example.com"] },
    });
    assert.deepEqual([refused.status, refused.body.limit, refused.body.used], [402, 200, 200]);
    assert.equal(refused.body.resets_at, (await allowance()).daily.resets_at);
    await startAnew();
  });

  describe("of an account are looked after though another account's can't be", () => {
    /** It comes before all others, and everything that asks for its day fails. */
    let bad: string;
    const jobTools = () => ({
      db: app.db,
      clock: systemClock,
      log: createLog({ level: "silent", pretty: false }),
      signal: new AbortController().signal,
      attempt: 1,
    });
    before(async () => {
      await startAnew();
      const early = { ...systemClock, now: () => new Date(0) };
      bad = (await app.db.transaction((tx) => createAccount(tx, early, { name: "Bad" }))).account_id;
      const path = `accounts/${toPublicId("acc", bad)}/subscription`;
      const { body: plan } = await ofInstance("POST", "plans", {
        ...MONTHLY,
        included_mails: 10,
        daily_mails: 5,
      });
      assert.equal((await ofInstance("PUT", path, { plan_id: plan.id })).status, 200);
    });
    after(async () => {
      await app.db.execute(sql`delete from campaigns where account_id = ${bad}`);
      await app.db.execute(sql`delete from allowances where account_id = ${bad}`);
      await app.db.execute(sql`delete from usage_hours where account_id = ${bad}`);
      await app.db.execute(sql`delete from billing_subscriptions where account_id = ${bad}`);
      await startAnew();
    });

    test("where their campaigns wait", async () => {
      await subscribe({ included_mails: 20 });
      const { id } = await makeCampaign(app, await makeAudience(50));
      assert.equal((await act(app, id, "send", { on_quota: "pause" })).status, 202);
      await untilIs(id, "paused");
      await settled(app);
      await app.db.execute(sql`update allowances set time_zone = 'Nowhere' where account_id = ${bad}`);
      await addUsage(app.db, bad, { [new Date().toISOString()]: 7 });
      await app.db.transaction(async (tx) => {
        // It has no list and no account of its own; only its state matters.
        await tx.execute(sql`set local session_replication_role = replica`);
        await tx.execute(sql`
          insert into campaigns select (jsonb_populate_record(c, jsonb_build_object('account_id', ${bad}::uuid))).*
          from campaigns c where id = ${uuidOf("cmp", id)}`);
        await tx.execute(sql`
          update allowance_periods set mails = 1000 where account_id = ${uuidOf("acc", app.accountId)}`);
      });
      await assert.rejects(followAllowancesJob.run(jobTools(), {}), AggregateError);
      await untilIs(id, "sent");
      assert.equal(await sentOf(id), 50);
    });

    test("where their next periods are to be written", async () => {
      const accountId = uuidOf("acc", app.accountId);
      await app.db.execute(sql`update billing_subscriptions set terms = '{}' where account_id = ${bad}`);
      await app.db.execute(sql`delete from allowance_periods where account_id = ${accountId}`);
      await assert.rejects(allowAheadJob.run(jobTools(), {}), AggregateError);
      const written = await app.db.many(sql`select from allowance_periods where account_id = ${accountId}`);
      assert.equal(written.length, 3);
    });
  });

  test("come with a number of members, beyond which nobody is invited", async () => {
    const { body: before } = await app.api("GET", "/v1/users");
    const there = before.data.length;
    await subscribe({ members: there + 1 });
    const invite = (email: string) =>
      app.api("POST", "/v1/invitations", { body: { email, role: "marketer" } });
    const both = await Promise.all([invite("one@example.com"), invite("two@example.com")]);
    assert.deepEqual(both.map(({ status }) => status).sort(), [201, 402]);
    const { body } = await invite("three@example.com");
    const { code, what, limit, used } = body;
    assert.deepEqual([code, what, limit, used], ["limit_reached", "members", there + 1, there + 1]);
    await subscribe({ members: null });
    assert.equal((await invite("three@example.com")).status, 201);
  });
});
