/** What becomes of an account's plan: larger at once, smaller from the next period, an end with its hour, and what all accounts get by themselves. */
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import fc from "fast-check";
import { createInstanceKey } from "../../src/accounts/accounts.ts";
import { endOfHour, hourOf } from "../../src/billing/periods.ts";
import { findPlanRow } from "../../src/billing/plans/plan-store.ts";
import { closeStatements } from "../../src/billing/statements/close-statements.ts";
import { type Followed, followPlan, unfollowPlan } from "../../src/billing/subscriptions/follow.ts";
import { systemCtx, type TxCtx } from "../../src/platform/context.ts";
import { sql } from "../../src/platform/db/db.ts";
import { toPublicId } from "../../src/platform/ids.ts";
import { createLog } from "../../src/platform/log.ts";
import { createApp, type TestApp } from "../support/app.ts";
import { createTestClock } from "../support/clock.ts";
import { type Json, uuidOf } from "../support/subscribers.ts";
import { until } from "../support/until.ts";
import { addUsage } from "../support/usage.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const SMALL = {
  ...{ name: "Small", price: "29.00", currency: "EUR", included_mails: 1_000 },
  ...{ overage_per_1000: "1.00", at_limit: "overage" },
};
const LARGE = { ...SMALL, name: "Large", price: "99.00", included_mails: 50_000 };
const FREE = { name: "Free", price: "0", currency: "EUR", included_mails: 100 };
const clock = createTestClock(new Date("2027-03-01T00:00:00.000Z"));
const log = createLog({ level: "silent", pretty: false });
let app: TestApp;
let operator: string;
before(async () => {
  app = await createApp({ clock, settings: { SIGN_UP: "closed" } });
  operator = await app.db.transaction((tx) => createInstanceKey({ sql: tx, clock }, "Billing"));
});
after(() => app.stop());
beforeEach(() => goTo("2027-03-01T10:20:00.000Z"));

const goTo = (at: string | Date) => clock.step(new Date(at).getTime() - clock.now().getTime());
const send = (method: string, path: string, body?: Json, headers: Record<string, string> = {}) =>
  app.api(method, `/v1/instance/${path}`, { key: operator, headers, ...(body && { body }) });

async function makePlan(body: Json): Promise<string> {
  const made = await send("POST", "plans", body);
  assert.equal(made.status, 201, made.text);
  return made.body.id;
}

async function makeAccount() {
  const { accountId: id, key } = await app.addAccount();
  const path = `accounts/${toPublicId("acc", id)}`;
  return {
    ...{ id, key, path },
    async put(body: Json): Promise<Json> {
      const put = await send("PUT", `${path}/subscription`, body);
      assert.equal(put.status, 200, put.text);
      return put.body;
    },
    end: () => send("DELETE", `${path}/subscription`),
    read: async () => (await send("GET", `${path}/subscription`)).body as Json,
    give: (body: Json) => send("POST", `${path}/credits`, { reason: "Sorry", ...body }),
    billing: async () => (await app.api("GET", "/v1/billing", { key })).body as Json,
    statements: async () =>
      (await app.api("GET", "/v1/usage/statements?limit=200", { key })).body.data as Json[],
    use: (mails: number, at: Date = clock.now()) => addUsage(app.db, id, { [at.toISOString()]: mails }),
    within: <T>(run: (ctx: TxCtx) => Promise<T>) =>
      app.db.transaction((tx) => run(systemCtx({ clock, log }, tx, id))),
  };
}

async function closeAll(): Promise<void> {
  await until(async () => {
    await closeStatements({ db: app.db, clock, log, signal: { aborted: false } });
    const by = new Date(clock.now().getTime() - 15 * 60_000);
    return (
      (await app.db.many(sql`select from billing_subscriptions where statement_due_at <= ${by}`)).length === 0
    );
  });
}

const billed = ({ plan_name, period, total }: Json) => [plan_name, period.from.slice(0, 10), total];
const planOf = ({ body }: { body: Json }) => body;

