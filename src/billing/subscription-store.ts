/** All statements about which plan an account has, had and is to have. */
import { type Queryable, type Sql, sql, type Tx } from "../platform/db/db.ts";
import type { Terms } from "./plans/plans.ts";

/** What a subscription is to at a time: the plan, its terms as they were then, and what was agreed on besides. */
export type Agreed = {
  readonly plan_id: string;
  readonly terms: Terms;
  readonly spending_cap: number | null;
  readonly tax_label: string | null;
  readonly tax_rate: number | null;
};

export type SubscriptionRow = Agreed & {
  readonly account_id: string;
  readonly id: string;
  readonly time_zone: string;
  readonly started_at: Date;
  /** Until then it is a trial, where that is later than the start. */
  readonly anchor: Date;
  /** What holds from the beginning of a later period on. */
  readonly next: (Agreed & { readonly at: Date }) | null;
  /** May be to come: what ends at once ends with the hour. */
  readonly ended_at: Date | null;
  /** Whether the account got it by itself, since its plan is what all accounts get. */
  readonly is_default: boolean;
  readonly created_at: Date;
  readonly updated_at: Date;
};

const columns = sql`account_id, id, plan_id, terms, time_zone, started_at, anchor, spending_cap, tax_label, tax_rate, ended_at, is_default,
  created_at, updated_at`;
const nextColumns = sql`next_at, next_plan_id, next_terms, next_spending_cap, next_tax_label, next_tax_rate`;

type StoredRow = Omit<SubscriptionRow, "next"> & {
  readonly next_at: Date | null;
  readonly next_plan_id: string;
  readonly next_terms: Terms;
  readonly next_spending_cap: number | null;
  readonly next_tax_label: string | null;
  readonly next_tax_rate: number | null;
};

function read(stored: StoredRow): SubscriptionRow {
  const { next_at, next_plan_id, next_terms, next_spending_cap, next_tax_label, next_tax_rate, ...row } =
    stored;
  const next = next_at && {
    ...{ at: next_at, plan_id: next_plan_id, terms: next_terms, spending_cap: next_spending_cap },
    ...{ tax_label: next_tax_label, tax_rate: next_tax_rate },
  };
  return { ...row, next };
}

/** Returns the subscription as it is at that moment: what was to come and has come by then holds, though nobody has written it. */
export function asOf(row: SubscriptionRow, at: Date): SubscriptionRow {
  if (row.next === null || row.next.at > at) return row;
  const { at: _, ...agreed } = row.next;
  return { ...row, ...agreed, next: null };
}

/** What an account has at a moment, and what follows when that has ended. */
export type Held = {
  readonly current: SubscriptionRow | undefined;
  readonly upcoming: SubscriptionRow | undefined;
};

/** Subscriptions of an account never overlap. The primary key serves it: no account has had many. */
export async function findHeld(db: Queryable, accountId: string, now: Date): Promise<Held> {
  const rows = await db.many<StoredRow>(sql`
    select ${columns}, ${nextColumns} from billing_subscriptions
    where account_id = ${accountId} and (ended_at is null or (ended_at > ${now} and ended_at > started_at)) order by started_at`);
  const known = rows.map(read);
  const current = known.find(({ started_at }) => started_at <= now);
  return {
    current: current && asOf(current, now),
    upcoming: known.find(({ started_at }) => started_at > now),
  };
}

/**
 * Returns up to when the account's hours are those of statements, or of a subscription that has ended and whose statement may still be to come;
 * undefined where there is neither.
 */
export async function findTakenTo(db: Queryable, accountId: string, now: Date): Promise<Date | undefined> {
  const { until } = await db.one<{ until: Date | null }>(sql`
    select greatest(
      (select max(period_to) from billing_statements where account_id = ${accountId}),
      (select max(ended_at) from billing_subscriptions where account_id = ${accountId} and ended_at <= ${now})) as until`);
  return until ?? undefined;
}

