/** All statements of SQL about statements of accounts. */
import { prepared, type Queryable, sql, type Tx } from "../../platform/db/db.ts";
import type { Bill, Charges } from "../lines.ts";
import type { Terms } from "../plans/plans.ts";
import type { StatedSubscription } from "./periods-due.ts";

/** What is stored of a bill: its lines, and by what they were reckoned. */
type StoredBill = Bill & {
  readonly plan_name: string;
  readonly is_trial: boolean;
  readonly charges: Charges;
  readonly mails: number;
};

export type StatementRow = {
  readonly account_id: string;
  readonly id: string;
  readonly subscription_id: string;
  readonly period_from: Date;
  readonly period_to: Date;
  readonly currency: string;
  readonly bill: StoredBill;
  readonly overage: number;
  readonly total: number;
  readonly spent_amount: number;
  readonly spent_mails: number;
  /** Null for a period that isn't closed yet, whose statement isn't stored. */
  readonly closed_at: Date | null;
};

/** Of what the mails of a statement were. */
export type SourceRow = {
  readonly of_statement_id: string;
  readonly stream: string;
  readonly kind: "campaign" | "automation" | "transactional" | "unattributed";
  readonly owner_id: string;
  readonly name: string | null;
  readonly accepted: number;
  readonly sent_in_all: number | null;
};

const columns = sql`account_id, id, subscription_id, period_from, period_to, currency, bill, overage, total, spent_amount, spent_mails, closed_at`;

export type DueSubscription = StatedSubscription & {
  readonly accountId: string;
  readonly id: string;
  /** Whether it follows one at Stripe, which charges the price in full whatever credits there are. */
  readonly isPricePaidElsewhere: boolean;
};

/** Lists the accounts that somebody has to look at, by billing_subscriptions_due. */
export async function listDueAccounts(db: Queryable, by: Date, limit: number): Promise<string[]> {
  const rows = await db.many<{ id: string }>(sql`
    select account_id as id from billing_subscriptions where statement_due_at <= ${by}
    group by account_id order by min(statement_due_at) limit ${limit}`);
  return rows.map(({ id }) => id);
}

/** Returns those of the accounts that sent so much since then that counting it takes long, by the primary key of usage_hours. */
export async function listLarge(
  db: Queryable,
  accountIds: readonly string[],
  { since, mails }: { readonly since: Date; readonly mails: number },
): Promise<string[]> {
  const rows = await db.many<{ id: string }>(sql`
    select account_id as id from usage_hours where account_id = any(${[...accountIds]}::uuid[]) and hour >= ${since}
    group by account_id having sum(sent) >= ${mails}`);
  return rows.map(({ id }) => id);
}

type History = {
  from: string;
  terms: Terms;
  cap: number | null;
  label: string | null;
  rate: number | null;
}[];

/** Lists the subscriptions that lack a statement, each with all its terms. */
export async function listDueSubscriptions(
  db: Queryable,
  accountIds: readonly string[],
): Promise<DueSubscription[]> {
  const rows = await db.many<Omit<DueSubscription, "history"> & { history: History }>(
    prepared(sql`
      select account_id as "accountId", id, started_at as "startedAt", anchor, time_zone as "timeZone", ended_at as "endedAt",
             coalesce((select max(t.period_to) from billing_statements t where t.account_id = s.account_id and t.subscription_id = s.id),
                      started_at) as "statedTo",
             exists (select from billing_stripe_followers f where f.account_id = s.account_id and f.plan_subscription_id = s.id)
               as "isPricePaidElsewhere",
             coalesce((
               select json_agg(json_build_object('from', h.from_at, 'terms', h.terms, 'cap', h.spending_cap, 'label', h.tax_label,
                                                 'rate', h.tax_rate) order by h.n)
               from billing_terms h where h.account_id = s.account_id and h.subscription_id = s.id),
               -- A process of the release before wrote no history.
               json_build_array(json_build_object('from', started_at, 'terms', terms, 'cap', spending_cap, 'label', tax_label,
                                                  'rate', tax_rate))) as history
      from billing_subscriptions s where account_id = any(${[...accountIds]}::uuid[]) and statement_due_at is not null
      order by account_id, started_at, created_at, id`),
  );
  return rows.map(({ history, ...row }) => ({
    ...row,
    history: history.map(({ from, terms, cap, label, rate }) => ({
      from: new Date(from),
      terms,
      spendingCap: cap,
      tax: label === null || rate === null ? null : { label, rate },
    })),
  }));
}