describe("a change of the plan", () => {
  test("to a larger one holds at once, and bills the period as a whole; back holds from the next", async () => {
    const account = await makeAccount();
    const [small, large] = [await makePlan(SMALL), await makePlan(LARGE)];
    await account.put({ plan_id: small });
    goTo("2027-03-10T00:00:00Z");
    const up = await account.put({ plan_id: large });
    assert.deepEqual([up["terms"].name, up["pending_change"]], ["Large", null]);
    await account.use(40_000);
    goTo("2027-03-31T23:00:00Z");
    const back = await account.put({ plan_id: small });
    assert.deepEqual([back["terms"].name, back["plan_id"], back["ends_at"]], ["Large", large, null]);
    assert.deepEqual(
      [back["pending_change"].plan.id, back["pending_change"].plan.terms.name, back["pending_change"].at],
      [small, "Small", "2027-04-01T10:00:00.000Z"],
    );
    const seen = (await account.billing())["subscription"];
    assert.deepEqual(seen, back, "the account sees the same");
    const counts = async () =>
      Promise.all(
        [small, large].map(async (id) => planOf(await send("GET", `plans/${id}`))["subscriptions"]),
      );
    assert.deepEqual(await counts(), [0, 1]);
    goTo("2027-04-01T10:00:00Z");
    const after = await account.read();
    assert.deepEqual([after["terms"].name, after["pending_change"]], ["Small", null], "nothing ran for it");
    assert.deepEqual(await counts(), [1, 0]);
    goTo("2027-04-02T00:00:00Z");
    await closeAll();
    assert.deepEqual((await account.statements()).map(billed), [
      ["Small", "2027-04-01", "29.00"],
      ["Large", "2027-03-01", "99.00"],
    ]);
  });

  test("to a smaller one shortly before the end erases nothing that was charged", async () => {
    const account = await makeAccount();
    await account.put({ plan_id: await makePlan(SMALL) });
    await account.use(101_000);
    goTo("2027-04-01T09:59:00Z");
    await account.put({
      plan_id: await makePlan({ ...SMALL, name: "Cheap beyond", overage_per_1000: "0.01" }),
    });
    await account.put({
      plan_id: await makePlan({ ...SMALL, name: "Stops", at_limit: "stop", price: "30" }),
    });
    assert.equal((await account.billing())["statement"].total, "129.00");
    goTo("2027-04-02T00:00:00Z");
    await closeAll();
    assert.deepEqual((await account.statements()).map(billed), [
      ["Stops", "2027-04-01", "30.00"],
      ["Small", "2027-03-01", "129.00"],
    ]);
  });

  test("that is to come is taken back, or replaced, and its terms stay as they were chosen", async () => {
    const account = await makeAccount();
    const [small, large] = [await makePlan(SMALL), await makePlan(LARGE)];
    const begun = await account.put({ plan_id: large, tax: { label: "VAT", rate: "19" } });
    await account.put({ plan_id: small });
    await send("PATCH", `plans/${small}`, { price: "35.00" });
    const again = await account.put({ plan_id: small, spending_cap: "5" });
    assert.equal(again["pending_change"].plan.terms.price, "29.00");
    assert.deepEqual(
      [again["spending_cap"], again["tax"]],
      [null, { label: "VAT", rate: "19" }],
      "as it holds now",
    );
    clock.advance(DAY_MS);
    const kept = await account.put({ plan_id: large, tax: { label: "VAT", rate: "19" } });
    assert.deepEqual(
      [kept["pending_change"], kept["terms"], kept["period"]],
      [null, begun["terms"], begun["period"]],
    );
    goTo("2027-04-20T00:00:00Z");
    assert.equal((await account.read())["terms"].name, "Large");
    const stale = await send(
      "PUT",
      `${account.path}/subscription`,
      { plan_id: small },
      { "if-match": '"other"' },
    );
    assert.equal(stale.status, 412);
  });

  test("to a smaller one holds now where operators say so, and the period is billed by the dearest", async () => {
    const account = await makeAccount();
    const [small, large] = [await makePlan(SMALL), await makePlan(LARGE)];
    await account.put({ plan_id: large });
    await account.use(40_000);
    const now = await account.put({ plan_id: small, at: "now" });
    assert.deepEqual([now["terms"].name, now["pending_change"]], ["Small", null]);
    assert.equal((await account.billing())["statement"].total, "99.00");
    const later = await account.put({ plan_id: large, at: "period_end" });
    assert.deepEqual([later["terms"].name, later["pending_change"].plan.terms.name], ["Small", "Large"]);
    const refused = await send("PUT", `${account.path}/subscription`, { plan_id: large, at: "soon" });
    assert.equal(refused.status, 422);
  });

  test("to shorter periods ends what runs with its period, and can be taken back; to longer ones begins at once", async () => {
    const account = await makeAccount();
    const [monthly, yearly] = [await makePlan(SMALL), await makePlan({ ...LARGE, interval: "year" })];
    await account.put({ plan_id: yearly });
    const shown = await account.put({ plan_id: monthly });
    const end = "2028-03-01T10:00:00.000Z";
    assert.deepEqual([shown["plan_id"], shown["ends_at"], shown["pending_change"].at], [yearly, end, end]);
    const back = await account.put({ plan_id: yearly });
    assert.deepEqual([back["ends_at"], back["pending_change"]], [null, null]);
    await account.put({ plan_id: monthly });
    goTo("2028-03-01T10:00:00Z");
    const begun = await account.read();
    assert.deepEqual([begun["plan_id"], begun["started_at"], begun["ends_at"]], [monthly, end, null]);
    goTo("2028-03-05T00:00:00Z");
    const longer = await account.put({ plan_id: yearly });
    assert.deepEqual([longer["plan_id"], longer["started_at"]], [yearly, "2028-03-05T00:00:00.000Z"]);
  });

  test("that is to come limits mails from the very moment, also where no job runs", async () => {
    const account = await makeAccount();
    const stops = { at_limit: "stop", overage_per_1000: null };
    await account.put({ plan_id: await makePlan({ ...LARGE, ...stops }) });
    await account.put({ plan_id: await makePlan({ ...SMALL, ...stops }) });
    const limit = async () => (await account.billing())["allowance"].limit;
    assert.equal(await limit(), 50_000);
    goTo("2027-04-01T10:00:00Z");
    assert.equal(await limit(), 1_000);
    const { mails } = await app.db.one<{ mails: number }>(sql`
      select mails from allowance_periods where account_id = ${account.id} and period_from <= ${clock.now()}
      order by period_from desc limit 1`);
    assert.equal(mails, 1_000);
  });

  test("of two operators at once leaves one of the two, and one plan that is to come at most", async () => {
    const account = await makeAccount();
    const plans = [
      await makePlan(SMALL),
      await makePlan(LARGE),
      await makePlan({ ...SMALL, interval: "year" }),
    ];
    for (let round = 0; round < 3; round++) {
      const puts = [...plans, ...plans].map((plan_id) =>
        send("PUT", `${account.path}/subscription`, { plan_id }),
      );
      for (const { status, text } of await Promise.all([...puts, account.end()]))
        assert.ok([200, 204, 404].includes(status), text);
      const rows = await app.db.many(sql`
        select from billing_subscriptions where account_id = ${account.id} and ended_at is null`);
      assert.ok(rows.length <= 1);
    }
  });
});

