/** Looks for something to do again and again: after a while, or at once when a notification says so; never twice at the same time. */
import type { Log } from "../log.ts";

export type Looking = {
  /** Looks at once. Whoever asks while a look is under way gets another after it, since that one may have passed by what is new. */
  lookNow(): void;
  /** Returns when the look that is under way has ended. */
  stop(): Promise<void>;
};

/**
 * `everyMs` is asked after each look, so that who finds nothing may look less often. A look that fails is logged as `failed`, and the next
 * one comes as ever.
 */
export function startLooking(
  { log, failed, everyMs }: { readonly log: Log; readonly failed: string; readonly everyMs: () => number },
  look: (isStopped: () => boolean) => Promise<void>,
): Looking {
  let [isStopped, isHinted] = [false, false];
  let looking: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;

  function lookNow(): void {
    if (isStopped) return;
    if (looking) {
      isHinted = true;
      return;
    }
    isHinted = false;
    clearTimeout(timer);
    looking = look(() => isStopped)
      .catch((error) => log.warn({ reason: error.message }, failed))
      .finally(() => {
        looking = undefined;
        if (isHinted) lookNow();
        else lookLater();
      });
  }

  function lookLater(): void {
    if (!isStopped) timer = setTimeout(lookNow, everyMs());
  }

  lookLater();
  return {
    lookNow,
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await looking;
    },
  };
}

/** Goes through what waits, a piece of each by turns, so that a large one keeps no other waiting. `hasMore` does one piece. */
export async function takeTurns<Waiting>(
  found: readonly Waiting[],
  hasMore: (one: Waiting) => Promise<boolean>,
  isStopped: () => boolean,
): Promise<void> {
  for (let waiting = found; waiting.length > 0 && !isStopped(); ) {
    const more: Waiting[] = [];
    for (const one of waiting) if (!isStopped() && (await hasMore(one))) more.push(one);
    waiting = more;
  }
}
