/** When a delivery that failed is tried again, and when it is given up. The rules are pure. */

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** How long after each failure the next try is. After the last of them the delivery has failed. */
const WAITS_MS = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
] as const;
/** Many that failed at once don't all come again at once. */
const JITTER = 0.1;

/**
 * Returns how long to wait after that many tries; undefined where there is no other. `retryAfterMs` is what the endpoint asked
 * for, and it only lengthens the wait.
 */
export function waitAfter(
  tries: number,
  retryAfterMs: number | undefined,
  random: number,
): number | undefined {
  const wait = WAITS_MS[tries - 1];
  if (wait === undefined) return undefined;
  return Math.max(wait * (1 + JITTER * random), retryAfterMs ?? 0);
}

/** So many failures in a row say that the endpoint is down, and not that one message is wrong. */
export const DOWN_AFTER = 10;
const LONGEST_PAUSE_MS = MINUTE_MS;

/** How long to leave an endpoint alone after so many failures in a row: it isn't paused at all until it is down. */
export function pauseAfter(failuresInARow: number): number {
  if (failuresInARow < DOWN_AFTER) return 0;
  return Math.min(LONGEST_PAUSE_MS, 5 * SECOND_MS * 2 ** (failuresInARow - DOWN_AFTER));
}

/** An endpoint to which nothing was delivered for so long is disabled. */
const DISABLED_AFTER_MS = 5 * 24 * HOUR_MS;

export function isGivenUp(failingSince: Date | null, now: Date): boolean {
  return failingSince !== null && now.getTime() - failingSince.getTime() >= DISABLED_AFTER_MS;
}