describe("a spending cap", () => {
  test("that is set below what mails have cost shows what is charged, and what isn't any more", async () => {
    const account = await makeAccount();
    const plan_id = await makePlan(SMALL);
    await account.put({ plan_id, spending_cap: "100.00" });
    await account.use(51_000);
    const spending = async () => (await account.billing())["allowance"].spending;
    assert.deepEqual(await spending(), { cap: "100.00", spent: "50.00", waived: "0.00" });
    await account.put({ plan_id, spending_cap: "20.00" });
    assert.deepEqual(await spending(), { cap: "20.00", spent: "20.00", waived: "30.00" });
    const { statement, allowance } = await account.billing();
    assert.deepEqual(
      [statement.overage, allowance.left],
      ["20.00", 0],
      "the statement says the same, and nothing more is sent",
    );
  });
});

describe("credited mails", () => {
  test("that were used in the period that lasts aren't taken back", async () => {
    const account = await makeAccount();
    await account.put({ plan_id: await makePlan({ ...SMALL, at_limit: "overage" }) });
    const [first, second] = [
      planOf(await account.give({ mails: 500 })),
      planOf(await account.give({ mails: 300 })),
    ];
    await account.use(1_400);
    const refused = await account.give({ reverses: first["id"] });
    assert.deepEqual([refused.status, refused.body.code], [409, "credit_spent"]);
    assert.equal((await account.give({ reverses: second["id"] })).status, 201, "400 are used of 800");
    assert.equal((await account.billing())["credits"].mails, 500);
    const money = planOf(await account.give({ amount: "5", currency: "EUR" }));
    assert.equal((await account.give({ reverses: money["id"] })).status, 201, "nothing has spent it yet");
  });

  test("and amounts of a period that is over aren't either, before it has its statement", async () => {
    const account = await makeAccount();
    await account.put({ plan_id: await makePlan(SMALL) });
    const money = planOf(await account.give({ amount: "20", currency: "EUR" }));
    goTo("2027-04-01T10:05:00Z");
    assert.equal((await account.give({ reverses: money["id"] })).body.code, "credit_spent");
  });
});

