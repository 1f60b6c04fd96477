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

export type Turns<Waiting> = {
  /** Finds what waits just now. It is asked before each turn. */
  find(): Promise<readonly Waiting[]>;
  nameOf(one: Waiting): string;
  /** Does one piece, and says whether there may be more. */
  hasMore(one: Waiting): Promise<boolean>;
  /** Who has no more, or failed, is left alone for so long, while others may have enough to do for an hour. */
  readonly restMs: number;
};

/** Does a piece of each that waits, turn by turn until none has more, so that a large one keeps no other waiting, also none that came since. */
export async function takeTurns<Waiting>(
  { find, nameOf, hasMore, restMs }: Turns<Waiting>,
  isStopped: () => boolean,
): Promise<void> {
  const resting = new Map<string, number>();
  for (let isAnyLeft = true; isAnyLeft; ) {
    isAnyLeft = false;
    const now = performance.now();
    for (const [name, until] of resting) if (until <= now) resting.delete(name);
    for (const one of await find()) {
      if (isStopped()) return;
      const name = nameOf(one);
      if (resting.has(name)) continue;
      if (await hasMore(one)) isAnyLeft = true;
      else resting.set(name, performance.now() + restMs);
    }
  }
}
