/** When a post that failed is tried again, and when it is given up. The rules are pure. */

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** How long after each failure the next try is: a day in all. After the last of them it is given up. */
const WAITS_MS = [5_000, MINUTE_MS, 10 * MINUTE_MS, HOUR_MS, 3 * HOUR_MS, 8 * HOUR_MS, 12 * HOUR_MS] as const;
/** Many that failed at once don't all come again at once. */
const JITTER = 0.1;

/** Returns undefined where there is no other try. What the receiver asks for only lengthens the wait. */
export function waitAfter(
  tries: number,
  retryAfterMs: number | undefined,
  random: number,
): number | undefined {
  const wait = WAITS_MS[tries - 1];
  return wait === undefined ? undefined : Math.max(wait * (1 + JITTER * random), retryAfterMs ?? 0);
}

/** So many failures in a row say that a receiver is down; it is then left alone for longer each time, up to a minute. */
const DOWN_AFTER = 8;

export function pauseAfter(failuresInARow: number): number {
  if (failuresInARow < DOWN_AFTER) return 0;
  return Math.min(MINUTE_MS, 5_000 * 2 ** (failuresInARow - DOWN_AFTER));
}
