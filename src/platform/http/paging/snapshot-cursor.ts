/**
 * Pages by `updated_at` upwards. A change may be committed with a time before a cursor's position after that page was
 * read, so near the end a cursor also holds the snapshot, and the next page adds what wasn't visible in it. Nothing is
 * missed; some rows recur.
 */
import type { Ctx } from "../../context.ts";
import { type Sql, sql } from "../../db/db.ts";

type Row = { readonly updated_at: Date; readonly seen?: string };

/** Such a page selects this column beside its rows: the snapshot in which it was read. */
export const seenInSnapshot = sql`pg_current_snapshot()::text as seen`;

/**
 * Selects the rows after the cursor's position; where the cursor has a `seen` and a `since`, also those that weren't
 * committed yet when the page before was read. `table` is the alias of a table with `updated_at`.
 */
export function beyondOrUnseen(isBeyond: Sql, table: Sql, [, , seen, since]: readonly string[]): Sql {
  if (seen === undefined) return isBeyond;
  return sql`${table}.updated_at > ${since}::timestamptz
    and (${isBeyond} or not pg_visible_in_snapshot(${writerOf(table)}, ${seen}::pg_snapshot))`;
}

const nextXid = sql`pg_snapshot_xmax(pg_current_snapshot())::text::bigint`;

/**
 * Returns the transaction that wrote the row. `xmin` has its lower 32 bits, which suffice for any row of the last 2^32
 * transactions.
 */
function writerOf(table: Sql): Sql {
  return sql`(${nextXid} - ((${nextXid} - ${table}.xmin::text::bigint) & 4294967295))::text::xid8`;
}

/** Returns a function that gives the cursor position behind a row. Call this before reading the page. */
export async function positionsUnsettled<R extends Row>(
  ctx: Ctx,
  positionOf: (row: R) => readonly string[],
): Promise<(row: R) => readonly string[]> {
  const since = await unsettledSince(ctx);
  return (row) => {
    const position = positionOf(row);
    return row.seen && row.updated_at > since
      ? [...position, shorten(row.seen), since.toISOString()]
      : position;
  };
}

const ALLOWED_SKEW_MS = 2_000;
const LONGEST_SNAPSHOT = 500;

/**
 * No running write has a time before this one, because verbs take the time after their first lock. The age comes from the
 * database's clock alone, and the clocks of machines may differ by the skew.
 */
async function unsettledSince(ctx: Ctx): Promise<Date> {
  const { age } = await ctx.sql.one<{ age: number }>(sql`
    select coalesce(max(extract(epoch from clock_timestamp() - xact_start)), 0)::float8 as age from pg_stat_activity
    where datname = current_database() and backend_xid is not null`);
  return new Date(ctx.clock.now().getTime() - age * 1_000 - ALLOWED_SKEW_MS);
}

/**
 * A cursor must stay short: with very many writers at once it only names the transaction from which on nothing is
 * certain.
 */
function shorten(snapshot: string): string {
  const [oldest] = snapshot.split(":");
  return snapshot.length <= LONGEST_SNAPSHOT ? snapshot : `${oldest}:${oldest}:`;
}
