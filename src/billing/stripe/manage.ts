/** Changes what an account pays for. Stripe is asked to, then looked at, and what it then has is applied here. */
import type { ActCtx } from "../../platform/context.ts";
import { keyOf, requirePaying, type SoldPlan } from "./checkout.ts";
import { ask, type Payments } from "./client.ts";
import { type Look, look } from "./look.ts";

/**
 * Takes another plan at once. Stripe credits what is left of the one before and charges the rest of the period, on the next invoice. A cancellation
 * that was to come is taken back, since whoever chooses a plan wants to keep it.
 */
export async function changePlan(ctx: ActCtx, payments: Payments, plan: SoldPlan): Promise<Look | undefined> {
  const { subscription_id: id, looks } = await requirePaying(ctx.sql, ctx.accountId);
  const price = plan.stripe_price_id;
  await ask(payments, ctx.log, async (stripe) => {
    const { items } = await stripe.subscriptions.retrieve(id);
    const [item] = items.data;
    await stripe.subscriptions.update(
      id,
      {
        items: [{ ...(item && { id: item.id }), price, quantity: 1 }],
        cancel_at_period_end: false,
        proration_behavior: "create_prorations",
      },
      // Each change is followed by a look, so that the same change may be made again later under another key.
      { idempotencyKey: keyOf("change", [id, price, looks]) },
    );
  });
  return look({ db: ctx.sql, log: ctx.log, payments }, ctx.accountId);
}

/** Cancels at the end of what is paid for, or at once, which pays nothing back. */
export async function cancelPlan(
  ctx: ActCtx,
  payments: Payments,
  at: "period_end" | "now",
): Promise<Look | undefined> {
  const { subscription_id: id, looks } = await requirePaying(ctx.sql, ctx.accountId);
  const idempotencyKey = keyOf("cancel", [id, at, looks]);
  await ask(payments, ctx.log, (stripe) =>
    at === "now"
      ? stripe.subscriptions.cancel(id, {}, { idempotencyKey })
      : stripe.subscriptions.update(id, { cancel_at_period_end: true }, { idempotencyKey }),
  );
  return look({ db: ctx.sql, log: ctx.log, payments }, ctx.accountId);
}
