/** The job of a replaced source deletes its ledger, a slice at a time, and at last the source itself. */
import { type Db, type Sql, sql, type Writable } from "../../platform/db/db.ts";
import { lockPlan } from "../ledger/ledger.ts";

const SLICE = 10_000;

/** Returns false when it was told to stop before the end. It may be run again, wherever an earlier run stopped. */
export async function discardSource(
  { db, signal }: { readonly db: Db; readonly signal: AbortSignal },
  accountId: string,
  sourceId: string,
): Promise<boolean> {
  if (!(await isReplaced(db, accountId, sourceId))) return true;
  // The lock waits for a slice that is being planned. Once it is written, no other slice is begun.
  await db.transaction((tx) => lockPlan(tx, accountId, sourceId));
  // The ledger's rows are deleted first, because a late sender writes nothing for a message that has no row.
  for (const table of [
    sql`deliveries`,
    sql`delivery_errors`,
    sql`given_recipients`,
    sql`retries`,
    sql`batches`,
    sql`source_unsubscribes`,
  ]) {
    while ((await deleteSlice(db, table, accountId, sourceId)) === SLICE) if (signal.aborted) return false;
  }
  await db.transaction(async (tx) => {
    for (const table of [sql`counters`, sql`rates`, sql`plans`, sql`source_domains`])
      await tx.execute(sql`delete from ${table} where account_id = ${accountId} and source_id = ${sourceId}`);
    await tx.execute(sql`delete from sources where account_id = ${accountId} and id = ${sourceId}`);
  });
  return true;
}

async function isReplaced(db: Writable, accountId: string, sourceId: string): Promise<boolean> {
  const { found } = await db.one<{ found: boolean }>(sql`
    select exists (select from sources where account_id = ${accountId} and id = ${sourceId} and state = 'replaced') as found`);
  return found;
}

/** Finds its rows by the primary key, which begins with both ids in each of these tables. */
function deleteSlice(db: Writable, table: Sql, accountId: string, sourceId: string): Promise<number> {
  return db.execute(sql`
    delete from ${table} where account_id = ${accountId} and source_id = ${sourceId} and ctid = any(array(
      select ctid from ${table} where account_id = ${accountId} and source_id = ${sourceId} limit ${SLICE}))`);
}
