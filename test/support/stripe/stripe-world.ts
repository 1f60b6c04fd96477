/** What the stand-in for Stripe has: customers, subscriptions, invoices, each of one account and mode, and what becomes of them. */
import type { Clock } from "../../../src/platform/clock.ts";
import type { Json } from "../subscribers.ts";
import { missing, monthsAfter, Refused } from "./parts.ts";

export const STRIPE_KEY = "sk_test_fake0000000000000000";
/** Keys of the other mode, and of another account of Stripe's: what the one made is unknown to the others. */
export const LIVE_KEY = "sk_live_fake0000000000000000";
export const OTHER_KEY = "sk_test_other000000000000000";
/** A restricted key of the first account, which may not ask whose it is. */
export const RESTRICTED_KEY = "rk_test_fake0000000000000000";
const OWNERS: Readonly<Record<string, { account: string; livemode: boolean; isRestricted?: true }>> = {
  [STRIPE_KEY]: { account: "acct_fake", livemode: false },
  [LIVE_KEY]: { account: "acct_fake", livemode: true },
  [OTHER_KEY]: { account: "acct_other", livemode: false },
  [RESTRICTED_KEY]: { account: "acct_fake", livemode: false, isRestricted: true },
};

export type Price = {
  readonly id: string;
  readonly unit: number;
  readonly currency: string;
  readonly interval: "month" | "year";
  /** Whether it was archived, after which nobody buys it. */
  isArchived?: boolean;
  /** Whatever else of its rhythm isn't as usual. */
  readonly recurring?: Json;
};
export type Proration = "always_invoice" | "create_prorations" | "none";
export type StripeWorld = ReturnType<typeof createStripeWorld>;

