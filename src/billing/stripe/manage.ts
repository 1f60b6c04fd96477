/** Changes what an account pays for. Stripe is asked to, then looked at, and what it then has is applied here. */
import type Stripe from "stripe";
import type { ActCtx } from "../../platform/context.ts";
import { AppError } from "../../platform/problems.ts";
import { findPlanRow } from "../plans/plans.ts";
import { paymentRefused } from "../problems.ts";
import { findHeld, whenToCharge } from "../subscriptions/subscriptions.ts";
import { paysNothing, requirePaying, type SoldPlan } from "./checkout.ts";
import { ask, MisshapenAnswer, type Payments, unlessMissing } from "./client.ts";
import { keyOf } from "./keys.ts";
import { type Look, look } from "./look.ts";
import { lookAgain } from "./look-again.ts";

/** When another plan begins: with a period of its own at once, or with the next period, for which alone it is then charged. */
type Change = { readonly begins: "now" | "next_period"; readonly paidPrice: string | null };

/**
 * Takes another plan. A dearer one that isn't smaller begins at once, and so does one of another length: Stripe closes the period, credits what is left
 * of it and charges the whole new one, or changes nothing where that can't be paid. A smaller one is charged from the next period on, also where it is
 * dearer. A cancellation that was to come is taken back, since whoever chooses a plan wants to keep it.
 */
export async function changePlan(ctx: ActCtx, payments: Payments, plan: SoldPlan): Promise<Look | undefined> {
  const before = await requirePaying(ctx.sql, payments, ctx.accountId);
  const subscription = await ask(payments, ctx.log, async (stripe) => {
    const found = await unlessMissing(stripe.subscriptions.retrieve(before.subscription_id));
    return found && requireAnswered(found, before.subscription_id);
  });
  if (!subscription) return seen(ctx, payments, undefined);
  // A change whose answer was lost has happened all the same, and isn't weighed against what was before it.
  const isApplied = before.stripe_anchor?.getTime() === subscription.billing_cycle_anchor * 1_000;
  if (!isApplied) await lookAgain({ ...ctx, db: ctx.sql }, payments, ctx.accountId);
  const row = isApplied ? before : await requirePaying(ctx.sql, payments, ctx.accountId);
  const { begins, paidPrice } = await weigh(ctx, plan, row.plan_subscription_id);
  if (begins === "now" && row.past_due_since !== null)
    throw new AppError(paymentRefused, "what is open has to be paid before a plan can begin at once");
  await ask(payments, ctx.log, (stripe) => {
    const item = itemOf(subscription);
    const ofPlan = { item, price: plan.stripe_price_id, paidPrice, looks: row.looks };
    const isAtOnce = begins === "now" && subscription.status !== "trialing";
    return isAtOnce
      ? beginNow(stripe, subscription.id, ofPlan)
      : chargeFromNext(stripe, subscription.id, ofPlan);
  });
  return look({ ...ctx, db: ctx.sql, payments }, ctx.accountId);
}

type OfPlan = {
  readonly item: Stripe.SubscriptionItem;
  readonly price: string;
  readonly paidPrice: string | null;
  /** Each change is followed by a look, so that the same change may be made again later under another key. */
  readonly looks: number;
};

async function beginNow(stripe: Stripe, id: string, { item, price, paidPrice, looks }: OfPlan) {
  // What is credited is what was paid, also where a cheaper plan was to come.
  if (paidPrice !== null && item.price.id !== paidPrice && item.price.id !== price)
    await stripe.subscriptions.update(
      id,
      { items: [swap(item, paidPrice)], proration_behavior: "none" },
      { idempotencyKey: keyOf("change-back", [id, paidPrice, looks]) },
    );
  await stripe.subscriptions.update(
    id,
    {
      items: [swap(item, price)],
      cancel_at_period_end: false,
      billing_cycle_anchor: { type: "now" },
      proration_behavior: "always_invoice",
      payment_behavior: "error_if_incomplete",
    },
    { idempotencyKey: keyOf("change-now", [id, price, looks]) },
  );
}

async function chargeFromNext(stripe: Stripe, id: string, { item, price, looks }: OfPlan) {
  await stripe.subscriptions.update(
    id,
    {
      ...(item.price.id !== price && { items: [swap(item, price)], proration_behavior: "none" }),
      cancel_at_period_end: false,
    },
    { idempotencyKey: keyOf("change-next", [id, price, item.price.id, looks]) },
  );
}

/** Weighs a plan against the one that is paid for in the period that lasts. */
async function weigh(
  { sql, accountId, clock }: ActCtx,
  plan: SoldPlan,
  followerId: string | null,
): Promise<Change> {
  const { current: running } = await findHeld(sql, accountId, clock.now());
  if (!running || running.id !== followerId) return { begins: "now", paidPrice: null };
  const paid = await findPlanRow(sql, running.plan_id);
  return { begins: whenToCharge(running, plan), paidPrice: paid?.stripe_price_id ?? null };
}

/** What is changed is what was asked for, whatever is answered. */
function requireAnswered(found: Stripe.Subscription, id: string): Stripe.Subscription {
  const { id: itemId, price } = itemOf(found);
  const isWhole = [itemId, price.id, found.status].every((one) => typeof one === "string");
  if (found.id === id && isWhole && Number.isSafeInteger(found.billing_cycle_anchor)) return found;
  throw new MisshapenAnswer("Stripe's subscription isn't the one that was asked for");
}

function itemOf({ items }: Stripe.Subscription): Stripe.SubscriptionItem {
  const [item] = items.data;
  if (!item) throw new MisshapenAnswer("a subscription at Stripe has nothing in it");
  return item;
}

function swap({ id }: Stripe.SubscriptionItem, price: string): Stripe.SubscriptionUpdateParams.Item {
  return { id, price, quantity: 1 };
}

/** Cancels at the end of what is paid for, or at once, which pays nothing back. */
export async function cancelPlan(
  ctx: ActCtx,
  payments: Payments,
  at: "period_end" | "now",
): Promise<Look | undefined> {
  const { subscription_id: id, looks } = await requirePaying(ctx.sql, payments, ctx.accountId);
  const idempotencyKey = keyOf("cancel", [id, at, looks]);
  const found = await ask(payments, ctx.log, (stripe) =>
    unlessMissing(
      at === "now"
        ? stripe.subscriptions.cancel(id, {}, { idempotencyKey })
        : stripe.subscriptions.update(id, { cancel_at_period_end: true }, { idempotencyKey }),
    ),
  );
  return seen(ctx, payments, found);
}

/** Looks at what Stripe then has. What it doesn't know any more is nothing that is paid for, and that stays known though the request is refused. */
async function seen(
  ctx: ActCtx,
  payments: Payments,
  subscription: Stripe.Subscription | undefined,
): Promise<Look | undefined> {
  const tools = { ...ctx, db: ctx.sql };
  if (subscription) return look({ ...tools, payments }, ctx.accountId);
  await lookAgain(tools, payments, ctx.accountId);
  throw paysNothing();
}
