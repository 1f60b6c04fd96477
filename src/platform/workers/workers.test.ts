import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createTestClock } from "../../../test/support/clock.ts";
import { cloneDatabase } from "../../../test/support/database.ts";
import { createDb, type Db, sql } from "../db/db.ts";
import { createLog } from "../log.ts";
import { judge } from "./watch.ts";
import { FENCED_AFTER_MS, type SeenWorker, startWorker, takeOver } from "./workers.ts";

let database: Awaited<ReturnType<typeof cloneDatabase>>;
let db: Db;
const log = createLog({ level: "silent", pretty: false });

before(async () => {
  database = await cloneDatabase();
  db = createDb({
    connection: database.url,
    poolSize: 4,
    applicationName: "test",
    log,
    statementTimeoutMs: 5_000,
  });
});
after(async () => {
  await db.close();
  await database.drop();
});

const worker = (beat: number, epoch = 1): SeenWorker => ({
  id: "w",
  kind: "jobs",
  epoch,
  beat,
  lock_name: "l",
});

test("a worker is dead after the same beat for 12 s, not before", () => {
  const seen = new Map();
  assert.deepEqual(judge(seen, [worker(7)], 0), []);
  assert.deepEqual(judge(seen, [worker(7)], 11_999), []);
  assert.deepEqual(judge(seen, [worker(7)], 12_000), [worker(7)]);
});

test("a beat in time keeps a worker alive, whatever its value", () => {
  const seen = new Map();
  for (let second = 0; second < 60; second += 3)
    assert.deepEqual(judge(seen, [worker(second)], second * 1_000), []);
});

test("what was seen over a broken connection counts for nothing", () => {
  const seen = new Map();
  judge(seen, [worker(7)], 0);
  seen.clear();
  assert.deepEqual(judge(seen, [worker(7)], 13_000), []);
  assert.deepEqual(judge(seen, [worker(7)], 25_000), [worker(7)]);
});

test("a worker that has gone is forgotten", () => {
  const seen = new Map();
  judge(seen, [worker(7)], 0);
  judge(seen, [], 1_000);
  assert.equal(seen.size, 0);
});

test("of two peers that take over at once one wins, and the worker's next beat tells it", async () => {
  const clock = createTestClock();
  let lost = 0;
  const mine = await startWorker({ db, clock, log, kind: "jobs", lockName: "x", onLost: () => lost++ });
  const seen = await db.one<SeenWorker>(
    sql`select id, kind, epoch, beat, lock_name from workers where id = ${mine.id}`,
  );
  let freed = 0;
  const free = async () => void freed++;
  const results = await Promise.all([takeOver(db, seen, free), takeOver(db, seen, free)]);
  assert.deepEqual(results.sort(), [false, true]);
  assert.equal(freed, 1);
  await mine.beat();
  assert.equal(lost, 1);
  assert.equal(mine.isAlive(), false);
  await mine.stop();
});

test("a worker that beat in the meantime is not taken over", async () => {
  const clock = createTestClock();
  const mine = await startWorker({ db, clock, log, kind: "jobs", lockName: "y", onLost: () => undefined });
  const seen = await db.one<SeenWorker>(
    sql`select id, kind, epoch, beat, lock_name from workers where id = ${mine.id}`,
  );
  await mine.beat();
  assert.equal(await takeOver(db, seen, async () => undefined), false);
  await mine.stop();
});

test("a worker fences itself 8 s after its last beat, and lives again with the next", async () => {
  const clock = createTestClock();
  const mine = await startWorker({ db, clock, log, kind: "jobs", lockName: "z", onLost: () => undefined });
  clock.advance(FENCED_AFTER_MS - 1);
  assert.equal(mine.isAlive(), true);
  clock.advance(1);
  assert.equal(mine.isAlive(), false);
  await mine.beat();
  assert.equal(mine.isAlive(), true);
  // The wall clock is never consulted.
  clock.step(-86_400_000);
  assert.equal(mine.isAlive(), true);
  await mine.stop();
});
