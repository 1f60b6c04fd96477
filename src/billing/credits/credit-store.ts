/** All statements about credits. None changes a row, and the database would refuse it. */
import { type Queryable, sql, type Tx } from "../../platform/db/db.ts";
import { type AgePage, newestFirst } from "../../platform/db/newest-first.ts";

export type CreditRow = {
  readonly account_id: string;
  readonly id: string;
  readonly amount: number | null;
  readonly currency: string | null;
  readonly mails: number | null;
  readonly reason: string;
  readonly reverses: string | null;
  readonly operator_id: string;
  readonly created_at: Date;
};

const columns = sql`account_id, id, amount, currency, mails, reason, reverses, operator_id, created_at`;

export async function insertCredit(tx: Tx, row: CreditRow): Promise<void> {
  await tx.execute(sql`
    insert into billing_credits (${columns})
    values (${row.account_id}, ${row.id}, ${row.amount}, ${row.currency}, ${row.mails}, ${row.reason}, ${row.reverses}, ${row.operator_id},
      ${row.created_at})`);
}

export function findCredit(db: Queryable, accountId: string, id: string): Promise<CreditRow | undefined> {
  return db.maybeOne<CreditRow>(
    sql`select ${columns} from billing_credits where account_id = ${accountId} and id = ${id}`,
  );
}

/** The index billing_credits_reversed serves it. */
export async function isReversed(db: Queryable, accountId: string, id: string): Promise<boolean> {
  const { found } = await db.one<{ found: boolean }>(sql`
    select exists (select from billing_credits where account_id = ${accountId} and reverses = ${id}) as found`);
  return found;
}

/** The index billing_credits_by_age serves it. */
export function listCredits(db: Queryable, accountId: string, page: AgePage): Promise<CreditRow[]> {
  return db.many<CreditRow>(
    sql`select ${columns} from billing_credits where account_id = ${accountId} ${newestFirst(page)}`,
  );
}

export async function countCredits(db: Queryable, accountId: string): Promise<number> {
  const { count } = await db.one<{ count: number }>(
    sql`select count(*) as count from billing_credits where account_id = ${accountId}`,
  );
  return count;
}

/**
 * Adds up the mails under null, and the amounts of each currency, and takes off what statements spent of them. What isn't left isn't returned. Who
 * writes holds a lock on the accounts (`lockPayer`).
 */
export function sumCredits(
  db: Queryable,
  accountIds: readonly string[],
): Promise<{ accountId: string; currency: string | null; total: number }[]> {
  return db.many(sql`
    select account_id as "accountId", currency, sum(value)::bigint as total
    from (
      select account_id, currency, coalesce(amount, mails) as value from billing_credits where account_id = any(${[...accountIds]}::uuid[])
      union all
      select account_id, currency, -spent_amount from billing_statements
      where account_id = any(${[...accountIds]}::uuid[]) and spent_amount > 0
      union all
      select account_id, null, -spent_mails from billing_statements where account_id = any(${[...accountIds]}::uuid[]) and spent_mails > 0
    ) as given
    group by account_id, currency having sum(value) <> 0 order by account_id, currency`);
}
