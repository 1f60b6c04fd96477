/**
 * These pure rules limit how many messages may be under way at once, to a transport or to a domain behind it. The limit is
 * halved when the other side asks for less, and grows by one for each full round that it takes (additive increase,
 * multiplicative decrease).
 */
import type { Outcome } from "../transports/transports.ts";

export type Concurrency = {
  /** At least 1; it grows by fractions, of which only the whole part counts. */
  readonly limit: number;
  readonly slowedAtMs: number;
  /**
   * How often in a row the other side asked for less though only one at a time was sent; then nothing is sent until
   * `notBeforeMs`.
   */
  readonly waits: number;
  readonly notBeforeMs: number;
};

/** Messages that were under way at the first such reply get the same one, which is no second reason to slow down. */
const SAME_REASON_MS = 1_000;
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;
const NEVER = Number.NEGATIVE_INFINITY;

export function fullConcurrency(most: number): Concurrency {
  return { limit: most, slowedAtMs: NEVER, waits: 0, notBeforeMs: NEVER };
}

export function slowDown(concurrency: Concurrency, nowMs: number): Concurrency {
  if (nowMs - concurrency.slowedAtMs < SAME_REASON_MS) return concurrency;
  if (concurrency.limit > 1)
    return { ...concurrency, limit: Math.max(1, concurrency.limit / 2), slowedAtMs: nowMs };
  const waitMs = Math.min(FIRST_WAIT_MS * 2 ** Math.min(concurrency.waits, 10), LONGEST_WAIT_MS);
  return { limit: 1, slowedAtMs: nowMs, waits: concurrency.waits + 1, notBeforeMs: nowMs + waitMs };
}

export function speedUp(concurrency: Concurrency, most: number): Concurrency {
  if (concurrency.limit >= most && concurrency.waits === 0) return concurrency;
  return { ...concurrency, limit: Math.min(most, concurrency.limit + 1 / concurrency.limit), waits: 0 };
}

/** Returns how many messages may be under way at once now. */
export function allowedBy({ limit, notBeforeMs }: Concurrency, nowMs: number): number {
  return nowMs < notBeforeMs ? 0 : Math.floor(limit);
}

/**
 * Returns for whom a reply asks us to slow down: the whole transport, or one domain. RFC 5321 gives 421, 451 and 454 for it,
 * and RFC 3463 gives 4.7.x for what is against a policy, such as too much at once.
 */
export function asksForLess(outcome: Outcome): "transport" | "domain" | "both" | undefined {
  if (outcome.kind !== "deferred") return undefined;
  const { phase, code, enhanced } = outcome;
  const asks = code === 421 || code === 451 || code === 454 || enhanced?.startsWith("4.7.");
  if (!asks) return undefined;
  if (phase !== "rcpt" && phase !== "data" && phase !== "dot") return "transport";
  // A 421 also ends the connection, which other messages would have used.
  return code === 421 ? "both" : "domain";
}
