/** Fills tables with millions of rows, faster by building the indexes afterwards instead of row by row. */
import assert from "node:assert/strict";
import { raw } from "sql-template-tag";
import { type Db, sql } from "../../src/platform/db/db.ts";

type Index = { readonly name: string; readonly definition: string; readonly isKey: boolean };

/** Lets `work` fill the tables; afterwards they have their indexes again. They need a vacuum then. */
export async function fillWithoutIndexes(
  db: Db,
  tables: readonly string[],
  work: () => Promise<void>,
): Promise<void> {
  const before = await readIndexes(db, tables);
  const dropped = before.filter(({ isKey }) => !isKey);
  for (const table of tables) await db.execute(raw(`alter table ${table} set (autovacuum_enabled = off)`));
  for (const { name } of dropped) await db.execute(raw(`drop index ${name}`));
  await work();
  await twoAtOnce(dropped, ({ definition }) => buildIndex(db, definition));
  assert.deepEqual(await readIndexes(db, tables), before, "the tables must have the indexes they had");
  for (const table of tables) await db.execute(raw(`alter table ${table} reset (autovacuum_enabled)`));
}

/** Works through the items in order, on as many connections as the bench's pool has. */
export async function twoAtOnce<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = items.values();
  const workThrough = async () => {
    for (const item of left) await work(item);
  };
  await Promise.all([workThrough(), workThrough()]);
}

/** The index of a constraint can't be dropped by itself, so it stays. */
function readIndexes(db: Db, tables: readonly string[]): Promise<Index[]> {
  return db.many<Index>(sql`
    select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition,
           exists (select from pg_constraint where conindid = indexrelid) as "isKey"
    from pg_index where indrelid = any(${[...tables]}::regclass[]) order by name`);
}

async function buildIndex(db: Db, definition: string): Promise<void> {
  await db.transaction(async (tx) => {
    // With this setting the entries of 10 million rows are sorted in memory.
    tx.send(sql`set local maintenance_work_mem = '1GB'`);
    await tx.execute(raw(definition));
  });
}
