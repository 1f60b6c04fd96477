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
import { Refused } from "./parts.ts";
import { stripeAnswers } from "./stripe-answers.ts";
import { createStripeWorld, type Price, type Proration, STRIPE_KEY } from "./stripe-world.ts";

export { LIVE_KEY, OTHER_KEY, RESTRICTED_KEY, STRIPE_KEY } from "./stripe-world.ts";

const WEBHOOK_SECRET = "whsec_fake_newer_0000000000";
export const FORMER_SECRET = "whsec_fake_older_0000000000";
const KEYS_LIVE_MS = 24 * 3_600_000;

/** `drop` does what it was asked and then cuts the connection, so that nobody hears of it; `cut` sends half of the answer. */
type Fault = {
  readonly on: RegExp;
  readonly kind: "error" | "limit" | "hang" | "drop" | "cut" | "lie";
  times: number;
  /** What is answered in the place of the truth, by `lie`. */
  readonly lie?: unknown;
};
type Answer = { readonly status: number; readonly body: Json };
type Kept = Answer & { readonly atMs: number; readonly fingerprint: string };

export async function createStripeFake(clock: Clock, known: readonly Price[]) {
  const prices = [...known];
  const world = createStripeWorld(clock, prices);
  const { add, addInvoice, all, declined, end, find, itemOf, nowS, objects, owners, priceOf, roll } = world;
  const answers = stripeAnswers(world);
  const kept = new Map<string, Kept>();
  const asked: { method: string; path: string; params: Json; key: string | undefined; text: string }[] = [];
  const faults: Fault[] = [];

  function answer(method: string, path: string, text: string, key: string | undefined): Answer {
    const params = readForm(text);
    asked.push({ method, path, params, key, text });
    const fingerprint = JSON.stringify([method, path, params]);
    const nowMs = clock.now().getTime();
    const ownKey = `${world.ownerName()} ${key}`;
    const before = key === undefined ? undefined : kept.get(ownKey);
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
    if (key !== undefined && method === "POST") kept.set(ownKey, { ...done, atMs: nowMs, fingerprint });
    return done;
  }

  function route(line: string, params: Json): Answer {
    for (const [pattern, run] of answers) {
      const match = pattern.exec(line);
      if (!match) continue;
      try {
        return { status: 200, body: structuredClone(run(params, match[1] ?? "")) };
      } catch (error) {
        if (error instanceof Refused) return { status: error.status, body: { error: error.body } };
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
    if (fault?.kind === "limit")
      return send(response, {
        status: 429,
        body: { error: { type: "rate_limit_error", message: "Slow down." } },
      });
    const key = request.headers["idempotency-key"];
    const isKnown = world.actFor(request.headers.authorization?.replace("Bearer ", "") ?? "");
    const done = isKnown
      ? answer(method, url.pathname, text, typeof key === "string" ? key : undefined)
      : {
          status: 401,
          body: { error: { type: "invalid_request_error", message: "Invalid API Key provided" } },
        };
    if (fault?.kind === "drop") return void response.destroy();
    if (fault?.kind === "lie") return send(response, { status: 200, body: fault.lie as Json });
    if (fault?.kind === "cut") {
      const text = JSON.stringify(done.body);
      response.writeHead(200, { "content-type": "application/json" });
      return void response.end(text.slice(0, text.length / 2));
    }
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
    fail: (on: RegExp, kind: Fault["kind"], times = 1, lie?: unknown) =>
      faults.push({ on, kind, times, lie }),
    /** Somebody makes a price of so many cents a month, whose id is returned. */
    addPrice(unit: number, more: Partial<Price> = {}): string {
      const id = `price_fake${world.nextCount()}`;
      prices.push({ id, unit, currency: "eur", interval: "month", ...more });
      return id;
    },
    archivePrice(id: string, isArchived = true): void {
      priceOf(id).isArchived = isArchived;
    },
    /** Whatever was to fail doesn't any more. */
    calm(): void {
      faults.length = 0;
    },
    /** The customer's card is declined from now on, or taken again. */
    decline: (customer: string, isDeclined = true) =>
      isDeclined ? declined.add(customer) : declined.delete(customer),
    /** Somebody deletes the customer at Stripe, whose subscriptions end at once. */
    deleteCustomer(id: string): Json {
      const customer = find(id, "customer");
      for (const one of all("subscription", id)) if (one.status !== "canceled") end(one, "customer_deleted");
      customer.deleted = true;
      return customer;
    },
    /** Stripe forgets all that was made, as where the data of a test mode is deleted. */
    forget: (id: string) => owners.delete(id),
    /** The person pays: what was bought begins, with a trial where one was asked for. */
    pay(sessionId: string): Json {
      const session = find(sessionId, "checkout.session");
      if (session.status !== "open") throw new Error(`nobody can pay at a page that is ${session.status}`);
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
        default_payment_method: `pm_fake${world.lastCount()}`,
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
      const subscription = find(subscriptionId, "subscription");
      roll(subscription);
      subscription.status = status === "paid" ? "active" : "past_due";
      return addInvoice(subscription, status);
    },
    /** The person takes another price in Stripe's portal. */
    swapAtPortal(subscriptionId: string, priceId: string, proration: Proration): Json {
      const subscription = find(subscriptionId, "subscription");
      world.swap(subscription, priceId, proration);
      return subscription;
    },
    /** What was open is paid. */
    settle(invoiceId: string): Json {
      const invoice = find(invoiceId, "invoice");
      Object.assign(invoice, { status: "paid", amount_paid: invoice.amount_due });
      for (const one of all("subscription", invoice.customer))
        if (one.latest_invoice === invoiceId && one.status === "past_due") one.status = "active";
      return invoice;
    },
    /** An open invoice is closed without being paid. */
    giveUp(invoiceId: string, status: "void" | "uncollectible"): Json {
      return Object.assign(find(invoiceId, "invoice"), { status });
    },
    end: (subscriptionId: string, reason = "cancellation_requested") =>
      end(find(subscriptionId, "subscription"), reason),
    event(type: string, object: Json, more: Json = {}): Json {
      const data = { object: structuredClone(object) };
      return {
        id: `evt_fake${world.nextCount()}`,
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
