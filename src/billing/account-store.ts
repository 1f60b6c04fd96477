/** Finds the accounts that operators name, and keeps two of them from changing what one account pays at once. */
import { type Queryable, type Sql, sql, type Tx } from "../platform/db/db.ts";
import { AppError, notFound } from "../platform/problems.ts";

export async function requireAccount(db: Queryable, accountId: string): Promise<void> {
  const found = await db.maybeOne(sql`select account_id from accounts where account_id = ${accountId}`);
  if (!found) throw unknownAccount();
}

/** Returns the time zone of the account, whose subscription nobody else changes until the transaction ends. */
export async function lockPayer(tx: Tx, accountId: string): Promise<string> {
  const row = await tryLockPayer(tx, accountId);
  if (!row) throw unknownAccount();
  return row.time_zone;
}

/**
 * Returns undefined where there is no such account any more. The lock is of billing's own: a statement may be reckoned under it for minutes, and much
 * that isn't about money waits for the account's row.
 */
export function tryLockPayer(tx: Tx, accountId: string): Promise<{ time_zone: string } | undefined> {
  return tx.maybeOne<{ time_zone: string }>(sql`
    select time_zone, pg_advisory_xact_lock(${payerLock(sql`account_id`)}) from accounts where account_id = ${accountId} for key share`);
}

/**
 * Locks those of the accounts that nobody else is closing periods of or changing the payment of, as `lockPayer` does, and returns them. It waits for
 * nobody.
 */
export async function lockPayers(tx: Tx, accountIds: readonly string[]): Promise<string[]> {
  const rows = await tx.many<{ id: string }>(sql`
    with known as materialized (
      select account_id as id from accounts where account_id = any(${[...accountIds]}::uuid[]) for key share skip locked
    )
    select id from known where pg_try_advisory_xact_lock(${payerLock(sql`id`)}) order by id`);
  return rows.map(({ id }) => id);
}

function payerLock(accountId: Sql): Sql {
  return sql`hashtextextended('payer ' || ${accountId}, 0)`;
}

function unknownAccount(): AppError {
  return new AppError(notFound, "there is no such account");
}
