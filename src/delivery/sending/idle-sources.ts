/** A source that had nothing to do is idle: a sender looks at it again after a while, or when a notification says so. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Listener } from "../../platform/db/listen.ts";
import { onReady } from "../ledger/ledger.ts";

/**
 * Notifications wake a sender; this interval is for those that got lost, for retries that fall due and for batches of dead
 * senders.
 */
const LOOK_EVERY_MS = 500;

export type IdleSources = {
  /** Marks a source as having nothing to do for a while, unless a notification says otherwise. */
  markIdle(sourceId: string): void;
  isIdle(sourceId: string): boolean;
  untilWoken(): Promise<void>;
  wake(): void;
};

export function createIdleSources(listener: Pick<Listener, "listen">): IdleSources {
  const idleSince = new Map<string, number>();
  let woken = Promise.withResolvers<void>();
  /** Whether a wake came while the sender was busy: then it looks once more before it waits. */
  let isWoken = false;
  const wake = () => {
    isWoken = true;
    woken.resolve();
    woken = Promise.withResolvers<void>();
  };
  onReady(listener, (sourceId) => {
    if (sourceId) idleSince.delete(sourceId);
    else idleSince.clear();
    wake();
  });
  return {
    markIdle: (sourceId) => void idleSince.set(sourceId, performance.now()),
    isIdle(sourceId) {
      const since = idleSince.get(sourceId);
      if (since === undefined) return false;
      if (performance.now() - since < LOOK_EVERY_MS) return true;
      idleSince.delete(sourceId);
      return false;
    },
    async untilWoken() {
      const over = new AbortController();
      const waited = sleep(LOOK_EVERY_MS, undefined, { signal: over.signal }).catch(() => undefined);
      if (!isWoken) await Promise.race([woken.promise, waited]);
      isWoken = false;
      over.abort();
    },
    wake,
  };
}
