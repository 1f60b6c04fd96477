/** Plans: who makes them, what is refused, and that what an account has subscribed to stays as it was. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { createInstanceKey } from "../../src/accounts/accounts.ts";
import { hourOf } from "../../src/billing/periods.ts";
import { sql } from "../../src/platform/db/db.ts";
import { INSTANCE } from "../../src/platform/http/audit.ts";
import { toPublicId } from "../../src/platform/ids.ts";
import { createApp, type TestApp } from "../support/app.ts";
import { createTestClock } from "../support/clock.ts";
import { addPerson } from "../support/people.ts";
import type { Json } from "../support/subscribers.ts";

const DAY_MS = 24 * 3_600_000;
const NOBODY = "01k9zq4t3xe8k8y0v6d3m2n1pq";
const clock = createTestClock(new Date("2027-01-31T09:30:00.000Z"));
let app: TestApp;
let operator: string;
before(async () => {
  app = await createApp({ clock });
  operator = await app.db.transaction((tx) => createInstanceKey({ sql: tx, clock }, "Billing"));
});
after(() => app.stop());

const send = (method: string, path: string, body?: Json, headers: Record<string, string> = {}) =>
  app.api(method, `/v1/instance/${path}`, { key: operator, headers, ...(body && { body }) });
const MONTHLY = { name: "Growth", price: "29.00", currency: "EUR" };

async function makePlan(more: Json = {}): Promise<Json> {
  const made = await send("POST", "plans", { ...MONTHLY, ...more });
  assert.equal(made.status, 201, made.text);
  return made.body;
}

/** Makes an account, and returns how operators and its own key reach what it has. */
async function makeAccount() {
  const { accountId, key } = await app.addAccount();
  const path = `accounts/${toPublicId("acc", accountId)}`;
  return {
    id: accountId,
    key,
    path,
    put: (body: Json, headers = {}) => send("PUT", `${path}/subscription`, body, headers),
    read: () => send("GET", `${path}/subscription`),
    give: (body: Json, headers = {}) => send("POST", `${path}/credits`, body, headers),
    billing: async () => (await app.api("GET", "/v1/billing", { key })).body,
  };
}
const codesOf = ({ body }: { body: Json }) => body.errors?.map((one: Json) => `${one.pointer} ${one.code}`);

