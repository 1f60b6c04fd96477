/** Finds the time of day in a text, as one of several where the words leave it open. */
import { numberNamed } from "./words.ts";

export type TimeOfDay = { readonly hour: number; readonly minute: number };

export type FoundTime = {
  readonly times: readonly TimeOfDay[];
  /** What is left of the text. */
  readonly rest: string;
  /** Midnight ends one day and begins the next. */
  readonly isMidnight: boolean;
};

type Half = "am" | "pm" | undefined;

const NUMBER_WORD = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve";
const HALF = "(?:\\s*([ap])\\.?m\\b\\.?)?";
const NUMERIC = new RegExp(`(?<![\\d/.-])(\\d{1,2})(?:[:.h](\\d{2}))${HALF}(?![\\d/.-])`);
const BARE = new RegExp(`(?<![\\d/.:-])(\\d{1,2})${HALF}(?![\\d/.:-])`);
const SPELLED = new RegExp(`\\b(${NUMBER_WORD})\\b(?:\\s+(fifteen|thirty|forty[- ]five))?${HALF}`);
const PAST = new RegExp(`\\b(half past|quarter past|quarter to)\\s+(\\d{1,2}|${NUMBER_WORD})\\b${HALF}`);
const SPELLED_MINUTES: Readonly<Record<string, number>> = { fifteen: 15, thirty: 30 };
const BEFORE: Readonly<Record<string, number>> = { "half past": 30, "quarter past": 15, "quarter to": -15 };

/** Answers undefined where no time is named, and no times where one is named that no clock shows. */
export function findTime(text: string): FoundTime | undefined {
  const { half, rest: words } = takeHalf(text);
  const noon = /\b(?:12\s*)?(noon|midday|midnight)\b/.exec(words);
  if (noon) {
    const isMidnight = noon[1] === "midnight";
    return { times: [{ hour: isMidnight ? 0 : 12, minute: 0 }], rest: without(words, noon), isMidnight };
  }
  const past = PAST.exec(words);
  if (past) {
    const [, how = "", hour = "", letter] = past;
    const shift = BEFORE[how] ?? 0;
    const times = timesOf(hour, 0, halfOf(letter) ?? half).map((time) => shifted(time, shift));
    return { times, rest: without(words, past), isMidnight: false };
  }
  const found = NUMERIC.exec(words) ?? SPELLED.exec(words) ?? BARE.exec(words);
  if (!found) return undefined;
  const [, hour = "", minutes, letter] =
    found.length === 4 ? found : [found[0], found[1], undefined, found[2]];
  const minute =
    minutes === undefined ? 0 : (SPELLED_MINUTES[minutes] ?? (Number(minutes) || minutesWord(minutes)));
  return {
    times: timesOf(hour, minute, halfOf(letter) ?? half),
    rest: without(words, found),
    isMidnight: false,
  };
}

const minutesWord = (word: string) => (word.startsWith("forty") ? 45 : 0);
const halfOf = (letter: string | undefined): Half => (letter ? (letter === "a" ? "am" : "pm") : undefined);
const without = (text: string, { index, 0: match }: RegExpExecArray) =>
  `${text.slice(0, index)} ${text.slice(index + match.length)}`;

function takeHalf(text: string): { half: Half; rest: string } {
  const found = /\b(?:in the )?(morning|afternoon|evening)\b|\b(?:at )?(night)\b/.exec(text);
  if (found) return { half: found[1] === "morning" ? "am" : "pm", rest: without(text, found) };
  return { half: /\btonight\b/.test(text) ? "pm" : undefined, rest: text };
}

function shifted({ hour }: TimeOfDay, by: number): TimeOfDay {
  const minutes = (hour * 60 + by + 1_440) % 1_440;
  return { hour: Math.floor(minutes / 60), minute: minutes % 60 };
}

/** Nobody who writes "at 3" says which half of the day is meant; "at 9" is the morning, as a clock of 24 hours shows it. */
const UNSURE_UP_TO = 6;

function timesOf(written: string, minute: number, half: Half): readonly TimeOfDay[] {
  const hour = numberNamed(written);
  if (hour === undefined || hour > 23 || minute > 59) return [];
  if (half === undefined) {
    const isUnsure = hour >= 1 && hour <= UNSURE_UP_TO && !written.startsWith("0");
    return isUnsure
      ? [
          { hour, minute },
          { hour: hour + 12, minute },
        ]
      : [{ hour, minute }];
  }
  if (hour > 12) return half === "pm" ? [{ hour, minute }] : [];
  if (hour === 0) return half === "am" ? [{ hour, minute }] : [];
  return [{ hour: (hour % 12) + (half === "pm" ? 12 : 0), minute }];
}