/**
 * Lists statements of periods of which more is known now than they and later ones say, by what is counted as usage. Nothing is settled any more of
 * periods that ended before `since`.
 */
export function listIncomplete(
  db: Queryable,
  accountIds: readonly string[],
  since: Date,
): Promise<{ accountId: string; id: string }[]> {
  return db.many(
    prepared(sql`
      select t.account_id as "accountId", t.id from billing_statements t
      where t.account_id = any(${[...accountIds]}::uuid[]) and t.period_to > ${since}
        and coalesce((select sum(u.sent) from usage_hours u
                      where u.account_id = t.account_id and u.hour >= t.period_from and u.hour < t.period_to and u.via in ('instance', 'own')), 0)
          <> coalesce((select sum(p.accepted) from billing_statement_sources p
                       where p.account_id = t.account_id and p.of_statement_id = t.id), 0)
      order by t.account_id, t.period_from, t.id`),
  );
}

/** Lists the statements of accounts of which `listIncomplete` may name one, the oldest first. */
export function listStatementsSince(
  db: Queryable,
  accountIds: readonly string[],
  since: Date,
): Promise<StatementRow[]> {
  return db.many<StatementRow>(sql`
    select ${columns} from billing_statements where account_id = any(${[...accountIds]}::uuid[]) and period_to > ${since}
    order by account_id, period_from, id`);
}

/** Adds up what was said of the mails of these periods, by whatever statement. */
export function sumStated(
  db: Queryable,
  accountIds: readonly string[],
  statementIds: readonly string[],
): Promise<Omit<SourceRow, "name" | "sent_in_all">[]> {
  return db.many(sql`
    select of_statement_id, stream, kind, owner_id, sum(accepted)::bigint as accepted from billing_statement_sources
    where account_id = any(${[...accountIds]}::uuid[]) and of_statement_id = any(${[...statementIds]}::uuid[]) group by 1, 2, 3, 4`);
}

export async function insertStatements(tx: Tx, rows: readonly StatementRow[]): Promise<void> {
  await tx.execute(sql`
    insert into billing_statements (${columns})
    select ${columns} from json_populate_recordset(null::billing_statements, ${JSON.stringify(rows)}::json)`);
}

export async function insertSources(
  tx: Tx,
  rows: readonly (SourceRow & { readonly account_id: string; readonly statement_id: string })[],
): Promise<void> {
  if (rows.length === 0) return;
  await tx.execute(sql`
    insert into billing_statement_sources
    select * from json_populate_recordset(null::billing_statement_sources, ${JSON.stringify(rows)}::json)`);
}

/** Says when somebody has to look at each subscription again. */
export async function setDue(
  tx: Tx,
  rows: readonly { readonly account_id: string; readonly id: string; readonly due_at: Date | null }[],
): Promise<void> {
  await tx.execute(sql`
    update billing_subscriptions s set statement_due_at = given.due_at
    from json_to_recordset(${JSON.stringify(rows)}::json) as given (account_id uuid, id uuid, due_at timestamptz)
    where s.account_id = given.account_id and s.id = given.id`);
}

export function findStatement(
  db: Queryable,
  accountId: string,
  id: string,
): Promise<StatementRow | undefined> {
  return db.maybeOne<StatementRow>(
    sql`select ${columns} from billing_statements where account_id = ${accountId} and id = ${id}`,
  );
}

/** Where a page of statements begins: behind the one with this beginning and id. */
export type Position = { readonly from: string; readonly id: string };

/** The index billing_statements_by_period serves it. */
export function listStatements(
  db: Queryable,
  accountId: string,
  { limit, after }: { readonly limit: number; readonly after: Position | undefined },
): Promise<StatementRow[]> {
  const older = after ? sql`and (period_from, id) < (${after.from}::timestamptz, ${after.id}::uuid)` : sql``;
  return db.many<StatementRow>(sql`
    select ${columns} from billing_statements where account_id = ${accountId} ${older}
    order by period_from desc, id desc limit ${limit}`);
}

export async function countStatements(db: Queryable, accountId: string): Promise<number> {
  const { count } = await db.one<{ count: number }>(
    sql`select count(*) as count from billing_statements where account_id = ${accountId}`,
  );
  return count;
}

export function listSources(db: Queryable, accountId: string, statementId: string): Promise<SourceRow[]> {
  return db.many<SourceRow>(sql`
    select of_statement_id, stream, kind, owner_id, name, accepted, sent_in_all from billing_statement_sources
    where account_id = ${accountId} and statement_id = ${statementId}`);
}
