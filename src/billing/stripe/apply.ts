/** Makes what Stripe has of an account true here: its plan, what it owes, and its invoices. Doing it again changes nothing. */
import type Stripe from "stripe";
import type { TxCtx } from "../../platform/context.ts";
import { newId } from "../../platform/ids.ts";
import { lockPayer } from "../account-store.ts";
import { findPlanByPrice } from "../plans/plans.ts";
import { followPlan, unfollowPlan } from "../subscriptions/subscriptions.ts";
import { type CustomerRow, lockCustomer, noteFollower, updateCustomer } from "./customer-store.ts";
import { markApplied } from "./event-store.ts";
import { type InvoiceRow, putInvoice } from "./invoice-store.ts";
import type { Look } from "./look.ts";
import { stepOverdue } from "./overdue.ts";
import { type Found, fromStripeAmount, timeOf } from "./payment-rules.ts";

/** Returns false where another look has begun since: that one is applied in its place. */
export async function applyLook(ctx: TxCtx, look: Look): Promise<boolean> {
  const { sql, accountId, clock } = ctx;
  await lockPayer(sql, accountId);
  const row = await lockCustomer(sql, accountId);
  if (row?.looks !== look.number) return false;
  const now = clock.now();
  for (const invoice of look.invoices) await putInvoice(sql, accountId, shapeInvoice(ctx, invoice));
  const { subscription } = look;
  const plan_subscription_id = await applyPlan(ctx, row, subscription);
  const overdue = await stepOverdue(ctx, row, subscription?.isOwing ?? false);
  const found = {
    looked_at: now,
    subscription_id: subscription?.id ?? null,
    status: subscription?.status ?? "none",
    cancels_at: subscription?.cancelsAt ?? null,
  } as const;
  await updateCustomer(sql, { ...row, ...found, ...overdue, plan_subscription_id }, now);
  await markApplied(sql, accountId, look.eventIds, now);
  return true;
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
  const { startedAt, anchor } = found;
  const { id } = await followPlan(ctx, { plan, startedAt, anchor, followerId });
  if (id !== followerId) await noteFollower(ctx.sql, ctx.accountId, id, found.id);
  return id;
}

function shapeInvoice({ clock }: TxCtx, invoice: Stripe.Invoice): InvoiceRow {
  const currency = invoice.currency.toUpperCase();
  const amountOf = (amount: number) => fromStripeAmount(amount, currency);
  return {
    id: newId(clock),
    stripe_id: invoice.id,
    number: invoice.number,
    status: invoice.status ?? "draft",
    currency,
    total: amountOf(invoice.total),
    amount_due: amountOf(invoice.amount_due),
    amount_paid: amountOf(invoice.amount_paid),
    hosted_invoice_url: invoice.hosted_invoice_url ?? null,
    invoice_pdf: invoice.invoice_pdf ?? null,
    period_from: timeOf(invoice.period_start),
    period_to: timeOf(invoice.period_end),
    created_at: timeOf(invoice.created),
    updated_at: clock.now(),
  };
}