/** Says whether the account had its trial: with its first plan that wasn't given to it as to all others, or with that where it had a trial. */
export async function hasHadTrial(db: Queryable, accountId: string): Promise<boolean> {
  const { exists } = await db.one<{ exists: boolean }>(sql`
    select exists (
      select from billing_subscriptions where account_id = ${accountId} and (not is_default or anchor > started_at)) as exists`);
  return exists;
}

/** Every statement that writes terms ends with this, so that what held earlier is never lost, and what is to hold is known. */
function notingTerms({ account_id, id }: SubscriptionRow, from: Date, agreed: Agreed): Sql {
  return sql`
    insert into billing_terms (account_id, subscription_id, from_at, plan_id, terms, spending_cap, tax_label, tax_rate)
    values (${account_id}, ${id}, ${from}, ${agreed.plan_id}, ${JSON.stringify(agreed.terms)}::jsonb, ${agreed.spending_cap},
      ${agreed.tax_label}, ${agreed.tax_rate})`;
}

export async function insertSubscription(tx: Tx, row: SubscriptionRow): Promise<void> {
  await tx.execute(sql`
    with made as (
    insert into billing_subscriptions (${columns}, statement_due_at)
    values (${row.account_id}, ${row.id}, ${row.plan_id}, ${JSON.stringify(row.terms)}::jsonb, ${row.time_zone}, ${row.started_at},
      ${row.anchor}, ${row.spending_cap}, ${row.tax_label}, ${row.tax_rate}, ${row.ended_at}, ${row.is_default}, ${row.created_at},
      ${row.updated_at}, ${row.started_at})
    ) ${notingTerms(row, row.started_at, row)}`);
}

/**
 * Writes what may change while it runs: its start, its anchor and its time zone never do. What is to hold later is noted as of then, and anything
 * else as of now, which also takes back what was to hold.
 */
export async function updateSubscriptionRow(tx: Tx, row: SubscriptionRow): Promise<void> {
  const { next } = row;
  await tx.execute(sql`
    with changed as (
    update billing_subscriptions set plan_id = ${row.plan_id}, terms = ${JSON.stringify(row.terms)}::jsonb, spending_cap = ${row.spending_cap},
      tax_label = ${row.tax_label}, tax_rate = ${row.tax_rate}, next_at = ${next?.at ?? null}, next_plan_id = ${next?.plan_id ?? null},
      next_terms = ${next ? JSON.stringify(next.terms) : null}::jsonb, next_spending_cap = ${next?.spending_cap ?? null},
      next_tax_label = ${next?.tax_label ?? null}, next_tax_rate = ${next?.tax_rate ?? null}, ended_at = ${row.ended_at},
      updated_at = ${row.updated_at}
    where account_id = ${row.account_id} and id = ${row.id}
    ) ${next ? notingTerms(row, next.at, next) : notingTerms(row, row.updated_at, row)}`);
}

/**
 * Ends what the account has with the hour before the one that `endedAt` begins, and what was to follow before it begins. What had ended by then stays
 * as it is.
 */
export async function endSubscriptions(
  tx: Tx,
  accountId: string,
  { endedAt, now }: { readonly endedAt: Date; readonly now: Date },
): Promise<void> {
  await tx.execute(sql`
    update billing_subscriptions set ended_at = greatest(started_at, ${endedAt}), updated_at = ${now},
      statement_due_at = least(statement_due_at, greatest(started_at, ${endedAt}))
    where account_id = ${accountId} and (ended_at is null or ended_at > ${endedAt}) and (ended_at is null or ended_at > started_at)`);
}

/** Takes back what was to follow. */
export async function dropUpcoming(tx: Tx, accountId: string, now: Date): Promise<void> {
  await tx.execute(sql`
    update billing_subscriptions set ended_at = started_at, updated_at = ${now}
    where account_id = ${accountId} and started_at > ${now} and (ended_at is null or ended_at > started_at)`);
}
