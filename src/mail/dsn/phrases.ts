/** What servers say when they refuse a mail, in the order in which it is believed: the narrow before the wide. */
import type { PhraseRule } from "./phrase-rule.ts";
import { addressPhrases } from "./phrases-addresses.ts";
import { limitPhrases } from "./phrases-limits.ts";
import { refusalPhrases } from "./phrases-refusals.ts";
import { troublePhrases } from "./phrases-troubles.ts";

export const phraseRules: readonly PhraseRule[] = [
  ...limitPhrases,
  ...refusalPhrases,
  ...addressPhrases,
  ...troublePhrases,
];
