/** Replays a spool whenever there is something in it, and looks for what processes that died have left behind. */
import { DbError } from "../../platform/db/errors.ts";
import type { Log } from "../../platform/log.ts";

/** What of a spool is used here. */
type Replayed<T> = {
  hasEntries(): boolean;
  drain(replay: (segmentId: string, entries: readonly T[]) => Promise<void>): Promise<number>;
  lookAround(): Promise<void>;
  close(): Promise<void>;
};

export type ReplayOptions<T> = {
  readonly spool: Replayed<T>;
  readonly log: Log;
  /** The name of the entries in logs, such as "unsubscribes". */
  readonly called: string;
  readonly everyMs: number;
  /** So many entries are handed to `replay` at once. */
  readonly most: number;
  /** Tells whether to try now. Without it, that is whenever there are entries. */
  readonly isDue?: () => Promise<boolean>;
  /** Must change nothing when it is repeated with the same entries. */
  replay(entries: readonly T[]): Promise<void>;
};

const LOOK_AROUND_EVERY_MS = 10_000;

export function keepReplaying<T>(options: ReplayOptions<T>): { stop(): Promise<void> } {
  const { spool, log, called, everyMs, isDue = async () => spool.hasEntries() } = options;

  async function replayAll(): Promise<void> {
    try {
      if (!(await isDue())) return;
      const count = await spool.drain(async (_segment, entries) => {
        for (let at = 0; at < entries.length; at += options.most) {
          await replaySome(options, entries.slice(at, at + options.most));
        }
      });
      if (count > 0) log.info({ entries: count }, `${called} that were on disk are replayed`);
    } catch (error) {
      if (!isTransient(error)) log.error({ err: error }, `${called} on disk could not be replayed`);
    }
  }
  const lookAround = () => spool.lookAround().catch((error) => log.warn({ err: error }, "no spool"));

  // One thing at a time happens to the spool's files.
  let working: Promise<void> = lookAround();
  const timers = [
    setInterval(() => {
      working = working.then(replayAll);
    }, everyMs),
    // What a process that died left behind may be found by one that runs on.
    setInterval(() => {
      working = working.then(lookAround);
    }, LOOK_AROUND_EVERY_MS),
  ];
  return {
    async stop() {
      for (const timer of timers) clearInterval(timer);
      await working;
      await replayAll();
      await spool.close();
    },
  };
}

/** An entry that can't be replayed must not hold up all behind it: where some fail, each is tried by itself. */
async function replaySome<T>(options: ReplayOptions<T>, entries: readonly T[]): Promise<void> {
  try {
    await options.replay(entries);
  } catch (error) {
    if (isTransient(error)) throw error;
    if (entries.length > 1) for (const entry of entries) await replaySome(options, [entry]);
    else options.log.error({ err: error }, `one of the ${options.called} on disk could not be replayed`);
  }
}

/** Whether the same may succeed later. */
export function isTransient(error: unknown): boolean {
  return error instanceof DbError && ["unavailable", "busy", "full", "conflict"].includes(error.kind);
}