describe("the end of a plan", () => {
  test("is the end of its hour, whose mails are its last", async () => {
    const account = await makeAccount();
    await account.put({ plan_id: await makePlan(SMALL) });
    goTo("2027-03-05T10:40:00Z");
    assert.equal((await account.end()).status, 204);
    await account.use(7);
    const ending = await account.read();
    assert.deepEqual(
      [ending["ends_at"], ending["period"].to],
      ["2027-03-05T11:00:00.000Z", "2027-03-05T11:00:00.000Z"],
    );
    assert.equal((await account.end()).status, 204, "it ends once");
    goTo("2027-03-05T11:00:00Z");
    assert.equal((await account.billing())["subscription"], null);
    assert.equal((await send("GET", `${account.path}/subscription`)).status, 404);
    assert.equal((await account.end()).status, 404);
    goTo("2027-03-05T11:15:00Z");
    await closeAll();
    assert.deepEqual(
      (await account.statements()).map(({ mails, state }) => [mails, state]),
      [[7, "closed"]],
    );
  });

  test("leaves no limit behind, also where no job runs", async () => {
    const account = await makeAccount();
    await account.put({ plan_id: await makePlan(FREE) });
    await account.end();
    assert.equal((await account.billing())["allowance"].limit, 100);
    goTo("2027-03-01T11:00:00Z");
    assert.equal((await account.billing())["allowance"], null);
    const held = await app.db.one<{ mails: number | null }>(sql`
      select mails from allowance_periods where account_id = ${account.id} and period_from <= ${clock.now()}
      order by period_from desc limit 1`);
    assert.equal(held.mails, null);
  });

  test("at Stripe is that of the hour within a period, and that of the period where both end", async () => {
    const plan = await makePlan(SMALL);
    const row = await app.db.transaction((tx) => findPlanRow(tx, uuidOf("pln", plan)));
    assert.ok(row);
    for (const [ended, expected] of [
      ["2027-03-20T08:40:00Z", "2027-03-20T09:00:00.000Z"],
      ["2027-04-01T10:20:00Z", "2027-04-01T10:00:00.000Z"],
      ["2027-03-01T10:50:00Z", "2027-03-01T11:00:00.000Z"],
    ] as const) {
      goTo("2027-03-01T10:20:00Z");
      const account = await makeAccount();
      const begun: Followed = { plan: row, startedAt: clock.now(), anchor: clock.now(), followerId: null };
      const followerId: string = await account.within((ctx) => followPlan(ctx, begun));
      goTo(new Date(new Date(ended).getTime() + 5_000));
      assert.ok(await account.within((ctx) => unfollowPlan(ctx, followerId, new Date(ended))));
      const { ended_at } = await app.db.one<{ ended_at: Date }>(
        sql`select ended_at from billing_subscriptions where account_id = ${account.id}`,
      );
      assert.equal(ended_at.toISOString(), expected);
    }
  });
});

