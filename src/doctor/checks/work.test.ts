import assert from "node:assert/strict";
import { test } from "node:test";
import { cloneDatabase } from "../../../test/support/database.ts";
import { systemClock } from "../../platform/clock.ts";
import { sql } from "../../platform/db/db.ts";
import { addJob, defineJob } from "../../platform/jobs/jobs.ts";
import { startWorker } from "../../platform/workers/workers.ts";
import type { Status } from "../check.ts";
import { openEnv, silent } from "../support.fixture.ts";
import { judgeFailed, judgeWork, readQueue, watchBeats, workChecks } from "./work.ts";

test("workers and what waits for them are judged together", () => {
  const jobs = (beating: number, still = 0) => ["jobs", { beating, still }] as const;
  const sender = ["sender", { beating: 1, still: 0 }] as const;
  const cases: [
    workers: (typeof sender | ReturnType<typeof jobs>)[],
    waited: number | null,
    Status,
    RegExp,
  ][] = [
    [[], null, "info", /not running/],
    [[], 30, "info", /not running/],
    [[], 61, "warn", /no process runs jobs.*61 s$/],
    [[sender], 200, "warn", /no process runs jobs.*3 min$/],
    [[jobs(2), sender], null, "ok", /2 of jobs, 1 of sender$/],
    [[jobs(1)], 61, "ok", /1 of jobs/],
    [[jobs(1)], 601, "warn", /and yet.*10 min/],
    [[jobs(1, 1)], null, "ok", /1 stopped without saying goodbye/],
    [[jobs(0, 1)], null, "info", /not running; 1 stopped/],
  ];
  for (const [workers, oldestSeconds, status, finding] of cases) {
    const result = judgeWork(new Map(workers), { oldestSeconds, failed: 0 });
    assert.equal(result.status, status, JSON.stringify([workers, oldestSeconds]));
    assert.match(result.finding, finding);
  }
  const idle = { oldestSeconds: null, failed: 0 };
  assert.match(judgeWork(new Map([jobs(1)]), idle, 2).finding, /nobody who sends, and 2 campaigns wait/);
  assert.equal(judgeWork(new Map([jobs(1), sender]), idle, 2).status, "ok");
  assert.equal(judgeWork(undefined, undefined).status, "info");
});

test("jobs that were given up are told", () => {
  assert.equal(judgeFailed(undefined).status, "info");
  assert.equal(judgeFailed(0).status, "ok");
  assert.match(judgeFailed(1).finding, /^1 job was given up/);
  assert.match(judgeFailed(10_000).finding, /^10000 or more jobs were/);
});

test("a worker that beats is told from one that stands still and from one that has left", async (t) => {
  const { db, look } = await openEnv(t, cloneDatabase);
  const start = (lockName: string) =>
    startWorker({ db, clock: systemClock, log: silent, kind: "jobs", lockName, onLost: () => undefined });
  const [beating, leaving] = [await start("a"), await start("b")];
  await db.execute(sql`
    insert into workers (id, kind, host, pid) values (gen_random_uuid(), 'jobs', 'elsewhere', 1)`);
  const firstLook = Promise.withResolvers<void>();
  const watched = watchBeats(async (read) => {
    const found = await look(read);
    firstLook.resolve();
    return found;
  }, 2_000);
  await firstLook.promise;
  await leaving.stop();
  await beating.beat();
  assert.deepEqual(await watched, new Map([["jobs", { beating: 1, still: 1 }]]));
  await beating.stop();
});

test("jobs that wait and jobs that were given up are read from the queue", async (t) => {
  const env = await openEnv(t, cloneDatabase);
  const { db, look } = env;
  assert.deepEqual(await look(readQueue), { oldestSeconds: null, failed: 0 });
  const job = defineJob<object>({ name: "nothing", run: async () => undefined });
  await addJob(db, job, {}, { runAt: new Date(Date.now() - 90_000) });
  await addJob(db, job, {}, { runAt: new Date(Date.now() + 90_000) });
  await addJob(db, job, {}, { key: "done for" });
  await db.execute(sql`
    update graphile_worker._private_jobs set attempts = max_attempts, run_at = now() - interval '1 day'
    where key = 'done for'`);
  const queue = await look(readQueue);
  assert.ok(Math.abs((queue?.oldestSeconds ?? 0) - 90) < 10);
  assert.equal(queue?.failed, 1);
  const results = await Promise.all(workChecks.map((check) => check.run(env)));
  assert.deepEqual(
    results.map(({ status }) => status),
    ["warn", "warn"],
  );
});
