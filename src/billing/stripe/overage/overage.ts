/**
 * What a closed statement has beyond the plan's price becomes one item of an invoice of its own at Stripe, exactly once, and is charged at once: Stripe
 * makes the invoice of the next period before the statement is closed. The intent is committed before Stripe is asked; whoever comes again looks for an
 * invoice and an item that name the statement before making them, since Stripe forgets idempotency keys after a day. `claim.ts` keeps two from doing so.
 */
import type Stripe from "stripe";
import { toPublicId } from "../../../platform/ids.ts";
import type { JobCtx } from "../../../platform/jobs/jobs.ts";
import { ask, type Payments } from "../client.ts";
import { keyOf } from "../keys.ts";
import { toStripeAmount } from "../payment-rules.ts";
import { type Claim, whileClaimed } from "./claim.ts";
import {
  type ChargedStatement,
  findCharged,
  intendItem,
  markMade,
  type OverageItem,
  type Uncharged,
} from "./overage-store.ts";

/** Stripe's clock and ours may differ. */
const CLOCKS_DIFFER_S = 3_600;

export async function chargeOverage(
  { db, clock, log }: Pick<JobCtx, "db" | "clock" | "log">,
  payments: Payments,
  statement: Uncharged,
): Promise<void> {
  const found = await findCharged(db, statement, payments.isLive);
  if (!found) return;
  const { customer_id, currency, overage } = found;
  const amount = toStripeAmount(overage, currency);
  const intent = { customer_id, amount, currency, intended_at: clock.now() };
  const item = await db.transaction((tx) => intendItem(tx, statement, intent));
  if (item.made_at !== null) return;
  await whileClaimed({ db, clock }, statement, async (claim) => {
    const made =
      item.amount === 0
        ? null
        : await ask(payments, log, (stripe) => addItem(stripe, claim, { statement, item, found }), {
            sendsOnce: true,
          });
    await markMade(db, statement, made, clock.now());
  });
}

type Charged = {
  readonly statement: Uncharged;
  readonly item: OverageItem;
  readonly found: ChargedStatement;
};

async function addItem(
  stripe: Stripe,
  claim: Claim,
  { statement: { statement_id }, item, found: { period_from, period_to, subscription_id } }: Charged,
): Promise<string> {
  const { customer_id: customer } = item;
  const currency = item.currency.toLowerCase();
  const metadata = { statement_id: toPublicId("sta", statement_id) };
  const invoice =
    (await findNaming(stripe.invoices, item, metadata.statement_id)) ??
    (await addInvoice(stripe, claim, { customer, currency, metadata }, subscription_id));
  const isDraft = invoice.status === "draft";
  const made =
    (await findNaming(stripe.invoiceItems, item, metadata.statement_id)) ??
    (await claim.make(() =>
      stripe.invoiceItems.create(
        {
          customer,
          // An invoice that somebody finished by hand takes no item any more, which then waits for the next one.
          ...(isDraft && { invoice: invoice.id }),
          amount: item.amount,
          currency,
          description: `Mails beyond the plan, ${dayOf(period_from)} to ${dayOf(period_to)}`,
          period: { start: secondsOf(period_from), end: secondsOf(period_to) },
          metadata,
        },
        { idempotencyKey: keyOf("overage", [statement_id]) },
      ),
    ));
  if (isDraft)
    await stripe.invoices.finalizeInvoice(
      invoice.id,
      { auto_advance: true },
      { idempotencyKey: keyOf("overage-final", [statement_id]) },
    );
  return made.id;
}

type InvoiceOf = Pick<Stripe.InvoiceCreateParams, "customer" | "currency"> & {
  readonly metadata: { readonly statement_id: string };
};

/** Makes an invoice that Stripe leaves alone until its item is there. */
async function addInvoice(
  stripe: Stripe,
  claim: Claim,
  of: InvoiceOf,
  subscriptionId: string,
): Promise<Stripe.Invoice> {
  // Checkout leaves the card with the subscription, and not with the customer.
  const { default_payment_method: method } = await stripe.subscriptions.retrieve(subscriptionId);
  const card = typeof method === "object" ? method?.id : method;
  return claim.make(() =>
    stripe.invoices.create(
      {
        ...of,
        ...(card !== undefined && { default_payment_method: card }),
        collection_method: "charge_automatically",
        pending_invoice_items_behavior: "exclude",
        auto_advance: false,
      },
      { idempotencyKey: keyOf("overage-invoice", [of.metadata.statement_id, card]) },
    ),
  );
}

type Named = { readonly metadata: Stripe.Metadata | null };
type Listed<T> = {
  list(params: { customer: string; created: Stripe.RangeQueryParam; limit: number }): AsyncIterable<T>;
};

async function findNaming<T extends Named>(
  listed: Listed<T>,
  { customer_id: customer, intended_at }: OverageItem,
  statementId: string,
): Promise<T | undefined> {
  const created = { gte: secondsOf(intended_at) - CLOCKS_DIFFER_S };
  for await (const one of listed.list({ customer, created, limit: 100 }))
    if (one.metadata?.["statement_id"] === statementId) return one;
  return undefined;
}

function secondsOf(at: Date): number {
  return Math.floor(at.getTime() / 1_000);
}

function dayOf(at: Date): string {
  return at.toISOString().slice(0, 10);
}