describe("a plan that is followed at Stripe", () => {
  async function follow(
    account: Awaited<ReturnType<typeof makeAccount>>,
    plan: string,
    anchor: Date,
    followerId: string | null,
  ) {
    const row = await app.db.transaction((tx) => findPlanRow(tx, uuidOf("pln", plan)));
    assert.ok(row);
    const startedAt = new Date("2027-03-01T10:20:00.000Z");
    return account.within((ctx) => followPlan(ctx, { plan: row, startedAt, anchor, followerId }));
  }

  test("is smaller from the next period, however often it is seen, and larger again at once", async () => {
    const account = await makeAccount();
    const [small, large] = [await makePlan(SMALL), await makePlan(LARGE)];
    const anchor = clock.now();
    const id = await follow(account, large, anchor, null);
    clock.advance(5 * DAY_MS);
    for (let times = 0; times < 3; times++) assert.equal(await follow(account, small, anchor, id), id);
    const shown = await account.read();
    assert.deepEqual([shown["plan_id"], shown["pending_change"].plan.id], [large, small]);
    const { count } = await app.db.one<{ count: number }>(
      sql`select count(*)::int as count from billing_terms where account_id = ${account.id}`,
    );
    assert.equal(count, 2, "what is known already is written once");
    assert.equal(await follow(account, large, anchor, id), id);
    assert.equal((await account.read())["pending_change"], null, "going back takes it back");
    await follow(account, small, anchor, id);
    goTo("2027-04-10T00:00:00Z");
    assert.equal(await follow(account, small, anchor, id), id);
    assert.equal((await account.read())["plan_id"], small);
    assert.equal(await follow(account, large, anchor, id), id);
    assert.equal((await account.read())["plan_id"], large, "a larger one holds at once");
  });

  test("closes its period by its own terms where Stripe begins another at once", async () => {
    const account = await makeAccount();
    const [small, large] = [await makePlan(SMALL), await makePlan(LARGE)];
    const id = await follow(account, small, clock.now(), null);
    await account.use(11_000);
    goTo("2027-03-11T15:30:00Z");
    const moved = clock.now();
    const next = await follow(account, large, moved, id);
    assert.notEqual(next, id);
    assert.equal(await follow(account, large, moved, next), next, "seen again, it goes on");
    const shown = await account.read();
    assert.deepEqual([shown["anchor"], shown["plan_id"]], ["2027-03-11T15:00:00.000Z", large]);
    goTo("2027-03-12T00:00:00Z");
    await closeAll();
    assert.deepEqual((await account.statements()).map(billed), [
      ["Large", "2027-03-11", "99.00"],
      ["Small", "2027-03-01", "39.00"],
    ]);
  });
});

