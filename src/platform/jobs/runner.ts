import { EventEmitter } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { runMigrations, run as runQueue, type WorkerEvents } from "graphile-worker";
import pg from "pg";
import { clientConfigFor, type DbOptions } from "../db/db.ts";
import type { Log } from "../log.ts";
import { startWorker, type Worker } from "../workers/workers.ts";
import { freeJobsOf } from "./jobs.ts";
import { watchForStandstill } from "./standstill.ts";
import { queueLogger, type TaskOptions, taskList } from "./tasks.ts";

export type RunnerOptions = TaskOptions & { connection: DbOptions["connection"]; concurrency: number };

export type JobRunner = { stop(graceMs: number): Promise<void> };

const RESTART_AFTER_MS = 1_000;
/** Notifications wake the runner; polling finds jobs whose notification was lost, and jobs that fall due. */
const POLL_EVERY_MS = 1_000;
/**
 * The runner takes this many jobs from the table at a time, for each that it can run at once. By `npm run bench api`,
 * taking one at a time is a third as fast, and a longer local queue would withhold jobs from other processes.
 */
const FETCH_AHEAD = 10;

/** Makes or upgrades the queue's own tables. The caller holds the migration lock. */
export async function migrateJobs(connection: DbOptions["connection"], log: Log): Promise<void> {
  const pool = poolFor(connection, 1, log);
  try {
    await runMigrations({ pgPool: pool, logger: queueLogger(log) });
  } finally {
    await pool.end();
  }
}

/**
 * Runs jobs until it is stopped, and starts over after anything that ends the queue's own loop, such as an outage or a
 * take-over.
 */
export async function startJobRunner(options: RunnerOptions): Promise<JobRunner> {
  const stopping = new AbortController();
  let current = await startRun(options);
  const supervised = (async () => {
    for (;;) {
      await Promise.race([current.ended, aborted(stopping.signal)]);
      if (stopping.signal.aborted) return;
      options.log.warn("the job runner ended; starting it again");
      await current.end(0);
      current = await restart(options, current, stopping.signal);
    }
  })();

  return {
    async stop(graceMs) {
      stopping.abort();
      await supervised;
      await current.end(graceMs);
    },
  };
}

async function restart(options: RunnerOptions, previous: Run, signal: AbortSignal): Promise<Run> {
  for (;;) {
    await sleep(RESTART_AFTER_MS, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return previous;
    try {
      // The previous run couldn't free its jobs when it ended if the database was away then.
      await previous.letGo();
      return await startRun(options);
    } catch (error) {
      options.log.warn({ reason: (error as Error).message }, "the job runner could not start; trying again");
    }
  }
}

type Run = {
  readonly ended: Promise<void>;
  end(graceMs: number): Promise<void>;
  /** Frees its unfinished jobs for others and deletes its worker row. Calling it again is harmless. */
  letGo(): Promise<void>;
};

/** Registers as a worker once, and runs the queue once under that worker's lock name. */
async function startRun(options: RunnerOptions): Promise<Run> {
  const { db, clock, log, concurrency } = options;
  const lost = Promise.withResolvers<void>();
  const pool = poolFor(options.connection, concurrency + 2, log);
  const connections = holdConnections(pool);
  const events = new EventEmitter() as unknown as WorkerEvents;
  let lockName = "";
  let registration: Promise<Worker> = Promise.reject(new Error("the queue did not start"));
  registration.catch(() => undefined);
  events.on("pool:create", ({ workerPool }) => {
    lockName = workerPool.id;
    registration = startWorker({ db, clock, log, kind: "jobs", lockName, onLost: lost.resolve });
    registration.catch(() => undefined);
    // No job may be locked before the worker's row is there: a crash in between would leave the lock for 4 hours.
    connections.waitFor(registration);
  });
  const watch = watchForStandstill(events, concurrency, () => {
    log.warn("the job queue stands still");
    lost.resolve();
  });
  try {
    const queue = await runQueue({
      pgPool: pool,
      taskList: taskList(options),
      parsedCronItems: [],
      concurrency,
      pollInterval: POLL_EVERY_MS,
      noHandleSignals: true,
      logger: queueLogger(log),
      events,
      preset: {
        worker: {
          // Batches are also used for their error handling: a single failure that can't be written, because the database
          // is away, would be a promise rejection that nobody handles, and would end the process.
          completeJobBatchDelay: 0,
          failJobBatchDelay: 0,
          // The queue's own 5 s would use up all the time there is: a long job must hear of the stop while it can still
          // end well.
          gracefulShutdownAbortTimeout: 0,
          localQueue: { size: concurrency * FETCH_AHEAD },
        },
      },
    });
    const finished = queue.promise.catch(() => undefined);
    const worker = await registration;
    const letGo = async () => {
      worker.silence();
      await freeJobsOf(db, lockName);
      await worker.stop();
    };
    return {
      ended: Promise.race([finished, lost.promise]),
      letGo,
      async end(graceMs) {
        watch.stop();
        await Promise.race([queue.stop().catch(() => undefined), sleep(graceMs, undefined, { ref: false })]);
        // Jobs that are still running are freed for others now, without waiting until a peer notices.
        await letGo().catch(() => undefined);
        await Promise.race([pool.end().catch(() => undefined), sleep(500, undefined, { ref: false })]);
      },
    };
  } catch (error) {
    watch.stop();
    await pool.end().catch(() => undefined);
    throw error;
  }
}

function poolFor(connection: DbOptions["connection"], size: number, log: Log): pg.Pool {
  const config = clientConfigFor({ connection, applicationName: "postrider jobs", statementTimeoutMs: 0 });
  const pool = new pg.Pool({
    ...config,
    pipeline: false,
    max: size,
    connectionTimeoutMillis: 5_000,
  } as pg.PoolConfig);
  pool.on("error", (error) => {
    if (!pool.ending) log.warn({ reason: error.message }, "a database connection of the job runner was lost");
  });
  pool.on("connect", (client) => void client.on("error", () => undefined));
  return pool;
}

/** Makes the queue wait for a promise before it gets a connection, which its own options can't do. */
function holdConnections(pool: pg.Pool): { waitFor(opened: Promise<unknown>): void } {
  let awaited: Promise<unknown> | undefined;
  const connect = pool.connect.bind(pool) as (...args: unknown[]) => Promise<pg.PoolClient>;
  // A call with a callback asks for the LISTEN connection, which locks nothing.
  pool.connect = (async (...args: unknown[]) => {
    if (args.length === 0) await awaited;
    return connect(...args);
  }) as typeof pool.connect;
  return {
    waitFor(opened) {
      awaited = opened;
    },
  };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
