/** What the stand-in for Stripe answers to which request. */
import type { Json } from "../subscribers.ts";
import { missing, Refused } from "./parts.ts";
import type { StripeWorld } from "./stripe-world.ts";

type Answering = readonly [RegExp, (params: Json, id: string) => Json];

const list = (data: readonly Json[], { limit = "10", starting_after }: Json): Json => {
  const from = starting_after === undefined ? 0 : data.findIndex(({ id }) => id === starting_after) + 1;
  const page = data.slice(from, from + Number(limit));
  return { object: "list", url: "/v1", data: page, has_more: data.length > from + page.length };
};

export function stripeAnswers(world: StripeWorld): readonly Answering[] {
  const {
    add,
    all,
    change,
    declined,
    end,
    expand,
    lastCount,
    nowS,
    owner,
    priceOf,
    require,
    requireCustomer,
  } = world;
  return [
    [
      /^GET \/v1\/account$/,
      () => {
        if (owner().isRestricted)
          throw new Refused({ type: "invalid_request_error", message: "The key lacks a permission." }, 403);
        return { id: owner().account, object: "account" };
      },
    ],
    [
      /^GET \/v1\/customers\/(\w+)$/,
      (_params, id) => {
        const { deleted, object } = require(id, "customer");
        return deleted ? { id, object, deleted } : require(id, "customer");
      },
    ],
    [/^POST \/v1\/customers$/, (params) => add("cus", "customer", { metadata: params.metadata ?? {} })],
    [
      /^GET \/v1\/prices\/(\w+)$/,
      (_params, id) => {
        const { unit, currency, interval, isArchived = false, recurring } = priceOf(id);
        return {
          ...{ id, object: "price", active: !isArchived, currency, billing_scheme: "per_unit" },
          unit_amount: unit,
          recurring: { interval, interval_count: 1, usage_type: "licensed", ...recurring },
        };
      },
    ],
    [
      /^GET \/v1\/checkout\/sessions$/,
      ({ customer, ...page }) => {
        require(customer, "customer");
        return list(all("checkout.session", customer), page);
      },
    ],
    [
      /^POST \/v1\/checkout\/sessions\/(\w+)\/expire$/,
      (_params, id) => {
        const session = require(id, "checkout.session");
        if (session.status !== "open")
          throw new Refused(
            {
              type: "invalid_request_error",
              message: "Only Checkout Sessions with a status of open can be expired.",
            },
            400,
          );
        return Object.assign(session, { status: "expired", url: null });
      },
    ],
    [
      /^POST \/v1\/checkout\/sessions$/,
      (params) => {
        requireCustomer(params.customer);
        if (priceOf(params.line_items[0].price).isArchived)
          throw new Refused(
            {
              ...{ type: "invalid_request_error", param: "line_items[0][price]" },
              message: "The price specified is inactive. This field only accepts active prices.",
            },
            400,
          );
        return add("cs_test", "checkout.session", {
          ...params,
          status: "open",
          subscription: null,
          expires_at: nowS() + 86_400,
          url: `https://checkout.stripe.com/c/pay/cs_test_fake${lastCount() + 1}`,
        });
      },
    ],
    [
      /^POST \/v1\/billing_portal\/sessions$/,
      (params) => {
        requireCustomer(params.customer);
        return add("bps", "billing_portal.session", {
          ...params,
          url: `https://billing.stripe.com/p/session/fake${lastCount() + 1}`,
        });
      },
    ],
    [
      /^GET \/v1\/subscriptions$/,
      ({ customer, expand: names = [], ...page }) => {
        require(customer, "customer");
        return list(
          all("subscription", customer).map((one) => expand(one, names)),
          page,
        );
      },
    ],
    [
      /^GET \/v1\/subscriptions\/(\w+)$/,
      ({ expand: names = [] }, id) => expand(require(id, "subscription"), names),
    ],
    [
      /^POST \/v1\/subscriptions\/(\w+)$/,
      (params, id) => {
        const subscription = require(id, "subscription");
        if (subscription.status === "canceled") throw missing(`No such subscription: '${id}'`, "id");
        change(subscription, params);
        if (params.cancel_at_period_end !== undefined)
          subscription.cancel_at_period_end = params.cancel_at_period_end === "true";
        for (const [name, value] of Object.entries(params.metadata ?? {}))
          if (value === "") delete subscription.metadata[name];
          else subscription.metadata[name] = value;
        return subscription;
      },
    ],
    [
      /^DELETE \/v1\/subscriptions\/(\w+)$/,
      (_params, id) => {
        if (require(id, "subscription")["status"] === "canceled")
          throw missing(`No such subscription: '${id}'`, "id");
        return end(require(id, "subscription"), "cancellation_requested");
      },
    ],
    [
      /^GET \/v1\/invoices$/,
      ({ customer, status, ...page }) => {
        require(customer, "customer");
        return list(
          all("invoice", customer).filter((one) => status === undefined || one.status === status),
          page,
        );
      },
    ],
    [
      /^POST \/v1\/invoices$/,
      ({ customer, metadata, currency, default_payment_method = null }) => {
        requireCustomer(customer);
        return add("in", "invoice", {
          ...{ customer, metadata, currency, default_payment_method, status: "draft", attempted: false },
          ...{ total: 0, amount_due: 0, amount_paid: 0, period_start: nowS(), period_end: nowS() },
        });
      },
    ],
    [
      /^POST \/v1\/invoices\/(\w+)\/finalize$/,
      (_params, id) => {
        const invoice = require(id, "invoice");
        if (invoice.status !== "draft") throw missing("This invoice is already finalized", "id");
        // A customer has no card: Checkout leaves it with the subscription.
        const isPaid = invoice.default_payment_method !== null && !declined.has(invoice.customer);
        invoice.status = isPaid ? "paid" : "open";
        invoice.attempted = true;
        invoice.status_transitions = { finalized_at: nowS() };
        invoice.amount_paid = isPaid ? invoice.total : 0;
        return invoice;
      },
    ],
    [/^GET \/v1\/invoices\/(\w+)$/, (_params, id) => require(id, "invoice")],
    [
      /^GET \/v1\/invoiceitems$/,
      ({ customer, pending, ...page }) =>
        list(
          all("invoiceitem", customer).filter(({ invoice }) => pending !== "true" || invoice === null),
          page,
        ),
    ],
    [
      /^POST \/v1\/invoiceitems$/,
      (params) => {
        requireCustomer(params.customer);
        const amount = Number(params.amount);
        const invoice = params.invoice === undefined ? undefined : require(params.invoice, "invoice");
        if (invoice && invoice.status !== "draft")
          throw new Refused(
            {
              type: "invalid_request_error",
              message: "This invoice is no longer editable.",
              param: "invoice",
            },
            400,
          );
        if (invoice) invoice.amount_due = invoice.total += amount;
        return add("ii", "invoiceitem", { metadata: {}, invoice: null, ...params, amount });
      },
    ],
  ];
}
