/** Finds the day in a text, as one of several where the words leave it open. */

import { monthNamed, weekdayNamed } from "./words.ts";
import { addDays, type ClockTime, isDate, weekdayOf } from "./zones.ts";

export type Day = Pick<ClockTime, "year" | "month" | "day">;

export type FoundDay = {
  readonly days: readonly Day[];
  /** What is left of the text. */
  readonly rest: string;
  /** Why there are several. */
  readonly because?: "which_week" | "day_or_month";
  /** The day of the week that was named beside a date it doesn't belong to. */
  readonly wrongWeekday?: number;
};

const dayOf = ({ year, month, day }: ClockTime): Day => ({ year, month, day });
const same = (one: Day, other: Day) =>
  one.year === other.year && one.month === other.month && one.day === other.day;

/** Answers undefined where no day is named, and no days where one is named that no calendar has. */
export function findDay(text: string, now: ClockTime): FoundDay | undefined {
  const near = findNear(text, now);
  if (near) return near;
  const weekday = findWeekday(text);
  const date = findDate(weekday?.rest ?? text, now);
  if (!date) return weekday && ofWeekday(weekday, now);
  if (!weekday) return date;
  const right = date.days.filter((day) => weekdayOf(day) === weekday.weekday);
  if (right.length > 0) return { days: right, rest: date.rest };
  return { ...date, wrongWeekday: weekday.weekday };
}

const NEAR: readonly (readonly [RegExp, number])[] = [
  [/\b(?:the )?day after tomorrow\b/, 2],
  [/\b(?:tomorrow|tmrw)\b/, 1],
  [/\b(?:today|tonight)\b/, 0],
];

function findNear(text: string, now: ClockTime): FoundDay | undefined {
  for (const [pattern, days] of NEAR) {
    if (pattern.test(text)) return { days: [dayOf(addDays(now, days))], rest: text.replace(pattern, " ") };
  }
  return undefined;
}

type Weekday = { readonly weekday: number; readonly isNext: boolean; readonly rest: string };

function findWeekday(text: string): Weekday | undefined {
  for (const found of text.matchAll(/\b(?:(this|next|coming)\s+)?([a-z]{3,9})\b/g)) {
    const weekday = weekdayNamed(found[2] ?? "");
    if (weekday === undefined) continue;
    const rest = `${text.slice(0, found.index)} ${text.slice(found.index + found[0].length)}`;
    return { weekday, isNext: found[1] === "next", rest };
  }
  return undefined;
}

/** On a Friday, "Friday" may be today or in a week; and "next Friday" is the coming one to some, the one after it to others. */
function ofWeekday({ weekday, isNext, rest }: Weekday, now: ClockTime): FoundDay {
  const ahead = (weekday - weekdayOf(now) + 7) % 7;
  const days = ahead === 0 && isNext ? [7] : ahead === 0 || isNext ? [ahead, ahead + 7] : [ahead];
  return { days: days.map((count) => dayOf(addDays(now, count))), rest, because: "which_week" };
}

const ISO = /\b(\d{4})-(\d{2})-(\d{2})(?:t(?=\d))?/;
const DAY_MONTH = /\b(\d{1,2})(?:st|nd|rd|th)?\s*(?:of\s+)?\b([a-z]{3,9})\b\.?(?:\s+(\d{4})(?![:.\d]))?/;
const MONTH_DAY = /\b([a-z]{3,9})\.?\s+(\d{1,2})(?:st|nd|rd|th)?(?![:.\d])(?:\s+(\d{4})(?![:.\d]))?/;
const DOTTED = /(?<![\d.:])(\d{1,2})\.(\d{1,2})(?:\.(\d{4}|\d{2}(?![:\d]))?|(?=\s+\d))/;
const SLASHED = /(?<![\d/])(\d{1,2})\/(\d{1,2})(?:\/(\d{4}|\d{2}))?(?![\d/])/;

function findDate(text: string, now: ClockTime): FoundDay | undefined {
  const iso = ISO.exec(text);
  if (iso) return found(text, iso, [inYear(iso[3], iso[2], iso[1], now)]);
  for (const [pattern, dayAt, monthAt] of [
    [DAY_MONTH, 1, 2],
    [MONTH_DAY, 2, 1],
  ] as const) {
    const match = pattern.exec(text);
    const month = match && monthNamed(match[monthAt] ?? "");
    if (match && month) return found(text, match, [inYear(match[dayAt], String(month), match[3], now)]);
  }
  const dotted = DOTTED.exec(text);
  if (dotted) return found(text, dotted, [inYear(dotted[1], dotted[2], dotted[3], now)]);
  const slashed = SLASHED.exec(text);
  if (!slashed) return undefined;
  const [, one, other, year] = slashed;
  const both = [inYear(one, other, year, now), inYear(other, one, year, now)];
  return { ...found(text, slashed, both), because: "day_or_month" };
}

function found(text: string, { index, 0: match }: RegExpExecArray, days: readonly Day[]): FoundDay {
  const real = days.filter(isDate);
  const rest = `${text.slice(0, index)} ${text.slice(index + match.length)}`;
  return { days: real.filter((day, at) => real.findIndex((other) => same(day, other)) === at), rest };
}

/** A date without a year that is longer ago than this is meant in the next year. */
const PAST_DAYS = 60;

function inYear(day = "", month = "", year: string | undefined, now: ClockTime): Day {
  const named = { month: Number(month), day: Number(day) };
  if (year) return { ...named, year: Number(year.length === 2 ? `20${year}` : year) };
  const thisYear = { ...named, year: now.year };
  const earliest = addDays(now, -PAST_DAYS);
  const asNumber = (one: Day) => one.year * 10_000 + one.month * 100 + one.day;
  return asNumber(thisYear) < asNumber(earliest) ? { ...thisYear, year: now.year + 1 } : thisYear;
}
