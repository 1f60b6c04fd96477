import { statfsSync } from "node:fs";
import { dirname } from "node:path";
import { StartupError } from "../../startup-error.ts";

const NEARLY_FULL_BYTES = 4 * 1024 * 1024;

type Cause = { sign: RegExp; problem: string; remedy: string };

const MEMORY: Cause = {
  sign: /shared memory segment.*(No space left|Cannot allocate)|could not (map|create).*shared memory|Cannot allocate memory|out of memory/i,
  problem: "there isn't enough memory or shared memory",
  remedy: "Free some memory (a container needs about 256 MB, and --shm-size for /dev/shm), then start again.",
};

const DISK_FULL: Cause = {
  sign: /No space left|quota exceeded/i,
  problem: "no space left on the disk",
  remedy:
    "Free some space or move DATA_DIR to a larger disk, then start again; a new database needs about 100 MB. Nothing was deleted.",
};

// The first pattern that matches decides, so a full /dev/shm stands before the full disk.
const CAUSES: Cause[] = [
  MEMORY,
  DISK_FULL,
  {
    sign: /could not look up effective user ID/,
    problem: "its user has no entry in /etc/passwd, which creating a database needs",
    remedy: "Start Postrider as a user that has one, or set DATABASE_URL to a PostgreSQL of your own.",
  },
  {
    sign: /has wrong ownership|invalid permissions/,
    problem: "the folder's owner or mode is wrong",
    remedy: "The folder and all below it must belong to the server's user, mode 0700 (chown -R, chmod 0700).",
  },
  {
    sign: /Read-only file system/,
    problem: "the file system is read-only",
    remedy: "Mount it writable, or move DATA_DIR.",
  },
  {
    sign: /could not (create|bind).*Unix.*(socket|address)|Operation not supported/,
    problem: "the file system can't hold a Unix socket",
    remedy: "Put DATA_DIR on a local Linux or macOS file system (not a share or a mounted Windows drive).",
  },
  {
    sign: /Permission denied|Operation not permitted/,
    problem: "permission was denied",
    remedy: "PostgreSQL's user must be able to enter every folder above DATA_DIR and own what is in it.",
  },
  {
    sign: /files are incompatible|valid checkpoint|pg_control|control file|invalid.*(page|record)|could not (open|read) file|PANIC/,
    problem: "its files are damaged or incomplete, or of a foreign build",
    remedy: "Nothing was changed. Keep a copy of the folder, then restore the data directory from a backup.",
  },
];

/** Turns the last lines of PostgreSQL's log into a sentence that a person can act on. */
export function explainServerFailure(what: string, folder: string, lines: string[]): StartupError {
  const words = lines.join("\n");
  const said = lines.length > 0 ? ` PostgreSQL said: ${lines.slice(-2).join(" / ")}` : "";
  const free = freeBytes(folder);
  const cause = CAUSES.find(({ sign }) => sign.test(words));
  // A full disk also swallows or garbles PostgreSQL's own messages, so the disk's state counts as much as they do.
  const isFull = free < NEARLY_FULL_BYTES && cause !== MEMORY;
  if (isFull || cause === DISK_FULL) return diskFull(what, folder, free);
  if (cause) return new StartupError(`${what} in ${folder}: ${cause.problem}.${said}`, cause.remedy);
  return new StartupError(`${what} in ${folder}.${said}`, "postgres.log in DATA_DIR may say more.");
}

/**
 * Explains errors of our own file operations in the same way; an unknown error is returned as it is, since it is a bug.
 */
export function explainFileError(error: unknown, folder: string): unknown {
  if (!(error instanceof Error) || error instanceof StartupError) return error;
  const { code, path, syscall } = error as NodeJS.ErrnoException;
  // A failed spawn names the program, even when it was the working directory that it could not enter.
  const where = path && !syscall?.startsWith("spawn") ? path : folder;
  if (code === "ENOSPC" || code === "EDQUOT")
    return diskFull("Postrider can't write", folder, freeBytes(folder), error);
  if (code === "EACCES" || code === "EPERM" || code === "EROFS") {
    return new StartupError(
      `Postrider may not use ${where} (${code === "EROFS" ? "read-only file system" : "permission denied"}).`,
      "Start it as the user that owns the data directory, or set DATA_DIR to a folder that this user may write.",
      { cause: error },
    );
  }
  if (code === "ENOTDIR" || code === "EEXIST") {
    const problem = `${where} is in the way: it isn't a folder.`;
    return new StartupError(problem, "Move it away, or choose another DATA_DIR.", { cause: error });
  }
  return error;
}

function diskFull(what: string, folder: string, free: number, cause?: Error): StartupError {
  return new StartupError(
    `${what} in ${folder}: ${DISK_FULL.problem} (${(free / 1e6).toFixed(1)} MB free).`,
    DISK_FULL.remedy,
    { cause },
  );
}

function freeBytes(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return dirname(folder) === folder ? Number.POSITIVE_INFINITY : freeBytes(dirname(folder));
  }
}
