/** Finds the reason of a failure, one of those in docs/bounces.md, and what follows for the address. */
import { weighEvidence } from "./evidence.ts";
import { anyOf } from "./phrases/phrase-set.ts";
import { ADDRESS } from "./replies.ts";
import type { BounceClass, BounceReason, Failure } from "./vocabulary.ts";

const MAX_TEXT_UNITS = 4096;

export function findReason(failure: Failure): BounceReason {
  if (failure.status?.startsWith("2.")) return "delivered";
  const found = correctDomain(searchReason(failure), failure);
  // A server that refuses MAIL FROM can't mean the recipient, though the words are the same.
  return failure.stage === "mail" && recipientReasons.has(found) ? "sender_rejected" : found;
}

const recipientReasons: ReadonlySet<BounceReason> = new Set([
  "user_unknown",
  "domain_unknown",
  "recipient_filter",
]);

/** Says that a name may resolve later: nobody's domain is unknown for good then. */
const tryAgain = anyOf(
  "\\btry (?:it )?again\\b",
  "\\btemporar",
  "\\bwill (?:be )?retr(?:y|ied)",
  "\\bvor(?:ü|ue)bergehend",
  "\\btempor(?:ä|ae)r",
  "\\btemporaire",
  "\\btemporal",
  "\\btempor[aá]ri",
  "一時的",
  "[暂暫][时時]",
);

const forGood = /\bno such\b|\bnot exist\b|\bnxdomain\b/;

function correctDomain(reason: BounceReason, failure: Failure): BounceReason {
  if (reason !== "domain_unknown" || failure.status !== null || failure.replyCode !== null) return reason;
  const said = foldText(failure.diagnostic || failure.note);
  return tryAgain.test(said) && !forGood.test(said) ? "network_error" : reason;
}

function searchReason(failure: Failure): BounceReason {
  const texts = {
    diagnostic: foldText(failure.diagnostic),
    note: foldText(failure.note),
    context: foldText(failure.context),
  };
  return weighEvidence(failure, texts) ?? reasonOfRest(failure, texts.diagnostic);
}

/** A recipient's own filter says no more than that the recipient was refused. */
const recipientRefused = anyOf(
  "\\b(?:recipient|user|mailbox)s?\\b.{0,30}\\b(?:rejected|refused|not accepted)\\b",
);

function reasonOfRest({ isDelayed, stage, replyCode, note }: Failure, text: string): BounceReason {
  if (isDelayed) return "expired";
  if (stage === "connect") return "ip_blocked";
  if (stage === "mail" && replyCode !== null) return "sender_rejected";
  if (replyCode !== null && replyCode >= 500 && replyCode <= 504) return "syntax_error";
  if (recipientRefused.test(text || foldText(note))) return "recipient_filter";
  return text === "" ? "unstated" : "unclear";
}

const addresses = new RegExp(ADDRESS, "gu");

/** sendmail closes every refusal with such a line, whatever the other server said. */
const sendmailSummary = /\b554 (?:5\.\d\.\d )?(?:\.{3} )?(?:service unavailable|remote protocol error)/g;

/** Makes one line in lower case without the addresses, so that words in an address aren't taken for the server's. */
function foldText(text: string): string {
  const bare = text.slice(0, MAX_TEXT_UNITS).replace(addresses, (one) => (one.endsWith(".") ? "." : ""));
  return bare
    .toLowerCase()
    .replace(/[\s<>]+/g, " ")
    .replace(sendmailSummary, " ")
    .replaceAll("’", "'")
    .trim();
}

const hardReasons: ReadonlySet<BounceReason> = new Set([
  "user_unknown",
  "domain_unknown",
  "address_moved",
  "domain_takes_no_mail",
]);
const blockReasons: ReadonlySet<BounceReason> = new Set([
  "sender_rejected",
  "ip_blocked",
  "bad_reputation",
  "missing_ptr",
  "authentication_failed",
  "spam_detected",
  "virus_detected",
  "policy_refused",
  "security_refused",
  "content_refused",
  "not_compliant",
  "relaying_denied",
  "too_many_at_once",
  "rate_limited",
]);

export function classOf(reason: BounceReason, failure: Failure, isStillTried: boolean): BounceClass {
  if (reason === "delivered") return "none";
  if (isStillTried) return "delay";
  // A 4xx may be a greylist, a failed look-up, or "not accepting mail now": none of these is permanent.
  if (hardReasons.has(reason)) return isTemporary(failure) ? "soft" : "hard";
  return blockReasons.has(reason) ? "block" : "soft";
}

function isTemporary({ status, replyCode }: Failure): boolean {
  return status ? status.startsWith("4") : replyCode !== null && replyCode < 500;
}
