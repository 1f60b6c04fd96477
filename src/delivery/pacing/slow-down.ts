/**
 * How much may be under way at once, to a transport or to a domain behind it: halved when the other side asks for less,
 * one more for each full round that it takes (additive increase, multiplicative decrease). Pure.
 */
import type { Outcome } from "../transports/transports.ts";

export type Pace = {
  /** At least 1; whole ones count. */
  readonly limit: number;
  readonly slowedAtMs: number;
  /** Asked for less though there was one at a time only: then nothing for a while. */
  readonly waits: number;
  readonly notBeforeMs: number;
};

/** What was under way when it first said so says it too, and is no second reason. */
const SAME_REASON_MS = 1_000;
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;
const NEVER = Number.NEGATIVE_INFINITY;

export function fullPace(most: number): Pace {
  return { limit: most, slowedAtMs: NEVER, waits: 0, notBeforeMs: NEVER };
}

export function slowDown(pace: Pace, nowMs: number): Pace {
  if (nowMs - pace.slowedAtMs < SAME_REASON_MS) return pace;
  if (pace.limit > 1) return { ...pace, limit: Math.max(1, pace.limit / 2), slowedAtMs: nowMs };
  const waitMs = Math.min(FIRST_WAIT_MS * 2 ** Math.min(pace.waits, 10), LONGEST_WAIT_MS);
  return { limit: 1, slowedAtMs: nowMs, waits: pace.waits + 1, notBeforeMs: nowMs + waitMs };
}

export function speedUp(pace: Pace, most: number): Pace {
  if (pace.limit >= most && pace.waits === 0) return pace;
  return { ...pace, limit: Math.min(most, pace.limit + 1 / pace.limit), waits: 0 };
}

/** How many at once just now. */
export function allowedBy({ limit, notBeforeMs }: Pace, nowMs: number): number {
  return nowMs < notBeforeMs ? 0 : Math.floor(limit);
}

/**
 * Whom a reply asks to slow down for: the whole transport, or those of one domain. RFC 5321 gives 421, 451 and 454 for it,
 * and RFC 3463 4.7.x for what is against a policy, such as too much at once.
 */
export function asksForLess(outcome: Outcome): "transport" | "domain" | "both" | undefined {
  if (outcome.kind !== "deferred") return undefined;
  const { phase, code, enhanced } = outcome;
  const asks = code === 421 || code === 451 || code === 454 || enhanced?.startsWith("4.7.");
  if (!asks) return undefined;
  if (phase !== "rcpt" && phase !== "data" && phase !== "dot") return "transport";
  // 421 also ends the connection, which others would have used.
  return code === 421 ? "both" : "domain";
}
