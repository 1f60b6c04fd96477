/**
 * Decides why a mail came back, in the reasons of docs/bounces.md, and what follows for the address. It consults the tables
 * beside this file: phrases that name a reason, then the enhanced status, then phrases that name none.
 */
import type { PhraseRule } from "./phrases/phrase-rule.ts";
import { tellingPhrases, widePhrases } from "./phrases/phrases.ts";
import { powerMtaCategories, providerRules } from "./providers.ts";
import { ADDRESS } from "./replies.ts";
import { isCertain, isTelling, reasonOfStatus } from "./statuses.ts";
import type { BounceClass, BounceReason, Failure } from "./vocabulary.ts";

const MAX_TEXT_UNITS = 4096;

export function findReason(failure: Failure): BounceReason {
  if (failure.status?.startsWith("2.")) return "delivered";
  const found = searchReason(failure);
  // A server that refuses MAIL FROM can't mean the recipient, though the words are the same.
  return failure.stage === "mail" && recipientReasons.has(found) ? "sender_rejected" : found;
}

const recipientReasons: ReadonlySet<BounceReason> = new Set([
  "user_unknown",
  "domain_unknown",
  "recipient_filter",
]);

function searchReason(failure: Failure): BounceReason {
  const [diagnostic, note] = [foldText(failure.diagnostic), foldText(failure.note)];
  const own = matchProvider(diagnostic || `${note} ${foldText(failure.context)}`, failure);
  if (own) return own;
  const isQueued = failure.isDelayed && /^4\.4\./.test(failure.status ?? "");
  const ofStatus = isQueued ? "expired" : reasonOfStatus(failure.status, failure.stage);
  if (ofStatus !== null && isCertain(failure.status)) return ofStatus;
  const isSure = ofStatus !== null && isTelling(failure.status);
  const ofNote = failure.isDelayed ? null : matchText(note, failure, isSure ? ofStatus : null);
  const said = matchText(diagnostic, failure, isSure ? ofStatus : null);
  // Where the other server was quoted, the note is only what the reporting server made of its reply.
  const found = said ?? (diagnostic === "" ? (ofNote ?? ofStatus) : (ofStatus ?? ofNote));
  if (failure.isLocalProgram && (found === "system_error" || found === null))
    return "delivery_program_failed";
  const guessed = found ?? powerMtaCategories[failure.category] ?? null;
  return guessed ?? matchText(foldText(failure.context), failure, null) ?? reasonOfRest(failure, diagnostic);
}

/** A status that says something is weighed after the phrases that say more and before those that say less. */
function matchText(text: string, failure: Failure, ofStatus: BounceReason | null): BounceReason | null {
  if (text === "") return null;
  return matchPhrase(text, failure, tellingPhrases) ?? ofStatus ?? matchPhrase(text, failure, widePhrases);
}

function matchProvider(text: string, { hosts, stage }: Failure): BounceReason | null {
  for (const rule of providerRules) {
    if (rule.hosts && !rule.hosts.test(hosts)) continue;
    if (rule.notStages && stage !== null && rule.notStages.includes(stage)) continue;
    if (rule.pattern.test(text)) return rule.reason;
  }
  return null;
}

function matchPhrase(text: string, failure: Failure, rules: readonly PhraseRule[]): BounceReason | null {
  const { stage, status, replyCode } = failure;
  const isPermanent = /^5/.test(status ?? `${replyCode ?? 5}`);
  for (const rule of rules) {
    if (rule.stages && (stage === null || !rule.stages.includes(stage))) continue;
    if (rule.notStages && stage !== null && rule.notStages.includes(stage)) continue;
    if (rule.status && !rule.status.test(status ?? "")) continue;
    if (rule.isRemote !== undefined && rule.isRemote !== (replyCode !== null)) continue;
    if (rule.isPermanent !== undefined && rule.isPermanent !== isPermanent) continue;
    if (rule.pattern.test(text)) return rule.reason;
  }
  return null;
}

function reasonOfRest({ isDelayed, stage, replyCode }: Failure, text: string): BounceReason {
  if (isDelayed) return "expired";
  if (stage === "connect") return "ip_blocked";
  if (stage === "mail" && replyCode !== null) return "sender_rejected";
  if (replyCode !== null && replyCode >= 500 && replyCode <= 504) return "syntax_error";
  return text === "" ? "unstated" : "unclear";
}

const addresses = new RegExp(ADDRESS, "gu");

/** sendmail closes every refusal with such a line, whatever the other server said. */
const sendmailSummary = /\b554 (?:5\.\d\.\d )?(?:\.{3} )?(?:service unavailable|remote protocol error)/g;

/** Makes one line in lower case without the addresses, so that words in an address aren't taken for the server's. */
function foldText(text: string): string {
  const bare = text.slice(0, MAX_TEXT_UNITS).replace(addresses, "");
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
