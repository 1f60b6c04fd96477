/**
 * What a closed statement has beyond the plan's price becomes one item of an invoice at Stripe, exactly once. The intent is committed before Stripe is
 * asked; whoever comes again looks for an item that names the statement before making one, since Stripe forgets idempotency keys after a day.
 */
import type Stripe from "stripe";
import { toPublicId } from "../../platform/ids.ts";
import type { JobCtx } from "../../platform/jobs/jobs.ts";
import { keyOf } from "./checkout.ts";
import { ask, type Payments } from "./client.ts";
import {
  type ChargedStatement,
  findCharged,
  intendItem,
  markMade,
  type OverageItem,
  type Uncharged,
} from "./overage-store.ts";
import { toStripeAmount } from "./payment-rules.ts";

/** Stripe's clock and ours may differ. */
const CLOCKS_DIFFER_S = 3_600;

export async function chargeOverage(
  { db, clock, log }: Pick<JobCtx, "db" | "clock" | "log">,
  payments: Payments,
  statement: Uncharged,
): Promise<void> {
  const found = await findCharged(db, statement.account_id, statement.statement_id);
  if (!found) return;
  const { customer_id, currency, overage } = found;
  const amount = toStripeAmount(overage, currency);
  const intent = { customer_id, amount, currency, intended_at: clock.now() };
  const item = await db.transaction((tx) => intendItem(tx, statement, intent));
  if (item.made_at !== null) return;
  const made =
    item.amount === 0 ? null : await ask(payments, log, (stripe) => addItem(stripe, statement, item, found));
  await db.transaction((tx) => markMade(tx, statement, made, clock.now()));
}

async function addItem(
  stripe: Stripe,
  { statement_id }: Uncharged,
  item: OverageItem,
  { period_from, period_to, isPaying }: ChargedStatement,
): Promise<string> {
  const metadata = { statement_id: toPublicId("sta", statement_id) };
  const known = await findItem(stripe, item, metadata.statement_id);
  const made =
    known ??
    (await stripe.invoiceItems.create(
      {
        customer: item.customer_id,
        amount: item.amount,
        currency: item.currency.toLowerCase(),
        description: `Mails beyond the plan, ${dayOf(period_from)} to ${dayOf(period_to)}`,
        period: { start: secondsOf(period_from), end: secondsOf(period_to) },
        metadata,
      },
      { idempotencyKey: keyOf("overage", [statement_id]) },
    ));
  // Who has canceled gets no further invoice by itself, so the last mails get one of their own.
  if (!isPaying && !made.invoice)
    await stripe.invoices.create(
      {
        customer: item.customer_id,
        auto_advance: true,
        pending_invoice_items_behavior: "include",
        metadata,
      },
      { idempotencyKey: keyOf("overage-invoice", [statement_id]) },
    );
  return made.id;
}

async function findItem(
  stripe: Stripe,
  { customer_id: customer, intended_at }: OverageItem,
  statementId: string,
): Promise<Stripe.InvoiceItem | undefined> {
  const created = { gte: secondsOf(intended_at) - CLOCKS_DIFFER_S };
  for await (const one of stripe.invoiceItems.list({ customer, created, limit: 100 }))
    if (one.metadata?.["statement_id"] === statementId) return one;
  return undefined;
}

function secondsOf(at: Date): number {
  return Math.floor(at.getTime() / 1_000);
}

function dayOf(at: Date): string {
  return at.toISOString().slice(0, 10);
}
