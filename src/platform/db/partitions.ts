/**
 * Keeps tables that are partitioned by time: old partitions are dropped whole, which costs nothing however many rows they
 * hold, and new ones are made ahead. Each such table has a default partition, made by its migration: a row without a
 * partition lands there, and is moved when its partition is made.
 */
import { raw } from "sql-template-tag";
import type { Clock } from "../clock.ts";
import type { Log } from "../log.ts";
import { type Db, type Queryable, type Sql, sql, type Tx } from "./db.ts";
import { DbError } from "./errors.ts";
import { type Every, type Period, periodAfter, periodOf } from "./periods.ts";

/**
 * A table `partition by range (created_at)`, or by a column of UUIDv7s, whose ranges are ranges of time as well. The
 * folder that owns the table defines it; roles/jobs.ts lists them all.
 */
export type PartitionedTable = {
  readonly table: string;
  /** Names the column of UUIDv7s; without it the table is partitioned by `created_at`. */
  readonly uuidColumn?: string;
  /** Storage parameters of each partition, since PostgreSQL can't set them for the whole table. */
  readonly storage?: string;
  readonly every: Every;
  /** Each row lives at least this long, and at most one period longer. */
  readonly keepMs: number;
  /** The number of periods after the present one that have their partition already. */
  readonly ahead: number;
  /**
   * Is set for a table whose triggers refuse that rows are removed: the setting under which they let it happen, and the function that refuses.
   * Rows' triggers are handed on to a new partition by itself, that of TRUNCATE isn't.
   */
  readonly guard?: { readonly setting: string; readonly refuse: string };
};

type Partition = { name: string; from: Date; to: Date };

/** The partition key of a table. */
type Key = {
  readonly column: Sql;
  /** The time inside the key's column. */
  readonly time: Sql;
  /** Returns the least value of the column at that time, as a literal. */
  readonly at: (time: Date) => Sql;
};

// A request that waits for an exclusive lock makes all later ones wait behind it, so it gives up early and tries again.
const LOCK_TIMEOUT_MS = 300;
const ADVISORY_LOCK = 7_091_851_633;
/** One statement moves or deletes at most this many rows, so that it stays below its time-out. */
const BATCH = 50_000;

function keyOf({ uuidColumn }: PartitionedTable): Key {
  if (uuidColumn === undefined) {
    const column = raw("created_at");
    return { column, time: column, at: (time) => raw(`'${time.toISOString()}'::timestamptz`) };
  }
  const column = raw(uuidColumn);
  return { column, time: timeInUuid(column), at: (time) => raw(`'${leastUuidAt(time)}'::uuid`) };
}

/** The first 48 bits of a UUIDv7 are the milliseconds since 1970 (RFC 9562 §5.7). */
function timeInUuid(uuid: Sql): Sql {
  return sql`to_timestamp(('x' || left(replace(${uuid}::text, '-', ''), 12))::bit(48)::bigint / 1000.0)`;
}

function leastUuidAt(time: Date): string {
  const hex = time.getTime().toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}

type Done = { made: number; dropped: number };

/** This is safe to run at any time, in any number of processes, and again after any failure. */
export async function maintainPartitions(
  db: Db,
  clock: Clock,
  definitions: readonly PartitionedTable[],
  log: Log,
): Promise<void> {
  const done: Done = { made: 0, dropped: 0 };
  for (const definition of definitions) {
    const defaultPartition = await findDefault(db, definition.table);
    const key = keyOf(definition);
    const keptFrom = await oldestKept(db, clock, definition.keepMs);
    // Expired partitions are dropped first, since on a full disk that is what helps.
    done.dropped += await dropExpired(db, definition, keptFrom, log);
    await deleteExpired(db, definition, defaultPartition, sql`${key.column} < ${key.at(keptFrom)}`, log);
    const periods = await missingPeriods(db, clock, definition, defaultPartition, keptFrom);
    for (const period of periods) {
      if (await makePartition(db, clock, definition, defaultPartition, period, log)) done.made++;
    }
  }
  if (done.made > 0 || done.dropped > 0) log.info(done, "partitions were made or dropped");
}

/** The earlier of two clocks decides: one machine whose clock runs ahead must not drop rows that are still to be kept. */
async function oldestKept(db: Queryable, clock: Clock, keepMs: number): Promise<Date> {
  const { now } = await db.one<{ now: Date }>(sql`select least(now(), ${clock.now()}::timestamptz) as now`);
  return new Date(now.getTime() - keepMs);
}

/** Returns how many were dropped. */
async function dropExpired(db: Db, definition: PartitionedTable, keptFrom: Date, log: Log): Promise<number> {
  let dropped = 0;
  for (const partition of await findPartitions(db, definition)) {
    if (partition.to > keptFrom) continue;
    await attempt(db, log, `dropping ${partition.name}`, async (tx) => {
      await tx.execute(raw(`drop table if exists ${partition.name}`));
      tx.afterCommit(() => {
        dropped++;
        log.debug({ partition: partition.name }, "an expired partition was dropped");
      });
    });
  }
  return dropped;
}

async function deleteExpired(
  db: Db,
  { guard }: PartitionedTable,
  defaultPartition: string,
  expired: Sql,
  log: Log,
): Promise<void> {
  for (let deleted = BATCH; deleted === BATCH; ) {
    deleted = 0;
    await attempt(db, log, `deleting expired rows of ${defaultPartition}`, async (tx) => {
      await open(tx, guard);
      deleted = await tx.execute(deleteSome(defaultPartition, expired));
    });
  }
}

