/**
 * Billing is what accounts use, what they pay for it, and by which terms: plans, which operators make, the subscription of an account to one of them,
 * credits, and statements of what each period costs. It counts no mail itself: the ledger does, where mail is sent. This file is what other folders
 * may use.
 */
import type { Ctx } from "../platform/context.ts";
import { readCreditTotals } from "./credits/credits.ts";
import { readLimit } from "./limits/limits.ts";
import { findDefaultPlan, termsOf } from "./plans/plans.ts";
import type { Billing } from "./schema.ts";
import { reckonRunning, shapeStatement } from "./statements/statements.ts";
import { type Payments, readPayment } from "./stripe/stripe.ts";
import { findHeld, shapePlanTaken, shapeSubscription } from "./subscriptions/subscriptions.ts";

export { allowAheadJob } from "./limits/limits.ts";
export { nothingOwed } from "./problems.ts";
export { closeStatementsJob } from "./statements/statements.ts";
export {
  createPayments,
  endPayments,
  findDebts,
  giveGrace,
  lookAtDeletion,
  mountStripeWebhook,
  type Payments,
  stripeJobs,
} from "./stripe/stripe.ts";
export { giveDefaultPlan } from "./subscriptions/subscriptions.ts";
export type { Price } from "./usage/usage.ts";

/** What the reader of billing has to know of this service. */
export type BillingTools = { readonly payments: Payments | undefined };

/** Shows an account what it has. */
export async function readBilling(ctx: Ctx, { payments }: BillingTools): Promise<Billing> {
  const { sql, accountId, clock } = ctx;
  const now = clock.now();
  const [{ current, upcoming }, credits, running, allowance, payment, byDefault] = await Promise.all([
    findHeld(sql, accountId, now),
    readCreditTotals(sql, accountId),
    reckonRunning(ctx),
    readLimit(ctx),
    payments ? readPayment(sql, payments, accountId) : null,
    findDefaultPlan(sql),
  ]);
  const subscription = current ? shapeSubscription({ current, upcoming }, now) : null;
  const follows =
    current && byDefault && !current.is_default
      ? shapePlanTaken({ plan_id: byDefault.id, terms: termsOf(byDefault) })
      : null;
  const statement = running ? shapeStatement(running, now) : null;
  return { object: "billing", subscription, follows, credits, statement, allowance, payment };
}
