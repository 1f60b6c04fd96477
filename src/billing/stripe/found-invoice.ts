/** Reads an invoice of Stripe's into what is kept of it. What can't be an invoice is refused before anything is written. */
import type Stripe from "stripe";
import { isSafeUrl, MisshapenAnswer } from "./client.ts";
import type { InvoiceRow } from "./invoice-store.ts";
import { fromStripeAmount, timeOf } from "./payment-rules.ts";

export type FoundInvoice = Omit<InvoiceRow, "id" | "updated_at">;

export function readInvoice(invoice: Stripe.Invoice): FoundInvoice {
  const currency = wordOf(invoice.currency).toUpperCase();
  const amountOf = (amount: unknown) => fromStripeAmount(numberOf(amount), currency);
  return {
    stripe_id: wordOf(invoice.id),
    number: textOf(invoice.number),
    status: invoice.status === null ? "draft" : wordOf(invoice.status),
    currency,
    total: amountOf(invoice.total),
    amount_due: amountOf(invoice.amount_due),
    amount_paid: amountOf(invoice.amount_paid),
    hosted_invoice_url: urlOf(invoice.hosted_invoice_url),
    invoice_pdf: urlOf(invoice.invoice_pdf),
    period_from: timeOf(invoice.period_start),
    period_to: timeOf(invoice.period_end),
    created_at: timeOf(invoice.created),
  };
}

function wordOf(value: unknown): string {
  if (typeof value === "string" && /^\w{1,200}$/.test(value)) return value;
  throw new MisshapenAnswer("an invoice of Stripe's lacks a word that each has");
}

function numberOf(value: unknown): number {
  if (typeof value === "number" && Number.isSafeInteger(value)) return value;
  throw new MisshapenAnswer("an invoice of Stripe's has an amount that is none");
}

function textOf(value: unknown): string | null {
  // PostgreSQL stores no NUL.
  return typeof value === "string" && !value.includes("\0") ? value : null;
}

/** Owners are led there, so what is no safe address is none. */
function urlOf(value: unknown): string | null {
  const text = textOf(value);
  return text !== null && isSafeUrl(text) ? text : null;
}
