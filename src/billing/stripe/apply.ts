/** Makes what Stripe has of an account true here: its plan, what it owes, and its invoices. Doing it again changes nothing. */
import type { TxCtx } from "../../platform/context.ts";
import { newId } from "../../platform/ids.ts";
import { lockPayer } from "../account-store.ts";
import { findPlanByPrice } from "../plans/plans.ts";
import { followPlan, unfollowPlan } from "../subscriptions/subscriptions.ts";
import { type CustomerRow, lockCustomer, noteFollower, updateCustomer } from "./customer-store.ts";
import { markApplied } from "./event-store.ts";
import { putInvoice } from "./invoice-store.ts";
import type { Look } from "./look.ts";
import { stepOverdue } from "./overdue/overdue.ts";
import type { Found } from "./payment-rules.ts";

/** Returns false where another look has begun since: that one is applied in its place. */
export async function applyLook(ctx: TxCtx, look: Look): Promise<boolean> {
  const { sql, accountId, clock } = ctx;
  await lockPayer(sql, accountId);
  const row = await lockCustomer(sql, accountId);
  if (row?.looks !== look.number || row.customer_id !== look.customerId) return false;
  const now = clock.now();
  const found =
    look.missingAs === "foreign"
      ? { missing_as: look.missingAs, looked_at: now }
      : await applyState(ctx, row, look);
  await updateCustomer(sql, { ...row, ...found }, now);
  await markApplied(sql, accountId, look.eventIds, now);
  return true;
}

async function applyState(ctx: TxCtx, row: CustomerRow, look: Look): Promise<Partial<CustomerRow>> {
  const { sql, accountId, clock } = ctx;
  const now = clock.now();
  const { subscription, owesOverage } = look;
  for (const invoice of look.invoices)
    await putInvoice(sql, accountId, { ...invoice, id: newId(clock), updated_at: now });
  const plan_subscription_id = await applyPlan(ctx, row, subscription);
  const isOwing = owesOverage || (subscription?.isOwing ?? false);
  const overdue = await stepOverdue(ctx, row, isOwing);
  const status = subscription?.status ?? "none";
  return {
    ...look.origin,
    ...overdue,
    missing_as: look.missingAs,
    looked_at: now,
    subscription_id: subscription?.id ?? null,
    plan_subscription_id,
    // Whoever pays for the plan and not for the mails beyond it is past due all the same.
    status: status === "active" && isOwing ? "past_due" : status,
    cancels_at: subscription?.cancelsAt ?? null,
    stripe_anchor: subscription?.anchor ?? null,
  };
}

/** Returns the subscription that follows Stripe's; null where none does. */
async function applyPlan(ctx: TxCtx, row: CustomerRow, found: Found | null): Promise<string | null> {
  const followerId = row.plan_subscription_id;
  if (found === null || found.status === "none" || found.status === "canceled") {
    if (followerId !== null) await unfollowPlan(ctx, followerId, found?.endedAt ?? null);
    return null;
  }
  const plan = found.priceId === null ? undefined : await findPlanByPrice(ctx.sql, found.priceId);
  if (!plan) {
    // Whoever charges is right, so the account keeps what it has until an operator says which plan the price is.
    ctx.log.warn(
      { account: ctx.accountId, price: found.priceId },
      "no plan has the price that an account pays",
    );
    return followerId;
  }
  const { startedAt, anchor, isCharged } = found;
  const id = await followPlan(ctx, { plan, startedAt, anchor, isCharged, followerId });
  if (id !== followerId) await noteFollower(ctx.sql, row, id, found.id);
  return id;
}
