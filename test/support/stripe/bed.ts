/** A service that charges by a stand-in for Stripe, and what people and Stripe do to it. */
import assert from "node:assert/strict";
import { createInstanceKey } from "../../../src/accounts/accounts.ts";
import { sql } from "../../../src/platform/db/db.ts";
import { newId, toPublicId } from "../../../src/platform/ids.ts";
import { type AppOptions, createApp, type Reply } from "../app.ts";
import { createTestClock } from "../clock.ts";
import type { Json } from "../subscribers.ts";
import { until } from "../until.ts";
import { createStripeFake } from "./stripe-fake.ts";

const HOUR_MS = 3_600_000;
const PRICES = [
  { id: "price_small", unit: 2_900, currency: "eur", interval: "month" },
  { id: "price_medium", unit: 5_900, currency: "eur", interval: "month" },
  { id: "price_large", unit: 9_900, currency: "eur", interval: "month" },
  { id: "price_yearly", unit: 99_000, currency: "eur", interval: "year" },
  { id: "price_trial", unit: 2_900, currency: "eur", interval: "month" },
] as const;

export type StripeBed = Awaited<ReturnType<typeof createStripeBed>>;

export async function createStripeBed(options: AppOptions = {}) {
  const clock = createTestClock(new Date("2027-01-31T09:30:00.000Z"));
  const fake = await createStripeFake(clock, PRICES);
  const app = await createApp({ clock, ...options, settings: { ...fake.settings, ...options.settings } });
  const operator = await app.db.transaction((tx) => createInstanceKey({ sql: tx, clock }, "Billing"));

  async function makePlan(name: string, price: string, stripePriceId: string | null, more: Json = {}) {
    const body = { name, price, currency: "EUR", stripe_price_id: stripePriceId, ...more };
    const made = await app.api("POST", "/v1/instance/plans", { key: operator, body });
    assert.equal(made.status, 201, made.text);
    return made.body as Json;
  }
  const plans = {
    small: await makePlan("Small", "29.00", "price_small", {
      included_mails: 1_000,
      at_limit: "overage",
      overage_per_1000: "1.00",
    }),
    medium: await makePlan("Medium", "59.00", "price_medium"),
    large: await makePlan("Large", "99.00", "price_large"),
    yearly: await makePlan("Yearly", "990.00", "price_yearly", { interval: "year" }),
    trial: await makePlan("Trial", "29.00", "price_trial", { trial_days: 14 }),
    given: await makePlan("Given", "0.00", null),
  };

  async function post(
    event: Json,
    how: { secret?: string; agoS?: number; body?: string; raw?: string } = {},
  ): Promise<Reply> {
    const payload = how.raw ?? JSON.stringify(event);
    const response = await fetch(`${app.baseUrl}/inbound/stripe`, {
      method: "POST",
      headers: { "content-type": "application/json", "stripe-signature": fake.sign(payload, how) },
      body: how.body ?? payload,
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: text && JSON.parse(text) };
  }

  /** Runs a job of a timer now, and waits until it is done. */
  async function runJob(name: string): Promise<void> {
    const key = `test ${newId(clock)}`;
    await app.db.execute(sql`select from graphile_worker.add_job(${name}, job_key => ${key})`);
    await until(async () => {
      const rows = await app.db.many(sql`select from graphile_worker.jobs where key = ${key}`);
      return rows.length === 0;
    });
  }

  /** Waits until Stripe was asked about all that it posted. A job that was replaced while it ran does nothing more. */
  async function caughtUp(): Promise<void> {
    await until(async () => {
      const { count } = await app.db.one<{ count: number }>(sql`
        select (select count(*) from billing_stripe_events where applied_at is null)
          + (select count(*) from graphile_worker.jobs
             where task_identifier = 'look_at_stripe' and (attempts < max_attempts or locked_at is not null)) as count`);
      return count === 0;
    }).catch(async (error) => {
      const events = await app.db.many(sql`
        select id, type, account_id, received_at from billing_stripe_events where applied_at is null`);
      const jobs = await app.db.many(sql`
        select id, key, attempts, locked_at, run_at, last_error from graphile_worker.jobs where task_identifier = 'look_at_stripe'`);
      throw new Error(`Stripe wasn't asked about ${JSON.stringify({ events, jobs }, null, 2)}`, {
        cause: error,
      });
    });
  }

  /** Closes a period of the subscription that ended just now, with what mails beyond the plan cost. Returns the statement's id. */
  async function closeStatement(accountId: string, subscriptionId: string, overage: number): Promise<string> {
    const id = newId(clock);
    const now = clock.now();
    await app.db.execute(sql`
      insert into billing_statements (account_id, id, subscription_id, period_from, period_to, currency, bill, overage, total, spent_amount,
        spent_mails, closed_at)
      values (${accountId}, ${id}, ${subscriptionId}, ${new Date(now.getTime() - HOUR_MS)}, ${now}, 'EUR', '{}', ${overage}, ${overage}, 0, 0, ${now})`);
    return toPublicId("sta", id);
  }

  /** Charges all that closed statements say, and waits until Stripe has it. */
  async function chargeOverages(): Promise<void> {
    await runJob("charge_overages");
    await until(async () => {
      const jobs = await app.db.many(
        sql`select from graphile_worker.jobs where task_identifier = 'charge_overage'`,
      );
      return jobs.length === 0;
    });
  }

  async function payerOf(accountId: string, key: string) {
    const send = (method: string, path: string, body?: Json, headers: Record<string, string> = {}) =>
      app.api(method, `/v1/billing${path}`, { key, headers, ...(body && { body }) });
    return {
      accountId,
      publicId: toPublicId("acc", accountId),
      key,
      send,
      billing: async (): Promise<Json> => (await send("GET", "")).body,
      /** Buys a plan to the end, and waits until it has begun here. */
      async buy(plan: Json): Promise<Json> {
        const opened = await send("POST", "/checkout", { plan_id: plan["id"] });
        assert.equal(opened.status, 200, opened.text);
        const session = fake.all("checkout.session").find(({ url }) => url === opened.body.url);
        const subscription = fake.pay(session?.["id"]);
        const posted = await post(fake.event("customer.subscription.created", subscription));
        assert.equal(posted.status, 200, posted.text);
        await caughtUp();
        return subscription;
      },
    };
  }

  return {
    clock,
    /** A plan that ends at once keeps the hour that runs. */
    endOfHour: () => new Date((Math.floor(clock.now().getTime() / HOUR_MS) + 1) * HOUR_MS).toISOString(),
    fake,
    app,
    operator,
    plans,
    makePlan,
    post,
    runJob,
    caughtUp,
    closeStatement,
    chargeOverages,
    payerOf,
    async addPayer() {
      const { accountId, key } = await app.addAccount();
      return payerOf(accountId, key);
    },
    async stop() {
      await app.stop();
      await fake.stop();
    },
  };
}
