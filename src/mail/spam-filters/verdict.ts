/** What a spam filter is asked and answers, whichever it is. */
export type SpamQuestion = {
  readonly mail: Buffer;
  /** What a filter would know of the session that the mail came by. */
  readonly ip: string | null;
  readonly helo: string | null;
  readonly from: string;
  readonly to: string;
};

export type SpamRule = {
  readonly name: string;
  readonly points: number;
  readonly description: string;
};

export type SpamVerdict =
  | {
      readonly kind: "scored";
      readonly score: number;
      /** From this score on the filter calls a mail spam. */
      readonly threshold: number;
      /** What it found, the weightiest first. */
      readonly rules: readonly SpamRule[];
    }
  | { readonly kind: "failed"; readonly detail: string };

export type SpamLimits = { readonly timeoutMs: number };

/** A filter reads the beginning of what is larger anyway, and spamc by itself sends nothing beyond 500 KB. */
export const MOST_ASKED_BYTES = 2 * 1_024 * 1_024;
export const MOST_ANSWER_BYTES = 256 * 1_024;
const MOST_RULES = 100;
/** No filter gives more to a mail, so that whoever says so is no filter. SpamAssassin gives 1,000 to its own test line alone. */
const MOST_POINTS = 10_000;

/** Makes a verdict of what was read, or says that it can't be one. */
export function judge(score: number, threshold: number, rules: readonly SpamRule[]): SpamVerdict {
  const isSound = Math.abs(score) <= MOST_POINTS && threshold > 0 && threshold <= MOST_POINTS;
  if (!isSound) return { kind: "failed", detail: "it answered with a score that can't be one" };
  const sound = rules.filter(({ points }) => Math.abs(points) <= MOST_POINTS);
  return {
    kind: "scored",
    score,
    threshold,
    rules: sound.toSorted((one, other) => other.points - one.points).slice(0, MOST_RULES),
  };
}

/** Whatever a filter writes stays on one line, and short. */
export function plainWords(text: string, most: number): string {
  return text
    .replaceAll(/[\p{C}\s]+/gu, " ")
    .trim()
    .slice(0, most);
}
