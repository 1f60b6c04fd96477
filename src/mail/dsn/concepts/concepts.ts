/**
 * Reads a refusal in words that no phrase knows: which thing it speaks of, and what it finds wrong with it, in the same
 * sentence. Each pair has a reason. A pair says less than a whole phrase, so it counts for less (`evidence.ts`).
 */
import { anyOf } from "../phrases/phrase-set.ts";
import type { BounceReason } from "../vocabulary.ts";
import { type Finding, findings } from "./findings.ts";
import { type Thing, things } from "./things.ts";

/** The pairs stand in order of how narrow they are: where a sentence has several, the first says most. */
const pairs: readonly (readonly [Thing, Finding, BounceReason])[] = [
  ["space", "full", "mailbox_full"],
  ["mailbox", "full", "mailbox_full"],
  ["malware", "refused", "virus_detected"],
  ["identity", "refused", "authentication_failed"],
  ["identity", "absent", "authentication_failed"],
  ["login", "refused", "security_refused"],
  ["reverse_name", "refused", "missing_ptr"],
  ["reverse_name", "absent", "missing_ptr"],
  ["reverse_name", "broken", "missing_ptr"],
  ["encryption", "broken", "tls_failed"],
  ["encryption", "refused", "tls_failed"],
  ["relay", "refused", "relaying_denied"],
  ["posting", "refused", "sender_rejected"],
  ["spam", "refused", "spam_detected"],
  ["link", "refused", "spam_detected"],
  ["list", "refused", "ip_blocked"],
  ["header", "malformed", "not_compliant"],
  ["mailbox", "malformed", "syntax_error"],
  ["connections", "too_many", "too_many_at_once"],
  ["pace", "too_many", "rate_limited"],
  ["mailbox", "too_many", "too_many_at_once"],
  ["message", "too_large", "message_too_large"],
  ["message", "too_many", "rate_limited"],
  ["sender", "absent", "sender_rejected"],
  ["sender", "refused", "sender_rejected"],
  ["sender", "disabled", "sender_rejected"],
  ["client", "refused", "ip_blocked"],
  ["writer", "refused", "sender_rejected"],
  ["mailbox", "moved", "address_moved"],
  ["mailbox", "disabled", "mailbox_disabled"],
  ["mailbox", "absent", "user_unknown"],
  ["domain", "no_mail", "domain_takes_no_mail"],
  ["server", "no_mail", "domain_takes_no_mail"],
  ["domain", "absent", "domain_unknown"],
  ["program", "broken", "delivery_program_failed"],
  ["route", "broken", "network_error"],
  ["route", "too_many", "network_error"],
  ["connections", "unreachable", "network_error"],
  ["domain", "unreachable", "network_error"],
  ["server", "unreachable", "network_error"],
  ["connections", "timed_out", "expired"],
  ["server", "timed_out", "expired"],
  ["message", "timed_out", "expired"],
  ["connections", "refused", "ip_blocked"],
  ["server", "broken", "system_error"],
];

/** Every report says so, whatever happened; the cause may stand in the same sentence. */
const notDelivered = anyOf(
  "\\b(?:could|can|cannot|can't|was|were|has|have|had)\\b.{0,30}\\bnot (?:yet )?(?:be |been )?deliver(?:ed)?",
  "\\bkonnte\\b.{0,60}\\bnicht zugestellt(?: werden)?",
  "\\bn'a pas pu [eê]tre (?:remis|distribu|envoy|livr)\\w*",
  "\\bno (?:se )?(?:pudo|ha podido|puede) (?:ser )?entreg\\w*",
  "\\bn[aã]o (?:p[oô]de|foi poss[ií]vel) (?:ser )?entreg\\w*",
  "(?:配信|送信|お届け)(?:でき|され)ませんでした",
  "无法(?:投递|送达)",
);

/** Sentences that help the reader say nothing about this mail. */
const advice = anyOf(
  "\\bcreated automatically\\b",
  "\\bautomatically (?:generated|created)\\b",
  "\\bfor (?:further|more|additional) (?:assistance|information|help)\\b",
  "\\bproblem report\\b",
  "\\byour own text\\b",
  "\\bthis is the (?:mail|postfix|qmail|smtp)",
  "\\bdo not reply\\b",
  "\\bfollowing (?:address|recipient)\\S{0,5} (?:failed|had|were|was)\\b",
  "\\bplease (?:contact|visit|see|forward|check|send)\\b",
  "\\bautomatisch (?:erstellt|erzeugt|generiert)",
  "\\bbitte (?:überprüfen|wenden|kontaktieren)",
  "\\bveuillez\\b",
  "\\b(?:verifique|compruebe|póngase|entre em contato)",
  "(?:ご?確認|お問い合わせ)(?:して)?ください",
  "请(?:检查|联系|确认)",
);
const signature = /\bthe (?:mail system|postfix program)\b/gu;

const MAX_SENTENCES = 40;
const MAX_SENTENCE_UNITS = 400;
/** Points inside a name or a number end no sentence. */
const sentenceEnds = /[.;!?](?=\s|$)|[。；！？]/u;

/** Returns the reasons that the sentences give, narrow pairs first within each. A report greets and explains; a reply doesn't. */
export function findPairs(text: string, isReport: boolean): BounceReason[] {
  const reasons = new Set<BounceReason>();
  const said = isReport ? text.replace(signature, ". ") : text;
  for (const sentence of said.split(sentenceEnds, MAX_SENTENCES)) {
    const whole = sentence.slice(0, MAX_SENTENCE_UNITS);
    if (isReport && advice.test(whole)) continue;
    const bounded = isReport ? notDelivered.strip(whole) : whole;
    if (bounded.length < 4) continue;
    for (const reason of readSentence(bounded)) reasons.add(reason);
  }
  return [...reasons];
}

function readSentence(sentence: string): BounceReason[] {
  const said = new Map<string, boolean>();
  const has = (key: Thing | Finding, set: { test: (text: string) => boolean }) => {
    const known = said.get(key) ?? set.test(sentence);
    said.set(key, known);
    return known;
  };
  return pairs
    .filter(([thing, finding]) => has(finding, findings[finding]) && has(thing, things[thing]))
    .map(([, , reason]) => reason)
    .slice(0, 3);
}
