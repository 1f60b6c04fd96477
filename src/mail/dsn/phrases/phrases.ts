/**
 * Lists what servers say when they refuse a mail; the first match weighs most, so narrow phrases come before wide ones. Full
 * or too large is said plainly and comes first; then who may not send, what may not be sent, how fast; then the recipient.
 * `widePhrases` fit too many refusals to outweigh a status that says more.
 */

import { mailboxPhrases, routePhrases, userPhrases } from "./address-phrases.ts";
import { capacityPhrases, pacePhrases } from "./limit-phrases.ts";
import type { PhraseRule } from "./phrase-rule.ts";
import { blockPhrases, contentPhrases, identityPhrases, senderPhrases } from "./refusal-phrases.ts";
import { encryptionPhrases, troublePhrases, wideTroublePhrases } from "./trouble-phrases.ts";

export const tellingPhrases: readonly PhraseRule[] = [
  ...capacityPhrases,
  ...identityPhrases,
  ...contentPhrases,
  ...pacePhrases,
  ...encryptionPhrases,
  ...blockPhrases,
  ...senderPhrases,
  ...mailboxPhrases,
  ...routePhrases,
  ...userPhrases,
  ...troublePhrases,
];

export const widePhrases: readonly PhraseRule[] = wideTroublePhrases;