describe("a plan", () => {
  test("is made with what was said, and without limits where nothing was", async () => {
    const made = await send("POST", "plans", MONTHLY);
    assert.equal(made.status, 201, made.text);
    const { id, created_at, updated_at, ...rest } = made.body;
    assert.equal(made.headers.get("location"), `${app.baseUrl}/v1/instance/plans/${id}`);
    assert.equal(created_at, updated_at);
    assert.deepEqual(rest, {
      object: "plan",
      ...MONTHLY,
      interval: "month",
      included_mails: null,
      overage_per_1000: null,
      at_limit: "stop",
      transactional_reserve: 0,
      daily_mails: null,
      contacts: null,
      members: null,
      features: null,
      trial_days: 0,
      stripe_price_id: null,
      default: false,
      subscriptions: 0,
      archived_at: null,
    });
    const whole = {
      ...{
        price: "4900",
        currency: "JPY",
        interval: "year",
        included_mails: 600_000,
        overage_per_1000: "80",
      },
      ...{
        at_limit: "overage",
        transactional_reserve: 5_000,
        daily_mails: 20_000,
        contacts: 10_000,
        members: 3,
      },
      ...{ features: ["automations", "webhooks"], trial_days: 14 },
    };
    const read = (await send("GET", `plans/${(await makePlan(whole)).id}`)).body;
    for (const [name, value] of Object.entries(whole)) assert.deepEqual(read[name], value, name);
  });

  test("is listed newest first, and by whether it is archived", async () => {
    clock.advance(1);
    const { id } = await makePlan({ name: "Old" });
    await send("POST", `plans/${id}/archive`);
    clock.advance(1);
    const { id: newer } = await makePlan({ name: "New" });
    const idsOf = async (query: string) =>
      (await send("GET", `plans?${query}`)).body.data.map((one: Json) => one.id);
    assert.deepEqual((await idsOf("")).slice(0, 2), [newer, id]);
    assert.equal((await idsOf("state=active"))[0], newer);
    assert.deepEqual(await idsOf("state=archived"), [id]);
    assert.equal((await send("GET", "plans?state=archived&include_total=true")).body.total, 1);
    assert.equal((await send("GET", "plans?state=gone")).status, 400);
  });

  const OVERAGE = { included_mails: 1_000, overage_per_1000: "0.95", at_limit: "overage" };
  const WRONG: readonly [what: Json, ...faults: string[]][] = [
    [{ price: "-1.00" }, "/price invalid_amount"],
    [{ price: "29.005" }, "/price invalid_amount"],
    [{ price: "NaN" }, "/price invalid_amount"],
    [{ price: "1e3" }, "/price invalid_amount"],
    [{ price: "29,00" }, "/price invalid_amount"],
    [{ price: "" }, "/price invalid_amount"],
    [{ price: "99999999999999" }, "/price invalid_amount"],
    [{ price: "29.00", currency: "JPY" }, "/price invalid_amount"],
    [{ price: "1.2345", currency: "KWD" }, "/price invalid_amount"],
    [{ currency: "XYZ" }, "/currency unknown_currency"],
    [{ currency: "eur" }, "/currency unknown_currency"],
    [{ at_limit: "overage", included_mails: 5 }, "/overage_per_1000 required"],
    [{ at_limit: "overage" }, "/overage_per_1000 required", "/included_mails required"],
    [{ ...OVERAGE, overage_per_1000: "-0.01" }, "/overage_per_1000 invalid_amount"],
    [{ ...OVERAGE, overage_per_1000: "10000000.01" }, "/overage_per_1000 invalid_amount"],
    [{ included_mails: 10, transactional_reserve: 11 }, "/transactional_reserve too_large"],
    [
      { price: "x", ...OVERAGE, overage_per_1000: "y" },
      "/price invalid_amount",
      "/overage_per_1000 invalid_amount",
    ],
  ];
  for (const [wrong, ...faults] of WRONG) {
    test(`is refused as ${JSON.stringify(wrong)}, made or changed`, async () => {
      const made = await send("POST", "plans", { ...MONTHLY, ...wrong });
      assert.deepEqual([made.status, codesOf(made)], [422, faults], made.text);
      const changed = await send("PATCH", `plans/${(await makePlan()).id}`, wrong);
      assert.deepEqual([changed.status, codesOf(changed)], [422, faults], changed.text);
    });
  }

  test("is refused where the form of a field is wrong", async () => {
    for (const wrong of [
      { price: 29 },
      { price: 29.5 },
      { price: null },
      { currency: null },
      { interval: "week" },
      { included_mails: -1 },
      { included_mails: 1.5 },
      { included_mails: "5" },
      { included_mails: 1_000_000_001 },
      { daily_mails: -1 },
      { contacts: 0.5 },
      { members: -3 },
      { transactional_reserve: null },
      { at_limit: "sell" },
      { features: ["sso"] },
      { features: ["webhooks", "webhooks"] },
      { trial_days: -1 },
      { trial_days: 366 },
      { name: " " },
      { archived_at: null },
      { subscriptions: 5 },
    ]) {
      const made = await send("POST", "plans", { ...MONTHLY, ...wrong });
      assert.equal(made.status, 422, JSON.stringify(wrong));
    }
    assert.equal((await send("POST", "plans", { name: "Growth" })).status, 422);
  });

  test("keeps what a change leaves out, and is changed by nobody who read it before somebody else did", async () => {
    const { id } = await makePlan({ included_mails: 500, features: ["webhooks"] });
    const etag = (await send("GET", `plans/${id}`)).headers.get("etag") ?? "";
    const changed = await send("PATCH", `plans/${id}`, { price: "35.5" }, { "if-match": etag });
    assert.deepEqual(
      [changed.status, changed.body.price, changed.body.included_mails, changed.body.features],
      [200, "35.50", 500, ["webhooks"]],
    );
    assert.equal((await send("PATCH", `plans/${id}`, { price: "1" }, { "if-match": etag })).status, 412);
    // The price as it stands is no amount of yen.
    assert.deepEqual(codesOf(await send("PATCH", `plans/${id}`, { currency: "JPY" })), [
      "/price invalid_amount",
    ]);
    const freed = await send("PATCH", `plans/${id}`, { included_mails: null });
    assert.equal(freed.body.included_mails, null);
  });

  test("that is archived isn't changed or subscribed to, and is archived once", async () => {
    const { id } = await makePlan();
    const account = await makeAccount();
    assert.equal((await account.put({ plan_id: id })).status, 200);
    const first = await send("POST", `plans/${id}/archive`);
    clock.advance(1_000);
    const again = await send("POST", `plans/${id}/archive`);
    assert.deepEqual([again.status, again.body], [200, first.body]);
    assert.equal((await send("PATCH", `plans/${id}`, { price: "1" })).body.code, "plan_archived");
    const other = await (await makeAccount()).put({ plan_id: id });
    assert.deepEqual([other.status, other.body.code], [409, "plan_archived"]);
    assert.equal((await account.put({ plan_id: id, spending_cap: "5" })).status, 200, "who has it keeps it");
    assert.equal((await account.put({ plan_id: id, renew_terms: true })).status, 409);
    const rows = await app.db.many<Json>(sql`
      select account_id from audit_log where action = 'plan.archived' and target_id = ${id}`);
    assert.deepEqual(
      rows.map((row) => row.account_id),
      [INSTANCE],
    );
  });
});

