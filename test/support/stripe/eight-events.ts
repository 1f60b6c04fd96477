/** Eight events of one life at Stripe, and the orders in which they may come. */
import type { Json } from "../subscribers.ts";
import type { StripeBed } from "./bed.ts";

/** Returns a permutation of the numbers below `length` by its number, by the factorial number system. */
export function permutation(number: number, length: number): number[] {
  const left = Array.from({ length }, (_, at) => at);
  let rest = number;
  return Array.from({ length }, (_, at) => {
    const choices = length - at;
    const [taken = 0] = left.splice(rest % choices, 1);
    rest = Math.floor(rest / choices);
    return taken;
  });
}

/** Tells a life of eight events: bought, paid, renewed in vain, paid late, changed, and renewed. */
export async function liveEightEvents(
  { fake, plans }: Pick<StripeBed, "fake" | "plans">,
  payer: Awaited<ReturnType<StripeBed["addPayer"]>>,
  tell: (event: Json) => Promise<void>,
): Promise<void> {
  await payer.send("POST", "/checkout", { plan_id: plans.small["id"] });
  const session = fake.all("checkout.session").find((one) => one["client_reference_id"] === payer.publicId);
  const subscription = fake.pay(session?.["id"]);
  await tell(fake.event("checkout.session.completed", session as Json));
  await tell(fake.event("customer.subscription.created", subscription));
  await tell(fake.event("invoice.paid", fake.get(subscription["latest_invoice"]) as Json));
  const open = fake.renew(subscription["id"], "open");
  await tell(fake.event("invoice.payment_failed", open));
  await tell(fake.event("customer.subscription.updated", subscription));
  fake.settle(open["id"]);
  await tell(fake.event("invoice.paid", open));
  subscription["cancel_at_period_end"] = true;
  await tell(fake.event("customer.subscription.updated", subscription));
  await tell(fake.event("invoice.finalized", fake.renew(subscription["id"], "paid")));
}
