/** What follows from an attempt: pure, and tested as a table. */
import { type BounceKind, readRejection } from "./rejections.ts";
import type { Outcome } from "./transport.ts";
import type { OnAmbiguous } from "./types.ts";

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

/** What is written of an attempt. `ready` is as if it had not been made. */
export type Settlement = {
  readonly state: "ready" | "sent" | "deferred" | "failed" | "unknown" | "skipped";
  readonly why: string | null;
  readonly bounce: BounceKind | null;
  readonly code: number | null;
  readonly reply: string | null;
  readonly dueAt: Date | null;
};

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

/** What happens before MAIL is about the connection, and has nothing to do with any message. */
const OF_THE_SESSION: ReadonlySet<string> = new Set([
  "waiting",
  "connect",
  "tls",
  "greeting",
  "ehlo",
  "starttls",
  "auth",
]);

/** What is written of an attempt that the relay refused us, and not this message. */
export const asIfNotTried: Settlement = plain("ready", null);

/**
 * `isSettled` is false of a refusal where no other message has told whether it was about us. Then nobody is suppressed for
 * it: only what is surely said of the mailbox, and is soft, stays what it is.
 */
export function settlementOf(outcome: Outcome, attempt: Attempt, isSettled = true): Settlement {
  if ("phase" in outcome && OF_THE_SESSION.has(outcome.phase)) return asIfNotTried;
  switch (outcome.kind) {
    case "withheld":
      return asIfNotTried;
    case "accepted":
      return { ...plain("sent", null), code: outcome.code, reply: outcome.text };
    case "rejected": {
      const { kind, about } = readRejection(outcome);
      const isKept = isSettled || (about === "message" && kind === "soft");
      const bounce: BounceKind = isKept ? kind : "block";
      const { code, text: reply } = outcome;
      return { ...plain("failed", `${bounce}_bounce`), bounce, code, reply };
    }
    case "deferred": {
      const { code, text: reply, retryAfterMs } = outcome;
      return { ...again(attempt, retryAfterMs), code, reply };
    }
    case "unreachable":
      return { ...again(attempt, lostWaitMs(attempt)), reply: outcome.text };
    case "ambiguous":
      if (attempt.onAmbiguous === "hold") return { ...plain("unknown", "ambiguous"), reply: outcome.text };
      return { ...again(attempt), why: "ambiguous", reply: outcome.text };
  }
}

/** A message that could not be made: no other attempt would do better. */
export function unrenderable(reason: string): Settlement {
  return { ...plain("failed", "unrenderable"), reply: reason };
}

function again(attempt: Attempt, retryAfterMs?: number): Settlement {
  const waitMs = retryAfterMs ?? backoffMs(attempt);
  const dueAt = new Date(attempt.now.getTime() + waitMs);
  const isLate = dueAt.getTime() - attempt.firstAt.getTime() > RETRY_FOR_MS;
  return isLate ? { ...plain("failed", "expired"), bounce: "soft" } : { ...plain("deferred", null), dueAt };
}

/** 1, 2, 4, … times the first wait, at most 4 hours, each a fifth more or less. */
export function backoffMs({
  number,
  firstRetryMs,
  chance,
}: Pick<Attempt, "number" | "firstRetryMs" | "chance">): number {
  const waitMs = Math.min(firstRetryMs * 2 ** Math.min(number - 1, 20), LONGEST_WAIT_MS);
  return Math.round(waitMs * (1 - JITTER + 2 * JITTER * chance));
}

function lostWaitMs(attempt: Attempt): number | undefined {
  if (attempt.number > LOST_SOON_AGAIN) return undefined;
  return Math.min(LOST_RETRY_MS, attempt.firstRetryMs) * (1 - JITTER + 2 * JITTER * attempt.chance);
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

function plain(state: Settlement["state"], why: string | null): Settlement {
  return { state, why, bounce: null, code: null, reply: null, dueAt: null };
}
