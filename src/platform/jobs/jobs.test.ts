import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { cloneDatabase } from "../../../test/support/database.ts";
import { until } from "../../../test/support/until.ts";
import { systemClock } from "../clock.ts";
import { createDb, type Db, sql } from "../db/db.ts";
import { createLog } from "../log.ts";
import { type AnyJob, addJob, addJobs, defineJob, freeJobsOf, removeReplacedJobs } from "./jobs.ts";
import { type JobRunner, startJobRunner } from "./runner.ts";
import type { Finished } from "./tasks.ts";
import { fireDueTimers } from "./timers.ts";

let database: Awaited<ReturnType<typeof cloneDatabase>>;
let db: Db;
const log = createLog({ level: "silent", pretty: false });

before(async () => {
  database = await cloneDatabase();
  db = createDb({
    connection: database.url,
    poolSize: 6,
    applicationName: "test",
    log,
    statementTimeoutMs: 10_000,
  });
});
after(async () => {
  await db.close();
  await database.drop();
});

const finished: Finished[] = [];

async function withRunner(
  jobs: readonly AnyJob[],
  work: () => Promise<void>,
  concurrency = 4,
): Promise<void> {
  const runner: JobRunner = await startJobRunner({
    connection: database.url,
    db,
    clock: systemClock,
    log,
    jobs,
    concurrency,
    onFinished: (one) => finished.push(one),
  });
  try {
    await work();
  } finally {
    await runner.stop(2_000);
  }
}

async function countJobs(name: string): Promise<number> {
  const { count } = await db.one<{ count: number }>(
    sql`select count(*) as count from graphile_worker.jobs where task_identifier = ${name}`,
  );
  return count;
}

test("a job runs with its payload, once its transaction has committed", async () => {
  const seen: unknown[] = [];
  const job = defineJob<{ n: number }>({
    name: "simple",
    run: async (_ctx, payload) => void seen.push(payload),
  });
  await withRunner([job], async () => {
    await db.transaction(async (tx) => {
      await addJob(tx, job, { n: 1 });
      await sleep(300);
      assert.deepEqual(seen, []);
    });
    await until(() => seen.length === 1);
    assert.deepEqual(seen, [{ n: 1 }]);
  });
});

test("a job added in a transaction that rolls back never runs", async () => {
  const job = defineJob<object>({ name: "rolled_back", run: async () => undefined });
  await assert.rejects(
    db.transaction(async (tx) => {
      await addJob(tx, job, {});
      throw new Error("no");
    }),
  );
  assert.equal(await countJobs("rolled_back"), 0);
});

test("a job that throws stays, with its attempt counted and a later time", async () => {
  const job = defineJob<object>({
    name: "throwing",
    run: async () => {
      throw new Error("on purpose");
    },
  });
  await withRunner([job], async () => {
    await addJob(db, job, {});
    await until(() => finished.some((one) => one.job === "throwing" && one.outcome === "failed"));
    await until(async () => {
      const row = await db.one<{ waits: boolean; attempts: number; locked: boolean }>(sql`
        select run_at > now() as waits, attempts, locked_at is not null as locked
        from graphile_worker.jobs where task_identifier = 'throwing'`);
      return row.waits && row.attempts === 1 && !row.locked;
    });
  });
});

test("a job that fails for the last time is given up, and said so", async () => {
  const job = defineJob<object>({
    name: "hopeless",
    maxAttempts: 1,
    run: async () => {
      throw new Error("on purpose");
    },
  });
  await withRunner([job], async () => {
    await addJob(db, job, {});
    await until(() => finished.some((one) => one.job === "hopeless"));
    assert.equal(finished.find((one) => one.job === "hopeless")?.outcome, "given_up");
  });
});

test("a job that was added anew while it ran leaves nothing when it fails, and the other runs", async () => {
  const gate = Promise.withResolvers<void>();
  const runs: number[] = [];
  const job = defineJob<{ n: number }>({
    name: "replaced",
    run: async (_ctx, { n }) => {
      runs.push(n);
      if (n === 2) return;
      await gate.promise;
      throw new Error("on purpose");
    },
  });
  await withRunner([job], async () => {
    await addJob(db, job, { n: 1 }, { key: "replaced" });
    await until(() => runs.length === 1);
    await addJob(db, job, { n: 2 }, { key: "replaced" });
    gate.resolve();
    await until(async () => (await countJobs("replaced")) === 0);
    assert.deepEqual(runs, [1, 2]);
    const outcomes = finished.filter((one) => one.job === "replaced").map(({ outcome }) => outcome);
    assert.deepEqual(outcomes.toSorted(), ["done", "failed"]);
  });
});

test("a job that hangs is cut off by its time limit, its signal fires, and others go on", async () => {
  let aborted = false;
  const hanging = defineJob<object>({
    name: "hanging",
    timeoutMs: 200,
    run: ({ signal }) =>
      new Promise(() => {
        signal.addEventListener("abort", () => {
          aborted = true;
        });
      }),
  });
  const other = defineJob<object>({ name: "beside_hanging", run: async () => undefined });
  await withRunner(
    [hanging, other],
    async () => {
      await addJob(db, hanging, {});
      await until(() => finished.some((one) => one.job === "hanging" && one.outcome === "failed"));
      assert.equal(aborted, true);
      await addJob(db, other, {});
      await until(() => finished.some((one) => one.job === "beside_hanging" && one.outcome === "done"));
    },
    1,
  );
});

