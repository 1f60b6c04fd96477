/**
 * A clock that is set back writes times that lie before those of what happened earlier. Whatever is ahead of the clock by more than clocks differ was
 * written before that, so everything that is read from now on came after it.
 */
import type { Clock } from "../../platform/clock.ts";

const CLOCKS_DIFFER_BY_MS = 2_000;

/** No time that is after this one was written by the clock as it goes now. */
export function aheadOf(clock: Clock): Date {
  return new Date(clock.now().getTime() + CLOCKS_DIFFER_BY_MS);
}