describe("a subscription", () => {
  test("keeps the terms that the plan had, whatever is changed of the plan", async () => {
    const plan = await makePlan({ included_mails: 1_000, overage_per_1000: "0.95", at_limit: "overage" });
    const account = await makeAccount();
    const before = (await account.put({ plan_id: plan.id })).body;
    await send("PATCH", `plans/${plan.id}`, {
      ...{ name: "Dearer", price: "99", included_mails: 5, overage_per_1000: null, at_limit: "stop" },
      ...{ features: ["webhooks"], interval: "year", currency: "USD" },
    });
    await send("POST", `plans/${plan.id}/archive`);
    assert.deepEqual((await account.read()).body, before);
    clock.advance(1_000);
    const kept = (await account.put({ plan_id: plan.id, tax: { label: "VAT", rate: "19.00" } })).body;
    assert.deepEqual([kept.terms, kept.id], [before.terms, before.id]);
    assert.deepEqual(kept.tax, { label: "VAT", rate: "19" });
  });

  test("takes terms anew where that is asked for, also below what is used", async () => {
    const plan = await makePlan({ included_mails: 1_000 });
    const account = await makeAccount();
    await account.put({ plan_id: plan.id });
    await send("PATCH", `plans/${plan.id}`, { included_mails: 0 });
    const renewed = await account.put({ plan_id: plan.id, renew_terms: true });
    assert.deepEqual([renewed.status, renewed.body.terms.included_mails], [200, 1_000]);
    assert.equal(renewed.body.pending_change.plan.terms.included_mails, 0, "less holds from the next period");
    const now = await account.put({ plan_id: plan.id, renew_terms: true, at: "now" });
    assert.deepEqual([now.body.terms.included_mails, now.body.pending_change], [0, null]);
  });

  test("has periods from its anchor, by the clock of its own time zone", async () => {
    const account = await makeAccount();
    await app.api("PATCH", "/v1/account", { key: account.key, body: { time_zone: "Europe/Berlin" } });
    const started = clock.now().getTime();
    assert.equal(new Date(started).toISOString().slice(0, 10), "2027-01-31");
    const { body } = await account.put({ plan_id: (await makePlan()).id });
    assert.deepEqual([body.state, body.time_zone], ["active", "Europe/Berlin"]);
    assert.equal(body.anchor, "2027-01-31T09:00:00.000Z", "the hour in which it began");
    // Another time zone would move where the periods meet.
    await app.api("PATCH", "/v1/account", { key: account.key, body: { time_zone: "Asia/Tokyo" } });
    const days: string[] = [];
    let last = body.period.to;
    for (let turn = 0; turn < 4; turn++) {
      clock.step(new Date(last).getTime() - clock.now().getTime());
      const { period } = (await account.read()).body;
      assert.equal(period.from, last, "there is no gap, and no overlap");
      assert.deepEqual((await account.billing()).subscription.period, period);
      days.push(period.from.slice(0, 10));
      last = period.to;
    }
    clock.step(started - clock.now().getTime());
    assert.deepEqual(days, ["2027-02-28", "2027-03-31", "2027-04-30", "2027-05-31"]);
  });

  test("begins with a trial, once for each account", async () => {
    const [plan, yearly] = [
      await makePlan({ trial_days: 14 }),
      await makePlan({ interval: "year", trial_days: 30 }),
    ];
    const account = await makeAccount();
    const trial = (await account.put({ plan_id: plan.id })).body;
    assert.equal(trial.state, "trialing");
    assert.deepEqual(trial.period, { from: trial.started_at, to: trial.anchor });
    assert.equal(new Date(trial.anchor).getTime() - hourOf(clock.now()).getTime(), 14 * DAY_MS);
    clock.advance(DAY_MS);
    const other = (await account.put({ plan_id: yearly.id })).body;
    assert.deepEqual(
      [other.state, other.anchor],
      ["trialing", trial.anchor],
      "what is left of the trial stays",
    );
    assert.notEqual(other.id, trial.id);
    await send("DELETE", `${account.path}/subscription`);
    const again = (await account.put({ plan_id: plan.id })).body;
    assert.deepEqual([again.state, again.anchor], ["active", again.started_at]);
  });

  test("goes on with its period under another plan as long, and begins anew under one that isn't", async () => {
    const account = await makeAccount();
    const first = (await account.put({ plan_id: (await makePlan()).id })).body;
    clock.advance(DAY_MS);
    const dearer = (await account.put({ plan_id: (await makePlan({ price: "59" })).id })).body;
    assert.deepEqual([dearer.id, dearer.period], [first.id, first.period]);
    assert.equal(dearer.terms.price, "59.00");
    const yearly = (await account.put({ plan_id: (await makePlan({ interval: "year" })).id })).body;
    assert.notEqual(yearly.id, first.id);
    assert.equal(yearly.period.from, hourOf(clock.now()).toISOString());
    const rows = await app.db.many<{ started_at: Date; ended_at: Date | null }>(sql`
      select started_at, ended_at from billing_subscriptions where account_id = ${account.id} order by started_at`);
    assert.deepEqual(
      rows.map(({ ended_at }) => ended_at),
      [rows[1]?.started_at, null],
    );
  });

  test("keeps which terms it had and when, also for the database", async () => {
    const account = await makeAccount();
    const plan = await makePlan();
    const first = (await account.put({ plan_id: plan.id })).body;
    clock.advance(DAY_MS);
    const changedAt = clock.now();
    await account.put({ plan_id: (await makePlan({ price: "59" })).id, tax: { label: "VAT", rate: "7" } });
    await account.put({ plan_id: plan.id, spending_cap: "5", at: "now" });
    const rows = await app.db.many<Json>(sql`
      select from_at, terms ->> 'price' as price, tax_label, spending_cap from billing_terms where account_id = ${account.id} order by n`);
    assert.deepEqual(
      rows.map((row) => [row.from_at.toISOString(), row.price, row.tax_label, row.spending_cap]),
      [
        [first.started_at, "2900", null, null],
        [changedAt.toISOString(), "5900", "VAT", null],
        [changedAt.toISOString(), "2900", null, 500],
      ],
    );
    const rewrite = app.db.execute(
      sql`update billing_terms set terms = '{}' where account_id = ${account.id}`,
    );
    await assert.rejects(rewrite, /append-only/);
  });

  test("is refused without a plan that there is, or with a cap or a tax that is none", async () => {
    const account = await makeAccount();
    const { id } = await makePlan({ price: "900", currency: "JPY" });
    for (const [body, ...faults] of [
      [{ plan_id: `pln_${NOBODY}` }, "/plan_id not_found"],
      [{ plan_id: "gold" }, "/plan_id not_found"],
      [{ plan_id: id, spending_cap: "1.50" }, "/spending_cap invalid_amount"],
      [{ plan_id: id, spending_cap: "-1" }, "/spending_cap invalid_amount"],
      [{ plan_id: id, tax: { label: "VAT", rate: "101" } }, "/tax/rate invalid_rate"],
      [{ plan_id: id, tax: { label: "VAT", rate: "-1" } }, "/tax/rate invalid_rate"],
    ] as [Json, string][]) {
      const refused = await account.put(body);
      assert.deepEqual([refused.status, codesOf(refused)], [422, faults], refused.text);
    }
    for (const body of [{}, { plan_id: id, spending_cap: 5 }, { plan_id: id, price: "0" }])
      assert.equal((await account.put(body)).status, 422, JSON.stringify(body));
    assert.equal((await account.read()).status, 404);
    assert.equal((await send("DELETE", `${account.path}/subscription`)).status, 404);
    assert.deepEqual(await account.billing(), {
      object: "billing",
      subscription: null,
      follows: null,
      credits: { mails: 0, amounts: [] },
      statement: null,
      allowance: null,
      payment: null,
    });
  });

  test("is one, though two put it at once, and is counted by its plan", async () => {
    const account = await makeAccount();
    const [one, two] = [await makePlan(), await makePlan({ interval: "year" })];
    const replies = await Promise.all(
      [one, two, one, two, one].map(({ id }) => account.put({ plan_id: id })),
    );
    for (const { status, text } of replies) assert.equal(status, 200, text);
    const { body } = await account.read();
    const counts = await Promise.all(
      [one, two].map(async ({ id }) => (await send("GET", `plans/${id}`)).body.subscriptions),
    );
    assert.deepEqual(counts, body.plan_id === one.id ? [1, 0] : [0, 1]);
  });

  test("is changed by nobody who read it before somebody else did", async () => {
    const account = await makeAccount();
    const { id } = await makePlan();
    assert.equal((await account.put({ plan_id: id }, { "if-match": "*" })).status, 412);
    const etag = (await account.put({ plan_id: id })).headers.get("etag") ?? "";
    const headers = { "if-match": etag };
    assert.equal((await account.put({ plan_id: id, spending_cap: "5" }, headers)).status, 200);
    assert.equal((await account.put({ plan_id: id, spending_cap: "6" }, headers)).status, 412);
    assert.equal((await account.read()).body.spending_cap, "5.00");
  });

  test("stands in both logs when it is set and when it ends", async () => {
    const account = await makeAccount();
    await account.put({ plan_id: (await makePlan()).id });
    assert.equal((await send("DELETE", `${account.path}/subscription`)).status, 204);
    const rows = await app.db.many<Json>(sql`
      select action, actor_kind, actor_id from audit_log
      where account_id = ${account.id} and action like 'subscription.%' order by action`);
    assert.deepEqual(
      rows.map((row) => [row.action, row.actor_kind, row.actor_id]),
      [
        ["subscription.ended", "operator", null],
        ["subscription.set", "operator", null],
      ],
    );
  });
});

