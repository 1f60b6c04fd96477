import assert from "node:assert/strict";
import { test } from "node:test";
import { systemClock } from "../../src/platform/clock.ts";
import { createDb } from "../../src/platform/db/db.ts";
import { addJob, defineJob } from "../../src/platform/jobs/jobs.ts";
import { startJobRunner } from "../../src/platform/jobs/runner.ts";
import { createLog } from "../../src/platform/log.ts";
import { cloneDatabase } from "../support/database.ts";
import { createDatabaseProxy } from "../support/database-proxy.ts";
import { until } from "../support/until.ts";

/** A rejection that nobody handles would fail this test, as it would end the service. */
test("a job that fails while the database is away ends nothing, and runs again when it is back", async () => {
  const database = await cloneDatabase();
  const proxy = await createDatabaseProxy(database.url);
  const log = createLog({ level: "silent", pretty: false });
  const open = (connection: string) =>
    createDb({ connection, poolSize: 4, applicationName: "test", log, statementTimeoutMs: 5_000 });
  const [db, direct] = [open(proxy.url), open(database.url)];
  const attempts: number[] = [];
  const isCut = Promise.withResolvers<void>();
  const job = defineJob<object>({
    name: "unlucky",
    run: async ({ attempt }) => {
      attempts.push(attempt);
      if (attempt > 1) return;
      await isCut.promise;
      throw new Error("on purpose");
    },
  });
  const options = { connection: proxy.url, db, clock: systemClock, log, jobs: [job], concurrency: 2 };
  const runner = await startJobRunner({ ...options, onFinished: () => undefined });
  try {
    await addJob(direct, job, {});
    await until(() => attempts.length === 1);
    await proxy.cut();
    isCut.resolve();
    // This is long enough for the queue to try to write the failure down.
    await new Promise((resolve) => setTimeout(resolve, 500));
    await proxy.restore();
    await until(() => attempts.length === 2);
    assert.deepEqual(attempts, [1, 2]);
  } finally {
    await runner.stop(1_000);
    await Promise.all([db.close(), direct.close()]);
    await proxy.close();
    await database.drop();
  }
});
