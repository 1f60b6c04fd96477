/** What a replaced source leaves to a job: its ledger, deleted a slice at a time, and at last the source itself. */
import { type Db, type Sql, sql, type Writable } from "../../platform/db/db.ts";
import { lockPlan } from "./plans-store.ts";

const SLICE = 10_000;

/** May be run again from anywhere. */
export async function discardSource(
  { db, signal }: { readonly db: Db; readonly signal: AbortSignal },
  accountId: string,
  sourceId: string,
): Promise<boolean> {
  if (!(await isReplaced(db, accountId, sourceId))) return true;
  // A slice that is just being planned is waited for; behind it no other is begun.
  await db.transaction((tx) => lockPlan(tx, accountId, sourceId));
  // Rows first: without its row, nothing that a late sender writes has anything to stand on.
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

/** In the order of the primary key, which begins with both ids. */
function deleteSlice(db: Writable, table: Sql, accountId: string, sourceId: string): Promise<number> {
  return db.execute(sql`
    delete from ${table} where account_id = ${accountId} and source_id = ${sourceId} and ctid = any(array(
      select ctid from ${table} where account_id = ${accountId} and source_id = ${sourceId} limit ${SLICE}))`);
}
