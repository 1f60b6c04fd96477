/** All statements about invoices, which are Stripe's and kept here as they were when Stripe was last asked. */
import { type Queryable, sql, type Tx } from "../../platform/db/db.ts";
import { type AgePage, newestFirst } from "../../platform/db/newest-first.ts";

export type InvoiceRow = {
  readonly id: string;
  readonly stripe_id: string;
  readonly number: string | null;
  readonly status: string;
  readonly currency: string;
  readonly total: number;
  readonly amount_due: number;
  readonly amount_paid: number;
  readonly hosted_invoice_url: string | null;
  readonly invoice_pdf: string | null;
  readonly period_from: Date;
  readonly period_to: Date;
  readonly created_at: Date;
  readonly updated_at: Date;
};

const columns = sql`id, stripe_id, number, status, currency, total, amount_due, amount_paid, hosted_invoice_url, invoice_pdf, period_from, period_to,
  created_at, updated_at`;

/** Writes an invoice as it now is. The id that it got when it was first seen stays. */
export async function putInvoice(tx: Tx, accountId: string, row: InvoiceRow): Promise<void> {
  await tx.execute(sql`
    insert into billing_invoices (account_id, ${columns})
    values (${accountId}, ${row.id}, ${row.stripe_id}, ${row.number}, ${row.status}, ${row.currency}, ${row.total}, ${row.amount_due},
      ${row.amount_paid}, ${row.hosted_invoice_url}, ${row.invoice_pdf}, ${row.period_from}, ${row.period_to}, ${row.created_at},
      ${row.updated_at})
    on conflict (stripe_id) do update set number = excluded.number, status = excluded.status, total = excluded.total,
      amount_due = excluded.amount_due, amount_paid = excluded.amount_paid, hosted_invoice_url = excluded.hosted_invoice_url,
      invoice_pdf = excluded.invoice_pdf, period_from = excluded.period_from, period_to = excluded.period_to,
      updated_at = excluded.updated_at
    where billing_invoices.account_id = ${accountId}`);
}

/** The index billing_invoices_by_age serves it. */
export function listInvoices(db: Queryable, accountId: string, page: AgePage): Promise<InvoiceRow[]> {
  return db.many<InvoiceRow>(
    sql`select ${columns} from billing_invoices where account_id = ${accountId} ${newestFirst(page)}`,
  );
}

export async function countInvoices(db: Queryable, accountId: string): Promise<number> {
  const { count } = await db.one<{ count: number }>(
    sql`select count(*) as count from billing_invoices where account_id = ${accountId}`,
  );
  return count;
}
