/** English words for days, months, numbers and lengths of time, as people write when something shall happen. */

const WEEKDAYS = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];
const MONTHS = [
  ...["january", "february", "march", "april", "may", "june", "july"],
  ...["august", "september", "october", "november", "december"],
];
const NUMBERS = [
  ...["zero", "one", "two", "three", "four", "five", "six", "seven"],
  ...["eight", "nine", "ten", "eleven", "twelve"],
];

/** Three letters of a day's or a month's name are enough, and any more of it are right too. */
function startsName(names: readonly string[], word: string): number {
  return word.length < 3 ? -1 : names.findIndex((name) => name.startsWith(word));
}

const OTHER_DAYS: Readonly<Record<string, number>> = { thur: 4, weds: 3 };
const OTHER_MONTHS: Readonly<Record<string, number>> = { sept: 9 };

/** Sunday is 0; undefined where the word is no day. */
export function weekdayNamed(word: string): number | undefined {
  const at = OTHER_DAYS[word] ?? startsName(WEEKDAYS, word);
  return at < 0 ? undefined : at;
}

/** January is 1; undefined where the word is no month. */
export function monthNamed(word: string): number | undefined {
  const at = OTHER_MONTHS[word] ?? startsName(MONTHS, word) + 1;
  return at < 1 ? undefined : at;
}

/** Digits or a word up to twelve; undefined for anything else. */
export function numberNamed(word: string): number | undefined {
  if (/^\d+(\.\d+)?$/.test(word)) return Number(word);
  const at = NUMBERS.indexOf(word);
  return at < 0 ? undefined : at;
}

const MINUTES: Readonly<Record<string, number>> = {
  minute: 1,
  minutes: 1,
  min: 1,
  mins: 1,
  m: 1,
  hour: 60,
  hours: 60,
  hr: 60,
  hrs: 60,
  h: 60,
};
const DAYS: Readonly<Record<string, number>> = { day: 1, days: 1, d: 1, week: 7, weeks: 7 };

type Span = { readonly days: number; readonly minutes: number };

/** Reads "2 hours", "an hour and a half", "three days", "1h 30m"; undefined where a word of it isn't known. */
export function readSpan(text: string): Span | undefined {
  const words = text
    .replaceAll(/(\d)(?=[a-z])/g, "$1 ")
    .replaceAll(/\b(and|,)\b/g, " ")
    .replaceAll(/half an?\b/g, "0.5")
    .replaceAll(/\ba half\b/g, "half")
    .split(/[\s,]+/)
    .filter(Boolean);
  let days = 0;
  let minutes = 0;
  let count: number | undefined;
  let last = { isDays: false, each: 0 };
  for (const word of words) {
    const number = /^an?$/.test(word) ? 1 : numberNamed(word);
    const [inDays, inMinutes] = [DAYS[word], MINUTES[word]];
    if (number !== undefined && count === undefined) count = number;
    else if (word === "half" && count === undefined && last.each > 0) {
      if (last.isDays) days += last.each / 2;
      else minutes += last.each / 2;
    } else if (count !== undefined && inDays !== undefined) {
      days += count * inDays;
      last = { isDays: true, each: inDays };
      count = undefined;
    } else if (count !== undefined && inMinutes !== undefined) {
      minutes += count * inMinutes;
      last = { isDays: false, each: inMinutes };
      count = undefined;
    } else return undefined;
  }
  return count !== undefined || last.each === 0
    ? undefined
    : { days: Math.floor(days), minutes: minutes + (days % 1) * 1_440 };
}
