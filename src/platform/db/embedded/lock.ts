import { accessSync, constants, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { StartupError } from "../../startup-error.ts";
import { explainFileError } from "./failures.ts";
import { isAlive } from "./postmaster-pid.ts";

export type DataDirLock = { release(): void };

const SQLITE_BUSY = 5;

// A handle that is garbage-collected would drop its lock, so the process keeps a reference to every lock it has taken.
const held = new Set<DatabaseSync>();

/**
 * Takes a lock on the data directory that the kernel drops when the process ends. Where somebody else has it, returns
 * that process's pid, or null if the pid is unknown.
 */
export function lockDataDir(dataDir: string): { lock: DataDirLock } | { heldBy: number | null } {
  const folder = resolve(dataDir);
  const pidFile = join(folder, "postrider.pid");
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const database = takeExclusively(join(folder, "postrider.lock"));
    if (!database) return { heldBy: readHolder(pidFile) };
    held.add(database);
    const lock = { release: () => release(database, pidFile) };
    try {
      writeFileSync(pidFile, `${process.pid}\n`);
    } catch (error) {
      lock.release();
      throw error;
    }
    return { lock };
  } catch (error) {
    throw explainFileError(error, folder);
  }
}

/**
 * SQLite's exclusive lock is the only kernel lock that Node offers without an add-on. POSIX drops it as soon as this
 * process closes any other handle on the file, so nothing else may ever open it, and the pid is kept in a file beside it.
 */
function takeExclusively(file: string): DatabaseSync | undefined {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file, { timeout: 0 });
    accessSync(file, constants.W_OK); // SQLite would be content with a mere read lock on a read-only file.
    database.exec("PRAGMA journal_mode = MEMORY; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE");
    return database;
  } catch (error) {
    database?.close();
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY) return undefined;
    if ((error as NodeJS.ErrnoException).code !== "ERR_SQLITE_ERROR") throw error;
    throw new StartupError(
      `The lock file ${file} can't be used: ${(error as Error).message}.`,
      "DATA_DIR must be a folder that this user may write, on a file system with locks.",
      { cause: error },
    );
  }
}

function release(database: DatabaseSync, pidFile: string): void {
  if (!held.delete(database)) return;
  rmSync(pidFile, { force: true });
  database.close();
}

function readHolder(pidFile: string): number | null {
  try {
    const pid = Number.parseInt(readFileSync(pidFile, "utf8"), 10);
    return pid > 0 && isAlive(pid) ? pid : null;
  } catch {
    return null;
  }
}
