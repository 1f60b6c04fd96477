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
      select queue_jobs(array[${job.name}], array[${JSON.stringify(payload)}], array[${options.key ?? null}]::text[],
        array[${options.runAt ?? null}]::timestamptz[], array[${job.maxAttempts}]::int[], array[${job.priority}]::int[])`),
  );
}

/** Adds many jobs of one kind in one statement, where wanted each under its key and at its time. */
export async function addJobs<P>(
  db: Writable,
  job: Job<P>,
  payloads: readonly P[],
  keyOf: (payload: P) => string | null = () => null,
  /** After how many milliseconds it is to be run, by the clock of the database, which the queue goes by. */
  delayMsOf: (payload: P) => number = () => 0,
): Promise<void> {
  await db.execute(sql`
    select queue_jobs(array_agg(${job.name}::text order by n), array_agg(payload order by n), array_agg(key order by n),
      array_agg(case when delay_ms > 0 then now() + make_interval(secs => delay_ms / 1000) end order by n),
      array_agg(${job.maxAttempts}::int), array_agg(${job.priority}::int))
    from unnest(${payloads.map((payload) => JSON.stringify(payload))}::text[], ${payloads.map(keyOf)}::text[],
      ${payloads.map(delayMsOf)}::float8[]) with ordinality as one (payload, key, delay_ms, n)`);
}

/** Lets other processes run at once the jobs that a dead one had locked; by itself the queue would wait for 4 hours. */
export async function freeJobsOf(db: Writable, lockName: string): Promise<void> {
  await db.execute(sql`select graphile_worker.force_unlock_workers(array[${lockName}])`);
}

/**
 * Removes jobs under whose key another was added while they ran, and which then failed or were freed at the end of their process. The other does what
 * they were to do; left alone they would look like jobs that failed for good.
 */
export async function removeReplacedJobs(db: Db): Promise<void> {
  await db.execute(sql`
    select from graphile_worker.complete_jobs(array(
      select id from graphile_worker._private_jobs
      where not is_available and locked_at is null and key is null and attempts >= max_attempts and flags ? 'replaced'))`);
}
