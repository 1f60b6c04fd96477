/**
 * Tables partitioned by time, and how long they keep their rows. Old partitions are dropped whole, which costs nothing
 * however many rows they hold; new ones are made ahead. Each such table also has a default partition, made by its
 * migration: a row for which there is no partition yet lands there, and is moved when there is one.
 */
import { raw } from "sql-template-tag";
import type { Clock } from "./clock.ts";
import { type Db, type Queryable, type Sql, sql, type Tx } from "./db/db.ts";
import { DbError } from "./db/errors.ts";
import type { Log } from "./log.ts";
import { type Every, type Period, periodAfter, periodOf } from "./periods.ts";

/** A table `partition by range (created_at)`. Its owner defines it; roles/jobs.ts lists them all. */
export type PartitionedTable = {
  readonly table: string;
  readonly every: Every;
  /** Rows live at least this long, and at most one period longer. */
  readonly keepMs: number;
  /** How many periods after the present one have their partition already. */
  readonly ahead: number;
};

type Partition = { name: string; from: Date; to: Date };

// A request that waits for an exclusive lock makes all later ones wait behind it: better give up and come again.
const LOCK_TIMEOUT_MS = 300;
const ADVISORY_LOCK = 7_091_851_633;
/** Rows a statement: few enough to stay below its time-out. */
const BATCH = 50_000;

/** Safe to run at any time, in any number of processes, and again after any failure. */
export async function maintainPartitions(
  db: Db,
  clock: Clock,
  definitions: readonly PartitionedTable[],
  log: Log,
): Promise<void> {
  for (const definition of definitions) {
    const defaultPartition = await findDefault(db, definition.table);
    const keptFrom = await oldestKept(db, clock, definition.keepMs);
    // Dropping comes first: on a full disk it is what helps.
    await dropExpired(db, definition, keptFrom, log);
    await deleteExpired(db, defaultPartition, keptFrom, log);
    const periods = await missingPeriods(db, clock, definition, defaultPartition, keptFrom);
    for (const period of periods) await makePartition(db, clock, definition, defaultPartition, period, log);
  }
}

/** By the earlier of two clocks: one machine whose clock runs ahead must not drop what is still to be kept. */
async function oldestKept(db: Queryable, clock: Clock, keepMs: number): Promise<Date> {
  const { now } = await db.one<{ now: Date }>(sql`select least(now(), ${clock.now()}::timestamptz) as now`);
  return new Date(now.getTime() - keepMs);
}

async function dropExpired(db: Db, { table }: PartitionedTable, keptFrom: Date, log: Log): Promise<void> {
  for (const partition of await findPartitions(db, table)) {
    if (partition.to > keptFrom) continue;
    await attempt(db, log, `dropping ${partition.name}`, async (tx) => {
      await tx.execute(raw(`drop table if exists ${partition.name}`));
      tx.afterCommit(() => log.info({ partition: partition.name }, "an expired partition was dropped"));
    });
  }
}

async function deleteExpired(db: Db, defaultPartition: string, keptFrom: Date, log: Log): Promise<void> {
  for (let deleted = BATCH; deleted === BATCH; ) {
    deleted = 0;
    await attempt(db, log, `deleting expired rows of ${defaultPartition}`, async (tx) => {
      deleted = await tx.execute(deleteSome(defaultPartition, sql`created_at < ${keptFrom}`));
    });
  }
}

/** From now on for `ahead` periods, and any earlier one that has rows in the default partition. */
async function missingPeriods(
  db: Db,
  clock: Clock,
  { table, every, ahead }: PartitionedTable,
  defaultPartition: string,
  keptFrom: Date,
): Promise<readonly Period[]> {
  const periods = [periodOf(every, clock.now())];
  while (periods.length <= ahead) periods.push(periodAfter(every, periods.at(-1) as Period));
  const present = periods[0] as Period;
  const late = await db.many<{ at: Date }>(sql`
    select distinct date_trunc(${every}, created_at, 'UTC') as at from ${raw(defaultPartition)}
    where created_at >= ${keptFrom} and created_at < ${present.from} order by at`);
  const existing = await findPartitions(db, table);
  return [...late.map(({ at }) => periodOf(every, at)), ...periods].filter(
    (one) => !isCovered(one, existing),
  );
}

function isCovered(period: Period, partitions: readonly Partition[]): boolean {
  return partitions.some(({ from, to }) => from < period.to && to > period.from);
}

async function makePartition(
  db: Db,
  clock: Clock,
  { table }: PartitionedTable,
  defaultPartition: string,
  period: Period,
  log: Log,
): Promise<void> {
  const name = `${table}_${period.label}`;
  const inPeriod = sql`created_at >= ${period.from} and created_at < ${period.to}`;
  await attempt(db, log, `making ${name}`, async (tx) => {
    if (isCovered(period, await findPartitions(tx, table))) return;
    const { late } = await tx.one<{ late: boolean }>(
      sql`select exists (select from ${raw(defaultPartition)} where ${inPeriod}) as late`,
    );
    const inUse = late || period.from <= clock.now();
    // A reader that knows the partitions of before would find moved rows in neither place, and a writer's row could be
    // refused by the default partition. For a period to come, which nobody uses yet, nobody need wait.
    if (inUse) await tx.execute(raw(`lock table only ${table} in access exclusive mode`));
    await tx.execute(raw(`create table ${name} (like ${table} including all)`));
    const moved = inUse ? await moveRows(tx, defaultPartition, name, inPeriod) : 0;
    // ATTACH, unlike CREATE … PARTITION OF, lets those go on who read and write the table meanwhile.
    const [from, to] = [period.from.toISOString(), period.to.toISOString()];
    await tx.execute(
      raw(`alter table ${table} attach partition ${name} for values from ('${from}') to ('${to}')`),
    );
    tx.afterCommit(() => log.info({ partition: name, moved }, "a partition was made"));
  });
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

/** One step, alone among all processes. What can't have its lock soon is left to the next run. */
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

/** The server itself reads the bounds that it printed, so no setting of date or time zone matters. */
function findPartitions(db: Queryable, table: string): Promise<Partition[]> {
  return db.many<Partition>(sql`
    select child.oid::regclass::text as name,
           (regexp_match(bound, 'FROM \\(''([^'']+)''\\)'))[1]::timestamptz as "from",
           (regexp_match(bound, 'TO \\(''([^'']+)''\\)'))[1]::timestamptz as "to"
    from pg_inherits
    join pg_class as child on child.oid = inhrelid
    cross join pg_get_expr(child.relpartbound, child.oid) as bound
    where inhparent = ${table}::regclass and bound <> 'DEFAULT'
    order by "from"`);
}

async function findDefault(db: Queryable, table: string): Promise<string> {
  const { name } = await db.one<{ name: string }>(sql`
    select partdefid::regclass::text as name from pg_partitioned_table where partrelid = ${table}::regclass`);
  if (name === "-") throw new Error(`${table} has no default partition: its migration must make one`);
  return name;
}
