/**
 * A job is work that happens later: it is added in the transaction of its cause, run by any process with the `jobs` role,
 * and run again after a failure or a crash. So every job must be safe to run twice.
 */
import type { Clock } from "../clock.ts";
import { type Db, prepared, sql, type Writable } from "../db/db.ts";
import type { Log } from "../log.ts";

export type JobCtx = {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  /** Fires when the job has run out of time or the process is stopping; the job should end at its next safe point. */
  readonly signal: AbortSignal;
  /** The number of this run, which is 1 for the first. */
  readonly attempt: number;
};

export type Job<P = unknown> = {
  readonly name: string;
  /** A job that runs longer counts as failed, and its signal fires. */
  readonly timeoutMs: number;
  /** Attempts are e^attempt seconds apart, at most 6 h: 25 attempts last about three days. */
  readonly maxAttempts: number;
  /** Jobs of a lower number go first. Jobs that come in floods need a higher number than those that people wait for. */
  readonly priority: number;
  readonly run: (ctx: JobCtx, payload: P) => Promise<void>;
};

// biome-ignore lint/suspicious/noExplicitAny: jobs of many payloads stand in one list
export type AnyJob = Job<any>;

export function defineJob<P>(job: Pick<Job<P>, "name" | "run"> & Partial<Job<P>>): Job<P> {
  return { timeoutMs: 60_000, maxAttempts: 25, priority: 0, ...job };
}

export type AddOptions = {
  runAt?: Date;
  /** At most one waiting job has this key: adding it again replaces the one that waits. */
  key?: string;
};

/** The job is added with the caller's transaction, or not at all. */
export async function addJob<P>(
  db: Writable,
  job: Job<P>,
  payload: P,
  options: AddOptions = {},
): Promise<void> {
  await db.execute(
    prepared(sql`
      select from graphile_worker.add_job(
        ${job.name}, payload => ${JSON.stringify(payload)}::json, run_at => ${options.runAt ?? null}::timestamptz,
        max_attempts => ${job.maxAttempts}::int, job_key => ${options.key ?? null}::text,
        priority => ${job.priority}::int)`),
  );
}

/** Adds many jobs of one kind in one statement, where wanted each under its key. */
export async function addJobs<P>(
  db: Writable,
  job: Job<P>,
  payloads: readonly P[],
  keyOf: (payload: P) => string | null = () => null,
): Promise<void> {
  await db.execute(sql`
    select from graphile_worker.add_jobs(array(
      select row(${job.name}, payload::json, null, null, ${job.maxAttempts}::smallint, key, ${job.priority}::smallint, null)
        ::graphile_worker.job_spec
      from unnest(${payloads.map((payload) => JSON.stringify(payload))}::text[], ${payloads.map(keyOf)}::text[])
        with ordinality as one (payload, key, n)
      order by n))`);
}

/** Lets other processes run at once the jobs that a dead one had locked; by itself the queue would wait for 4 hours. */
export async function freeJobsOf(db: Writable, lockName: string): Promise<void> {
  await db.execute(sql`select graphile_worker.force_unlock_workers(array[${lockName}])`);
}
