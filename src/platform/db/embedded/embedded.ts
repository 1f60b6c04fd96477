/**
 * Runs a real PostgreSQL for machines that have none: one cluster in `<dataDir>/pg`, reached only through a Unix socket,
 * stopped whenever our process ends, and restarted when it crashes. The caller first takes `lockDataDir`, so no other
 * Postrider process uses the folder.
 */
import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Log } from "../../log.ts";
import { persevere, unlessAborted } from "../connect.ts";
import { prepareBinaries } from "./binaries.ts";
import { type Cluster, prepareCluster } from "./cluster.ts";
import { explainFileError } from "./failures.ts";
import { findOrphanServer } from "./orphan-server.ts";
import { readPostmasterPid } from "./postmaster-pid.ts";
import { adoptServer, launchServer } from "./server.ts";
import { chooseServerUser } from "./server-user.ts";
import type { ServerSettings } from "./settings.ts";
import {
  chooseSocketDir,
  connectionTo,
  createDatabase,
  probe,
  removeSocketDir,
  type ServerConnection,
} from "./socket.ts";
import { supervise } from "./supervise.ts";

export { lockDataDir } from "./lock.ts";
export type { ServerConnection } from "./socket.ts";

export type EmbeddedPostgres = {
  connection: ServerConnection;
  /** True when the server was found running and was not started by this process. */
  adopted: boolean;
  /** The pid of the server's process, which changes when the server is started again. */
  readonly pid: number;
  stop(): Promise<void>;
};

type Options = {
  dataDir: string;
  log: Log;
  settings?: ServerSettings;
  /** The longest time that a running server may leave us without any answer. */
  patienceMs?: number;
  /** Ends the start while it is waiting. */
  signal?: AbortSignal | undefined;
};

const PATIENCE_MS = 120_000;

/** Rejects with a StartupError when the reason is one that a person can mend. */
export async function startEmbeddedPostgres(options: Options): Promise<EmbeddedPostgres> {
  const dataDir = resolve(options.dataDir);
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    const cluster = await prepare(dataDir, options);
    return await run(cluster, options);
  } catch (error) {
    throw explainFileError(error, dataDir);
  }
}

/** Returns where the server of this data directory listens, or undefined when no server answers there. */
export async function findRunningPostgres(dataDir: string): Promise<ServerConnection | undefined> {
  const pgDir = pgDirOf(resolve(dataDir));
  try {
    const written = readPostmasterPid(pgDir);
    if (!written) return undefined;
    const connection = connectionTo(written.socketDir, written.port);
    return (await probe(connection)) === "ready" ? connection : undefined;
  } catch (error) {
    throw explainFileError(error, pgDir);
  }
}

async function prepare(dataDir: string, options: Options): Promise<Cluster> {
  const pgDir = pgDirOf(dataDir);
  const user = chooseServerUser(pgDir);
  const binaries = await prepareBinaries({ dataDir, user, log: options.log });
  const cluster = { dataDir, pgDir, user, binaries, settings: options.settings ?? {} };
  await prepareCluster(cluster);
  return cluster;
}

async function run(cluster: Cluster, options: Options): Promise<EmbeddedPostgres> {
  const { log, signal, patienceMs = PATIENCE_MS } = options;
  const { pgDir } = cluster;
  const orphan = await findOrphanServer(pgDir, { log, signal });
  const socketDir = orphan?.socketDir ?? chooseSocketDir(pgDir);
  const connection = connectionTo(socketDir, orphan?.port);
  const launch = (until?: AbortSignal) =>
    launchServer({ cluster, socketDir, log, ...(until && { signal: until }) });
  const server = orphan ? await adoptServer(cluster, orphan.pid) : await launch(signal);
  const supervised = supervise(server, launch, log);
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= supervised.stop().then(() => removeSocketDir(socketDir, pgDir));
    return stopped;
  };
  try {
    // The server reports that it is ready before a busy machine lets it answer a connection.
    await persevere(connection, { log, signal, patienceMs }, (timeoutMs) =>
      unlessAborted(signal, createDatabase(connection, timeoutMs)),
    );
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    connection,
    adopted: orphan !== undefined,
    get pid() {
      return supervised.pid;
    },
    stop,
  };
}

/** Returns the path of PostgreSQL's own folder in the data directory. */
export function pgDirOf(dataDir: string): string {
  return join(dataDir, "pg");
}
