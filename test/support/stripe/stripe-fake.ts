/**
 * Stands in for Stripe: it keeps customers, checkouts, subscriptions, invoices and invoice items, forgets idempotency keys after 24 hours of the test's
 * clock, and signs events by the SDK. What it answers has the fields that this program reads, under the names that Stripe gives them.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import Stripe from "stripe";
import type { Clock } from "../../../src/platform/clock.ts";
import type { Json } from "../subscribers.ts";
import { readForm } from "./form.ts";
import { missing, monthsAfter, Refused } from "./parts.ts";

export const STRIPE_KEY = "sk_test_fake0000000000000000";
const WEBHOOK_SECRET = "whsec_fake_newer_0000000000";
export const FORMER_SECRET = "whsec_fake_older_0000000000";
const KEYS_LIVE_MS = 24 * 3_600_000;

type Price = {
  readonly id: string;
  readonly unit: number;
  readonly currency: string;
  readonly interval: "month" | "year";
};
/** `drop` does what it was asked and then cuts the connection, so that nobody hears of it. */
type Fault = { readonly on: RegExp; readonly kind: "error" | "hang" | "drop"; times: number };
type Answer = { readonly status: number; readonly body: Json };
type Kept = Answer & { readonly atMs: number; readonly fingerprint: string };

