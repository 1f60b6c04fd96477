/** When a server that failed us may be tried again: later each time, and not by all of us at once. */
import type { BackOffOptions } from "./options.ts";

export type BackOff = {
  failed(): void;
  succeeded(): void;
  /** 0 where it may be tried now. */
  waitMs(): number;
};

export function createBackOff(
  options: BackOffOptions,
  monotonicMs: () => number,
  random: () => number,
): BackOff {
  let failures = 0;
  let notBeforeMs = Number.NEGATIVE_INFINITY;
  return {
    failed() {
      // Ten connections that a server drops at once are one failure.
      if (monotonicMs() < notBeforeMs) return;
      notBeforeMs = monotonicMs() + delayAfter(failures, options, random());
      failures++;
    },
    succeeded() {
      failures = 0;
      notBeforeMs = Number.NEGATIVE_INFINITY;
    },
    waitMs: () => Math.max(0, notBeforeMs - monotonicMs()),
  };
}

/** Doubled with each failure, up to the most, of which half is left to chance. */
function delayAfter(failures: number, { firstMs, maxMs }: BackOffOptions, chance: number): number {
  const fullMs = Math.min(maxMs, firstMs * 2 ** Math.min(failures, 30));
  return fullMs * (0.5 + chance / 2);
}
