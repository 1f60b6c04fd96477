/** All statements about which plan an account has and had. */
import { type Queryable, type Sql, sql, type Tx } from "../../platform/db/db.ts";
import type { Terms } from "../plans/plans.ts";

export type SubscriptionRow = {
  readonly account_id: string;
  readonly id: string;
  readonly plan_id: string;
  readonly terms: Terms;
  readonly time_zone: string;
  readonly started_at: Date;
  /** Until then it is a trial, where that is later than the start. */
  readonly anchor: Date;
  readonly spending_cap: number | null;
  readonly tax_label: string | null;
  readonly tax_rate: number | null;
  readonly created_at: Date;
  readonly updated_at: Date;
};

const columns = sql`account_id, id, plan_id, terms, time_zone, started_at, anchor, spending_cap, tax_label, tax_rate, created_at, updated_at`;

/** The index billing_subscriptions_running serves it. */
export function findSubscription(db: Queryable, accountId: string): Promise<SubscriptionRow | undefined> {
  return db.maybeOne<SubscriptionRow>(
    sql`select ${columns} from billing_subscriptions where account_id = ${accountId} and ended_at is null`,
  );
}

/**
 * Returns up to when the account's hours are those of statements, or of a subscription that has ended and whose statement may still be to come;
 * undefined where there is neither.
 */
export async function findTakenTo(db: Queryable, accountId: string): Promise<Date | undefined> {
  const { until } = await db.one<{ until: Date | null }>(sql`
    select greatest(
      (select max(period_to) from billing_statements where account_id = ${accountId}),
      (select max(ended_at) from billing_subscriptions where account_id = ${accountId})) as until`);
  return until ?? undefined;
}

export async function hasEverSubscribed(db: Queryable, accountId: string): Promise<boolean> {
  const { exists } = await db.one<{ exists: boolean }>(
    sql`select exists (select from billing_subscriptions where account_id = ${accountId}) as exists`,
  );
  return exists;
}

/** Every statement that writes terms ends with this, so that what held earlier is never lost. */
function notingTerms(row: SubscriptionRow, from: Date): Sql {
  return sql`
    insert into billing_terms (account_id, subscription_id, from_at, plan_id, terms, spending_cap, tax_label, tax_rate)
    values (${row.account_id}, ${row.id}, ${from}, ${row.plan_id}, ${JSON.stringify(row.terms)}::jsonb, ${row.spending_cap},
      ${row.tax_label}, ${row.tax_rate})`;
}

export async function insertSubscription(tx: Tx, row: SubscriptionRow): Promise<void> {
  await tx.execute(sql`
    with made as (
    insert into billing_subscriptions (${columns}, statement_due_at)
    values (${row.account_id}, ${row.id}, ${row.plan_id}, ${JSON.stringify(row.terms)}::jsonb, ${row.time_zone}, ${row.started_at},
      ${row.anchor}, ${row.spending_cap}, ${row.tax_label}, ${row.tax_rate}, ${row.created_at}, ${row.updated_at},
      ${row.started_at})
    ) ${notingTerms(row, row.started_at)}`);
}

/** Writes what may change while it runs: its start, its anchor and its time zone never do. */
export async function updateSubscriptionRow(tx: Tx, row: SubscriptionRow): Promise<void> {
  await tx.execute(sql`
    with changed as (
    update billing_subscriptions set plan_id = ${row.plan_id}, terms = ${JSON.stringify(row.terms)}::jsonb, spending_cap = ${row.spending_cap},
      tax_label = ${row.tax_label}, tax_rate = ${row.tax_rate}, updated_at = ${row.updated_at}
    where account_id = ${row.account_id} and id = ${row.id}
    ) ${notingTerms(row, row.updated_at)}`);
}

/** Ends what runs, with the hour before the one that `endedAt` begins. Returns false where nothing runs. */
export async function endSubscription(
  tx: Tx,
  accountId: string,
  { endedAt, now }: { readonly endedAt: Date; readonly now: Date },
): Promise<boolean> {
  const ended = await tx.maybeOne(sql`
    update billing_subscriptions set ended_at = ${endedAt}, updated_at = ${now}, statement_due_at = least(statement_due_at, ${endedAt})
    where account_id = ${accountId} and ended_at is null returning id`);
  return ended !== undefined;
}
