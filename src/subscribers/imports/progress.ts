/**
 * Progress goes out as server-sent events, at every notification and every second in case one got lost, until the import
 * ends.
 */
import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import type { Listener } from "../../platform/db/listen.ts";
import type { ImportStatus } from "./import-store.ts";
import { IMPORTS_CHANNEL } from "./running/running.ts";
import type { Import } from "./schema.ts";

export type ProgressHints = {
  /** Resolves at the next hint about this import. */
  next(importId: string, signal: AbortSignal): Promise<void>;
};

/** One LISTEN serves the whole process, however many people are watching. */
export function createProgressHints(listener: Pick<Listener, "listen">): ProgressHints {
  const waiting = new Map<string, Set<() => void>>();
  const wake = (ids: Iterable<string>) => {
    for (const id of [...ids]) for (const resolve of [...(waiting.get(id) ?? [])]) resolve();
  };
  let isListening = false;
  return {
    next(importId, signal) {
      if (!isListening) {
        isListening = true;
        listener.listen(IMPORTS_CHANNEL, (payload) => wake(payload === "" ? waiting.keys() : [payload]));
      }
      return new Promise((resolve) => {
        const own = waiting.get(importId) ?? new Set();
        waiting.set(importId, own);
        const done = () => {
          own.delete(done);
          if (own.size === 0 && waiting.get(importId) === own) waiting.delete(importId);
          resolve();
        };
        own.add(done);
        signal.addEventListener("abort", done, { once: true });
      });
    },
  };
}

const LOOK_EVERY_MS = 1_000;
/** Batches come several times a second; nobody can read that fast. */
const NOT_OFTENER_THAN_MS = 200;
/** Proxies close what is silent. */
const COMMENT_EVERY = 15;

const MOVING: readonly ImportStatus[] = ["pending", "running", "undoing"];

export function streamProgress(
  hints: ProgressHints,
  importId: string,
  read: () => Promise<Import | undefined>,
  signal: AbortSignal,
): Readable {
  const events = async function* () {
    let last = "";
    for (let quiet = 0; !signal.aborted; ) {
      const now = await read();
      if (!now) return;
      const isMoving = MOVING.includes(now.status);
      const data = JSON.stringify(now);
      // The time left changes by itself; only news is worth an event.
      const news = JSON.stringify({ ...now, progress: null });
      if (news !== last || !isMoving) {
        yield `event: ${isMoving ? "progress" : "done"}\ndata: ${data}\n\n`;
        quiet = 0;
      } else if (++quiet % COMMENT_EVERY === 0) yield ": still here\n\n";
      if (!isMoving) return;
      last = news;
      await pause(hints, importId, signal);
    }
  };
  return Readable.from(events(), { objectMode: false });
}

async function pause(hints: ProgressHints, importId: string, signal: AbortSignal): Promise<void> {
  const over = new AbortController();
  const either = AbortSignal.any([signal, over.signal]);
  try {
    const wait = (ms: number) => sleep(ms, undefined, { signal: either }).catch(() => undefined);
    await wait(NOT_OFTENER_THAN_MS);
    await Promise.race([hints.next(importId, either), wait(LOOK_EVERY_MS)]);
  } finally {
    over.abort();
  }
}
