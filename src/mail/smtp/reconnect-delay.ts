/** Decides when a server that failed may be tried again: later each time, and not by all our processes at once. */
import type { BackOffOptions } from "./options.ts";

export type ReconnectDelay = {
  failed(): void;
  succeeded(): void;
  /** Returns 0 where the server may be tried now. */
  waitMs(): number;
};

export function createReconnectDelay(
  options: BackOffOptions,
  monotonicMs: () => number,
  random: () => number,
): ReconnectDelay {
  let failures = 0;
  let notBeforeMs = Number.NEGATIVE_INFINITY;
  return {
    failed() {
      // Ten connections that a server drops at the same time count as one failure.
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

/** The delay doubles with each failure, up to the maximum, and half of it is random. */
function delayAfter(failures: number, { firstMs, maxMs }: BackOffOptions, chance: number): number {
  const fullMs = Math.min(maxMs, firstMs * 2 ** Math.min(failures, 30));
  return fullMs * (0.5 + chance / 2);
}
