/** These pure rules say when a message that wasn't taken is tried again, and when it is given up. */
import type { OnAmbiguous } from "../types.ts";

const MINUTE_MS = 60_000;
/** A deferred message fails this long after its first attempt. RFC 5321 §4.5.4.1 asks a relay for 4–5 days. */
export const RETRY_FOR_MS = 72 * 60 * MINUTE_MS;
/** The first wait of senders that aren't told another. The service tells its senders RETRY_AFTER_SECONDS (`settings.ts`). */
export const FIRST_RETRY_MS = MINUTE_MS;
/**
 * A message whose connection was lost before the dot is tried again soon, three times; one that breaks every connection
 * waits longer.
 */
const LOST_RETRY_MS = 5_000;
const LOST_SOON_AGAIN = 3;
const LONGEST_WAIT_MS = 4 * 60 * MINUTE_MS;
/** Messages that were deferred together should not all come back at once. */
const JITTER = 0.2;

export type Attempt = {
  /** The number of the attempt, 1 for the first. */
  readonly number: number;
  readonly firstAt: Date;
  readonly now: Date;
  readonly onAmbiguous: OnAmbiguous;
  /** How long a deferred message waits for its second attempt. */
  readonly firstRetryMs: number;
  /** A random number from 0 to 1, which spreads the waits. */
  readonly chance: number;
};

/** Returns 1, 2, 4, … times the first wait, at most 4 hours, each a fifth more or less. */
export function backoffMs({
  number,
  firstRetryMs,
  chance,
}: Pick<Attempt, "number" | "firstRetryMs" | "chance">): number {
  const waitMs = Math.min(firstRetryMs * 2 ** Math.min(number - 1, 20), LONGEST_WAIT_MS);
  return Math.round(waitMs * (1 - JITTER + 2 * JITTER * chance));
}

export function lostWaitMs(attempt: Attempt): number | undefined {
  if (attempt.number > LOST_SOON_AGAIN) return undefined;
  return Math.min(LOST_RETRY_MS, attempt.firstRetryMs) * (1 - JITTER + 2 * JITTER * attempt.chance);
}