describe("credits", () => {
  test("are given as mails or as an amount, listed, and added up for the account", async () => {
    const [account, neighbour] = [await makeAccount(), await makeAccount()];
    const given = await account.give({ mails: 10_000, reason: "Sent late" });
    assert.deepEqual(
      [given.status, given.body.mails, given.body.amount, given.body.by.slice(0, 4)],
      [201, 10_000, null, "ink_"],
    );
    for (const [amount, currency] of [
      ["20", "EUR"],
      ["0.5", "EUR"],
      ["700", "JPY"],
    ])
      assert.equal((await account.give({ amount, currency, reason: "Sorry" })).status, 201);
    const { body } = await send("GET", `${account.path}/credits?include_total=true`);
    assert.deepEqual([body.total, body.data.length], [4, 4]);
    assert.deepEqual((await account.billing()).credits, {
      mails: 10_000,
      amounts: [
        { amount: "20.50", currency: "EUR" },
        { amount: "700", currency: "JPY" },
      ],
    });
    assert.deepEqual((await neighbour.billing()).credits, { mails: 0, amounts: [] });
    assert.deepEqual((await send("GET", `${neighbour.path}/credits`)).body.data, []);
  });

  test("are refused that are nothing, or of no kind, or of two", async () => {
    const account = await makeAccount();
    const [reason, currency] = ["Sorry", "EUR"];
    for (const [body, ...faults] of [
      [{ reason }, " one_of"],
      [{ reason, mails: 1, amount: "1", currency }, " one_of"],
      [{ reason, amount: "1" }, "/currency required"],
      [{ reason, currency }, "/amount required"],
      [{ reason, amount: "0.00", currency }, "/amount invalid_amount"],
      [{ reason, amount: "-1", currency }, "/amount invalid_amount"],
      [{ reason, amount: "1", currency: "ABC" }, "/currency unknown_currency"],
      [{ reason, reverses: `crd_${NOBODY}` }, "/reverses not_found"],
    ] as [Json, string][]) {
      const refused = await account.give(body);
      assert.deepEqual([refused.status, codesOf(refused)], [422, faults], refused.text);
    }
    for (const body of [{ mails: 5 }, { reason, mails: 0 }, { reason, mails: -5 }, { reason, mails: 1.5 }])
      assert.equal((await account.give(body)).status, 422, JSON.stringify(body));
    assert.deepEqual((await account.billing()).credits, { mails: 0, amounts: [] });
  });

  test("are taken back once, by another credit, and only of the same account", async () => {
    const [account, neighbour] = [await makeAccount(), await makeAccount()];
    const { body } = await account.give({ amount: "20", currency: "EUR", reason: "Sorry" });
    const back = { reverses: body.id, reason: "A mistake" };
    assert.equal((await neighbour.give(back)).status, 422);
    const replies = await Promise.all([1, 2, 3].map(() => account.give(back)));
    assert.deepEqual(replies.map(({ status }) => status).toSorted(), [201, 409, 409]);
    const made = replies.find(({ status }) => status === 201)?.body;
    assert.deepEqual([made.amount, made.reverses], ["-20.00", body.id]);
    assert.equal((await account.give({ reverses: made.id, reason: "No" })).body.code, "credit_reversed");
    assert.deepEqual((await account.billing()).credits.amounts, []);
  });

  test("are never changed, also not by a statement", async () => {
    const account = await makeAccount();
    await account.give({ mails: 5, reason: "Sorry" });
    await assert.rejects(
      app.db.execute(sql`update billing_credits set mails = 50 where account_id = ${account.id}`),
      /append-only/,
    );
    for (const method of ["PATCH", "PUT", "DELETE"])
      assert.ok((await send(method, `${account.path}/credits`, { mails: 50 })).status >= 400, method);
    assert.equal((await account.billing()).credits.mails, 5);
  });

  test("are given once under an idempotency key", async () => {
    const account = await makeAccount();
    const headers = { "idempotency-key": `credit ${account.id}` };
    const body = { mails: 7, reason: "Sorry" };
    const replies = await Promise.all([1, 2, 3].map(() => account.give(body, headers)));
    for (const { status } of replies) assert.ok([201, 409].includes(status));
    const again = await account.give(body, headers);
    assert.deepEqual([again.status, again.headers.get("idempotency-replayed")], [201, "true"]);
    assert.equal((await account.give({ ...body, mails: 8 }, headers)).status, 422);
    assert.equal((await account.billing()).credits.mails, 7);
  });
});

