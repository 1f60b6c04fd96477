/**
 * Billing is what accounts pay for, and by which terms: plans, which operators make, the subscription of an account to one of them, and credits. This
 * file is what other folders may use.
 */
import type { Ctx } from "../platform/context.ts";
import { readCreditTotals } from "./credits/credits.ts";
import type { Billing } from "./schema.ts";
import { findSubscription, shapeSubscription } from "./subscriptions/subscriptions.ts";

/** Shows an account what it has. */
export async function readBilling({ sql, accountId, clock }: Ctx): Promise<Billing> {
  const [row, credits] = await Promise.all([
    findSubscription(sql, accountId),
    readCreditTotals(sql, accountId),
  ]);
  const subscription = row ? shapeSubscription(row, clock.now()) : null;
  return { object: "billing", subscription, credits };
}
