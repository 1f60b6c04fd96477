/** Compares our job runner with plain graphile-worker, each on a database of its own. */
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createDb, type Db, sql } from "../../src/platform/db/db.ts";
import { addJobs, defineJob } from "../../src/platform/jobs/jobs.ts";
import { createLog } from "../../src/platform/log.ts";
import type { Result, Setting } from "../harness/bench.ts";
import { type Contest, judgeAlone, judgeContest, runInTurns } from "../harness/compare.ts";
import { measure, type Sample, type Work } from "../harness/meter.ts";
import { type Program, startProgram } from "../harness/program.ts";

const CONCURRENCY = 10;
const WARM_UP_JOBS = 5_000;

const noop = defineJob<Record<string, never>>({ name: "noop", run: async () => undefined });

type Side = { readonly program: Program; readonly db: Db; stop(): Promise<void> };

export async function* jobFigures(setting: Setting): AsyncIterable<Result> {
  const jobs = setting.sizes.full ? 100_000 : 20_000;
  const ours = await startSide("bench_jobs_ours", "job-process.ts", setting);
  const reference = await startSide("bench_jobs_reference", "../reference/bare-graphile-worker.ts", setting);
  try {
    await runJobs(ours, WARM_UP_JOBS);
    await runJobs(reference, WARM_UP_JOBS);
    const turn = (side: Side) => (): Promise<Sample> =>
      measure(setting.postgres, side.program.pid, () => runJobs(side, jobs));
    const contest: Contest = {
      name: "no-op jobs a second",
      unit: "job",
      asked: 0.6,
      ours: turn(ours),
      reference: turn(reference),
    };
    const samples = await runInTurns(contest, setting);
    yield judgeContest(contest, samples);
    yield judgeAlone("no-op jobs a second, at least", "job", 5_000, samples.ours);
  } finally {
    await Promise.all([ours.stop(), reference.stop()]);
  }
}

/** Measures from when the jobs exist until each has run and is gone from the table. Adding them is not counted. */
async function runJobs({ program, db }: Side, count: number): Promise<Work> {
  const done = program.hear((said) => (said === "done" ? true : undefined));
  done.catch(() => undefined);
  program.tell(count);
  await addJobs(
    db,
    noop,
    Array.from({ length: count }, () => ({})),
  );
  const startedMs = performance.now();
  await done;
  while (await anyLeft(db)) await sleep(1);
  return { units: count, seconds: (performance.now() - startedMs) / 1_000 };
}

async function anyLeft(db: Db): Promise<boolean> {
  const { left } = await db.one<{ left: boolean }>(
    sql`select exists (select from graphile_worker.jobs) as left`,
  );
  return left;
}

async function startSide(database: string, file: string, setting: Setting): Promise<Side> {
  const url = await setting.postgres.createDatabase(database);
  const log = createLog({ level: "warn", pretty: false, destination: process.stderr });
  const db = createDb({
    connection: url,
    poolSize: 3,
    applicationName: "bench",
    log,
    statementTimeoutMs: 60_000,
  });
  const program = startProgram({
    file: join(import.meta.dirname, file),
    args: [url, String(CONCURRENCY)],
    cwd: setting.folder,
  });
  await program.hear((said) => (said === "ready" ? true : undefined));
  return {
    program,
    db,
    async stop() {
      await program.stop();
      await db.close();
    },
  };
}
