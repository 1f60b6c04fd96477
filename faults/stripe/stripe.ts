/**
 * Stores eight events of a life at Stripe in every order, each twice, looks at Stripe, and counts in how many states the account ends: in one. What
 * each order writes is rolled back, so that the next begins with the same account.
 */
import type { Result } from "../../bench/harness/bench.ts";
import { applyLook } from "../../src/billing/stripe/apply.ts";
import { createPayments, type Payments } from "../../src/billing/stripe/client.ts";
import { insertEvent } from "../../src/billing/stripe/event-store.ts";
import { look } from "../../src/billing/stripe/look.ts";
import { systemCtx } from "../../src/platform/context.ts";
import { sql, type Tx } from "../../src/platform/db/db.ts";
import { createLog } from "../../src/platform/log.ts";
import { createStripeBed, type StripeBed } from "../../test/support/stripe/bed.ts";
import { liveEightEvents, permutation } from "../../test/support/stripe/eight-events.ts";
import type { Json } from "../../test/support/subscribers.ts";
import { exactly, type Fault, type Setting } from "../fault.ts";

const ALL = 40_320;
const SOME = 4_032;
const log = createLog({ level: "silent", pretty: false });

export const stripeFault: Fault = {
  name: "stripe",
  summary: "events of Stripe's in any order, each twice: one state (with --full in all 40,320 orders)",
  run: (setting) => storeInOrders(setting, { orders: setting.full ? ALL : SOME }),
};

async function* storeInOrders(
  setting: Setting,
  { orders }: { readonly orders: number },
): AsyncIterable<Result> {
  const bed = await createStripeBed();
  try {
    const { STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET, STRIPE_API_URL } = bed.fake.settings;
    const payments = createPayments({
      stripeSecretKey: STRIPE_SECRET_KEY,
      stripeWebhookSecret: STRIPE_WEBHOOK_SECRET.split(","),
      stripeApiUrl: STRIPE_API_URL,
    });
    if (!payments) throw new Error("the settings of the stand-in make no payments");
    const payer = await bed.addPayer();
    const events: Json[] = [];
    await liveEightEvents(bed, payer, async (event) => void events.push(event));
    const states = new Map<string, number>();
    for (let order = 0; order < orders; order++) {
      const number = Math.floor((order * ALL) / orders);
      const state = await stateAfter(bed, payments, payer.accountId, [
        ...permutation(number, events.length).map((at) => events[at] as Json),
        ...permutation(ALL - 1 - number, events.length).map((at) => events[at] as Json),
      ]);
      states.set(state, (states.get(state) ?? 0) + 1);
      if (order % 1_000 === 999) setting.note(`stripe: ${order + 1} orders, ${states.size} states`);
    }
    const told = [...states].slice(0, 5).map(([state, times]) => `${times} times ${state}`);
    yield exactly(`stripe: states after ${orders} orders of eight events`, states.size, 1, "states", told);
  } finally {
    await bed.stop();
  }
}

class RolledBack extends Error {}

async function stateAfter(
  { app, clock }: StripeBed,
  payments: Payments,
  accountId: string,
  events: readonly Json[],
): Promise<string> {
  let state = "";
  const stored = app.db.transaction(async (tx) => {
    for (const { id, type, data } of events)
      await insertEvent(
        tx,
        { id, type, customer_id: data.object.customer, account_id: accountId, object_id: data.object.id },
        clock.now(),
      );
    const seen = await look({ db: tx, clock, log, payments }, accountId);
    if (!seen || !(await applyLook(systemCtx({ clock, log }, tx, accountId), seen)))
      throw new Error("the look wasn't applied");
    state = await readState(tx, accountId);
    throw new RolledBack();
  });
  await stored.catch((error) => {
    if (!(error instanceof RolledBack)) throw error;
  });
  return state;
}

/** What an account has in the end, without ids of its own. */
async function readState(tx: Tx, accountId: string): Promise<string> {
  const state = await tx.one<Json>(sql`
    select (select json_agg(json_build_array(status, past_due_since, overdue_steps, cancels_at, missing_as) order by customer_id)
            from billing_stripe_customers where account_id = ${accountId}) as customer,
           (select json_agg(json_build_array(stripe_id, status, total, amount_paid) order by stripe_id)
            from billing_invoices where account_id = ${accountId}) as invoices,
           (select json_agg(json_build_array(plan_id, started_at, anchor, ended_at) order by started_at, plan_id)
            from billing_subscriptions where account_id = ${accountId}) as plans,
           (select count(*)::int from account_holds where account_id = ${accountId}) as holds,
           (select json_agg(json_build_array(id, applied_at is not null) order by id)
            from billing_stripe_events where account_id = ${accountId}) as events`);
  return JSON.stringify(state);
}
