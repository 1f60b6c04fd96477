/**
 * Runs our job runner in a process of its own, with the metrics that it has in the service. Given a number, it says
 * "done" when it has run that many jobs. Usage: job-process.ts DATABASE_URL CONCURRENCY
 */
import { systemClock } from "../../src/platform/clock.ts";
import { createDb } from "../../src/platform/db/db.ts";
import { defineJob } from "../../src/platform/jobs/jobs.ts";
import { startJobRunner } from "../../src/platform/jobs/runner.ts";
import { createLog } from "../../src/platform/log.ts";
import { createMetrics } from "../../src/platform/metrics.ts";

const [, , connection = "", concurrency = "10"] = process.argv;
const log = createLog({ level: "info", pretty: false, destination: process.stderr });
const db = createDb({
  connection,
  poolSize: 4,
  applicationName: "bench",
  log,
  statementTimeoutMs: 15_000,
});
let left = 0;

await startJobRunner({
  connection,
  db,
  clock: systemClock,
  log,
  jobs: [
    defineJob({
      name: "noop",
      run: async () => {
        if (--left === 0) process.send?.("done");
      },
    }),
  ],
  concurrency: Number(concurrency),
  onFinished: createMetrics(db).countJob,
});

process.on("message", (count) => {
  left = Number(count);
});
process.on("SIGTERM", () => process.exit(0));
process.send?.("ready");