export async function createStripeFake(clock: Clock, prices: readonly Price[]) {
  const objects = new Map<string, Json>();
  const kept = new Map<string, Kept>();
  const asked: { method: string; path: string; params: Json; key: string | undefined }[] = [];
  const faults: Fault[] = [];
  let count = 0;
  const nowS = () => Math.floor(clock.now().getTime() / 1_000);
  const add = (prefix: string, object: string, fields: Json): Json => {
    count += 1;
    const id = `${prefix}_fake${String(count).padStart(6, "0")}`;
    const made = { id, object, livemode: false, created: nowS(), ...fields };
    objects.set(id, made);
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
  const require = (id: string, object: string): Json => {
    const found = objects.get(id);
    if (found?.object !== object) throw missing(`No such ${object}: '${id}'`, "id");
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

  /** It is made when its period begins, with what was pending by then. */
  function addInvoice(subscription: Json, status: "open" | "paid"): Json {
    const [item] = subscription.items.data;
    const made = item.current_period_start;
    const pending = all("invoiceitem", subscription.customer).filter(
      (one) => one.invoice === null && one.created <= made,
    );
    const extra = pending.reduce((sum, one) => sum + one.amount, 0);
    const total = item.price.unit_amount + extra;
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
      amount_due: total,
      amount_paid: status === "paid" ? total : 0,
      period_start: item.current_period_start,
      period_end: item.current_period_end,
      hosted_invoice_url: `https://invoice.stripe.com/i/fake${count}`,
      invoice_pdf: `https://pay.stripe.com/invoice/fake${count}/pdf`,
    });
    for (const one of pending) one.invoice = invoice.id;
    subscription.latest_invoice = invoice.id;
    return invoice;
  }

  function expand(subscription: Json, names: readonly string[]): Json {
    const isWanted = names.some((name) => /(^|\.)latest_invoice$/.test(name));
    const invoice = objects.get(subscription.latest_invoice);
    return { ...subscription, ...(isWanted && invoice && { latest_invoice: invoice }) };
  }

  const list = (data: readonly Json[], { limit = "10", starting_after }: Json): Json => {
    const from = starting_after === undefined ? 0 : data.findIndex(({ id }) => id === starting_after) + 1;
    const page = data.slice(from, from + Number(limit));
    return { object: "list", url: "/v1", data: page, has_more: data.length > from + page.length };
  };

  const routes: readonly [RegExp, (params: Json, id: string) => Json][] = [
    [/^POST \/v1\/customers$/, (params) => add("cus", "customer", { metadata: params.metadata ?? {} })],
    [
      /^POST \/v1\/checkout\/sessions$/,
      (params) => {
        require(params.customer, "customer");
        priceOf(params.line_items[0].price);
        return add("cs_test", "checkout.session", {
          ...params,
          status: "open",
          subscription: null,
          expires_at: nowS() + 86_400,
          url: `https://checkout.stripe.com/c/pay/cs_test_fake${count + 1}`,
        });
      },
    ],
    [
      /^POST \/v1\/billing_portal\/sessions$/,
      (params) => {
        require(params.customer, "customer");
        return add("bps", "billing_portal.session", {
          ...params,
          url: `https://billing.stripe.com/p/session/fake${count + 1}`,
        });
      },
    ],
    [
      /^GET \/v1\/subscriptions$/,
      ({ customer, expand: names = [], ...page }) =>
        list(
          all("subscription", customer).map((one) => expand(one, names)),
          page,
        ),
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
        if (params.cancel_at_period_end !== undefined)
          subscription.cancel_at_period_end = params.cancel_at_period_end === "true";
        const change = params.items?.[0];
        if (change) {
          const [item] = subscription.items.data;
          if (change.id !== item.id)
            throw missing(`No such subscription item: '${change.id}'`, "items[0][id]");
          const price = priceOf(change.price);
          const isOtherLength = price.interval !== item.price.recurring.interval;
          if (isOtherLength) subscription.billing_cycle_anchor = nowS();
          const from = isOtherLength ? nowS() : item.current_period_start;
          subscription.items.data = [{ ...itemOf(price, from), id: item.id }];
        }
        return subscription;
      },
    ],
    [
      /^DELETE \/v1\/subscriptions\/(\w+)$/,
      (_params, id) => end(require(id, "subscription"), "cancellation_requested"),
    ],
    [
      /^GET \/v1\/invoices$/,
      ({ customer, status, ...page }) =>
        list(
          all("invoice", customer).filter((one) => status === undefined || one.status === status),
          page,
        ),
    ],
    [
      /^POST \/v1\/invoices$/,
      ({ customer, metadata, currency, default_payment_method = null }) => {
        require(customer, "customer");
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
        const isPaid = invoice.default_payment_method !== null;
        invoice.status = isPaid ? "paid" : "open";
        invoice.attempted = true;
        invoice.amount_paid = isPaid ? invoice.total : 0;
        return invoice;
      },
    ],
    [/^GET \/v1\/invoices\/(\w+)$/, (_params, id) => require(id, "invoice")],
    [/^GET \/v1\/invoiceitems$/, ({ customer, ...page }) => list(all("invoiceitem", customer), page)],
    [
      /^POST \/v1\/invoiceitems$/,
      (params) => {
        require(params.customer, "customer");
        const amount = Number(params.amount);
        const invoice = params.invoice === undefined ? undefined : require(params.invoice, "invoice");
        if (invoice) invoice.amount_due = invoice.total += amount;
        return add("ii", "invoiceitem", { metadata: {}, invoice: null, ...params, amount });
      },
    ],
  ];

  function end(subscription: Json, reason: string): Json {
    subscription.status = "canceled";
    subscription.ended_at = nowS();
    subscription.canceled_at = nowS();
    subscription.cancellation_details = { reason };
    return subscription;
  }

  function answer(method: string, path: string, params: Json, key: string | undefined): Answer {
    asked.push({ method, path, params, key });
    const fingerprint = JSON.stringify([method, path, params]);
    const nowMs = clock.now().getTime();
    const before = key === undefined ? undefined : kept.get(key);
    if (before && nowMs - before.atMs < KEYS_LIVE_MS) {
      if (before.fingerprint === fingerprint) return before;
      return {
        status: 400,
        body: {
          error: {
            type: "idempotency_error",
            message: "Keys for idempotent requests can only be used with the same parameters.",
          },
        },
      };
    }
    const done = route(`${method} ${path}`, params);
    if (key !== undefined && method === "POST") kept.set(key, { ...done, atMs: nowMs, fingerprint });
    return done;
  }

  function route(line: string, params: Json): Answer {
    for (const [pattern, run] of routes) {
      const match = pattern.exec(line);
      if (!match) continue;
      try {
        return { status: 200, body: structuredClone(run(params, match[1] ?? "")) };
      } catch (error) {
        if (error instanceof Refused) return { status: 404, body: { error: error.body } };
        throw error;
      }
    }
    return {
      status: 404,
      body: { error: { type: "invalid_request_error", message: `Unrecognized request URL (${line})` } },
    };
  }

  const server = createServer(async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const url = new URL(request.url ?? "/", "http://fake");
    const method = request.method ?? "GET";
    const text =
      method === "GET" || chunks.length === 0 ? url.search.slice(1) : Buffer.concat(chunks).toString();
    const line = `${method} ${url.pathname}`;
    const fault = faults.find(({ on, times }) => times > 0 && on.test(line));
    if (fault) fault.times -= 1;
    if (fault?.kind === "hang") return;
    if (fault?.kind === "error")
      return send(response, { status: 500, body: { error: { type: "api_error", message: "It broke." } } });
    const key = request.headers["idempotency-key"];
    const isKnown = request.headers.authorization === `Bearer ${STRIPE_KEY}`;
    const done = isKnown
      ? answer(method, url.pathname, readForm(text), typeof key === "string" ? key : undefined)
      : {
          status: 401,
          body: { error: { type: "invalid_request_error", message: "Invalid API Key provided" } },
        };
    if (fault?.kind === "drop") return void response.destroy();
    send(response, done);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const { webhooks } = new Stripe(STRIPE_KEY);

  return {
    url: `http://127.0.0.1:${port}`,
    settings: {
      STRIPE_SECRET_KEY: STRIPE_KEY,
      STRIPE_WEBHOOK_SECRET: `${WEBHOOK_SECRET},${FORMER_SECRET}`,
      STRIPE_API_URL: `http://127.0.0.1:${port}`,
    },
    asked,
    all,
    get: (id: string): Json | undefined => objects.get(id),
    fail: (on: RegExp, kind: Fault["kind"], times = 1) => faults.push({ on, kind, times }),
    /** The person pays: what was bought begins, with a trial where one was asked for. */
    pay(sessionId: string): Json {
      const session = require(sessionId, "checkout.session");
      const price = priceOf(session.line_items[0].price);
      const days = Number(session.subscription_data?.trial_period_days ?? 0);
      const begins = nowS() + days * 86_400;
      const subscription = add("sub", "subscription", {
        customer: session.customer,
        status: days > 0 ? "trialing" : "active",
        start_date: nowS(),
        billing_cycle_anchor: begins,
        cancel_at: null,
        cancel_at_period_end: false,
        canceled_at: null,
        ended_at: null,
        cancellation_details: { reason: null },
        latest_invoice: null,
        default_payment_method: `pm_fake${count}`,
        metadata: session.subscription_data?.metadata ?? {},
        items: { object: "list", data: [itemOf(price, begins)] },
      });
      session.status = "complete";
      session.subscription = subscription.id;
      if (days === 0) addInvoice(subscription, "paid");
      return subscription;
    },
    /** The next period begins, whatever the clock says, and its invoice is paid or isn't. */
    renew(subscriptionId: string, status: "open" | "paid"): Json {
      const subscription = require(subscriptionId, "subscription");
      roll(subscription);
      subscription.status = status === "paid" ? "active" : "past_due";
      return addInvoice(subscription, status);
    },
    /** What was open is paid. */
    settle(invoiceId: string): Json {
      const invoice = require(invoiceId, "invoice");
      Object.assign(invoice, { status: "paid", amount_paid: invoice.amount_due });
      for (const one of all("subscription", invoice.customer))
        if (one.latest_invoice === invoiceId && one.status === "past_due") one.status = "active";
      return invoice;
    },
    end: (subscriptionId: string, reason = "cancellation_requested") =>
      end(require(subscriptionId, "subscription"), reason),
    event(type: string, object: Json, more: Json = {}): Json {
      const data = { object: structuredClone(object) };
      return {
        id: `evt_fake${++count}`,
        object: "event",
        type,
        livemode: false,
        created: nowS(),
        data,
        ...more,
      };
    },
    /** Signs what is posted, as Stripe does. */
    sign(payload: string, { secret = WEBHOOK_SECRET, agoS = 0 } = {}): string {
      return webhooks.generateTestHeaderString({ payload, secret, timestamp: nowS() - agoS });
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function send(response: ServerResponse, { status, body }: Answer): void {
  response.writeHead(status, { "content-type": "application/json", "request-id": "req_fake" });
  response.end(JSON.stringify(body));
}