describe("the plan that accounts get by themselves", () => {
  let free: string;
  before(async () => {
    free = await makePlan(FREE);
  });
  const mark = (id: string, value: boolean) => send("PATCH", `plans/${id}`, { default: value });

  test("is one at most, none that is sold or archived, and isn't archived", async () => {
    const other = await makePlan({ ...FREE, name: "Other" });
    const sold = await makePlan({ ...SMALL, stripe_price_id: "price_default1" });
    const gone = await makePlan(SMALL);
    await send("POST", `plans/${gone}/archive`);
    assert.deepEqual(
      [(await mark(gone, true)).status, (await mark(gone, true)).body.code],
      [409, "plan_archived"],
    );
    const refused = await mark(sold, true);
    assert.deepEqual([refused.status, refused.body.errors[0].pointer], [422, "/default"]);
    assert.equal((await mark(other, true)).body.default, true);
    assert.equal((await mark(free, true)).body.default, true);
    assert.equal(planOf(await send("GET", `plans/${other}`))["default"], false);
    const priced = await send("PATCH", `plans/${free}`, { stripe_price_id: "price_default2" });
    assert.deepEqual([priced.status, priced.body.errors[0].pointer], [422, "/stripe_price_id"]);
    assert.equal((await send("POST", `plans/${free}/archive`)).body.code, "plan_is_default");
    const marks = await Promise.all([free, other, free, other, free].map((id) => mark(id, true)));
    for (const { status, text } of marks) assert.equal(status, 200, text);
    const { count } = await app.db.one<{ count: number }>(
      sql`select count(*)::int as count from billing_plans where is_default`,
    );
    assert.equal(count, 1);
    assert.equal((await mark(free, true)).status, 200);
    assert.equal((await mark(free, false)).body.default, false);
  });

  test("is given to new accounts, and follows when another ends, without a moment between", async () => {
    await mark(free, true);
    try {
      const opened = await send("POST", "accounts", {
        name: "New",
        owner_email: "new@example.com",
        owner_name: "New",
      });
      assert.equal(opened.status, 201, opened.text);
      const id = opened.body.account?.id ?? opened.body.id;
      const given = planOf(await send("GET", `accounts/${id}/subscription`));
      assert.deepEqual([given["plan_id"], given["is_default"], given["state"]], [free, true, "active"]);
      assert.equal((await send("DELETE", `accounts/${id}/subscription`)).body.code, "plan_is_default");

      const account = await makeAccount();
      await account.put({ plan_id: await makePlan(LARGE), tax: { label: "VAT", rate: "19" } });
      assert.equal((await account.billing())["follows"].id, free);
      goTo("2027-03-05T10:40:00Z");
      await account.end();
      const ending = await account.read();
      assert.deepEqual(
        [ending["ends_at"], ending["pending_change"].plan.id, ending["pending_change"].at],
        ["2027-03-05T11:00:00.000Z", free, "2027-03-05T11:00:00.000Z"],
      );
      goTo("2027-03-05T11:00:00Z");
      const follower = await account.read();
      assert.deepEqual(
        [follower["plan_id"], follower["is_default"], follower["tax"].rate],
        [free, true, "19"],
      );
      const { allowance, follows } = await account.billing();
      assert.deepEqual([allowance.limit, follows], [100, null]);
      const chosen = await account.put({ plan_id: await makePlan(SMALL) });
      assert.deepEqual([chosen["started_at"], chosen["is_default"]], ["2027-03-05T11:00:00.000Z", false]);
    } finally {
      await mark(free, false);
    }
  });

  test("leaves the trial of the first plan that is chosen, and none for the second", async () => {
    await mark(free, true);
    try {
      const opened = await send("POST", "accounts", {
        name: "Try",
        owner_email: "try@example.com",
        owner_name: "Try",
      });
      const path = `accounts/${opened.body.account?.id ?? opened.body.id}/subscription`;
      const plan_id = await makePlan({ ...SMALL, trial_days: 14 });
      assert.equal(planOf(await send("PUT", path, { plan_id }))["state"], "trialing");
      await send("DELETE", path);
      clock.advance(2 * HOUR_MS);
      assert.equal(planOf(await send("PUT", path, { plan_id }))["state"], "active");
    } finally {
      await mark(free, false);
    }
  });

  test("is never missed, however the mark moves while plans end", async () => {
    const other = await makePlan({ ...FREE, name: "Other" });
    await mark(free, true);
    const plan_id = await makePlan(SMALL);
    const accounts = await Promise.all(Array.from({ length: 12 }, makeAccount));
    for (const account of accounts) await account.put({ plan_id });
    const moving = (async () => {
      for (let times = 0; times < 10; times++) await mark(times % 2 === 0 ? other : free, true);
    })();
    await Promise.all(accounts.map((account) => account.end()));
    await moving;
    clock.advance(HOUR_MS);
    for (const account of accounts) assert.equal((await account.read())["is_default"], true);
    await mark(free, true);
    await mark(free, false);
  });
});

