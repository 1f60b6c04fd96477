import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { cloneDatabase } from "../../test/support/database.ts";
import { systemClock } from "../platform/clock.ts";
import { createDb, type Db, sql, type Tx } from "../platform/db/db.ts";
import { newId } from "../platform/ids.ts";
import { createLog } from "../platform/log.ts";
import { type NewEvent, recordEvent, recordEvents } from "./events.ts";
import { type EventRow, type Position, readHorizon, selectEvents } from "./store.ts";

const log = createLog({ level: "silent", pretty: false });
const LONG_AGO = new Date(0);

describe("the event log", () => {
  let database: Awaited<ReturnType<typeof cloneDatabase>>;
  let db: Db;
  // Readers have connections of their own. On the writers' they would only ever poll between two transactions.
  let readDb: Db;
  before(async () => {
    database = await cloneDatabase();
    const options = { connection: database.url, applicationName: "test", log, statementTimeoutMs: 30_000 };
    db = createDb({ ...options, poolSize: 14 });
    readDb = createDb({ ...options, poolSize: 5 });
  });
  after(async () => {
    await Promise.all([db.close(), readDb.close()]);
    await database.drop();
  });

  const ctxOf = (tx: Tx, accountId: string) =>
    ({ sql: tx, accountId, actor: { kind: "system", id: null }, clock: systemClock, log }) as const;
  const numbered = (n: number): NewEvent => ({ type: "account.updated", data: { n } });

  function readAfter(accountId: string, after: Position | undefined, before: Position, limit: number) {
    const filter = { accountId, types: undefined, since: LONG_AGO, after, before };
    return readDb.many<EventRow>(selectEvents(filter, "ascending", limit));
  }

  /** Reads all events of the account, once no running transaction holds the newest back any more. */
  async function readAll(accountId: string): Promise<EventRow[]> {
    const { now } = await db.one<{ now: string }>(sql`select pg_current_xact_id() as now`);
    for (;;) {
      const horizon = await readHorizon(db);
      if (BigInt(horizon.xid) > BigInt(now)) return readAfter(accountId, undefined, horizon, 1_000_000);
      await sleep(5);
    }
  }

  /** This reader polls and remembers its position as (xid, id), as the API does. */
  function createReader(accountId: string, limit: number) {
    const seen: number[] = [];
    let place: Position | undefined;
    return {
      seen,
      async poll() {
        const horizon = await readHorizon(readDb);
        const rows = await readAfter(accountId, place, horizon, limit);
        seen.push(...rows.map((row) => row.data["n"] as number));
        const last = rows.at(-1);
        if (rows.length < limit) place = horizon;
        else if (last) place = { xid: last.xid, id: last.id };
      },
    };
  }

  /** This reader is what one would write without thinking of transactions that commit late. */
  function createNaiveReader(accountId: string) {
    const seen: number[] = [];
    let lastId = "00000000-0000-0000-0000-000000000000";
    return {
      seen,
      async poll() {
        const rows = await readDb.many<{ id: string; n: number }>(sql`
          select id, (data->>'n')::int as n from events
          where account_id = ${accountId} and id > ${lastId} order by id`);
        seen.push(...rows.map((row) => row.n));
        lastId = rows.at(-1)?.id ?? lastId;
      },
    };
  }

  type Planned = { startMs: number; events: number; holdMs: number; rollBack: boolean };
  const schedules = fc.array(
    fc.record({
      startMs: fc.nat(400),
      events: fc.integer({ min: 1, max: 4 }),
      // Most transactions commit at once. A few take long, and those are the ones that a cursor may pass over.
      holdMs: fc.oneof({ weight: 3, arbitrary: fc.nat(3) }, { weight: 1, arbitrary: fc.nat(150) }),
      rollBack: fc.oneof(
        { weight: 4, arbitrary: fc.constant(false) },
        { weight: 1, arbitrary: fc.constant(true) },
      ),
    }),
    { minLength: 150, maxLength: 200, size: "max" },
  );
  const ROLLED_BACK = new Error("rolled back on purpose");

  /** Runs the schedule on several connections while it calls `poll` again and again, and returns what was committed. */
  async function runSchedule(accountId: string, schedule: readonly Planned[], poll: () => Promise<void>) {
    let next = 0;
    let running = true;
    const committed: number[] = [];
    const run = async ({ startMs, events, holdMs, rollBack }: Planned) => {
      await sleep(startMs);
      const mine: number[] = [];
      const work = db.transaction(async (tx) => {
        for (let i = 0; i < events; i++) {
          const n = next++;
          await recordEvent(ctxOf(tx, accountId), numbered(n));
          mine.push(n);
          if (holdMs === 0) continue;
          // A transaction keeps its statements back until it first waits for an answer, so it waits for one here.
          await tx.one(sql`select 1 as written`);
          await sleep(holdMs / events);
        }
        if (rollBack) throw ROLLED_BACK;
      });
      await work.then(
        () => committed.push(...mine),
        (error) => assert.equal(error, ROLLED_BACK),
      );
    };
    const polling = (async () => {
      while (running) await poll();
    })();
    await Promise.all(schedule.map(run));
    running = false;
    await polling;
    return committed;
  }

  for (const seed of [1, 2, 3]) {
    test(`a reader sees every committed event once, however transactions interleave (schedule ${seed})`, async () => {
      const accountId = newId(systemClock);
      const [schedule = []] = fc.sample(schedules, { seed, numRuns: 1 });
      const [reader, pageReader, naive] = [
        createReader(accountId, 1_000),
        createReader(accountId, 7),
        createNaiveReader(accountId),
      ];
      const poll = async () => {
        await Promise.all([reader.poll(), pageReader.poll(), naive.poll()]);
      };
      const committed = await runSchedule(accountId, schedule, poll);
      const all = (await readAll(accountId)).map((row) => row.data["n"] as number);
      assert.deepEqual(sorted(all), sorted(committed));
      for (const { seen, poll } of [reader, pageReader]) {
        for (let i = 0; i < 1_000 && seen.length < committed.length; i++) await poll();
        assert.deepEqual(seen, all, "each once, and in the order of the log");
      }
      const missed = committed.filter((n) => !naive.seen.includes(n));
      assert.ok(missed.length > 0, "the schedule is too easy: a cursor by id missed nothing");
    });
  }

  test("events of one transaction keep the order in which they were recorded", async () => {
    const accountId = newId(systemClock);
    await db.transaction(async (tx) => {
      const ctx = ctxOf(tx, accountId);
      for (let n = 0; n < 50; n++) await recordEvent(ctx, numbered(n));
      await recordEvents(
        ctx,
        Array.from({ length: 50 }, (_, index) => numbered(50 + index)),
      );
    });
    const read = await readAll(accountId);
    assert.deepEqual(
      read.map((row) => row.data["n"]),
      Array.from({ length: 100 }, (_, index) => index),
    );
    assert.equal(new Set(read.map((row) => row.xid)).size, 1);
  });

  test("recording nothing is nothing", async () => {
    const accountId = newId(systemClock);
    await db.transaction((tx) => recordEvents(ctxOf(tx, accountId), []));
    assert.deepEqual(await readAll(accountId), []);
  });

  test("an address anywhere in the data is refused, and nothing is written", async () => {
    const accountId = newId(systemClock);
    const data = { list: [{ deep: "jane@example.org" }] };
    await assert.rejects(
      db.transaction((tx) =>
        recordEvents(ctxOf(tx, accountId), [numbered(1), { type: "user.created", data }]),
      ),
      /user\.created has an address/,
    );
    assert.deepEqual(await readAll(accountId), []);
  });
});

function sorted(numbers: readonly number[]): number[] {
  return numbers.toSorted((a, b) => a - b);
}
