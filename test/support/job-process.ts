/** This process runs only the job runner, for tests that kill one. It prints which job it started. */
import { systemClock } from "../../src/platform/clock.ts";
import { createDb } from "../../src/platform/db/db.ts";
import { defineJob, freeJobsOf } from "../../src/platform/jobs/jobs.ts";
import { startJobRunner } from "../../src/platform/jobs/runner.ts";
import { createLog } from "../../src/platform/log.ts";
import { watchWorkers } from "../../src/platform/workers/watch.ts";

const connection = process.argv[2] ?? "";
const log = createLog({ level: "warn", pretty: false, destination: process.stderr });
const db = createDb({
  connection,
  poolSize: 4,
  applicationName: "job process",
  log,
  statementTimeoutMs: 10_000,
});

const slow = defineJob<{ seconds: number }>({
  name: "slow",
  run: async ({ attempt }, { seconds }) => {
    process.stdout.write(`started ${attempt}\n`);
    // The first run never ends by itself; the test kills it.
    if (attempt === 1) await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
    process.stdout.write(`done ${attempt}\n`);
  },
});

await startJobRunner({
  connection,
  db,
  clock: systemClock,
  log,
  jobs: [slow],
  concurrency: 2,
  onFinished: () => undefined,
});
watchWorkers({
  connection,
  db,
  clock: systemClock,
  log,
  free: async (tx, worker) => {
    if (worker.lock_name) await freeJobsOf(tx, worker.lock_name);
  },
});
process.stdout.write("ready\n");
