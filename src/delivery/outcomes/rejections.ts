/** These pure rules read what a server means that refuses a message; they are tested with a table of servers' replies. */
import { readReply, type SmtpStage } from "../../mail/dsn/dsn.ts";
import type { BounceKind } from "../ledger/ledger.ts";
import type { Outcome } from "../transports/transports.ts";

type Rejection = Extract<Outcome, { kind: "rejected" }>;

export type Meaning = {
  readonly kind: BounceKind;
  /**
   * `message` is about the recipient or this message alone. `us` says nothing about any recipient. `either` may be about
   * this message or about us, and in the latter case everybody is told it.
   */
  readonly about: "message" | "us" | "either";
  /**
   * Whether the server doesn't relay to this domain. That it took another domain's mail proves nothing: every server takes
   * its own.
   */
  readonly isRelaying: boolean;
};

/**
 * `hard` says that the address will never work, and suppresses it. That takes a status such as 5.1.1, or words such as
 * "unknown user"; where these may be about us (`either`), only once the server took another message. A refusal that nobody
 * understands is a block, which never suppresses.
 */
export function readRejection({ phase, code, enhanced, text }: Omit<Rejection, "kind">): Meaning {
  const stage = stageOf(phase);
  const { reason, class: found, isSure } = readReply({ stage, code, status: enhanced, text });
  const isTooLarge = reason === "message_too_large";
  const kind = isTooLarge ? "soft" : "block";
  // The client refused the message on the server's behalf: a size would be too much for all, anything else is its own fault.
  if (code === null) return { kind, about: isTooLarge ? "either" : "message", isRelaying: false };
  if (stage === "connect" || stage === "mail") {
    return { kind, about: isTooLarge ? "either" : "us", isRelaying: false };
  }
  const isUnclear = reason === "unclear" || reason === "unstated" || found === "delay" || found === "none";
  if (isUnclear) return { kind: "block", about: "either", isRelaying: false };
  const isRelaying =
    reason === "relaying_denied" || reason === "security_refused" || (found === "hard" && !isSure);
  return { kind: found, about: isSure ? "message" : "either", isRelaying };
}

/** Whether a server takes no message of this size. In a wave each mail has its own, so that says nothing about the next. */
export function isTooLarge(outcome: Outcome): outcome is Rejection {
  if (outcome.kind !== "rejected") return false;
  const { phase, code, enhanced, text } = outcome;
  return readReply({ stage: stageOf(phase), code, status: enhanced, text }).reason === "message_too_large";
}

function stageOf(phase: Rejection["phase"]): SmtpStage {
  if (phase === "mail" || phase === "rcpt") return phase;
  return phase === "data" || phase === "body" || phase === "dot" ? "data" : "connect";
}
