/**
 * A look is what Stripe has of a customer at one moment. Events only say that there is something to look at, so that neither their order nor how
 * often they come matters. Of looks that overlap only the one that began last is applied, since the others may be older.
 */
import type Stripe from "stripe";
import type { Writable } from "../../platform/db/db.ts";
import type { Log } from "../../platform/log.ts";
import { ask, type Payments } from "./client.ts";
import { beginLook } from "./customer-store.ts";
import { listWaiting } from "./event-store.ts";
import { deciding, type Found, lasting, type StripeSubscription, understand } from "./payment-rules.ts";

export type Look = {
  readonly number: number;
  /** Is null where the customer has none and had none. */
  readonly subscription: Found | null;
  readonly invoices: readonly Stripe.Invoice[];
  /** The events that were waiting when it began. */
  readonly eventIds: readonly string[];
};

type LookTools = { readonly db: Writable; readonly log: Log; readonly payments: Payments };

/** A page is as many as Stripe gives at once; no customer has had more subscriptions that could still matter. */
const MOST = 100;

/** Returns undefined for an account that is no customer. `wide` looks at all newer invoices, whatever was posted. */
export async function look(
  { db, log, payments }: LookTools,
  accountId: string,
  { wide = false }: { readonly wide?: boolean } = {},
): Promise<Look | undefined> {
  const begun = await beginLook(db, accountId);
  if (!begun) return undefined;
  const waiting = await listWaiting(db, accountId);
  const { customer_id: customer, looks: number } = begun;
  const named = waiting.flatMap(({ type, object_id }) =>
    type.startsWith("invoice.") && object_id?.startsWith("in_") ? [object_id] : [],
  );
  const [subscription, invoices] = await Promise.all([
    ask(payments, log, (stripe) => findSubscription(stripe, customer, log)),
    ask(payments, log, (stripe) => readInvoices(stripe, customer, [...new Set(named)], wide)),
  ]);
  return { number, subscription, invoices, eventIds: waiting.map(({ id }) => id) };
}

async function findSubscription(stripe: Stripe, customer: string, log: Log): Promise<Found | null> {
  const { data } = await stripe.subscriptions.list({
    customer,
    status: "all",
    limit: MOST,
    expand: ["data.latest_invoice"],
  });
  const all = data as readonly StripeSubscription[];
  const subscriptions = lasting(all);
  if (subscriptions.length > 1)
    log.warn({ customer, subscriptions }, "an account pays for two plans at once");
  const found = deciding(all);
  return found ? understand(found) : null;
}

/** An invoice that is named by an event and is another customer's is left alone. */
async function readInvoices(
  stripe: Stripe,
  customer: string,
  ids: readonly string[],
  wide: boolean,
): Promise<readonly Stripe.Invoice[]> {
  if (wide || ids.length > 3) {
    const { data } = await stripe.invoices.list({ customer, limit: MOST });
    return data;
  }
  const found = await Promise.all(ids.map((id) => findInvoice(stripe, id)));
  return found.filter((one) => one?.customer === customer).filter((one) => one !== undefined);
}

/** A draft may be deleted before anybody looks. */
async function findInvoice(stripe: Stripe, id: string): Promise<Stripe.Invoice | undefined> {
  try {
    return await stripe.invoices.retrieve(id);
  } catch (error) {
    if ((error as { code?: unknown }).code === "resource_missing") return undefined;
    throw error;
  }
}
