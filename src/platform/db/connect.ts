/**
 * Waits for the database at a start as long as there is hope, logs what it waits for, and ends with advice for a person.
 */
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { Log } from "../log.ts";
import { StartupError } from "../startup-error.ts";
import { clientConfigFor, type DbOptions } from "./db.ts";
import { DbError, toDbError } from "./errors.ts";

type Connection = DbOptions["connection"];

export type Patience = {
  log: Log;
  /**
   * The longest time without any answer. A database that says that it is recovering is awaited until it has recovered.
   */
  patienceMs: number;
  signal?: AbortSignal | undefined;
};

const RETRY_EVERY_MS = 500;
const SAY_EVERY_MS = 10_000;
const FIRST_TIMEOUT_MS = 5_000;
const LONGEST_TIMEOUT_MS = 30_000;

/** Waits until the database answers. One that is unreachable may be starting; one that refuses us will go on refusing. */
export async function awaitDatabase(connection: Connection, patience: Patience): Promise<void> {
  await persevere(connection, patience, async (timeoutMs) => {
    try {
      await unlessAborted(patience.signal, probe(connection, timeoutMs));
    } catch (error) {
      const known = toDbError(error);
      throw mayPass(known) ? known : explainRefusal(known, connection);
    }
  });
}

/**
 * Runs a step of the start, and repeats it when the database was away or too busy, so a step must be safe to repeat.
 * `timeoutMs` grows with every attempt, because a machine under load may need longer for a connection.
 */
export async function persevere<T>(
  connection: Connection,
  { log, patienceMs, signal }: Patience,
  step: (timeoutMs: number) => Promise<T>,
): Promise<T> {
  const since = performance.now();
  let hopeAt = since;
  let saidAt = Number.NEGATIVE_INFINITY;
  for (let timeoutMs = FIRST_TIMEOUT_MS; ; timeoutMs = Math.min(timeoutMs * 2, LONGEST_TIMEOUT_MS)) {
    signal?.throwIfAborted();
    try {
      return await step(timeoutMs);
    } catch (error) {
      const known = toDbError(error);
      if (!mayPass(known)) throw error;
      const now = performance.now();
      if (isRecovering(known) && patienceMs > 0) hopeAt = now;
      if (now - hopeAt > patienceMs) throw explainSilence(known, connection);
      if (now - saidAt >= SAY_EVERY_MS) {
        saidAt = now;
        const waited = Math.round((now - since) / 1_000);
        log.warn(
          { database: placeOf(connection), reason: known.message, waited },
          "waiting for the database",
        );
      }
      await sleep(RETRY_EVERY_MS, undefined, signal && { signal });
    }
  }
}

/** Stops waiting for work that may be left unfinished, such as a connection that nobody needs any more. */
export async function unlessAborted<T>(signal: AbortSignal | undefined, work: Promise<T>): Promise<T> {
  if (!signal) return work;
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal.reason);
  signal.addEventListener("abort", abort);
  work.catch(() => undefined);
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

async function probe(connection: Connection, timeoutMs: number): Promise<void> {
  const config = clientConfigFor({
    connection,
    applicationName: "postrider start",
    statementTimeoutMs: timeoutMs,
  });
  const client = new pg.Client({ ...config, connectionTimeoutMillis: timeoutMs });
  client.on("error", () => undefined);
  try {
    await client.connect();
    await client.query("select 1");
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** The database is unreachable, or it is there and too busy for a statement within its time. */
function mayPass(error: Error): boolean {
  const cause = error instanceof DbError ? error : toDbError(error.cause);
  return cause instanceof DbError && (cause.kind === "unavailable" || cause.kind === "busy");
}

/**
 * Recognises what PostgreSQL says while it replays its log. A server that shuts down, or a standby that takes nobody,
 * says otherwise.
 */
function isRecovering(error: Error): boolean {
  return (
    error instanceof DbError &&
    error.sqlState === "57P03" &&
    /starting up|in recovery mode|not yet accepting/.test(error.message)
  );
}

/** Names the server without the user and the password. */
function placeOf(connection: Connection): string {
  if (typeof connection !== "string") return connection.host;
  try {
    const url = new URL(connection);
    return `${url.searchParams.get("host") ?? url.hostname}:${url.port || 5432}`;
  } catch {
    return "DATABASE_URL";
  }
}

function explainRefusal(error: Error, connection: Connection): Error {
  const state = error instanceof DbError ? error.sqlState : undefined;
  const because = (problem: string, remedy: string) => new StartupError(problem, remedy, { cause: error });
  switch (state) {
    case "28P01":
    case "28000":
      return because(
        "the database refused the user or the password of DATABASE_URL",
        "check both; characters such as @ : / in a password must be percent-encoded",
      );
    case "3D000":
      return because(
        "the database named in DATABASE_URL doesn't exist",
        "create it first, for instance with createdb",
      );
    case "42501":
      return because(
        "the user of DATABASE_URL may not use that database",
        "grant it: create tables, read and write",
      );
  }
  if (/password must be a string|no password/i.test(error.message)) {
    return because(
      "the database wants a password and DATABASE_URL has none",
      "write it as postgres://user:password@host/database",
    );
  }
  return explainSilence(error, connection);
}

function explainSilence(error: Error, connection: Connection): StartupError {
  if (typeof connection !== "string") {
    return new StartupError(
      `the embedded PostgreSQL in ${connection.host} doesn't answer: ${error.message}`,
      "look at postgres.log in DATA_DIR and at the machine's load, memory and disk, then start again; the data is kept",
      { cause: error },
    );
  }
  return new StartupError(
    `the database at ${placeOf(connection)} can't be reached: ${error.message}`,
    "check that it runs and that DATABASE_URL names it rightly",
    { cause: error },
  );
}
