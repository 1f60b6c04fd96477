/** What a server that refuses a message means by it: pure, and tested as a table of what servers say. */
import { readReply, type SmtpStage } from "../../mail/dsn/dsn.ts";
import type { BounceKind } from "../ledger/ledger.ts";
import type { Outcome } from "../transports/transports.ts";

type Rejection = Extract<Outcome, { kind: "rejected" }>;

export type Meaning = {
  readonly kind: BounceKind;
  /**
   * `message`: about its recipient, or about it alone. `us`: nothing was said about any recipient. `either`: it may be
   * about this message, or about us, and then it is said to everybody.
   */
  readonly about: "message" | "us" | "either";
  /** It may not relay to this domain: every server takes mail for its own, so that it took another's says nothing. */
  readonly isRelaying: boolean;
};

/**
 * `hard` says that the address will never work, and suppresses it: only a status such as 5.1.1, or words such as "unknown
 * user"; where these may be about us (`either`), only once the server took another. A refusal that nobody understands is a
 * block, which never suppresses.
 */
export function readRejection({ phase, code, enhanced, text }: Omit<Rejection, "kind">): Meaning {
  const stage = stageOf(phase);
  const { reason, class: found, isSure } = readReply({ stage, code, status: enhanced, text });
  const isTooLarge = reason === "message_too_large";
  const kind = isTooLarge ? "soft" : "block";
  // The client itself refused it, on the server's behalf: its size would be too much for all, the rest is its own.
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

function stageOf(phase: Rejection["phase"]): SmtpStage {
  if (phase === "mail" || phase === "rcpt") return phase;
  return phase === "data" || phase === "body" || phase === "dot" ? "data" : "connect";
}
