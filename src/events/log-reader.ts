/** Reads the log in order for those who go on from a place of their own, such as endpoints of webhooks. */
import { prepared, type Queryable, type Sql, sql } from "../platform/db/db.ts";
import { type EventRow, horizonXid, LEAST_ID, type Moment, type Position } from "./store.ts";
import type { EventType } from "./types.ts";

export type Scan = {
  readonly accountId: string;
  readonly types: readonly EventType[];
  readonly since: Date;
  readonly after: Position;
  /** The reader began at this moment, and gets what was committed later. */
  readonly begun: Moment;
  /** Is set for a part of what was: it ends there, and has what was committed before the reader began, wherever that stands. */
  readonly upTo: Position | undefined;
  readonly limit: number;
};

export type Scanned = {
  readonly events: readonly EventRow[];
  /** How far was read: everything up to there is among `events`, or isn't wanted. */
  readonly to: Position;
  /** Whether there may be more. */
  readonly hasMore: boolean;
};

/**
 * Looks at `limit` events at most, of whatever type: among a million of others a few that are wanted are found by short
 * statements. The index events_in_order serves it.
 */
export async function scanEvents(db: Queryable, scan: Scan): Promise<Scanned> {
  const { accountId, types, since, after, begun, upTo, limit } = scan;
  const wasThere = sql`(events.xid < ${begun.xid}::bigint and events.xid <> all(${[...begun.running]}::bigint[]))`;
  const isIn = upTo
    ? sql`((events.xid, events.id) <= (${upTo.xid}::bigint, ${upTo.id}::uuid) or ${wasThere})`
    : sql`not ${wasThere}`;
  const ends = upTo
    ? sql`events.xid <= greatest(${upTo.xid}::bigint, ${begun.xid}::bigint)`
    : sql`events.xid < ${horizonXid}`;
  const isWanted = sql`(type = any(${[...types]}::text[]) and ${isIn})`;
  const rows = await db.many<EventRow & { is_wanted: boolean }>(
    prepared(sql`
      select account_id, id, events.xid::text as xid, type, created_at, actor_kind, actor_id,
             ${isWanted} as is_wanted, case when ${isWanted} then data end as data
      from events
      where account_id = ${accountId} and created_at > ${since}
        and (events.xid, events.id) > (${after.xid}::bigint, ${after.id}::uuid) and ${ends}
      order by events.xid, events.id limit ${limit}`),
  );
  const last = rows.at(-1);
  return {
    events: rows.filter(({ is_wanted }) => is_wanted),
    to: last ? { xid: last.xid, id: last.id } : after,
    hasMore: rows.length === limit,
  };
}

/** Asks whether there is something new in the log of an account behind a place. */
export function hasNews(accountId: Sql, after: { readonly xid: Sql; readonly id: Sql }, since: Date): Sql {
  return sql`exists (
    select from events
    where events.account_id = ${accountId} and created_at > ${since}
      and (events.xid, events.id) > (${after.xid}, ${after.id}) and events.xid < ${horizonXid})`;
}

/** Of those who wait, each at its place in the log of its account, returns the accounts in which there is something new. */
export async function findAccountsWithNews(
  db: Queryable,
  waiting: readonly { readonly accountId: string; readonly after: Position }[],
  since: Date,
): Promise<ReadonlySet<string>> {
  const after = { xid: sql`waiting.xid`, id: sql`waiting.id` };
  const rows = await db.many<{ account_id: string }>(
    prepared(sql`
      select distinct waiting.account_id
      from unnest(${waiting.map(({ accountId }) => accountId)}::uuid[], ${waiting.map(({ after: { xid } }) => xid)}::bigint[],
                  ${waiting.map(({ after: { id } }) => id)}::uuid[]) as waiting (account_id, xid, id)
      where ${hasNews(sql`waiting.account_id`, after, since)}`),
  );
  return new Set(rows.map(({ account_id }) => account_id));
}

/** Returns whom events of a type are about that stand after a place in the log, also those that can't be read in order yet. */
export async function findUnreadSubjects(
  db: Queryable,
  accountId: string,
  type: EventType,
  after: Position,
  since: Date,
): Promise<ReadonlySet<string>> {
  const rows = await db.many<{ id: string }>(sql`
    select data ->> 'subscriber_id' as id from events
    where account_id = ${accountId} and created_at > ${since}
      and (events.xid, events.id) > (${after.xid}::bigint, ${after.id}::uuid) and type = ${type}`);
  return new Set(rows.map(({ id }) => id));
}

/** The primary key serves it in each partition since `since`. */
export function listEventsById(
  db: Queryable,
  accountId: string,
  ids: readonly string[],
  since: Date,
): Promise<EventRow[]> {
  return db.many<EventRow>(
    prepared(sql`
      select account_id, id, events.xid::text as xid, type, created_at, actor_kind, actor_id, data from events
      where account_id = ${accountId} and id = any(${[...ids]}::uuid[]) and created_at > ${since}`),
  );
}

/** No transaction runs for so long. */
const LONGEST_TRANSACTION_MS = 3_600_000;

/**
 * Returns a place before every event that was written at that time or later; some that are older may stand behind it too. The order of
 * ids isn't that of transactions, but one that had written an event so much earlier began before all that wrote one since.
 */
export async function placeBefore(db: Queryable, accountId: string, at: Date): Promise<Position> {
  const earlier = new Date(at.getTime() - LONGEST_TRANSACTION_MS);
  // Ids are in the order of time, so the primary key serves it.
  const row = await db.maybeOne<{ xid: string }>(sql`
    select events.xid::text as xid from events
    where account_id = ${accountId} and created_at < ${earlier} and id < ${leastIdAt(earlier)}
    order by id desc limit 1`);
  return { xid: row?.xid ?? "0", id: LEAST_ID };
}

function leastIdAt(time: Date): string {
  const hex = time.getTime().toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}