describe("what an account pays", () => {
  test("is seen by owners and admins, and by keys with the scope", async () => {
    const ask = async (scopes: string[]) =>
      (await app.api("GET", "/v1/billing", { key: await app.addKey(scopes) })).status;
    assert.deepEqual([await ask(["billing:read"]), await ask(["account:read", "billing:write"])], [200, 403]);
    for (const [role, status] of [
      ["owner", 200],
      ["admin", 200],
      ["marketer", 403],
      ["writer", 403],
      ["viewer", 403],
    ] as const) {
      const person = await addPerson(app, `${role}@example.com`, role);
      assert.equal((await person.browser.send("GET", "/v1/billing")).status, status, role);
      assert.equal((await person.browser.send("GET", "/v1/instance/plans")).status, 404, role);
    }
  });

  test("is changed by operators alone, and only of accounts that there are", async () => {
    const account = await makeAccount();
    const { id } = await makePlan();
    for (const [method, path, body] of [
      ["GET", "plans"],
      ["POST", "plans", MONTHLY],
      ["PATCH", `plans/${id}`, { price: "0" }],
      ["POST", `plans/${id}/archive`],
      ["PUT", `${account.path}/subscription`, { plan_id: id }],
      ["DELETE", `${account.path}/subscription`],
      ["POST", `${account.path}/credits`, { mails: 1_000_000, reason: "Why not" }],
    ] as [string, string, Json | undefined][]) {
      const reply = await app.api(method, `/v1/instance/${path}`, {
        key: account.key,
        ...(body && { body }),
      });
      assert.equal(reply.status, 404, `${method} ${path}`);
    }
    for (const [method, path, body] of [
      ["GET", `plans/pln_${NOBODY}`],
      ["PATCH", `plans/pln_${NOBODY}`, { price: "0" }],
      ["POST", `plans/pln_${NOBODY}/archive`],
      ["GET", `accounts/acc_${NOBODY}/subscription`],
      ["PUT", `accounts/acc_${NOBODY}/subscription`, { plan_id: id }],
      ["DELETE", `accounts/acc_${NOBODY}/subscription`],
      ["GET", `accounts/acc_${NOBODY}/credits`],
      ["POST", `accounts/acc_${NOBODY}/credits`, { mails: 5, reason: "Sorry" }],
      ["GET", `accounts/${id}/subscription`],
    ] as [string, string, Json | undefined][])
      assert.equal((await send(method, path, body)).status, 404, `${method} ${path}`);
    assert.equal((await account.billing()).subscription, null);
    assert.equal((await send("GET", `plans/${id}`)).body.price, "29.00");
  });
});
