/**
 * Weighs what speaks for each reason: a provider's published code, the enhanced status, phrases, pairs of words; the stage
 * and the reply code say which phrases apply. Evidence for the same reason adds up, so that two weak signs that agree outweigh a stronger one
 * that stands alone. docs/decisions/0033-weighed-evidence.md says why, and how the weights are held to account.
 */
import { findPairs } from "./concepts/concepts.ts";
import type { PhraseRule } from "./phrases/phrase-rule.ts";
import { tellingPhrases, widePhrases } from "./phrases/phrases.ts";
import { powerMtaCategories, providerRules } from "./providers.ts";
import { isCertain, isTelling, reasonOfStatus } from "./statuses.ts";
import type { BounceReason, Failure } from "./vocabulary.ts";

/** A text of the report, in lower case on one line, without addresses. */
export type FoldedTexts = { readonly diagnostic: string; readonly note: string; readonly context: string };

const WEIGHTS = {
  /** A code that the provider has published for one reason alone. */
  provider: 20,
  /** A status that no server sends for another reason. */
  certainStatus: 16,
  /** The first phrase that names a reason; the phrases behind it in the table are wider. */
  firstPhrase: 4,
  furtherPhrase: 0.8,
  tellingStatus: 3,
  addressStatus: 1.9,
  /** A thing and what is wrong with it in one sentence. */
  firstPair: 2,
  furtherPair: 0.8,
  /** A phrase that fits many refusals. */
  firstWidePhrase: 1.6,
  furtherWidePhrase: 0.5,
  /** 5.7.1 or 5.5.0, which servers send for anything. */
  slightStatus: 1,
  category: 0.9,
  localProgram: 1.2,
} as const;

/** Where the other server's reply is quoted, the words around it are only what the reporting server made of it. */
const BESIDE_A_REPLY = 0.12;
/** What stands elsewhere in the report counts where nothing nearer does. */
const IN_CONTEXT = 0.1;

type Scales = Map<BounceReason, number>;

export function weighEvidence(failure: Failure, texts: FoldedTexts): BounceReason | null {
  const scales: Scales = new Map();
  const nearest = texts.diagnostic || texts.note;
  weighProvider(scales, texts.diagnostic || `${texts.note} ${texts.context}`, failure);
  weighStatus(scales, failure);
  if (!failure.isDelayed || nearest === texts.diagnostic) weighText(scales, nearest, failure, 1);
  if (texts.diagnostic !== "" && !failure.isDelayed) weighText(scales, texts.note, failure, BESIDE_A_REPLY);
  if (scales.size === 0) weighText(scales, texts.context, failure, IN_CONTEXT);
  add(scales, powerMtaCategories[failure.category] ?? null, WEIGHTS.category);
  weighProgram(scales, failure);
  return heaviest(scales);
}

function add(scales: Scales, reason: BounceReason | null, weight: number): void {
  if (reason !== null) scales.set(reason, (scales.get(reason) ?? 0) + weight);
}

/** Of two reasons that weigh the same, the one wins that was found first. */
function heaviest(scales: Scales): BounceReason | null {
  let best: BounceReason | null = null;
  for (const [reason, weight] of scales) if (best === null || weight > (scales.get(best) ?? 0)) best = reason;
  return best;
}

function weighProvider(scales: Scales, text: string, { hosts, stage }: Failure): void {
  const found = providerRules.find(
    (rule) =>
      (!rule.hosts || rule.hosts.test(hosts)) &&
      !(rule.notStages && stage !== null && rule.notStages.includes(stage)) &&
      rule.pattern.test(text),
  );
  add(scales, found?.reason ?? null, WEIGHTS.provider);
}

function weighStatus(scales: Scales, failure: Failure): void {
  const isQueued = failure.isDelayed && /^4\.4\./.test(failure.status ?? "");
  const reason = isQueued ? "expired" : reasonOfStatus(failure.status, failure.stage);
  add(scales, reason, weightOfStatus(failure));
}

/** Servers write 5.1.1 for whatever they refuse at RCPT TO, so the words that they write beside it weigh a little more. */
function weightOfStatus({ status, diagnostic }: Failure): number {
  if (isCertain(status)) return WEIGHTS.certainStatus;
  if (!isTelling(status)) return WEIGHTS.slightStatus;
  return diagnostic !== "" && /^5\.1\.[1-4]$/.test(status ?? "")
    ? WEIGHTS.addressStatus
    : WEIGHTS.tellingStatus;
}

/** What the same words say in several ways counts once: a pair adds nothing to a phrase that gave its reason. */
function weighText(scales: Scales, text: string, failure: Failure, factor: number): void {
  if (text === "") return;
  const told = new Set<BounceReason>();
  const tell = (reasons: readonly BounceReason[], first: number, further: number) => {
    const distinct = [...new Set(reasons)];
    for (const [at, reason] of distinct.entries()) {
      if (!told.has(reason)) add(scales, reason, (at === 0 ? first : further) * factor);
      told.add(reason);
    }
  };
  tell(matchPhrases(text, failure, tellingPhrases), WEIGHTS.firstPhrase, WEIGHTS.furtherPhrase);
  if (lead(scales) > WEIGHTS.firstPair * factor) return;
  const isReport = failure.diagnostic === "" || factor < 1;
  const ofPairs = findPairs(text, isReport).map((reason) =>
    reason === "user_unknown" ? ofAbsence(failure) : reason,
  );
  tell(ofPairs, WEIGHTS.firstPair, WEIGHTS.furtherPair);
  tell(matchPhrases(text, failure, widePhrases), WEIGHTS.firstWidePhrase, WEIGHTS.furtherWidePhrase);
}

/** Says by how much the heaviest reason leads; what can't change the answer any more needn't be looked for. */
function lead(scales: Scales): number {
  const [first = 0, second = 0] = [...scales.values()].sort((a, b) => b - a);
  return first - second;
}

function matchPhrases(text: string, failure: Failure, rules: readonly PhraseRule[]): BounceReason[] {
  const { stage, status, replyCode } = failure;
  const isPermanent = /^5/.test(status ?? `${replyCode ?? 5}`);
  return rules
    .filter(
      (rule) =>
        !(rule.stages && (stage === null || !rule.stages.includes(stage))) &&
        !(rule.notStages && stage !== null && rule.notStages.includes(stage)) &&
        !(rule.status && !rule.status.test(status ?? "")) &&
        (rule.isRemote === undefined || rule.isRemote === (replyCode !== null)) &&
        (rule.isPermanent === undefined || rule.isPermanent === isPermanent) &&
        rule.pattern.test(text),
    )
    .map(({ reason }) => reason);
}

/** Says what "user unknown" means here: docs/bounces.md, "User unknown is not always that". */
function ofAbsence({ status, stage, replyCode }: Failure): BounceReason {
  if (/^[45]\.1\./.test(status ?? "") || stage === "rcpt") return "user_unknown";
  return stage === "data" || replyCode !== null ? "recipient_filter" : "user_unknown";
}

function weighProgram(scales: Scales, { isLocalProgram }: Failure): void {
  if (!isLocalProgram) return;
  add(scales, "delivery_program_failed", WEIGHTS.localProgram + (scales.get("system_error") ?? 0));
}
