import { createHash } from "node:crypto";
import { chownSync, existsSync, lstatSync, mkdirSync, realpathSync, rmdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, DatabaseError } from "pg";
import { StartupError } from "../../startup-error.ts";
import type { ServerUser } from "./server-user.ts";

/** The connection settings that `pg` takes; `host` is the folder of the Unix socket. */
export type ServerConnection = { host: string; port: number; user: string; database: string };

/** `ready` takes work, `busy` is starting or stopping, and `silent` means that no server is there. */
export type ProbeResult = "ready" | "busy" | "silent";

// sun_path holds 104 bytes on macOS and 108 on Linux, with the closing zero.
const MAX_PATH_BYTES = 103;
const PORT = 5432;
const USER = "postrider";
const CANNOT_CONNECT_NOW = "57P03";
const PROBE_TIMEOUT_MS = 2_000;

/** Returns the data directory itself, or a short private folder where its path would be too long for a socket. */
export function chooseSocketDir(pgDir: string): string {
  if (fits(pgDir)) return pgDir;
  const name = `postrider-${createHash("sha256").update(realpathSync(pgDir)).digest("hex").slice(0, 12)}`;
  // PostgreSQL takes a list of folders, so commas, spaces and quotes have a meaning in it.
  const short = ["/tmp", tmpdir()]
    .filter((folder) => existsSync(folder) && /^[\w./-]+$/.test(folder))
    .map((folder) => join(folder, name))
    .find(fits);
  if (short) return short;
  throw new StartupError(`The path ${pgDir} is too long for a Unix socket.`, "Choose a shorter DATA_DIR.");
}

/** Anyone who can reach the socket may connect, so the folder must be open to the server's user alone. */
export function prepareSocketDir(socketDir: string, pgDir: string, user: ServerUser | undefined): void {
  if (socketDir === pgDir) return;
  const self = process.getuid?.();
  const owner = user?.uid ?? self;
  if (!lstatSync(socketDir, { throwIfNoEntry: false })) mkdirSync(socketDir, { mode: 0o700 });
  const found = lstatSync(socketDir);
  const ours = found.uid === owner || found.uid === self;
  if (!found.isDirectory() || !ours || (found.mode & 0o077) !== 0) {
    throw new StartupError(
      `${socketDir}, which is to hold the database's socket, belongs to somebody else or is open to others.`,
      `Remove ${socketDir}, or choose a DATA_DIR with a shorter path.`,
    );
  }
  if (user && found.uid !== user.uid) chownSync(socketDir, user.uid, user.gid);
}

export function removeSocketDir(socketDir: string, pgDir: string): void {
  if (socketDir === pgDir) return;
  try {
    rmdirSync(socketDir);
  } catch {
    // The folder is gone already, or it holds something that isn't ours.
  }
}

export function connectionTo(socketDir: string, port = PORT): ServerConnection {
  return { host: socketDir, port, user: USER, database: "postrider" };
}

export async function probe(connection: ServerConnection): Promise<ProbeResult> {
  const client = systemClient(connection, PROBE_TIMEOUT_MS);
  try {
    await client.connect();
    return "ready";
  } catch (error) {
    // A process accepted the connection and said nothing in time: it is a server that stops, hangs or has too much to do.
    if (/timeout expired/.test((error as Error).message)) return "busy";
    if (!(error instanceof DatabaseError)) return "silent";
    // A server that refuses us for another reason (too many clients, say) is running.
    return error.code === CANNOT_CONNECT_NOW ? "busy" : "ready";
  } finally {
    await client.end().catch(() => {});
  }
}

/** A copy of the template may take long on a slow disk. */
const CREATE_TIMEOUT_MS = 120_000;

/** Creates our database where it doesn't exist yet. A server that stands still after it let us in is given up after `timeoutMs`, as one that doesn't. */
export async function createDatabase(connection: ServerConnection, timeoutMs: number): Promise<void> {
  const client = systemClient(connection, timeoutMs);
  try {
    await client.connect();
    const { rowCount } = await client.query("select from pg_database where datname = $1", [
      connection.database,
    ]);
    if (rowCount) return;
    // A statement's error goes to its client; in postgres.log it could quote an address ('jo@…' is no integer).
    await client.query(`alter role ${connection.user} set log_min_messages = log`);
    const create = { text: `create database ${connection.database}`, query_timeout: CREATE_TIMEOUT_MS };
    await client.query(create);
  } finally {
    await client.end().catch(() => {});
  }
}

function systemClient(connection: ServerConnection, connectionTimeoutMillis: number): Client {
  // `ssl` and `options` are set here so that PGSSLMODE and PGOPTIONS in the environment have no effect.
  const client = new Client({
    ...connection,
    database: "postgres",
    ssl: false,
    options: "",
    connectionTimeoutMillis,
    query_timeout: connectionTimeoutMillis,
  });
  client.on("error", () => {});
  return client;
}

function fits(folder: string): boolean {
  return Buffer.byteLength(join(folder, `.s.PGSQL.${PORT}`)) <= MAX_PATH_BYTES;
}
