/** This file keeps the event log in order when the database was restored elsewhere, where transaction numbers start over. */
import { type Db, type Queryable, sql, type Tx } from "../platform/db/db.ts";
import { DbError } from "../platform/db/errors.ts";
import type { Log } from "../platform/log.ts";

const LOCK_TIMEOUT_MS = 2_000;
/** No server sees as many transactions: they are 90 years of 100,000 a second. A bigint has room for 32,767 such steps. */
const OFFSET_STEP = 2 ** 48;
/** These states say insufficient privilege, undefined function, and feature not supported. */
const NOT_TOLD = new Set(["42501", "42883", "0A000"]);

/**
 * Raises the offset when the transaction numbers are no longer those of the stored events: after a restore, from a dump or
 * to a point in time, and after a promotion. Without it old events would seem to lie in the future, and cursors would skip
 * new ones. It must run before anything is written, and costs two short statements when nothing has changed.
 */
export async function adoptEventsAfterRestore(db: Db, log: Log): Promise<void> {
  const history = await readHistory(db);
  if (history === null)
    log.info("the database doesn't tell its identity: restores are seen by event numbers");
  if (history !== null && (await readStored(db)) === history) return;
  try {
    if (await db.transaction((tx) => adopt(tx, history))) {
      log.warn("the database was restored or promoted: the event log goes on above the old numbers");
    }
  } catch (error) {
    if (!(error instanceof DbError) || error.kind !== "busy") throw error;
    log.warn("the event log is too busy to raise its offset: the next start tries again");
  }
}

async function adopt(tx: Tx, history: string | null): Promise<boolean> {
  await tx.execute(sql`select set_config('lock_timeout', ${`${LOCK_TIMEOUT_MS}ms`}, true)`);
  // The lock waits for every writer. Readers would miss an event below the new offset that commits after they went above it.
  await tx.execute(sql`lock table only events in share row exclusive mode`);
  const stored = await readStored(tx);
  const isNew = stored === null || history === null ? await hasEventsAhead(tx) : stored !== history;
  await tx.execute(sql`
    update instance
    set event_offset = event_offset + ${isNew ? OFFSET_STEP : 0}::bigint,
        database_history = coalesce(${history}, database_history)`);
  return isNew;
}

/** Says which run of transaction numbers this is: the cluster, and its timeline, which a restore or a promotion changes. */
async function readHistory(db: Queryable): Promise<string | null> {
  try {
    const { history } = await db.one<{ history: string }>(sql`
      select system_identifier::text || '/' || left(pg_walfile_name(pg_current_wal_lsn()), 8) as history
      from pg_control_system()`);
    return history;
  } catch (error) {
    if (error instanceof DbError && NOT_TOLD.has(error.sqlState ?? "")) return null;
    throw error;
  }
}

async function readStored(db: Queryable): Promise<string | null> {
  const row = await db.maybeOne<{ stored: string | null }>(
    sql`select database_history as stored from instance`,
  );
  return row?.stored ?? null;
}

/** Says whether there are events that this run of numbers can't have written. It reads all events, so it is the last resort. */
async function hasEventsAhead(db: Queryable): Promise<boolean> {
  const { ahead } = await db.one<{ ahead: boolean }>(sql`
    select exists (
      select from events
      where xid >= (select event_offset from instance) + pg_snapshot_xmax(pg_current_snapshot())::text::bigint) as ahead`);
  return ahead;
}
