/** All statements about which accounts are to be deleted, and how far that is. */
import { type Queryable, sql, type Tx, type Writable } from "../../platform/db/db.ts";

export type DeletionRow = {
  account_id: string;
  requested_at: Date;
  /** Is null once the account is gone. */
  requested_by: string | null;
  due_at: Date;
  started_at: Date | null;
  deleted_at: Date | null;
};

const columns = sql`account_id, requested_at, requested_by, due_at, started_at, deleted_at`;

export function findDeletion(db: Queryable, accountId: string): Promise<DeletionRow | undefined> {
  return db.maybeOne<DeletionRow>(
    sql`select ${columns} from account_deletions where account_id = ${accountId}`,
  );
}

export function insertDeletion(
  tx: Tx,
  row: Pick<DeletionRow, "account_id" | "requested_at" | "requested_by" | "due_at">,
): Promise<DeletionRow> {
  return tx.one<DeletionRow>(sql`
    insert into account_deletions (account_id, requested_at, requested_by, due_at)
    values (${row.account_id}, ${row.requested_at}, ${row.requested_by}, ${row.due_at})
    returning ${columns}`);
}

/** Returns false where there is none, or where it has begun. */
export async function removeUnstarted(tx: Tx, accountId: string): Promise<boolean> {
  const removed = await tx.execute(sql`
    delete from account_deletions where account_id = ${accountId} and started_at is null`);
  return removed === 1;
}

/** Lists the accounts that are to be deleted now, those first that are due for longest. */
export async function listDue(db: Queryable, now: Date): Promise<string[]> {
  const rows = await db.many<{ account_id: string }>(sql`
    select account_id from account_deletions
    where swept_at is null and deleted_at is null and due_at <= ${now} order by due_at, account_id`);
  return rows.map(({ account_id }) => account_id);
}

/** Lists the accounts that were gone before then, and that nobody has looked after since. */
export async function listUnswept(db: Queryable, goneBefore: Date): Promise<string[]> {
  const rows = await db.many<{ account_id: string }>(sql`
    select account_id from account_deletions where swept_at is null and deleted_at < ${goneBefore}`);
  return rows.map(({ account_id }) => account_id);
}

/** Says that the deletion has begun; false where it was taken back meanwhile. */
export async function markStarted(tx: Tx, accountId: string, now: Date): Promise<boolean> {
  const marked = await tx.execute(sql`
    update account_deletions set started_at = coalesce(started_at, ${now})
    where account_id = ${accountId} and due_at <= ${now}`);
  return marked === 1;
}

/** Nothing of people stays in it. */
export async function markDeleted(tx: Tx, accountId: string, now: Date): Promise<void> {
  await tx.execute(sql`
    update account_deletions set deleted_at = ${now}, requested_by = null where account_id = ${accountId}`);
}

export async function markSwept(db: Writable, accountId: string, now: Date): Promise<void> {
  await db.execute(sql`update account_deletions set swept_at = ${now} where account_id = ${accountId}`);
}
