/** A sender's rest: where there was nothing to do it looks again after a while, or when a hint says so. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Listener } from "../../platform/db/listen.ts";
import { onReady } from "../ledger/ledger.ts";

/** Hints wake it; this is for those that got lost, for retries that fall due and for batches of the dead. */
const LOOK_EVERY_MS = 500;

export type IdleSources = {
  /** Nothing to do there for a while, unless a hint says otherwise. */
  begin(sourceId: string): void;
  isResting(sourceId: string): boolean;
  untilWoken(): Promise<void>;
  wake(): void;
};

export function createIdleSources(listener: Pick<Listener, "listen">): IdleSources {
  const restsSince = new Map<string, number>();
  let woken = Promise.withResolvers<void>();
  /** Woken while awake: then it looks once more before it rests. */
  let isWoken = false;
  const wake = () => {
    isWoken = true;
    woken.resolve();
    woken = Promise.withResolvers<void>();
  };
  onReady(listener, (sourceId) => {
    if (sourceId) restsSince.delete(sourceId);
    else restsSince.clear();
    wake();
  });
  return {
    begin: (sourceId) => void restsSince.set(sourceId, performance.now()),
    isResting(sourceId) {
      const since = restsSince.get(sourceId);
      if (since === undefined) return false;
      if (performance.now() - since < LOOK_EVERY_MS) return true;
      restsSince.delete(sourceId);
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