describe("every mail", () => {
  const PLANS = [
    SMALL,
    LARGE,
    { ...SMALL, interval: "year" },
    { ...LARGE, interval: "year" },
    { ...SMALL, trial_days: 3 },
  ];
  const act = fc.record({
    after: fc.oneof(fc.nat(2 * HOUR_MS), fc.nat(50 * DAY_MS), fc.constant(0), fc.constant(HOUR_MS)),
    what: fc.oneof(
      { weight: 5, arbitrary: fc.nat(PLANS.length - 1) },
      { weight: 3, arbitrary: fc.constant("end" as const) },
      { weight: 1, arbitrary: fc.constant("close" as const) },
    ),
    at: fc.constantFrom(undefined, undefined, "now", "period_end"),
    mails: fc.integer({ min: 1, max: 2_000 }),
  });

  for (const hasDefault of [false, true])
    test(`is in one statement where a plan held in its hour${hasDefault ? ", and in one for ever where another follows" : ""}`, async () => {
      const ids = await Promise.all(PLANS.map(makePlan));
      const free = await makePlan(FREE);
      if (hasDefault) await send("PATCH", `plans/${free}`, { default: true });
      await fc.assert(
        fc.asyncProperty(fc.array(act, { minLength: 1, maxLength: 10 }), async (acts) => {
          goTo("2027-01-31T10:20:17.123Z");
          const account = await makeAccount();
          const hours = new Map<number, number>();
          const use = async (mails: number, at: Date) => {
            const hour = hourOf(at).getTime();
            hours.set(hour, (hours.get(hour) ?? 0) + mails);
            await account.use(mails, at);
          };
          // When a plan held, by whoever changed it: from the act until the end.
          const holds: { from: Date; to: Date }[] = [];
          const FOREVER = new Date("2040-01-01T00:00:00Z");
          for (const { after, what, at, mails } of acts) {
            clock.advance(after);
            await use(mails, clock.now());
            const last = holds.at(-1);
            const isHeld = last !== undefined && last.to > clock.now();
            if (what === "close") await closeAll();
            else if (what === "end") {
              const { status } = await account.end();
              if (isHeld && last.to === FOREVER && status === 204 && !hasDefault) last.to = clock.now();
            } else {
              await account.put({ plan_id: ids[what], ...(at && { at }) });
              if (!isHeld) holds.push({ from: clock.now(), to: FOREVER });
            }
            await use(1, new Date(clock.now().getTime() + (mails % 59) * 60_000));
          }
          clock.advance(40 * DAY_MS);
          await closeAll();
          const statements = await account.statements();
          for (const [hour, mails] of hours) {
            const isHeld = holds.some(
              ({ from, to }) => hourOf(from).getTime() <= hour && hour < endOfHour(to).getTime(),
            );
            const of = statements.filter(
              ({ period }) => new Date(period.from).getTime() <= hour && hour < new Date(period.to).getTime(),
            );
            assert.equal(of.length, isHeld ? 1 : 0, `${new Date(hour).toISOString()} ${mails}`);
            if (!isHeld) hours.delete(hour);
          }
          assert.equal(
            statements.reduce((sum, { mails }) => sum + mails, 0),
            [...hours.values()].reduce((sum, mails) => sum + mails, 0),
          );
        }),
        { numRuns: 25 },
      );
      if (hasDefault) await send("PATCH", `plans/${free}`, { default: false });
    });
});
