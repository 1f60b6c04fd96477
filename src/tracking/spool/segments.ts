/**
 * The files of a spool. A segment is a file of JSON lines that one process appends to while it is `open`, and nobody once it is
 * `sealed`. Its name is its id, so that what was replayed can be told apart for ever. Everything is flushed before it counts.
 */
import { randomUUID } from "node:crypto";
import { type FileHandle, mkdir, open, readdir, readFile, rename, rm, stat, utimes } from "node:fs/promises";
import { join } from "node:path";

export type Segment = {
  readonly id: string;
  readonly path: string;
  readonly bytes: number;
  readonly modifiedMs: number;
};

const OPEN = /^(?<id>[0-9a-f-]{36})\.open$/;
const SEALED = /^(?<order>\d{15})-(?<id>[0-9a-f-]{36})\.sealed$/;

export type OpenSegment = {
  readonly id: string;
  bytes(): number;
  /**
   * Appends whole lines and flushes them. It answers false where another process took the segment meanwhile, because this one
   * stood still for too long: then nobody knows whether the lines will be replayed.
   */
  append(lines: Buffer): Promise<boolean>;
  /** Says that its process is alive. */
  beat(): Promise<void>;
  /** Closes it for good; from now on it may be replayed. */
  seal(): Promise<void>;
};

export async function openSegment(folder: string, nowMs: number): Promise<OpenSegment> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const id = randomUUID();
  const path = join(folder, `${id}.open`);
  const file = await open(path, "ax", 0o600);
  await syncFolder(folder);
  let bytes = 0;
  return {
    id,
    bytes: () => bytes,
    async append(lines) {
      await writeAll(file, lines);
      await file.datasync();
      bytes += lines.length;
      return isThere(path);
    },
    async beat() {
      const now = new Date();
      await utimes(path, now, now).catch(ignoreMissing);
    },
    async seal() {
      await file.close();
      await sealAs(folder, path, id, nowMs).catch(ignoreMissing);
    },
  };
}

async function writeAll(file: FileHandle, lines: Buffer): Promise<void> {
  let written = 0;
  while (written < lines.length) written += (await file.write(lines, written)).bytesWritten;
}

async function sealAs(folder: string, path: string, id: string, nowMs: number): Promise<void> {
  const order = String(Math.trunc(nowMs)).padStart(15, "0");
  await rename(path, join(folder, `${order}-${id}.sealed`));
  await syncFolder(folder);
}

/** A name is on disk only once its folder is flushed too. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** The sealed segments, the oldest first. */
export async function listSealed(folder: string): Promise<Segment[]> {
  const found: Segment[] = [];
  for (const name of (await namesIn(folder)).sort()) {
    const id = SEALED.exec(name)?.groups?.["id"];
    const segment = id && (await describe(folder, name, id));
    if (segment) found.push(segment);
  }
  return found;
}

async function describe(folder: string, name: string, id: string): Promise<Segment | undefined> {
  const path = join(folder, name);
  // Another process may have replayed it meanwhile.
  const found = await stat(path).catch(() => undefined);
  return found && { id, path, bytes: found.size, modifiedMs: found.mtimeMs };
}

/** The process that writes a segment touches it more often than this, so an older one was left behind. */
const LEFT_BEHIND_MS = 20_000;
export const BEAT_EVERY_MS = 5_000;

/** Seals the segments that a process which died has left open. Process ids say nothing: in a container they repeat. */
export async function sealLeftBehind(folder: string, nowMs: number): Promise<void> {
  for (const name of await namesIn(folder)) {
    const id = OPEN.exec(name)?.groups?.["id"];
    const segment = id && (await describe(folder, name, id));
    if (!segment || !id || nowMs - segment.modifiedMs < LEFT_BEHIND_MS) continue;
    await sealAs(folder, segment.path, id, segment.modifiedMs).catch(ignoreMissing);
  }
}

/** Sets a segment aside that can't be read, so that those behind it are. */
export async function setAside(segment: Segment): Promise<void> {
  await rename(segment.path, `${segment.path}.unreadable`);
}

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

/** The entries of a segment. A last line that was cut off by a crash was never answered for, and isn't there. */
export async function readEntries(segment: Segment): Promise<unknown[]> {
  const text = await readFile(segment.path, "utf8");
  const whole = text.slice(0, text.lastIndexOf("\n") + 1);
  return whole
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}

export async function removeSegment(segment: Segment): Promise<void> {
  await rm(segment.path, { force: true });
}

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== "ENOENT") throw error;
}
