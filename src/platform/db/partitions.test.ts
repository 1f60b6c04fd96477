import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import pg from "pg";
import { createTestClock } from "../../../test/support/clock.ts";
import { cloneDatabase } from "../../../test/support/database.ts";
import { idempotencyPartitions } from "../http/idempotency.ts";
import { createLog } from "../log.ts";
import { createDb, type Db, sql } from "./db.ts";
import { maintainPartitions, type PartitionedTable } from "./partitions.ts";

const DAY_MS = 24 * 3_600_000;

describe("partitions", () => {
  let database: Awaited<ReturnType<typeof cloneDatabase>>;
  let db: Db;
  let warnings: string[];
  const log = createLog({
    level: "warn",
    pretty: false,
    destination: { write: (line) => void warnings.push(line) },
  });

  beforeEach(async () => {
    warnings = [];
    database = await cloneDatabase();
    db = createDb({
      connection: database.url,
      poolSize: 10,
      applicationName: "test",
      log,
      statementTimeoutMs: 30_000,
    });
    await db.execute(sql`
    create table readings (
      account_id uuid not null default gen_random_uuid(), value int not null, created_at timestamptz(3) not null,
      primary key (account_id, value, created_at)
    ) partition by range (created_at)`);
    await db.execute(sql`create index on readings (value)`);
    await db.execute(sql`create table readings_default partition of readings default`);
  });
  afterEach(async () => {
    await db.close();
    await database.drop();
  });

  const daily: PartitionedTable = { table: "readings", every: "day", keepMs: 2 * DAY_MS, ahead: 3 };
  const weekly: PartitionedTable = { table: "readings", every: "week", keepMs: 30 * DAY_MS, ahead: 2 };
  const monthly: PartitionedTable = { table: "readings", every: "month", keepMs: 90 * DAY_MS, ahead: 1 };

  /**
   * Returns a clock some days before today, at half past eleven at night: nothing is dropped before the database's clock
   * agrees.
   */
  function clockDaysAgo(days: number) {
    return createTestClock(new Date(new Date().setUTCHours(23, 30, 0, 0) - (days + 1) * DAY_MS));
  }

  /** Inserts a row and returns the partition in which it landed. */
  async function insert(value: number, at: Date): Promise<string> {
    const { name } = await db.one<{ name: string }>(sql`
    insert into readings (value, created_at) values (${value}, ${at}) returning tableoid::regclass::text as name`);
    return name;
  }

  async function values(): Promise<number[]> {
    return (await db.many<{ value: number }>(sql`select value from readings order by value`)).map(
      (row) => row.value,
    );
  }

  async function partitions(): Promise<string[]> {
    const rows = await db.many<{ name: string }>(sql`
    select inhrelid::regclass::text as name from pg_inherits
    where inhparent = 'readings'::regclass and inhrelid <> 'readings_default'::regclass order by name`);
    return rows.map((row) => row.name);
  }

  async function rowsInDefault(): Promise<number> {
    const { count } = await db.one<{ count: number }>(sql`select count(*) as count from readings_default`);
    return count;
  }

  function countTo(end: number, start = 0): number[] {
    return Array.from({ length: end - start }, (_, index) => start + index);
  }

  for (const [definition, days] of [
    [daily, 90],
    [weekly, 365],
    [monthly, 730],
  ] as const) {
    test(`over ${days} days, a partition a ${definition.every}, rows are kept as long as asked and no longer`, async () => {
      const clock = clockDaysAgo(days);
      const step = definition.every === "month" ? 5 : 1;
      const keepDays = definition.keepMs / DAY_MS;
      const periodDays = { day: 1, week: 7, month: 31 }[definition.every];
      const most =
        Math.ceil(keepDays / { day: 1, week: 7, month: 28 }[definition.every]) + 2 + definition.ahead;
      for (let day = 0; day < days; day += step) {
        await maintainPartitions(db, clock, [definition], log);
        assert.match(await insert(day, clock.now()), /^readings_\d{4}/);
        const left = await values();
        const kept = countTo(day + 1).filter((one) => one % step === 0 && one >= day - keepDays);
        assert.deepEqual(left.slice(-kept.length), kept, `day ${day}`);
        assert.ok((left[0] ?? 0) >= day - keepDays - periodDays, `day ${day}: ${left[0]} is still there`);
        assert.ok(
          (await partitions()).length <= most,
          `day ${day}: ${(await partitions()).length} partitions`,
        );
        clock.advance(step * DAY_MS);
      }
      assert.equal(await rowsInDefault(), 0);
      assert.deepEqual(warnings, []);
    });
  }

  test("a clock that steps back a day breaks nothing and loses nothing", async () => {
    const clock = clockDaysAgo(10);
    for (let day = 0; day < 4; day++) {
      await maintainPartitions(db, clock, [daily], log);
      await insert(day, clock.now());
      clock.advance(DAY_MS);
    }
    const before = await values();
    clock.step(-DAY_MS);
    await maintainPartitions(db, clock, [daily], log);
    assert.notEqual(await insert(99, clock.now()), "readings_default");
    assert.deepEqual(await values(), [...before, 99]);
    clock.step(-30 * DAY_MS);
    await maintainPartitions(db, clock, [daily], log);
    assert.notEqual(await insert(100, clock.now()), "readings_default");
    assert.deepEqual(await values(), [...before, 99, 100]);
  });

  test("a clock that runs a year ahead of the database's drops nothing", async () => {
    const clock = clockDaysAgo(0);
    await maintainPartitions(db, clock, [daily], log);
    await insert(1, clock.now());
    clock.step(365 * DAY_MS);
    await insert(2, clock.now());
    await maintainPartitions(db, clock, [daily], log);
    await insert(3, clock.now());
    clock.step(-365 * DAY_MS);
    await maintainPartitions(db, clock, [daily], log);
    assert.deepEqual(await values(), [1, 2, 3]);
  });

  test("several processes at once make every partition once", async () => {
    const clock = clockDaysAgo(60);
    const all = () => Promise.all(countTo(4).map(() => maintainPartitions(db, clock, [weekly], log)));
    await all();
    assert.equal((await partitions()).length, 3);
    await insert(1, clock.now());
    clock.advance(50 * DAY_MS);
    await all();
    assert.equal((await partitions()).length, 3);
    assert.deepEqual(await values(), []);
    const made = await partitions();
    await all();
    assert.deepEqual(await partitions(), made);
  });

  test("after two months without maintenance rows move out of the default partition, and old ones go", async () => {
    const clock = clockDaysAgo(100);
    await maintainPartitions(db, clock, [weekly], log);
    for (let day = 0; day < 61; day++) {
      await insert(day, clock.now());
      clock.advance(DAY_MS);
    }
    assert.ok((await rowsInDefault()) > 30);
    await maintainPartitions(db, clock, [weekly], log);
    assert.equal(await rowsInDefault(), 0);
    assert.deepEqual((await values()).slice(-30), countTo(61, 31));
    assert.ok(((await values())[0] ?? 0) >= 61 - 30 - 7);
    assert.notEqual(await insert(61, clock.now()), "readings_default");
  });

  test("while rows are moved, a reader always sees each of them once, and writers lose nothing", async () => {
    const clock = clockDaysAgo(20);
    const days = countTo(15);
    for (const day of days) {
      await db.execute(sql`
      insert into readings (value, created_at)
      select ${day}, ${clock.now()}::timestamptz - n * interval '1 second' from generate_series(1, 200) as n`);
      clock.advance(DAY_MS);
    }
    const finished = new AbortController();
    const counts = new Set<number>();
    const readers = countTo(3).map(async () => {
      while (!finished.signal.aborted) {
        const { count } = await db.one<{ count: number }>(
          sql`select count(*) as count from readings where value < 1000`,
        );
        counts.add(count);
      }
    });
    let written = 0;
    const writer = (async () => {
      while (!finished.signal.aborted) {
        const at = new Date(clock.now().getTime() - (written % 15) * DAY_MS);
        await insert(1000 + written, at);
        written++;
      }
    })();
    // A run may find the table busy; then the next one does the work.
    for (let run = 0; run < 100 && (run === 0 || (await rowsInDefault()) > 0); run++) {
      await maintainPartitions(db, clock, [{ ...daily, keepMs: 30 * DAY_MS }], log);
    }
    finished.abort();
    await Promise.all([...readers, writer]);
    assert.equal(await rowsInDefault(), 0);
    assert.deepEqual([...counts], [3000]);
    assert.equal((await values()).filter((value) => value >= 1000).length, written);
  });

  test("a busy table delays the drop to the next run, with a warning, and other work goes on", async () => {
    const lazy = { ...daily, ahead: 0 };
    const clock = clockDaysAgo(30);
    await maintainPartitions(db, clock, [lazy], log);
    await insert(1, clock.now());
    const before = await partitions();
    clock.advance(10 * DAY_MS);
    const other = new pg.Client({ connectionString: database.url });
    await other.connect();
    try {
      await other.query("begin");
      await other.query("select count(*) from readings");
      const startedAt = performance.now();
      await maintainPartitions(db, clock, [lazy], log);
      assert.ok(performance.now() - startedAt < 10_000);
      assert.deepEqual((await partitions()).slice(0, before.length), before);
      assert.match(warnings.join(), /dropping readings_\d{8}.*a table is busy/);
      await other.query("commit");
    } finally {
      await other.end();
    }
    await maintainPartitions(db, clock, [lazy], log);
    assert.deepEqual(await values(), []);
    assert.equal((await partitions()).length, 1);
  });

  test("an open transaction that has written to the table holds up no new partition", async () => {
    const clock = clockDaysAgo(30);
    await maintainPartitions(db, clock, [daily], log);
    const other = new pg.Client({ connectionString: database.url });
    await other.connect();
    try {
      await other.query("begin");
      await other.query("insert into readings (value, created_at) values (1, $1)", [clock.now()]);
      clock.advance(DAY_MS);
      await maintainPartitions(db, clock, [daily], log);
      assert.equal((await partitions()).length, 5);
      await other.query("commit");
    } finally {
      await other.end();
    }
    assert.deepEqual(warnings, []);
  });

  test("a partition has the table's indexes, also when rows were moved into it", async () => {
    const clock = clockDaysAgo(5);
    await insert(1, clock.now());
    await maintainPartitions(db, clock, [daily], log);
    const indexes = await db.many<{ name: string; count: number }>(sql`
    select inhrelid::regclass::text as name, count(*) as count from pg_inherits
    join pg_index on indrelid = inhrelid
    where inhparent = 'readings'::regclass group by 1`);
    assert.deepEqual([...new Set(indexes.map((row) => row.count))], [2]);
    const { count } = await db.one<{ count: number }>(sql`
    select count(*) as count from pg_inherits where inhparent in (
      select indexrelid from pg_index where indrelid = 'readings'::regclass)`);
    assert.equal(count, 2 * indexes.length);
  });

  test("answers kept under idempotency keys have a partition a day, today's among them", async () => {
    const clock = clockDaysAgo(0);
    await maintainPartitions(db, clock, [idempotencyPartitions], log);
    const day = clock.now().toISOString().slice(0, 10).replaceAll("-", "");
    const { found } = await db.one<{ found: boolean }>(
      sql`select to_regclass(${`idempotency_answers_${day}`}) is not null as found`,
    );
    assert.ok(found);
  });

  test("the session's time zone moves no bound", async () => {
    const clock = clockDaysAgo(5);
    await maintainPartitions(db, clock, [daily], log);
    const made = await partitions();
    const url = new URL(database.url);
    url.searchParams.set("options", "-c TimeZone=Pacific/Chatham");
    const elsewhere = createDb({
      connection: url.href,
      poolSize: 3,
      applicationName: "test",
      log,
      statementTimeoutMs: 30_000,
    });
    try {
      await maintainPartitions(elsewhere, clock, [daily], log);
      assert.deepEqual(await partitions(), made);
      clock.advance(DAY_MS);
      await maintainPartitions(elsewhere, clock, [daily], log);
      const { bound } = await db.one<{ bound: string }>(sql`
      select pg_get_expr(relpartbound, oid) as bound from pg_class
      where oid = ${(await partitions()).at(-1)}::regclass and set_config('TimeZone', 'UTC', false) is not null`);
      assert.match(bound, /00:00:00\+00'\) TO .*00:00:00\+00'/);
    } finally {
      await elsewhere.close();
    }
  });
});
