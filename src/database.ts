/** This file finds or starts the database of the configuration, and brings it to the newest schema. */
import { accessSync, constants, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { adoptEventsAfterRestore } from "./events/events.ts";
import type { Config } from "./platform/config/settings.ts";
import { awaitDatabase, persevere } from "./platform/db/connect.ts";
import { createDb, type Db, type DbOptions } from "./platform/db/db.ts";
import {
  findRunningPostgres,
  lockDataDir,
  pgDirOf,
  startEmbeddedPostgres,
} from "./platform/db/embedded/embedded.ts";
import { type MigrateOptions, migrate } from "./platform/db/migrate.ts";
import { agreeOnSecrets, type InstanceKeys, readOrMakeSecretKey } from "./platform/instance.ts";
import { migrateJobs } from "./platform/jobs/runner.ts";
import type { Log } from "./platform/log.ts";
import { createSecrets, type Secrets } from "./platform/secrets.ts";
import { StartupError } from "./platform/startup-error.ts";

export const MIGRATIONS = join(import.meta.dirname, "..", "migrations");

/** A process that claims `own` runs the service on the data directory. A `guest` may also use a database that already runs. */
export type Claim = "own" | "guest";

export type OpenDatabase = {
  connection: DbOptions["connection"];
  db: Db;
  secrets: Secrets;
  /** `secrets` is made of these keys. */
  secretKeys: readonly string[];
  instanceKeys: InstanceKeys;
  /** Runs a further step of the start, and runs it again when the database was away or too busy for it. */
  patiently<T>(step: () => Promise<T>): Promise<T>;
  close(): Promise<void>;
};

/** An external database gets this long to answer. Our own is known to be there, so it gets four times as long. */
const PATIENCE_MS = 30_000;
const PATIENCE_WITH_OWN_MS = 120_000;
const WAIT_FOR_OWNER_MS = 5_000;
const STATEMENT_TIMEOUT_MS = 15_000;
const LOOKING_POOL_SIZE = 6;
const LOOKING_TIMEOUT_MS = 8_000;

export async function openDatabase(
  config: Config,
  log: Log,
  claim: Claim,
  signal?: AbortSignal,
): Promise<OpenDatabase> {
  prepareDataDir(config.dataDir);
  const server = config.databaseUrl
    ? { connection: config.databaseUrl, stop: async () => undefined }
    : await openEmbedded(config.dataDir, log, claim, signal);
  const patience = { log, signal, patienceMs: config.databaseUrl ? PATIENCE_MS : PATIENCE_WITH_OWN_MS };
  const patiently = <T>(step: () => Promise<T>) => persevere(server.connection, patience, step);
  try {
    await awaitDatabase(server.connection, patience);
    await persevere(server.connection, patience, (connectTimeoutMs) =>
      migrateAll(server.connection, log, { connectTimeoutMs, signal }),
    );
    const db = createDb({
      connection: server.connection,
      poolSize: config.databasePoolSize,
      applicationName: "postrider",
      log,
      statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    });
    const close = async () => {
      await db.close();
      await server.stop();
    };
    try {
      const secretKeys = config.secretKey ?? (await patiently(() => readOrMakeSecretKey(db, config.dataDir)));
      const secrets = createSecrets(secretKeys);
      const instanceKeys = await patiently(() => agreeOnSecrets(db, secrets));
      await patiently(() => adoptEventsAfterRestore(db, log));
      return { connection: server.connection, db, secrets, secretKeys, instanceKeys, patiently, close };
    } catch (error) {
      await db.close();
      throw error;
    }
  } catch (error) {
    await server.stop();
    throw error;
  }
}

/**
 * Opens the same database for `doctor`, which makes no folder, no migration and no key, and waits for none. An embedded
 * server that is stopped is started for the time of the look. The result is undefined where there is no database yet.
 */
export async function lookAtDatabase(
  config: Config,
  log: Log,
): Promise<Pick<OpenDatabase, "db" | "close"> | undefined> {
  if (!config.databaseUrl && !existsSync(pgDirOf(config.dataDir))) return undefined;
  const server = await reachServer(config, log);
  try {
    await awaitDatabase(server.connection, { log, patienceMs: 0 });
  } catch (error) {
    await server.stop();
    throw error;
  }
  const db = createDb({
    connection: server.connection,
    poolSize: LOOKING_POOL_SIZE,
    applicationName: "postrider doctor",
    log,
    statementTimeoutMs: LOOKING_TIMEOUT_MS,
  });
  const close = async () => {
    await db.close();
    await server.stop();
  };
  return { db, close };
}

async function reachServer({ databaseUrl, dataDir }: Config, log: Log): Promise<Server> {
  const running = databaseUrl ?? (await findRunningPostgres(dataDir));
  if (running) return { connection: running, stop: async () => undefined };
  return openEmbedded(dataDir, log, "guest");
}

/** Migrates our own tables and those of the job queue. */
export async function migrateAll(
  connection: DbOptions["connection"],
  log: Log,
  options?: MigrateOptions,
): Promise<void> {
  await migrate(connection, MIGRATIONS, log, () => migrateJobs(connection, log), options);
}

type Server = { connection: DbOptions["connection"]; stop(): Promise<void> };

async function openEmbedded(dataDir: string, log: Log, claim: Claim, signal?: AbortSignal): Promise<Server> {
  const deadline = performance.now() + WAIT_FOR_OWNER_MS;
  for (;;) {
    const attempt = lockDataDir(dataDir);
    if ("lock" in attempt) {
      try {
        const server = await startEmbeddedPostgres({
          dataDir,
          log,
          signal,
          patienceMs: PATIENCE_WITH_OWN_MS,
        });
        const stop = async () => {
          await server.stop();
          attempt.lock.release();
        };
        return { connection: server.connection, stop };
      } catch (error) {
        attempt.lock.release();
        throw error;
      }
    }
    const running = claim === "guest" ? await findRunningPostgres(dataDir) : undefined;
    if (running) return { connection: running, stop: async () => undefined };
    // The holder may be a command about to end, a service about to stop, or one that is just starting.
    if (performance.now() > deadline) {
      const who = attempt.heldBy === null ? "another process" : `process ${attempt.heldBy}`;
      throw new StartupError(
        `Postrider runs already on ${dataDir} (${who})`,
        "stop that one first, or set DATA_DIR to another folder; several processes share a database by DATABASE_URL",
      );
    }
    await sleep(200, undefined, signal && { signal });
  }
}

function prepareDataDir(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true });
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new StartupError(
      `the data directory ${dataDir} can't be used: ${(error as Error).message}`,
      "make it writable for this user, or set DATA_DIR to a folder that is",
    );
  }
}
