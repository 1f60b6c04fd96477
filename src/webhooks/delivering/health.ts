/** How well an endpoint answers: whether it is down, and until when to leave it alone. */
import type { Posted } from "../../platform/net/post-webhook.ts";
import { DOWN_AFTER, isGivenUp, pauseAfter } from "./retries.ts";

export type Health = {
  note(posted: Posted, now: Date): void;
  isDown(): boolean;
  pausedUntilMs(): number;
  failingSince(): Date | null;
  isGivenUp(now: Date): boolean;
};

/** With these an endpoint asks to be left alone, and not for one message alone. */
const ASKS_FOR_PEACE: ReadonlySet<number | null> = new Set([429, 503]);
/** It is asked again after so long, whatever it said. */
const LONGEST_PEACE_MS = 3_600_000;

export function createHealth(failingSinceAtFirst: Date | null): Health {
  let failingSince = failingSinceAtFirst;
  let failuresInARow = failingSinceAtFirst ? DOWN_AFTER : 0;
  let pausedUntilMs = 0;
  return {
    note({ outcome, attempt, retryAfterMs = 0 }, now) {
      if (outcome === "delivered") {
        [failuresInARow, failingSince, pausedUntilMs] = [0, null, 0];
        return;
      }
      failuresInARow++;
      failingSince ??= now;
      const asked = ASKS_FOR_PEACE.has(attempt.status) ? Math.min(retryAfterMs, LONGEST_PEACE_MS) : 0;
      pausedUntilMs = Math.max(pausedUntilMs, now.getTime() + Math.max(asked, pauseAfter(failuresInARow)));
    },
    isDown: () => failuresInARow >= DOWN_AFTER,
    pausedUntilMs: () => pausedUntilMs,
    failingSince: () => failingSince,
    isGivenUp: (now) => isGivenUp(failingSince, now),
  };
}
