/**
 * These pure rules say what an attempt's outcome means for the message: which state is written, and when it is tried again.
 */
import type { BounceKind, Settlement } from "../ledger/ledger.ts";
import type { Outcome } from "../transports/transports.ts";
import { readRejection } from "./rejections.ts";
import { type Attempt, backoffMs, lostWaitMs, RETRY_FOR_MS } from "./retry-backoff.ts";

/** What happens in these phases, before MAIL, is about the connection, and has nothing to do with any message. */
const OF_THE_SESSION: ReadonlySet<string> = new Set([
  "waiting",
  "connect",
  "tls",
  "greeting",
  "ehlo",
  "starttls",
  "auth",
]);

/** This is written of an attempt in which the relay refused us, and not this message. */
export const asIfNotTried: Settlement = plain("ready", null);

/**
 * `isSettled` is false of a refusal where no other message has shown whether it was about us. Nobody is suppressed for such
 * a refusal: it is written as a block, unless it is soft and surely about the mailbox.
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
    case "ambiguous": {
      const next = again(attempt);
      const isLast = attempt.onAmbiguous === "hold" || next.state === "failed";
      return { ...(isLast ? plain("unknown", null) : next), why: "ambiguous", reply: outcome.text };
    }
  }
}

/** Tells whether a mail counts as one of its day: a server took it, may have taken it, or refused it for good. */
export function countsForDay({ state, why }: Settlement): boolean {
  return state === "sent" || state === "failed" || state === "unknown" || why === "ambiguous";
}

/** Settles a message that could not be composed, for which no other attempt would do better. */
export function unrenderable(reason: string): Settlement {
  return { ...plain("failed", "unrenderable"), reply: reason };
}

/** A message that can't be made before somebody mends something is looked at again after this time. */
const MENDED_MS = 60_000;

/**
 * Settles a message that can't be made before somebody mends something: no attempt is made of it, so it waits since it was to be sent, and
 * fails when others are given up too.
 */
export function awaitingMend(why: string, detail: string, since: Date, now: Date): Settlement {
  const dueAt = new Date(now.getTime() + MENDED_MS);
  return dueAt.getTime() - since.getTime() > RETRY_FOR_MS
    ? { ...plain("failed", why), reply: detail }
    : { ...plain("deferred", null), dueAt };
}

/** Settles a message that is too large for its server. It is no bounce, since the address may be as good as any. */
export function tooLarge({ code, text }: Extract<Outcome, { kind: "rejected" }>): Settlement {
  return { ...plain("failed", "message_too_large"), code, reply: text };
}

function again(attempt: Attempt, retryAfterMs?: number): Settlement {
  const waitMs = retryAfterMs ?? backoffMs(attempt);
  const dueAt = new Date(attempt.now.getTime() + waitMs);
  const isLate = dueAt.getTime() - attempt.firstAt.getTime() > RETRY_FOR_MS;
  return isLate ? { ...plain("failed", "expired"), bounce: "soft" } : { ...plain("deferred", null), dueAt };
}

function plain(state: Settlement["state"], why: string | null): Settlement {
  return { state, why, bounce: null, code: null, reply: null, dueAt: null };
}
