/** Removes the rows of an account, some at a time, so that no transaction is long and none is lost with a crash. */
import { type Db, type Queryable, raw, sql, type Tx } from "../../platform/db/db.ts";

const ROWS_AT_ONCE = 5_000;

/** Tables whose triggers refuse that rows are removed, unless the transaction has this setting. */
const SETTINGS: Readonly<Record<string, readonly [name: string, value: string]>> = {
  audit_log: ["postrider.may_remove_audit", "on"],
  hits: ["postrider.counting", "by_domain"],
};

/** Tables of rows: the table itself, or each of its partitions, since a place in a table is one only within a partition. */
async function partsOf(db: Queryable, table: string): Promise<readonly string[]> {
  const rows = await db.many<{ part: string }>(sql`
    select relid::regclass::text as part from pg_partition_tree(${table}::regclass) where isleaf`);
  return rows.length > 0 ? rows.map(({ part }) => part) : [table];
}

/** Ends at its next safe point once the signal fires. Returns how many rows there were. */
export async function removeRows(
  db: Db,
  table: string,
  accountId: string,
  signal: AbortSignal,
): Promise<number> {
  let removed = 0;
  for (const part of await partsOf(db, table)) {
    for (let some = ROWS_AT_ONCE; some === ROWS_AT_ONCE; ) {
      signal.throwIfAborted();
      some = await db.transaction((tx) => removeSome(tx, table, part, accountId));
      removed += some;
    }
  }
  return removed;
}

async function removeSome(tx: Tx, table: string, part: string, accountId: string): Promise<number> {
  const setting = SETTINGS[table];
  if (setting) await tx.execute(sql`select set_config(${setting[0]}, ${setting[1]}, true)`);
  return tx.execute(sql`
    delete from ${raw(part)} where account_id = ${accountId} and ctid = any(array(
      select ctid from ${raw(part)} where account_id = ${accountId} limit ${ROWS_AT_ONCE}))`);
}

export async function hasRows(db: Queryable, table: string, accountId: string): Promise<boolean> {
  const found = await db.one<{ found: boolean }>(
    sql`select exists (select from ${raw(table)} where account_id = ${accountId}) as found`,
  );
  return found.found;
}

/** Takes waiting jobs of an account out of the queue. One that runs right now finds nothing, and ends. */
export async function removeJobs(db: Db, accountId: string): Promise<void> {
  await db.many(sql`
    select from graphile_worker.complete_jobs(array(
      select id from graphile_worker._private_jobs
      where payload ->> 'account_id' = ${accountId} and locked_at is null))`);
}
