/**
 * Pages by `updated_at` upwards. A change may be committed behind a cursor's place later than the page before was read; so
 * near the end a cursor also says what was to be seen, and the next page adds what wasn't. Nothing is missed, some recurs.
 */
import type { Ctx } from "../context.ts";
import { type Sql, sql } from "../db/db.ts";

type Row = { readonly updated_at: Date; readonly seen?: string };

/** What a page by `updated_at` upwards reads beside its rows: the snapshot it was read in. */
export const seenInSnapshot = sql`pg_current_snapshot()::text as seen`;

/**
 * Behind `place`; and where the cursor has a `seen` and a `since`, also what wasn't committed yet when the page before was
 * read. `table` is the alias of a table with `updated_at`.
 */
export function beyondOrUnseen(place: Sql, table: Sql, [, , seen, since]: readonly string[]): Sql {
  if (seen === undefined) return place;
  return sql`${table}.updated_at > ${since}::timestamptz
    and (${place} or not pg_visible_in_snapshot(${writerOf(table)}, ${seen}::pg_snapshot))`;
}

const nextXid = sql`pg_snapshot_xmax(pg_current_snapshot())::text::bigint`;

/** The transaction that wrote the row. `xmin` has its lower 32 bits: right for any row of the last 2^32 transactions. */
function writerOf(table: Sql): Sql {
  return sql`(${nextXid} - ((${nextXid} - ${table}.xmin::text::bigint) & 4294967295))::text::xid8`;
}

/** Where the page after this one begins, of `positionOf` a row. Ask before reading the page. */
export async function positionsUnsettled<R extends Row>(
  ctx: Ctx,
  positionOf: (row: R) => readonly string[],
): Promise<(row: R) => readonly string[]> {
  const since = await unsettledSince(ctx);
  return (row) => {
    const place = positionOf(row);
    return row.seen && row.updated_at > since ? [...place, shorten(row.seen), since.toISOString()] : place;
  };
}

const ALLOWED_SKEW_MS = 2_000;
const LONGEST_SNAPSHOT = 500;

/**
 * No write still running has a time before this one: verbs take the time after their first lock. The age is told by the
 * database's clock alone, and machines may differ by the skew.
 */
async function unsettledSince(ctx: Ctx): Promise<Date> {
  const { age } = await ctx.sql.one<{ age: number }>(sql`
    select coalesce(max(extract(epoch from clock_timestamp() - xact_start)), 0)::float8 as age from pg_stat_activity
    where datname = current_database() and backend_xid is not null`);
  return new Date(ctx.clock.now().getTime() - age * 1_000 - ALLOWED_SKEW_MS);
}

/** A cursor must stay short: with very many writers at once it only says from which transaction on all is unsure. */
function shorten(snapshot: string): string {
  const [oldest] = snapshot.split(":");
  return snapshot.length <= LONGEST_SNAPSHOT ? snapshot : `${oldest}:${oldest}:`;
}
