import { type JobHelpers, Logger, type TaskList } from "graphile-worker";
import type { Clock } from "../clock.ts";
import { type Db, sql } from "../db/db.ts";
import type { Log } from "../log.ts";
import type { AnyJob } from "./jobs.ts";

export type Finished = { job: string; outcome: "done" | "failed" | "given_up"; durationMs: number };

export type TaskOptions = {
  db: Db;
  clock: Clock;
  log: Log;
  jobs: readonly AnyJob[];
  onFinished: (finished: Finished) => void;
};

/** Wraps our jobs for the queue: each gets a time limit, a log line when it fails, and a count. */
export function taskList(options: TaskOptions): TaskList {
  return Object.fromEntries(
    options.jobs.map((job) => [job.name, (payload, helpers) => runJob(options, job, payload, helpers)]),
  );
}

async function runJob(
  options: TaskOptions,
  job: AnyJob,
  payload: unknown,
  helpers: JobHelpers,
): Promise<void> {
  const { db, clock, log, onFinished } = options;
  const { attempts, max_attempts: maxAttempts, id, key } = helpers.job;
  const startedMs = clock.monotonicMs();
  const durationMs = () => clock.monotonicMs() - startedMs;
  const overtime = new AbortController();
  const signals = helpers.abortSignal ? [overtime.signal, helpers.abortSignal] : [overtime.signal];
  let timer: NodeJS.Timeout | undefined;
  const expired = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      overtime.abort();
      reject(new Error(`ran longer than ${job.timeoutMs} ms`));
    }, job.timeoutMs);
  });
  try {
    const ctx = { db, clock, log, attempt: attempts, signal: AbortSignal.any(signals) };
    await Promise.race([job.run(ctx, payload), expired]);
    onFinished({ job: job.name, outcome: "done", durationMs: durationMs() });
  } catch (error) {
    if (key !== null && (await isReplaced(db, id))) {
      log.warn({ job: job.name, job_id: id, err: error }, "a job failed that was added anew while it ran");
      return onFinished({ job: job.name, outcome: "failed", durationMs: durationMs() });
    }
    const isLast = attempts >= maxAttempts;
    log[isLast ? "error" : "warn"](
      { job: job.name, job_id: id, attempt: attempts, of: maxAttempts, err: error },
      isLast ? "a job failed for the last time and is given up" : "a job failed and will be tried again",
    );
    onFinished({ job: job.name, outcome: isLast ? "given_up" : "failed", durationMs: durationMs() });
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/**
 * The queue gives up a job under whose key another was added while it ran, and would keep it as one that has failed for good; but the other does what it
 * was to do. Where this can't be asked the failure counts.
 */
async function isReplaced(db: Db, id: string): Promise<boolean> {
  const asked = db.maybeOne(sql`select from graphile_worker.jobs where id = ${id}::bigint and key is null`);
  return (await asked.catch(() => undefined)) !== undefined;
}

/**
 * Logs what the queue itself says: problems at warn, the rest at trace. Failed jobs are logged above, without their
 * payload.
 */
export function queueLogger(log: Log): Logger {
  return new Logger(() => (level, message) => {
    if (level === "error" && !message.startsWith("Failed task")) log.warn({ queue: message }, "job queue");
    else log.trace({ queue: message }, "job queue");
  });
}
