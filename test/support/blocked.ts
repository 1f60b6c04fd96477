import { sql, type Tx } from "../../src/platform/db/db.ts";
import { until } from "./until.ts";

/**
 * The processes that wait for a lock of the transaction that asks. `pg_stat_activity` wouldn't do: within a transaction
 * it goes on showing what it showed at first, without any connection that was opened since.
 */
export const BLOCKED = sql`select pid from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))`;

/** All who wait for a lock in this database, also behind somebody who waits. */
export const LOCKED = sql`
  select distinct pid from pg_locks
  where not granted and pid in (
    select pid from pg_locks where database = (select oid from pg_database where datname = current_database()))`;

/** Waits until somebody waits for a lock that this transaction holds. */
export const untilBlocking = (tx: Tx): Promise<void> =>
  until(async () => (await tx.many(BLOCKED)).length > 0);