export function createStripeWorld(clock: Clock, prices: readonly Price[]) {
  const objects = new Map<string, Json>();
  const declined = new Set<string>();
  const owners = new Map<string, string>();
  let owner = OWNERS[STRIPE_KEY] as (typeof OWNERS)[string];
  const ownerName = () => `${owner.account} ${owner.livemode}`;
  let count = 0;
  const nowS = () => Math.floor(clock.now().getTime() / 1_000);
  const add = (prefix: string, object: string, fields: Json): Json => {
    count += 1;
    const id = `${prefix}_fake${String(count).padStart(6, "0")}`;
    // What a customer gets is of whoever has the customer, also where somebody at Stripe does it.
    const of = owners.get(fields["customer"]) ?? ownerName();
    const made = { id, object, livemode: of.endsWith("true"), created: nowS(), ...fields };
    objects.set(id, made);
    owners.set(id, of);
    return made;
  };
  const all = (object: string, customer?: string) =>
    [...objects.values()]
      .filter((one) => one.object === object && (customer === undefined || one.customer === customer))
      .reverse();
  const priceOf = (id: string): Price => {
    const price = prices.find((one) => one.id === id);
    if (!price) throw missing(`No such price: '${id}'`, "line_items[0][price]");
    return price;
  };
  /** Whoever does it at Stripe itself finds everything. */
  const find = (id: string, object: string): Json => {
    const found = objects.get(id);
    if (found?.["object"] !== object) throw missing(`No such ${object}: '${id}'`, "id");
    return found;
  };
  const require = (id: string, object: string): Json => {
    if (owners.get(id) !== ownerName()) throw missing(`No such ${object}: '${id}'`, "id");
    return find(id, object);
  };
  /** A customer that was deleted is known by its id alone, and nothing can be made for it. */
  const requireCustomer = (id: string): Json => {
    const found = objects.get(id);
    if (found?.object !== "customer" || found.deleted || owners.get(id) !== ownerName())
      throw missing(`No such customer: '${id}'`, "customer");
    return found;
  };

  const itemOf = (price: Price, from: number): Json => ({
    id: `si_fake${++count}`,
    object: "subscription_item",
    price: {
      id: price.id,
      object: "price",
      currency: price.currency,
      unit_amount: price.unit,
      recurring: { interval: price.interval },
    },
    quantity: 1,
    current_period_start: from,
    current_period_end: monthsAfter(from, price.interval === "year" ? 12 : 1),
  });

  /** Its periods are reckoned from the anchor. */
  function roll(subscription: Json): void {
    const [item] = subscription.items.data;
    const months = item.price.recurring.interval === "year" ? 12 : 1;
    const from = item.current_period_end;
    let count = 1;
    while (monthsAfter(subscription.billing_cycle_anchor, count * months) <= from) count += 1;
    const to = monthsAfter(subscription.billing_cycle_anchor, count * months);
    Object.assign(item, { current_period_start: from, current_period_end: to });
  }

  const pricingOf = (price: string): Json => ({ type: "price_details", price_details: { price } });

  /** Somebody takes another price at Stripe itself, in its portal: the period goes on, and what is left of it is charged at once, with the next invoice or never. */
  function swap(subscription: Json, priceId: string, proration: Proration): void {
    const [item] = subscription.items.data;
    const { current_period_start, current_period_end, id } = item;
    const price = priceOf(priceId);
    const left = (current_period_end - nowS()) / (current_period_end - current_period_start);
    subscription.items.data = [
      { ...itemOf(price, current_period_start), id, current_period_start, current_period_end },
    ];
    if (proration === "none") return;
    const prorate = (amount: number, of: string) =>
      add("ii", "invoiceitem", {
        ...{ customer: subscription.customer, metadata: {}, invoice: null, proration: true },
        ...{ amount: Math.round(amount * left), pricing: pricingOf(of) },
      });
    prorate(-item.price.unit_amount, item.price.id);
    prorate(price.unit, price.id);
    if (proration === "always_invoice") addInvoice(subscription, "paid", 0, true);
  }

  /** It is made when its period begins, with what was pending by then. */
  function addInvoice(subscription: Json, status: "open" | "paid", more = 0, isProration = false): Json {
    const [item] = subscription.items.data;
    const made = isProration ? nowS() : item.current_period_start;
    const unit = isProration ? 0 : item.price.unit_amount;
    const pending = all("invoiceitem", subscription.customer).filter(
      (one) => one.invoice === null && one.created <= made,
    );
    const extra = pending.reduce((sum, one) => sum + one.amount, 0);
    const total = unit + extra + more;
    const due = Math.max(0, total);
    const invoice = add("in", "invoice", {
      customer: subscription.customer,
      parent: { type: "subscription_details", subscription_details: { subscription: subscription.id } },
      number: `FAKE-${count}`,
      created: made,
      metadata: {},
      attempted: true,
      status,
      currency: item.price.currency,
      total,
      amount_due: due,
      amount_paid: status === "paid" ? due : 0,
      status_transitions: { finalized_at: made },
      period_start: item.current_period_start,
      period_end: item.current_period_end,
      hosted_invoice_url: `https://invoice.stripe.com/i/fake${count}`,
      invoice_pdf: `https://pay.stripe.com/invoice/fake${count}/pdf`,
    });
    const charged = pending.map(({ amount, pricing = null }) => ({ object: "line_item", amount, pricing }));
    const own = { object: "line_item", amount: unit, pricing: pricingOf(item.price.id) };
    invoice.lines = { object: "list", data: [...charged, ...(isProration ? [] : [own])] };
    for (const one of pending) one.invoice = invoice.id;
    subscription.latest_invoice = invoice.id;
    return invoice;
  }

  /**
   * Takes another price, as Stripe does: without an anchor of its own the period goes on, and what it is charged is by the next invoice. With
   * `{type: now}` a period begins, what is left of the one before is credited, and nothing changes where that can't be paid.
   */
  function change(subscription: Json, params: Json): void {
    const [item] = subscription.items.data;
    const wanted = params.items?.[0];
    if (typeof params.billing_cycle_anchor === "string")
      throw new Refused(
        { type: "invalid_request_error", message: "Invalid object", param: "billing_cycle_anchor" },
        400,
      );
    const anew = params.billing_cycle_anchor?.type === "now";
    if (!wanted && !anew) return;
    if (wanted && wanted.id !== item.id)
      throw missing(`No such subscription item: '${wanted.id}'`, "items[0][id]");
    const price = priceOf(wanted?.price ?? item.price.id);
    if (price.currency !== item.price.currency)
      throw new Refused(
        { type: "invalid_request_error", message: "The currency can't change.", param: "items" },
        400,
      );
    const isOtherLength = price.interval !== item.price.recurring.interval;
    if (!anew && !isOtherLength) {
      const { current_period_start, current_period_end } = item;
      const next = {
        ...itemOf(price, current_period_start),
        id: item.id,
        current_period_start,
        current_period_end,
      };
      subscription.items.data = [next];
      return;
    }
    if (subscription.status === "trialing")
      throw new Refused(
        { type: "invalid_request_error", message: "The trial has an anchor of its own." },
        400,
      );
    const left = (item.current_period_end - nowS()) / (item.current_period_end - item.current_period_start);
    const credit = params.proration_behavior === "none" ? 0 : Math.round(item.price.unit_amount * left);
    if (price.unit > credit && declined.has(subscription.customer)) {
      if (params.payment_behavior === "error_if_incomplete")
        throw new Refused(
          { type: "card_error", code: "card_declined", message: "Your card was declined." },
          402,
        );
      throw new Error("the stand-in knows no other behaviour");
    }
    subscription.billing_cycle_anchor = nowS();
    subscription.items.data = [{ ...itemOf(price, nowS()), id: item.id }];
    addInvoice(subscription, "paid", -credit);
  }

  function expand(subscription: Json, names: readonly string[]): Json {
    const isWanted = names.some((name) => /(^|\.)latest_invoice$/.test(name));
    const invoice = objects.get(subscription.latest_invoice);
    return { ...subscription, ...(isWanted && invoice && { latest_invoice: invoice }) };
  }

  function end(subscription: Json, reason: string): Json {
    subscription.status = "canceled";
    subscription.ended_at = nowS();
    subscription.canceled_at = nowS();
    subscription.cancellation_details = { reason };
    return subscription;
  }

  return {
    objects,
    owners,
    declined,
    nowS,
    ownerName,
    owner: () => owner,
    /** Who asks from now on. */
    actFor: (key: string) => {
      owner = OWNERS[key] ?? owner;
      return OWNERS[key] !== undefined;
    },
    nextCount: () => ++count,
    lastCount: () => count,
    ...{
      add,
      all,
      find,
      priceOf,
      require,
      requireCustomer,
      itemOf,
      roll,
      addInvoice,
      change,
      swap,
      expand,
      end,
    },
  };
}
