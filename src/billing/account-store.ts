/** Finds the accounts that operators name, and keeps two of them from changing what one account pays at once. */
import { type Queryable, sql, type Tx } from "../platform/db/db.ts";
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

/** Returns undefined where there is no such account any more. */
export function tryLockPayer(tx: Tx, accountId: string): Promise<{ time_zone: string } | undefined> {
  return tx.maybeOne<{ time_zone: string }>(
    sql`select time_zone from accounts where account_id = ${accountId} for no key update`,
  );
}

function unknownAccount(): AppError {
  return new AppError(notFound, "there is no such account");
}
