/**
 * What servers say when they refuse a mail, in the order in which it is believed: the narrow before the wide. What is
 * full or too large is said plainly and comes first; then who may not send, what may not be sent, how fast; then the
 * recipient. `widePhrases` fit too many refusals to be held against a status that says more.
 */
import type { PhraseRule } from "./phrase-rule.ts";
import { mailboxPhrases, routePhrases, userPhrases } from "./phrases-addresses.ts";
import { capacityPhrases, pacePhrases } from "./phrases-limits.ts";
import { blockPhrases, contentPhrases, identityPhrases, senderPhrases } from "./phrases-refusals.ts";
import { encryptionPhrases, troublePhrases, wideTroublePhrases } from "./phrases-troubles.ts";

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
