import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

/**
 * The contents of postmaster.pid, which a PostgreSQL server writes into its data directory (miscadmin.h,
 * LOCK_FILE_LINE_*).
 */
export type PostmasterPid = { pid: number; port: number; socketDir: string; status: string };

export function readPostmasterPid(pgDir: string): PostmasterPid | undefined {
  const lines = readIfThere(join(pgDir, "postmaster.pid"))?.split("\n");
  const pid = Number.parseInt(lines?.[0] ?? "", 10);
  if (!lines || !(pid > 0)) return undefined;
  return {
    pid,
    port: Number(lines[3]) || 5432,
    socketDir: resolve(pgDir, lines[4] ?? "."),
    status: lines[7]?.trim() ?? "",
  };
}

/**
 * PostgreSQL would take a pid that now belongs to another program, or to a zombie, for a running server. Only the pid is
 * changed, because PostgreSQL finds the dead server's children that still use the data by the rest of the file.
 */
export function retireStalePid(pgDir: string): void {
  const stale = readPostmasterPid(pgDir);
  if (!stale || !exists(stale.pid) || isServerOf(pgDir, stale.pid)) return;
  const file = join(pgDir, "postmaster.pid");
  const text = readFileSync(file, "utf8").replace(/^\d+/, String(unusedPid()));
  // The file is overwritten in place and never shortened, since on a full disk a new file would be left empty.
  writeFileSync(file, text, { flag: "r+" });
  rmSync(join(stale.socketDir, `.s.PGSQL.${stale.port}.lock`), { force: true });
}

function unusedPid(): number {
  let pid = 4_194_303; // Linux gives no higher pid than this one, and macOS stays below 100,000.
  while (exists(pid)) pid--;
  return pid;
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

/** A zombie counts as dead: in a container there may be nobody to collect it. */
export function isAlive(pid: number): boolean {
  if (!exists(pid)) return false;
  const stat = readProc(`${pid}/stat`);
  return !stat || !/^[ZX]/.test(stat.slice(stat.lastIndexOf(")") + 2));
}

/** Says whether that process is the PostgreSQL server of this very folder. */
export function isServerOf(pgDir: string, pid: number): boolean {
  if (!isAlive(pid)) return false;
  if (!existsSync("/proc/self/stat")) {
    const command = spawnSync("ps", ["-o", "command=", "-p", String(pid)], { encoding: "utf8" }).stdout ?? "";
    return command.includes("postgres") && command.includes(pgDir);
  }
  if (readProc(`${pid}/comm`)?.trim() !== "postgres") return false;
  const folder = statSync(pgDir, { throwIfNoEntry: false });
  if (!folder) return false;
  try {
    const itsFolder = statSync(`/proc/${pid}/cwd`);
    return itsFolder.dev === folder.dev && itsFolder.ino === folder.ino;
  } catch {
    // Root in a container may lack the right to look; then the process's owner is the best evidence there is.
    return statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid === folder.uid;
  }
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** Returns undefined also where /proc is hidden or absent. */
function readProc(path: string): string | undefined {
  try {
    return readFileSync(`/proc/${path}`, "utf8");
  } catch {
    return undefined;
  }
}
