/**
 * A look is what Stripe has of a customer at one moment. Events only say that there is something to look at, so that neither their order nor how
 * often they come matters. Of looks that overlap only the one that began last is applied, since the others may be older.
 */
import type Stripe from "stripe";
import type { Clock } from "../../platform/clock.ts";
import type { Writable } from "../../platform/db/db.ts";
import type { Log } from "../../platform/log.ts";
import { ask, type Payments, unlessMissing } from "./client.ts";
import { beginLook, type CustomerRow, type Origin } from "./customer-store.ts";
import { isOfKey, originOf } from "./customers.ts";
import { listWaiting } from "./event-store.ts";
import { type FoundInvoice, readInvoice } from "./found-invoice.ts";
import {
  type Found,
  isOwedOverage,
  lasting,
  type StripeSubscription,
  understandAll,
} from "./payment-rules.ts";

export type Look = {
  readonly number: number;
  readonly customerId: string;
  /** Under which keys the customer is now known to be one. */
  readonly origin: Origin;
  /** Why Stripe has no such customer; null where it has. Of one that is foreign nothing is known, and nothing is applied. */
  readonly missingAs: CustomerRow["missing_as"];
  /** Is null where the customer has none and had none. */
  readonly subscription: Found | null;
  /** Whether an invoice for mails beyond a plan wasn't paid. */
  readonly owesOverage: boolean;
  readonly invoices: readonly FoundInvoice[];
  /** The events that were waiting when it began. */
  readonly eventIds: readonly string[];
};

type LookTools = {
  readonly db: Writable;
  readonly clock: Clock;
  readonly log: Log;
  readonly payments: Payments;
};

/** A page is as many as Stripe gives at once; no customer has had more subscriptions that could still matter. */
const MOST = 100;

/** Returns undefined for an account that is no customer, or one that the key knows nothing of. `wide` looks at all newer invoices, whatever was posted. */
export async function look(
  tools: LookTools,
  accountId: string,
  { wide = false }: { readonly wide?: boolean } = {},
): Promise<Look | undefined> {
  const { db, log, payments } = tools;
  const row = await beginLook(db, accountId);
  if (!row) return undefined;
  const origin = await ask(payments, log, () => originOf(payments));
  const waiting = await listWaiting(db, accountId);
  const begun = { number: row.looks, customerId: row.customer_id, eventIds: waiting.map(({ id }) => id) };
  const nothing = { ...begun, subscription: null, owesOverage: false, invoices: [] };
  if (!isOfKey(row, origin)) {
    log.warn({ account: accountId }, "an account is a customer of another mode or account at Stripe");
    return { ...nothing, origin: row, missingAs: "foreign" };
  }
  const customer = row.customer_id;
  const state = await ask(payments, log, (stripe) => findState(stripe, customer));
  if (state !== "there") {
    const missingAs = whyMissing(state, row, origin);
    log.warn({ account: accountId, missing_as: missingAs }, "Stripe has no such customer");
    return { ...nothing, origin: row, missingAs };
  }
  const named = waiting.flatMap(({ type, object_id }) =>
    type.startsWith("invoice.") && object_id?.startsWith("in_") ? [object_id] : [],
  );
  const now = tools.clock.now();
  const [subscription, unpaid, invoices] = await Promise.all([
    ask(payments, log, (stripe) => findSubscription(stripe, customer, log)),
    ask(payments, log, (stripe) => readUnpaid(stripe, customer, now)),
    ask(payments, log, (stripe) => readInvoices(stripe, customer, [...new Set(named)], wide)),
  ]);
  const { owesOverage } = unpaid;
  // An invoice that is open may be one that was never told of.
  const all = new Map([...unpaid.invoices, ...invoices].map((one) => [one.stripe_id, one]));
  return { ...begun, origin, missingAs: null, subscription, owesOverage, invoices: [...all.values()] };
}

async function findState(stripe: Stripe, id: string): Promise<"there" | "deleted" | "unknown"> {
  const found = await unlessMissing(stripe.customers.retrieve(id));
  if (!found) return "unknown";
  return found.deleted ? "deleted" : "there";
}

/** Stripe knows those that were deleted. One that it doesn't know may be another account's, unless it is known to be this one's. */
function whyMissing(state: "deleted" | "unknown", row: Origin, origin: Origin): "deleted" | "foreign" {
  if (state === "deleted") return "deleted";
  const isSameAccount = row.stripe_account !== null && row.stripe_account === origin.stripe_account;
  return isSameAccount ? "deleted" : "foreign";
}

async function findSubscription(stripe: Stripe, customer: string, log: Log): Promise<Found | null> {
  const [{ data }, pending] = await Promise.all([
    stripe.subscriptions.list({
      customer,
      status: "all",
      limit: MOST,
      expand: ["data.latest_invoice"],
    }),
    stripe.invoiceItems.list({ customer, pending: true, limit: MOST }),
  ]);
  const all = data as readonly StripeSubscription[];
  const subscriptions = lasting(all);
  if (subscriptions.length > 1)
    log.warn({ customer, subscriptions }, "an account pays for two plans at once");
  return understandAll(all, pending.data);
}

async function readUnpaid(
  stripe: Stripe,
  customer: string,
  now: Date,
): Promise<Pick<Look, "owesOverage" | "invoices">> {
  const { data } = await stripe.invoices.list({ customer, status: "open", limit: MOST });
  const invoices = data.map(readInvoice);
  return { owesOverage: data.some((invoice) => isOwedOverage(invoice, now)), invoices };
}

/** An invoice that is named by an event and is another customer's is left alone. */
async function readInvoices(
  stripe: Stripe,
  customer: string,
  ids: readonly string[],
  wide: boolean,
): Promise<readonly FoundInvoice[]> {
  if (wide || ids.length > 3) {
    const { data } = await stripe.invoices.list({ customer, limit: MOST });
    return data.map(readInvoice);
  }
  // A draft may be deleted before anybody looks.
  const found = await Promise.all(ids.map((id) => unlessMissing(stripe.invoices.retrieve(id))));
  return found
    .filter((one) => one !== undefined)
    .filter((one) => one.customer === customer)
    .map(readInvoice);
}
