import { closeSync, existsSync, fstatSync, openSync, readSync, renameSync, statSync } from "node:fs";
import { join } from "node:path";

const ROTATE_AT_BYTES = 10 * 1024 * 1024;
const TAIL_BYTES = 16 * 1024;

// These lines tell nothing: they are the server's answers to clients that come too early, and initdb's remark on
// --no-clean.
const NOISE = /the database system is|at user's request/;

export type ServerLog = { fd: number; close(): void; problems(): string[] };

/** PostgreSQL writes to this file by itself, so that its last lines are kept even when our process is gone. */
export function openServerLog(dataDir: string): ServerLog {
  const path = join(dataDir, "postgres.log");
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size > ROTATE_AT_BYTES) renameSync(path, join(dataDir, "postgres.old.log"));
  const fd = openSync(path, "a", 0o600);
  const start = fstatSync(fd).size;
  return { fd, close: () => closeSync(fd), problems: () => pickProblems(readFrom(path, start)) };
}

function readFrom(path: string, start: number): string {
  if (!existsSync(path)) return "";
  const fd = openSync(path, "r");
  try {
    const { size } = fstatSync(fd);
    const from = Math.max(start, size - TAIL_BYTES);
    const buffer = Buffer.alloc(Math.max(0, size - from));
    readSync(fd, buffer, 0, buffer.length, from);
    return buffer.toString("utf8");
  } finally {
    closeSync(fd);
  }
}

/** Picks the last lines that say what went wrong, without their time and process id. */
function pickProblems(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.replace(/^\d{4}-\d\d-\d\d \S+ \S+ \[\d+\] /, "").trim())
    .filter((line) => /\b(FATAL|PANIC|ERROR)\b|terminated by signal|^initdb: |\berror\b|not found/.test(line))
    .filter((line) => !NOISE.test(line))
    .slice(-5);
}
