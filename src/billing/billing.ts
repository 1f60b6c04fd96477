/**
 * Billing is what accounts use, what they pay for it, and by which terms: plans, which operators make, the subscription of an account to one of them,
 * credits, and statements of what each period costs. It counts no mail itself: the ledger does, where mail is sent. This file is what other folders
 * may use.
 */
import type { Ctx } from "../platform/context.ts";
import { readCreditTotals } from "./credits/credits.ts";
import { readLimit } from "./limits/limits.ts";
import type { Billing } from "./schema.ts";
import { reckonRunning, shapeStatement } from "./statements/statements.ts";
import { type Payments, readPayment } from "./stripe/stripe.ts";
import { findSubscription, shapeSubscription } from "./subscriptions/subscriptions.ts";

export { allowAheadJob } from "./limits/limits.ts";
export { closeStatementsJob } from "./statements/statements.ts";
export { createPayments, mountStripeWebhook, type Payments, stripeJobs } from "./stripe/stripe.ts";
export type { Price } from "./usage/usage.ts";

/** What the reader of billing has to know of this service. */
export type BillingTools = { readonly payments: Payments | undefined };

/** Shows an account what it has. */
export async function readBilling(ctx: Ctx, { payments }: BillingTools): Promise<Billing> {
  const { sql, accountId, clock } = ctx;
  const [row, credits, running, allowance, payment] = await Promise.all([
    findSubscription(sql, accountId),
    readCreditTotals(sql, accountId),
    reckonRunning(ctx),
    readLimit(ctx),
    payments ? readPayment(sql, accountId) : null,
  ]);
  const subscription = row ? shapeSubscription(row, clock.now()) : null;
  const statement = running ? shapeStatement(running, clock.now()) : null;
  return { object: "billing", subscription, credits, statement, allowance, payment };
}
