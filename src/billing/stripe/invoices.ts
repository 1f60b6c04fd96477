import { toPublicId } from "../../platform/ids.ts";
import { decimalsOf, writeAmount } from "../money.ts";
import type { InvoiceRow } from "./invoice-store.ts";
import type { Invoice } from "./schema.ts";

export function shapeInvoice(row: InvoiceRow): Invoice {
  // A currency that Stripe has learnt since is shown as a whole number rather than not at all.
  const amountOf = (amount: number) =>
    decimalsOf(row.currency) === undefined ? String(amount) : writeAmount(amount, row.currency);
  return {
    object: "invoice",
    id: toPublicId("ivc", row.id),
    number: row.number,
    status: row.status,
    currency: row.currency,
    total: amountOf(row.total),
    amount_due: amountOf(row.amount_due),
    amount_paid: amountOf(row.amount_paid),
    period: { from: row.period_from.toISOString(), to: row.period_to.toISOString() },
    hosted_invoice_url: row.hosted_invoice_url,
    invoice_pdf: row.invoice_pdf,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
