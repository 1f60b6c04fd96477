/** What a check is. Each is a line of a table: the theme's file holds its rule, `checks.ts` runs them all. */
import type { Fault, Message, Part, Severity } from "../message.ts";
import type { Reading } from "../reading/reading.ts";

export type Rule = {
  readonly code: string;
  readonly severity: Severity;
  readonly remedy: string;
  /** Yields every fault, in linear time; whoever runs it shows the first few and counts the rest. */
  readonly find: (reading: Reading) => Iterable<Fault>;
};

/** For checks that are a yes or no of the whole mail. */
export function faultIf(isFaulty: boolean, message: string, at?: { part: Part; offset: number }): Fault[] {
  if (!isFaulty) return [];
  return [at ? { message, at } : { message }];
}

const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });

/** As a reader counts: an emoji with its modifiers is one. Beyond 1,000 units the exact number tells nobody more. */
export function countCharacters(text: string): number {
  const counted = [...segmenter.segment(text.slice(0, 1_000))].length;
  return counted + Math.max(0, text.length - 1_000);
}

/** The parts that hold text, with what they hold. */
export function textParts({ subject, preheader, text }: Message): readonly (readonly [Part, string])[] {
  return [
    ["subject", subject],
    ["preheader", preheader ?? ""],
    ["text", text ?? ""],
  ];
}
