/** What is seldom with Stripe: operators who step in, customers that are gone, and accounts that fail while others don't. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { closeStatements } from "../../src/billing/statements/close-statements.ts";
import { stripeJobs } from "../../src/billing/stripe/stripe.ts";
import { raw, sql } from "../../src/platform/db/db.ts";
import type { JobCtx } from "../../src/platform/jobs/jobs.ts";
import { createLog } from "../../src/platform/log.ts";
import { createStripeBed, type StripeBed } from "../support/stripe/bed.ts";
import type { Json } from "../support/subscribers.ts";
import { until } from "../support/until.ts";
import { addUsage } from "../support/usage.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const log = createLog({ level: "silent", pretty: false });
let bed: StripeBed;
before(async () => {
  bed = await createStripeBed();
});
after(() => bed.stop());

/** What the timers run, which a jump of the clock may cut off in the app itself. */
async function run(name: string): Promise<void> {
  const { db } = bed.app;
  const payments = {
    isLive: false,
    webhookSecrets: [],
    load: () => Promise.reject(new Error("nobody asks")),
    account: () => Promise.resolve(null),
  };
  const { hourly, daily } = stripeJobs(payments);
  const job = [...hourly, ...daily].find((one) => one.name === name);
  await job?.run({ db, clock: bed.clock, log } as unknown as JobCtx, {});
}

const instance = (method: string, path: string, body?: Json) =>
  bed.app.api(method, `/v1/instance/${path}`, { key: bed.operator, ...(body && { body }) });

async function reconcile(): Promise<void> {
  await bed.runJob("reconcile_with_stripe");
  await bed.caughtUp();
}

describe("a plan that an operator ends while Stripe charges for it", () => {
  test("comes back at the next look, and no hour is of both", async () => {
    const payer = await bed.addPayer();
    await payer.buy(bed.plans.small);
    bed.clock.advance(5 * HOUR_MS);
    assert.equal((await instance("DELETE", `accounts/${payer.publicId}/subscription`)).status, 204);
    bed.clock.advance(HOUR_MS);
    await reconcile();
    const spans = await bed.app.db.many<{ started_at: Date; ended_at: Date | null }>(sql`
      select started_at, ended_at from billing_subscriptions where account_id = ${payer.accountId} order by started_at`);
    assert.equal(spans.length, 2);
    assert.deepEqual(spans[1]?.started_at, spans[0]?.ended_at);
    assert.equal(spans[1]?.ended_at, null);
  });
});

describe("credits of an account that pays at Stripe", () => {
  test("pay for mails beyond the plan, and not for the price, which Stripe charges all the same", async () => {
    const payer = await bed.addPayer();
    await payer.buy(bed.plans.small);
    const given = { amount: "50.00", currency: "EUR", reason: "Sorry" };
    assert.equal((await instance("POST", `accounts/${payer.publicId}/credits`, given)).status, 201);
    await addUsage(bed.app.db, payer.accountId, { [bed.clock.now().toISOString()]: 4_000 });
    bed.clock.step(32 * DAY_MS);
    await until(async () => {
      await closeStatements({ db: bed.app.db, clock: bed.clock, log, signal: { aborted: false } });
      const closed = await bed.app.db.many(
        sql`select from billing_statements where account_id = ${payer.accountId}`,
      );
      return closed.length > 0;
    });
    const [statement] = await bed.app.db.many<Json>(sql`
      select spent_amount, overage, total from billing_statements where account_id = ${payer.accountId}`);
    assert.deepEqual(statement, { spent_amount: 300, overage: 0, total: 2_900 });
    assert.deepEqual((await payer.billing())["credits"].amounts, [{ currency: "EUR", amount: "47.00" }]);
  });
});

async function stepsOf(accountId: string): Promise<number> {
  const { steps } = await bed.app.db.one<{ steps: number }>(sql`
    select overdue_steps as steps from billing_stripe_customers where account_id = ${accountId}`);
  return steps;
}

/** Buys a plan and doesn't pay for its second period. */
async function addDebtor() {
  const payer = await bed.addPayer();
  const subscription = await payer.buy(bed.plans.small);
  const open = bed.fake.renew(subscription["id"], "open");
  await bed.post(bed.fake.event("invoice.payment_failed", open));
  await bed.caughtUp();
  return { ...payer, subscription, open };
}

describe("what is done about all accounts", () => {
  test("is done for the others where one fails", async () => {
    const first = await addDebtor();
    bed.clock.advance(1_000);
    const second = await addDebtor();
    await bed.app.db.execute(sql`
      alter table billing_stripe_customers add constraint refused check (account_id <> ${raw(`'${first.accountId}'`)} or overdue_steps < 2)`);
    bed.clock.step(3 * DAY_MS);
    await assert.rejects(run("remind_of_payments"), AggregateError);
    assert.deepEqual([await stepsOf(first.accountId), await stepsOf(second.accountId)], [1, 2]);
    await bed.app.db.execute(sql`alter table billing_stripe_customers drop constraint refused`);
    await run("remind_of_payments");
    assert.equal(await stepsOf(first.accountId), 2);
  });

  test("is done to the end where there are many old events", async () => {
    const old = new Date(bed.clock.now().getTime() - 31 * DAY_MS);
    await bed.app.db.execute(sql`
      insert into billing_stripe_events (id, type, received_at, applied_at)
      select 'evt_old' || n, 'invoice.paid', ${old}, ${old} from generate_series(1, 20500) n`);
    await run("reconcile_with_stripe");
    const left = await bed.app.db.many(sql`select from billing_stripe_events where id like 'evt_old%'`);
    assert.equal(left.length, 0);
  });
});
