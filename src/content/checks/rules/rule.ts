/**
 * The type of a rule and what rules share. The file of each theme holds a table of rules, and `checks.ts` applies all
 * of them.
 */
import type { Message, Part, RuleFault, Severity } from "../message.ts";
import type { Reading } from "../reading/reading.ts";

export type Rule = {
  readonly code: string;
  readonly severity: Severity;
  readonly remedy: string;
  /** Yields every fault, in linear time. The caller shows the first few and counts the rest. */
  readonly find: (reading: Reading) => Iterable<RuleFault>;
};

/** Makes the answer of a rule that holds or fails for the whole mail. */
export function faultIf(
  isFaulty: boolean,
  message: string,
  at?: { part: Part; offset: number },
): RuleFault[] {
  if (!isFaulty) return [];
  return [at ? { message, at } : { message }];
}

const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });

/**
 * Counts characters as a reader does: an emoji with its modifiers is one. Beyond 1,000 UTF-16 units an exact number
 * helps nobody, so units are counted.
 */
export function countCharacters(text: string): number {
  const counted = [...segmenter.segment(text.slice(0, 1_000))].length;
  return counted + Math.max(0, text.length - 1_000);
}

/** Returns the parts of a mail that are plain text, with their content. */
export function textParts({ subject, preheader, text }: Message): readonly (readonly [Part, string])[] {
  return [
    ["subject", subject],
    ["preheader", preheader ?? ""],
    ["text", text ?? ""],
  ];
}
