/** These checks say whether workers are at work, and what waits for them. */
import { setTimeout as sleep } from "node:timers/promises";
import { isStreamHeld } from "../../accounts/accounts.ts";
import { type Queryable, sql } from "../../platform/db/db.ts";
import type { Check, DatabaseEnv, Result } from "../check.ts";

type Row = { id: string; kind: string; beat: number };
/** For each kind of worker it says how many wrote a beat while we watched, and how many didn't. */
export type Workers = ReadonlyMap<string, { readonly beating: number; readonly still: number }>;
export type Queue = {
  /** The oldest job that could run has waited this long. It is null where none waits. */
  readonly oldestSeconds: number | null;
  readonly failed: number;
};

/** A worker writes a beat every 3 s. One that writes none in twice that time is not at work. */
const WATCH_MS = 7_000;
const LOOK_EVERY_MS = 500;
const LATE_AFTER_S = 60;
const LATE_IN_SPITE_OF_WORKERS_S = 600;
/** Beyond this many it is enough to know that there are many. */
const COUNT_UP_TO = 10_000;

export const workChecks: readonly Check<DatabaseEnv>[] = [
  {
    name: "workers",
    run: async ({ look }) => {
      const workers = await watchBeats(look);
      return judgeWork(workers, workers && (await look(readQueue)), workers && (await look(countSending)));
    },
  },
  { name: "failed jobs", run: async ({ look }) => judgeFailed((await look(readQueue))?.failed) },
];

/** `sending` says how many campaigns are being sent. Where there are none no sender need run, because the first starts them. */
export function judgeWork(workers: Workers | undefined, queue: Queue | undefined, sending = 0): Result {
  if (!workers) return { status: "info", finding: "there are no tables yet" };
  const kinds = [...workers].filter(([, { beating }]) => beating > 0);
  const told = kinds.map(([kind, { beating }]) => `${beating} of ${kind}`).join(", ");
  const still = [...workers.values()].reduce((sum, kind) => sum + kind.still, 0);
  const stillTold =
    still > 0
      ? `; ${still} stopped without saying goodbye, and the next process with the jobs role frees their work`
      : "";
  const waitedS = queue?.oldestSeconds ?? 0;
  const waited = waitedS >= 120 ? `${Math.floor(waitedS / 60)} min` : `${Math.floor(waitedS)} s`;
  const someRunJobs = (workers.get("jobs")?.beating ?? 0) > 0;
  if (!someRunJobs && waitedS > LATE_AFTER_S) {
    return {
      status: "warn",
      finding: `no process runs jobs, and the oldest job has waited for ${waited}${stillTold}`,
      remedy: "`npm start` with jobs among the ROLES of at least one process",
    };
  }
  if (waitedS > LATE_IN_SPITE_OF_WORKERS_S) {
    return {
      status: "warn",
      finding: `at work: ${told}, and yet the oldest job has waited for ${waited}${stillTold}`,
      remedy: "start more processes with the jobs role, or raise JOB_CONCURRENCY; the log says what fails",
    };
  }
  if (sending > 0 && someRunJobs && !workers.get("sender")?.beating) {
    return {
      status: "warn",
      finding: `at work: ${told}, but nobody who sends, and ${sending} ${sending === 1 ? "campaign waits" : "campaigns wait"}${stillTold}`,
      remedy: "`npm start` with sender among the ROLES of at least one process",
    };
  }
  if (kinds.length === 0) return { status: "info", finding: `the service is not running${stillTold}` };
  return { status: "ok", finding: `at work: ${told}${stillTold}` };
}

export function judgeFailed(failed: number | undefined): Result {
  if (failed === undefined) return { status: "info", finding: "there are no tables yet" };
  if (failed === 0) return { status: "ok", finding: "no job was given up" };
  return {
    status: "warn",
    finding: `${failed}${failed >= COUNT_UP_TO ? " or more" : ""} ${failed === 1 ? "job was" : "jobs were"} given up after the last attempt`,
    remedy:
      "why: select task_identifier, last_error from graphile_worker.jobs where attempts >= max_attempts and not coalesce(flags ? 'replaced', false); once mended: select graphile_worker.reschedule_jobs(array[…ids…], run_at => now(), attempts => 0)",
  };
}

/** Compares the beats over a few seconds, and returns as soon as every worker has shown one. */
export async function watchBeats(
  look: DatabaseEnv["look"],
  watchMs = WATCH_MS,
): Promise<Workers | undefined> {
  const first = await look(readWorkers);
  if (!first) return undefined;
  const before = new Map(first.map(({ id, beat }) => [id, beat]));
  const beating = new Set<string>();
  const deadline = performance.now() + watchMs;
  // A worker that has removed its row has stopped as it should.
  let present = first;
  while (present.some(({ id }) => !beating.has(id)) && performance.now() < deadline) {
    await sleep(LOOK_EVERY_MS);
    present = ((await look(readWorkers)) ?? []).filter(({ id }) => before.has(id));
    for (const { id, beat } of present) if (beat > (before.get(id) ?? beat)) beating.add(id);
  }
  const counts = [...Map.groupBy(present, ({ kind }) => kind)].map(([kind, rows]) => {
    const alive = rows.filter(({ id }) => beating.has(id)).length;
    return [kind, { beating: alive, still: rows.length - alive }] as const;
  });
  return new Map(counts);
}

async function readWorkers(tx: Queryable): Promise<Row[] | undefined> {
  const { known } = await tx.one<{ known: boolean }>(sql`select to_regclass('workers') is not null as known`);
  if (!known) return undefined;
  return tx.many<Row>(sql`select id, kind, beat from workers where taken_over_at is null`);
}

async function countSending(tx: Queryable): Promise<number> {
  const { known } = await tx.one<{ known: boolean }>(
    sql`select to_regclass('account_holds') is not null as known`,
  );
  if (!known) return 0;
  return (
    await tx.one<{ count: number }>(
      sql`select count(*) as count from runnable r where not ${isStreamHeld(sql`r.account_id`, sql`r.stream`)}`,
    )
  ).count;
}

export async function readQueue(tx: Queryable): Promise<Queue | undefined> {
  const { known } = await tx.one<{ known: boolean }>(
    sql`select to_regclass('graphile_worker.jobs') is not null as known`,
  );
  if (!known) return undefined;
  return tx.one<Queue>(sql`
    select (select extract(epoch from now() - min(run_at))::float8 from graphile_worker.jobs
            where run_at <= now() and attempts < max_attempts and locked_at is null) as "oldestSeconds",
           (select count(*) from (
              select from graphile_worker.jobs where attempts >= max_attempts and locked_at is null and not coalesce(flags ? 'replaced', false)
              limit ${COUNT_UP_TO}) as given_up) as failed`);
}
