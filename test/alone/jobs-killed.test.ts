import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { migrateAll } from "../../src/database.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { createDb, type Db, sql } from "../../src/platform/db/db.ts";
import { startEmbeddedPostgres } from "../../src/platform/db/embedded/embedded.ts";
import { createListener, notify } from "../../src/platform/db/listen.ts";
import { addJob, defineJob } from "../../src/platform/jobs/jobs.ts";
import { startJobRunner } from "../../src/platform/jobs/runner.ts";
import { createLog } from "../../src/platform/log.ts";
import { cloneDatabase } from "../support/database.ts";
import { until } from "../support/until.ts";

const log = createLog({ level: "silent", pretty: false });
const slow = defineJob<{ seconds: number }>({ name: "slow", run: async () => undefined });

let database: Awaited<ReturnType<typeof cloneDatabase>>;
let db: Db;
const children: ChildProcess[] = [];

before(async () => {
  database = await cloneDatabase();
  db = openDb(database.url);
});
after(async () => {
  for (const child of children) child.kill("SIGKILL");
  await db.close();
  await database.drop();
});

test("a worker killed in mid-job: the job runs again elsewhere within 15 s", async (t) => {
  const first = await startProcess();
  const second = await startProcess();
  await addJob(db, slow, { seconds: 600 });
  await until(() => [first, second].some((one) => one.output().includes("started 1")));
  const [victim, peer] = first.output().includes("started 1") ? [first, second] : [second, first];
  victim.child.kill("SIGKILL");
  const killedAt = performance.now();
  await until(() => peer.output().includes("done 2"));
  const seconds = (performance.now() - killedAt) / 1_000;
  t.diagnostic(`ran again ${seconds.toFixed(1)} s after the kill`);
  assert.ok(seconds <= 15, `it took ${seconds} s`);
});

test("a worker that was only stopped for long finds itself taken over and starts anew", async () => {
  const stopped = await startProcess();
  await startProcess();
  stopped.child.kill("SIGSTOP");
  const isTakenOver = async () =>
    (await db.many(sql`select from workers where pid = ${stopped.child.pid} and taken_over_at is not null`))
      .length === 1;
  await until(isTakenOver);
  stopped.child.kill("SIGCONT");
  const isBack = async () =>
    (await db.many(sql`select from workers where pid = ${stopped.child.pid} and taken_over_at is null`))
      .length === 1;
  await until(isBack);
});

test("jobs, wakes and notifications survive a restart of the database", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "postrider-restart-"));
  const start = () => startEmbeddedPostgres({ dataDir, log, settings: { fsync: "off" } });
  let server = await start();
  const { connection } = server;
  await migrateAll(connection, log);
  const own = openDb(connection);
  let runs = 0;
  let notifications = 0;
  const job = defineJob<object>({ name: "counted", run: async () => void runs++ });
  const options = { connection, db: own, clock: systemClock, log, jobs: [job], concurrency: 2 };
  const runner = await startJobRunner({ ...options, onFinished: () => undefined });
  const listener = createListener(connection, log);
  listener.listen("somebody's channel", () => notifications++);
  try {
    await addJob(own, job, {});
    await until(() => runs === 1);
    // The end of the job is written a moment later. A runner that is stopped before that would rightly run the job
    // again.
    const isDone = async () => (await own.many(sql`select from graphile_worker._private_jobs`)).length === 0;
    await until(isDone);
    await server.stop();
    await assert.rejects(addJob(own, job, {}), { kind: "unavailable" });
    server = await start();
    await addJob(own, job, {});
    await until(() => runs === 2);
    // One notification comes with the new connection, because something may have been missed, and then one for the
    // news itself.
    await until(() => notifications >= 2);
    const before = notifications;
    await own.transaction((tx) => notify(tx, "somebody's channel"));
    await until(() => notifications > before);
  } finally {
    await runner.stop(1_000);
    await listener.stop();
    await own.close();
    await server.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
});

function openDb(connection: Parameters<typeof createDb>[0]["connection"]): Db {
  return createDb({ connection, poolSize: 4, applicationName: "test", log, statementTimeoutMs: 10_000 });
}

async function startProcess(): Promise<{ child: ChildProcess; output(): string }> {
  const script = new URL("../support/job-process.ts", import.meta.url).pathname;
  const child = spawn(process.execPath, [script, database.url], { stdio: ["ignore", "pipe", "inherit"] });
  children.push(child);
  let text = "";
  child.stdout.on("data", (chunk) => {
    text += chunk;
  });
  await until(() => text.includes("ready"));
  return { child, output: () => text };
}
