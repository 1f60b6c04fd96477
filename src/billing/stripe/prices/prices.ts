/** Compares a plan with its price at Stripe, whose amount, currency and interval never change: what people read here is what they are charged. */
import type Stripe from "stripe";
import type { Ctx } from "../../../platform/context.ts";
import type { SoldAs, SoldPrice } from "../../plans/plans.ts";
import { ask, MisshapenAnswer, type Payments, unlessMissing } from "../client.ts";
import { toStripeAmount } from "../payment-rules.ts";

/** Asks Stripe for a price. */
export async function findPrice(
  { log }: Pick<Ctx, "log">,
  payments: Payments,
  id: string,
): Promise<SoldPrice> {
  const price = await ask(payments, log, async (stripe) => {
    const found = await unlessMissing(stripe.prices.retrieve(id));
    if (found && (found.id !== id || typeof found.currency !== "string" || typeof found.active !== "boolean"))
      throw new MisshapenAnswer("Stripe's price isn't the one that was asked for");
    return found;
  });
  return { id, faultFor: (plan) => faultOf(price, plan) };
}

type PriceFault = ReturnType<SoldPrice["faultFor"]>;

function faultOf(price: Stripe.Price | undefined, plan: SoldAs): PriceFault {
  const fault = (code: string, detail: string) => ({ pointer: "/stripe_price_id", code, detail });
  if (!price) return fault("unknown_at_stripe", "Stripe knows no such price by the key of this service");
  if (!price.active)
    return fault("archived_at_stripe", "the price is archived at Stripe, so nobody could buy it");
  const { recurring, unit_amount } = price;
  const isPlain = price.billing_scheme === "per_unit" && recurring?.usage_type === "licensed";
  if (!isPlain || recurring.interval_count !== 1 || recurring.interval !== plan.interval)
    return fault("interval_differs", `the price at Stripe isn't a fixed one for each ${plan.interval}`);
  if (price.currency.toUpperCase() !== plan.currency)
    return fault(
      "currency_differs",
      `the price at Stripe is in ${price.currency.toUpperCase()}, not in ${plan.currency}`,
    );
  if (unit_amount !== toStripeAmount(plan.price, plan.currency))
    return fault("amount_differs", "the price at Stripe is another amount than the plan's price");
  return undefined;
}