/** Returns the next `ahead` periods from now on, and any earlier one that has rows in the default partition. */
async function missingPeriods(
  db: Db,
  clock: Clock,
  definition: PartitionedTable,
  defaultPartition: string,
  keptFrom: Date,
): Promise<readonly Period[]> {
  const { every, ahead } = definition;
  const key = keyOf(definition);
  const periods = [periodOf(every, clock.now())];
  while (periods.length <= ahead) periods.push(periodAfter(every, periods.at(-1) as Period));
  const present = periods[0] as Period;
  const late = await db.many<{ at: Date }>(sql`
    select distinct date_trunc(${every}, ${key.time}, 'UTC') as at from ${raw(defaultPartition)}
    where ${key.column} >= ${key.at(keptFrom)} and ${key.column} < ${key.at(present.from)} order by at`);
  const existing = await findPartitions(db, definition);
  return [...late.map(({ at }) => periodOf(every, at)), ...periods].filter(
    (one) => !isCovered(one, existing),
  );
}

function isCovered(period: Period, partitions: readonly Partition[]): boolean {
  return partitions.some(({ from, to }) => from < period.to && to > period.from);
}

/** Tells whether it was made here; another process may have been first. */
async function makePartition(
  db: Db,
  clock: Clock,
  definition: PartitionedTable,
  defaultPartition: string,
  period: Period,
  log: Log,
): Promise<boolean> {
  let isMade = false;
  const { table, storage, guard } = definition;
  const key = keyOf(definition);
  const name = `${table}_${period.label}`;
  const [from, to] = [key.at(period.from), key.at(period.to)];
  const inPeriod = sql`${key.column} >= ${from} and ${key.column} < ${to}`;
  await attempt(db, log, `making ${name}`, async (tx) => {
    if (isCovered(period, await findPartitions(tx, definition))) return;
    const { late } = await tx.one<{ late: boolean }>(
      sql`select exists (select from ${raw(defaultPartition)} where ${inPeriod}) as late`,
    );
    const inUse = late || period.from <= clock.now();
    // Without the lock, a reader that knows only the old partitions would find moved rows in neither, and the default
    // partition could refuse a writer's row. Nobody uses a future period yet, so for that nobody need wait.
    if (inUse) await tx.execute(raw(`lock table only ${table} in access exclusive mode`));
    await tx.execute(
      raw(`create table ${name} (like ${table} including all) ${storage ? `with (${storage})` : ""}`),
    );
    if (guard) {
      const event = `before truncate on ${name} for each statement`;
      await tx.execute(raw(`create trigger ${name}_untruncated ${event} execute function ${guard.refuse}()`));
    }
    await open(tx, guard);
    const moved = inUse ? await moveRows(tx, defaultPartition, name, inPeriod) : 0;
    // ATTACH, unlike CREATE … PARTITION OF, lets others read and write the table meanwhile.
    await tx.execute(
      sql`alter table ${raw(table)} attach partition ${raw(name)} for values from (${from}) to (${to})`,
    );
    tx.afterCommit(() => {
      isMade = true;
      log.debug({ partition: name, moved }, "a partition was made");
    });
  });
  return isMade;
}

/** Lets this transaction alone remove rows that a guard keeps. */
async function open(tx: Tx, guard: PartitionedTable["guard"]): Promise<void> {
  if (guard) await tx.execute(sql`select set_config(${guard.setting}, 'on', true)`);
}

async function moveRows(tx: Tx, from: string, to: string, which: Sql): Promise<number> {
  for (let moved = 0; ; ) {
    const some = await tx.execute(sql`
      with moved as (${deleteSome(from, which)} returning *) insert into ${raw(to)} select * from moved`);
    moved += some;
    if (some < BATCH) return moved;
  }
}

function deleteSome(table: string, which: Sql): Sql {
  const name = raw(table);
  return sql`delete from ${name} where ctid = any(array(select ctid from ${name} where ${which} limit ${BATCH}))`;
}

/**
 * Runs one step in a transaction that no other process runs at once. A step that can't get its lock soon is left to the
 * next run.
 */
async function attempt(db: Db, log: Log, step: string, work: (tx: Tx) => Promise<void>): Promise<void> {
  try {
    await db.transaction(async (tx) => {
      await tx.execute(sql`select set_config('lock_timeout', ${`${LOCK_TIMEOUT_MS}ms`}, true)`);
      await tx.execute(sql`select pg_advisory_xact_lock(${ADVISORY_LOCK})`);
      await work(tx);
    });
  } catch (error) {
    if (!(error instanceof DbError) || error.kind !== "busy") throw error;
    log.warn({ step }, "a table is busy: its partitions wait for the next run");
  }
}

/** The server itself reads back the bounds that it printed, so no setting of date or time zone matters. */
function findPartitions(db: Queryable, definition: PartitionedTable): Promise<Partition[]> {
  const timeOf = (bound: Sql) => (definition.uuidColumn ? timeInUuid(bound) : sql`${bound}::timestamptz`);
  return db.many<Partition>(sql`
    select name, ${timeOf(sql`low`)} as "from", ${timeOf(sql`high`)} as "to" from (
      select child.oid::regclass::text as name,
             (regexp_match(bounds, 'FROM \\(''([^'']+)''\\)'))[1] as low,
             (regexp_match(bounds, 'TO \\(''([^'']+)''\\)'))[1] as high
      from pg_inherits
      join pg_class as child on child.oid = inhrelid
      cross join pg_get_expr(child.relpartbound, child.oid) as bounds
      where inhparent = ${definition.table}::regclass and bounds <> 'DEFAULT'
    ) as found
    order by "from"`);
}

async function findDefault(db: Queryable, table: string): Promise<string> {
  const { name } = await db.one<{ name: string }>(sql`
    select partdefid::regclass::text as name from pg_partitioned_table where partrelid = ${table}::regclass`);
  if (name === "-") throw new Error(`${table} has no default partition: its migration must make one`);
  return name;
}