test("what people wait for passes a flood of what may wait", async () => {
  const order: string[] = [];
  const flood = defineJob<{ n: number }>({
    name: "flood",
    priority: 10,
    run: async () => {
      order.push("flood");
      await sleep(5);
    },
  });
  const urgent = defineJob<object>({
    name: "urgent",
    priority: -10,
    run: async () => void order.push("urgent"),
  });
  await addJobs(
    db,
    flood,
    Array.from({ length: 2_000 }, (_, n) => ({ n })),
  );
  await withRunner([flood, urgent], async () => {
    await until(() => order.length > 10);
    await addJob(db, urgent, {});
    await until(() => order.includes("urgent"));
    assert.ok(order.length < 500, `${order.length} jobs of the flood went first`);
    await db.execute(sql`select graphile_worker.complete_jobs(array(
      select id from graphile_worker.jobs where task_identifier = 'flood' and locked_at is null))`);
  });
});

test("adding under the same key leaves one job", async () => {
  const job = defineJob<{ n: number }>({ name: "keyed", run: async () => undefined });
  await addJob(db, job, { n: 1 }, { key: "k" });
  await addJob(db, job, { n: 2 }, { key: "k" });
  assert.equal(await countJobs("keyed"), 1);
});

test("a stopped runner hands its unfinished job back at once", async () => {
  let runs = 0;
  const job = defineJob<object>({
    name: "slow",
    run: async () => {
      runs++;
      if (runs === 1) await sleep(3_000);
    },
  });
  const start = () =>
    startJobRunner({
      connection: database.url,
      db,
      clock: systemClock,
      log,
      jobs: [job],
      concurrency: 1,
      onFinished: () => undefined,
    });
  const first = await start();
  await addJob(db, job, {});
  await until(() => runs === 1);
  await first.stop(100);
  const second = await start();
  await until(() => runs === 2);
  await second.stop(1_000);
});

test("two schedulers fire a timer once between them, and a clock stepped back a day doesn't silence it", async () => {
  const job = defineJob<Record<string, never>>({ name: "ticking", run: async () => undefined });
  const timers = [{ everyMs: 60_000, job }];
  const fired = await Promise.all(Array.from({ length: 10 }, () => fireDueTimers(db, timers)));
  assert.equal(fired.flat().length, 1);
  assert.deepEqual(await fireDueTimers(db, timers), []);
  // The timer looks as if it had fired under a clock a day ahead that was then set right.
  await db.execute(sql`update timers set last_fired_at = now() + interval '1 day' where name = 'ticking'`);
  assert.deepEqual(await fireDueTimers(db, timers), ["ticking"]);
  assert.equal(await countJobs("ticking"), 1);
});

/** Takes the job of a key out of the queue as a runner does, and commits only once somebody waits for that. */
async function addWhileTaken(key: string, add: () => Promise<unknown>): Promise<void> {
  const [taken, waitedFor] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const taking = db.transaction(async (tx) => {
    await tx.execute(sql`
      update graphile_worker._private_jobs set locked_at = now(), locked_by = 'somebody', attempts = attempts + 1 where key = ${key}`);
    taken.resolve();
    await waitedFor.promise;
  });
  await taken.promise;
  const adding = add();
  await until(async () => {
    const waiting = await db.many(sql`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`);
    return waiting.length > 0;
  });
  waitedFor.resolve();
  await Promise.all([taking, adding]);
}

async function waitingUnder(key: string): Promise<number> {
  const { count } = await db.one<{ count: number }>(sql`
    select count(*) as count from graphile_worker._private_jobs where key = ${key} and is_available`);
  return count;
}

test("a job is added also where the one under its key is taken out of the queue at that very moment", async () => {
  const job = defineJob<{ n: number }>({ name: "taken", run: async () => undefined });
  await addJob(db, job, { n: 1 }, { key: "taken" });
  await addWhileTaken("taken", () => addJob(db, job, { n: 2 }, { key: "taken" }));
  assert.equal(await waitingUnder("taken"), 1);

  const payloads = [{ n: 1 }, { n: 2 }, { n: 3 }];
  const keyOf = ({ n }: { n: number }) => `taken ${n}`;
  await addJobs(db, job, payloads, keyOf);
  await addWhileTaken("taken 2", () => addJobs(db, job, payloads, keyOf));
  for (const payload of payloads) assert.equal(await waitingUnder(keyOf(payload)), 1);

  const tick = defineJob<Record<string, never>>({ name: "tick", run: async () => undefined });
  assert.deepEqual(await fireDueTimers(db, [{ everyMs: 0, job: tick }]), ["tick"]);
  await addWhileTaken("timer tick", () => fireDueTimers(db, [{ everyMs: 0, job: tick }]));
  assert.equal(await waitingUnder("timer tick"), 1);
});

test("a job that was replaced while it ran is removed once its process has ended, and one that failed for good stays", async () => {
  const job = defineJob<object>({ name: "left_over", run: async () => undefined });
  const take = (key: string) =>
    db.execute(sql`
      update graphile_worker._private_jobs set locked_at = now(), locked_by = 'ended', attempts = max_attempts where key = ${key}`);
  await addJob(db, job, {}, { key: "replaced once" });
  await take("replaced once");
  await addJob(db, job, {}, { key: "replaced once" });
  await addJob(db, job, {}, { key: "failed" });
  await take("failed");
  await removeReplacedJobs(db);
  assert.equal(await countJobs("left_over"), 3);
  await freeJobsOf(db, "ended");
  await removeReplacedJobs(db);
  const left = await db.many(sql`
    select key from graphile_worker.jobs where task_identifier = 'left_over' order by key`);
  assert.deepEqual(left, [{ key: "failed" }, { key: "replaced once" }]);
});
