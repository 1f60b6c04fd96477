/**
 * The spool: what must be answered for while the database is away is written to disk first, and replayed when it is back, each
 * segment once, whoever does it and wherever it dies: the transaction that replays a segment also notes its id.
 */
import { createGroupCommit } from "../../platform/group-commit.ts";
import {
  BEAT_EVERY_MS,
  listSealed,
  type OpenSegment,
  openSegment,
  readEntries,
  removeSegment,
  type Segment,
  sealLeftBehind,
  setAside,
} from "./segments.ts";

export { isTransient, keepReplaying } from "./replaying.ts";

export type Spool<T> = {
  /** Answers true once the entry is on disk, and false where the spool is full. */
  append(entry: T): Promise<boolean>;
  /** Whether there may be something to replay. */
  hasEntries(): boolean;
  /**
   * Hands the segments to `replay`, the oldest first, and removes each when it returns. It throws what `replay` throws, and
   * then the segment is handed over again later.
   */
  drain(replay: (segmentId: string, entries: readonly T[]) => Promise<void>): Promise<number>;
  /** Looks for what other processes left behind. */
  lookAround(): Promise<void>;
  close(): Promise<void>;
};

export type SpoolOptions = {
  readonly folder: string;
  readonly mostBytes: number;
  readonly now: () => number;
  /** Called for a segment that was set aside, because it can't be read. */
  readonly onUnreadable: (path: string) => void;
};

/** A segment is one transaction when it is replayed, so it is small. */
const SEGMENT_BYTES = 1_024 * 1_024;
const MOST_IN_A_GROUP = 1_000;

export function createSpool<T>({ folder, mostBytes, now, onUnreadable }: SpoolOptions): Spool<T> {
  let current: OpenSegment | undefined;
  let sealedBytes = 0;
  let mayHaveSealed = true;
  let draining: Promise<number> | undefined;
  let working: Promise<unknown> = Promise.resolve();

  /** One thing at a time happens to the open segment: a seal in the midst of an append would close its file. */
  function exclusively<R>(work: () => Promise<R>): Promise<R> {
    const done = working.then(work, work);
    working = done.catch(() => undefined);
    return done;
  }

  const beats = setInterval(() => void exclusively(async () => current?.beat()), BEAT_EVERY_MS);
  beats.unref();

  async function append(entries: readonly T[]): Promise<boolean[]> {
    const lines = Buffer.from(entries.map((entry) => `${JSON.stringify(entry)}\n`).join(""));
    if (sealedBytes + (current?.bytes() ?? 0) + lines.length > mostBytes) return entries.map(() => false);
    current ??= await openSegment(folder, now());
    const segment = current;
    try {
      // Entries may be replayed twice, so that what another process took while this one stood still is written again.
      if (!(await segment.append(lines))) {
        current = await openSegment(folder, now());
        await current.append(lines);
      }
    } catch (error) {
      // A disk that is full may have taken half of it: the segment ends here, and its last line is no entry.
      await seal().catch(() => undefined);
      throw error;
    }
    if (segment.bytes() >= SEGMENT_BYTES) await seal();
    return entries.map(() => true);
  }
  const grouping = createGroupCommit<T, boolean>((entries) => exclusively(() => append(entries)), {
    most: MOST_IN_A_GROUP,
  });

  async function seal(): Promise<void> {
    const segment = current;
    current = undefined;
    if (!segment) return;
    sealedBytes += segment.bytes();
    mayHaveSealed = true;
    await segment.seal();
  }

  async function drainAll(replay: (id: string, entries: readonly T[]) => Promise<void>): Promise<number> {
    await exclusively(seal);
    let replayed = 0;
    for (let segments = await listSealed(folder); segments.length > 0; segments = await listSealed(folder)) {
      for (const segment of segments) replayed += await replayOne(segment, replay);
    }
    sealedBytes = 0;
    mayHaveSealed = current !== undefined;
    return replayed;
  }

  async function replayOne(
    segment: Segment,
    replay: (id: string, entries: readonly T[]) => Promise<void>,
  ): Promise<number> {
    const entries = (await readEntries(segment).catch(missingIsEmpty)) as T[] | "unreadable";
    if (entries === "unreadable") {
      await setAside(segment);
      onUnreadable(segment.path);
      return 0;
    }
    if (entries.length > 0) await replay(segment.id, entries);
    await removeSegment(segment);
    return entries.length;
  }

  return {
    append: (entry) => grouping.add(entry),
    hasEntries: () => mayHaveSealed || current !== undefined,
    drain(replay) {
      draining ??= drainAll(replay).finally(() => {
        draining = undefined;
      });
      return draining;
    },
    async lookAround() {
      await sealLeftBehind(folder, now());
      const sealed = await listSealed(folder);
      sealedBytes = sealed.reduce((sum, { bytes }) => sum + bytes, 0);
      mayHaveSealed = sealed.length > 0;
    },
    async close() {
      clearInterval(beats);
      await draining?.catch(() => undefined);
      await exclusively(seal);
    },
  };
}

/** A segment that is missing was replayed by another process, which was faster. One that isn't JSON was damaged on disk. */
function missingIsEmpty(error: NodeJS.ErrnoException): unknown[] | "unreadable" {
  if (error.code === "ENOENT") return [];
  if (error instanceof SyntaxError) return "unreadable";
  throw error;
}
