/** When a message that wasn't taken is tried again, and when it is given up. Pure. */
import type { OnAmbiguous } from "../types.ts";

const MINUTE_MS = 60_000;
/** From the first attempt; later than this a deferred row has failed. RFC 5321 §4.5.4.1 asks for 4–5 days of a relay. */
export const RETRY_FOR_MS = 72 * 60 * MINUTE_MS;
export const FIRST_RETRY_MS = MINUTE_MS;
/** Lost on the way, before the dot: soon again, a few times. A message that breaks every connection then waits longer. */
const LOST_RETRY_MS = 5_000;
const LOST_SOON_AGAIN = 3;
const LONGEST_WAIT_MS = 4 * 60 * MINUTE_MS;
/** Many that were deferred together shall not all come back at once. */
const JITTER = 0.2;

export type Attempt = {
  /** 1 for the first. */
  readonly number: number;
  readonly firstAt: Date;
  readonly now: Date;
  readonly onAmbiguous: OnAmbiguous;
  /** How long a deferred message first waits. */
  readonly firstRetryMs: number;
  /** From 0 to 1. */
  readonly chance: number;
};

/** 1, 2, 4, … times the first wait, at most 4 hours, each a fifth more or less. */
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
