/**
 * Reads when something shall happen, as people write it: "Friday 9:00", "tomorrow at nine", "in 2 hours", "17 Nov 14:30". What
 * can be meant in two ways is answered with both, since a mail that has left can't be called back.
 */
import { type FoundTime, findTime, type TimeOfDay } from "./clock-words.ts";
import { type Day, type FoundDay, findDay } from "./day-words.ts";
import { readSpan } from "./words.ts";
import { addDays, type ClockTime, clockTimeIn, momentOf } from "./zones.ts";

export type When =
  | { readonly kind: "empty" }
  /** `again` is the second time that the clock shows this, in the night in which it is put back. */
  | { readonly kind: "at"; readonly at: Date; readonly again?: Date }
  | { readonly kind: "choose"; readonly because: Because; readonly choices: readonly Date[] }
  /** The clock is put forward over it; `at` is the time that is meant then. */
  | { readonly kind: "gap"; readonly at: Date }
  | { readonly kind: "past"; readonly at: Date }
  | { readonly kind: "too_far"; readonly at: Date }
  | { readonly kind: "no_time" }
  | { readonly kind: "wrong_weekday"; readonly at: Date }
  /** No clock or no calendar shows it. */
  | { readonly kind: "impossible" }
  | { readonly kind: "unclear"; readonly words: string };

type Because = "half_of_day" | "which_week" | "day_or_month" | "which_midnight";

/** The service takes no time that is further ahead. */
const FURTHEST_MS = 366 * 86_400_000;

/** Computers' calendars end, and a day behind their end can't even be named. */
const MOST_DAYS = 100_000;

type Place = { readonly now: Date; readonly zone: string };

export function readWhen(written: string, place: Place): When {
  const text = written
    .trim()
    .toLowerCase()
    .replaceAll(/[\s,]+/g, " ")
    .replaceAll("’", "'");
  if (text === "") return { kind: "empty" };
  if (/^\d{4}-\d\d-\d\d[t ]\d\d:\d\d(:\d\d(\.\d+)?)?\s?(z|[+-]\d\d:?\d\d)$/.test(text))
    return ofIso(text, place);
  const span = /^in (.+?)(?: at (.+))?$/.exec(text);
  if (span) return ofSpan(span[1] ?? "", span[2], written, place);
  return ofDayAndTime(text, written, place);
}

/** A time of which the calendar gave day and clock, such as `2026-11-17T14:30`. */
export function readClockTime(written: string, place: Place): When {
  const found = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)/.exec(written);
  if (!found) return { kind: "empty" };
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0] = found.slice(1).map(Number);
  return judge([{ year, month, day, hour, minute }], undefined, place);
}

function ofIso(text: string, place: Place): When {
  const at = new Date(text.toUpperCase().replace(" ", "T").replaceAll(" ", ""));
  return Number.isNaN(at.getTime()) ? { kind: "impossible" } : bounded({ kind: "at", at }, place);
}

function ofSpan(words: string, clock: string | undefined, written: string, place: Place): When {
  const span = readSpan(words);
  if (!span) return { kind: "unclear", words: written };
  if (span.days + span.minutes / 1_440 > MOST_DAYS) return { kind: "impossible" };
  const now = clockTimeIn(place.now, place.zone);
  const day = addDays(now, span.days);
  if (clock !== undefined) {
    const time = findTime(clock);
    if (!time || span.minutes > 0 || leftOver(time.rest)) return { kind: "unclear", words: written };
    if (time.times.length === 0) return { kind: "impossible" };
    return judge(combined([day], time.times), "half_of_day", place);
  }
  const base = span.days === 0 ? place.now : momentOf(day, place.zone).at;
  return bounded({ kind: "at", at: new Date(base.getTime() + Math.round(span.minutes * 60_000)) }, place);
}

function ofDayAndTime(text: string, written: string, place: Place): When {
  const now = clockTimeIn(place.now, place.zone);
  const day = findDay(text, now);
  // "Tonight" is a day, and says the half of it as well.
  const clock = /\btonight\b/.test(text) ? `${day?.rest ?? text} tonight` : (day?.rest ?? text);
  const time = findTime(clock);
  const left = leftOver((time?.rest ?? clock).replace(/\btonight\b/, ""));
  if (left) return { kind: "unclear", words: left };
  if (!day && !time) return { kind: "unclear", words: written.trim() };
  if (day?.days.length === 0 || time?.times.length === 0) return { kind: "impossible" };
  if (day?.wrongWeekday !== undefined) return wrongWeekday(day, time, place);
  if (!time) return { kind: "no_time" };
  if (!day) return judgeNearest(time.times, now, place);
  return judge(...candidates(day, time), place);
}

/** What stands between day and time says nothing. */
function leftOver(text: string): string {
  return text.replaceAll(/\b(at|on|the|of|o'clock|oclock)\b|@|(?<!\S)\.(?!\S)/g, " ").trim();
}

function candidates(day: FoundDay, time: FoundTime): [readonly ClockTime[], Because | undefined] {
  if (time.isMidnight) {
    const [first] = combined(day.days.slice(0, 1), time.times);
    return [first ? [first, addDays(first, 1)] : [], "which_midnight"];
  }
  return [combined(day.days, time.times), day.days.length > 1 ? day.because : "half_of_day"];
}

function combined(days: readonly Day[], times: readonly TimeOfDay[]): ClockTime[] {
  return days.flatMap(({ year, month, day }) => times.map((time) => ({ year, month, day, ...time })));
}

/** Without a day, each time is meant where it comes next. */
function judgeNearest(times: readonly TimeOfDay[], now: ClockTime, place: Place): When {
  const isToCome = (time: ClockTime) => momentOf(time, place.zone).at > place.now;
  const next = times.map((time) => {
    const today = { ...now, ...time };
    return isToCome(today) ? today : addDays(today, 1);
  });
  return judge(next, "half_of_day", place);
}

function wrongWeekday(day: FoundDay, time: FoundTime | undefined, { zone }: Place): When {
  const [first] = combined(day.days, time?.times ?? [{ hour: 12, minute: 0 }]);
  return first ? { kind: "wrong_weekday", at: momentOf(first, zone).at } : { kind: "impossible" };
}

function judge(times: readonly ClockTime[], because: Because | undefined, place: Place): When {
  const moments = times.map((time) => momentOf(time, place.zone));
  const toCome = moments
    .filter(({ at }) => at > place.now)
    .sort((one, other) => one.at.getTime() - other.at.getTime());
  const [first, second] = toCome;
  if (!first) {
    const last = moments.at(-1);
    return last ? { kind: "past", at: last.at } : { kind: "impossible" };
  }
  const near = toCome.filter(({ at }) => !isTooFar(at, place));
  if (second && because && near.length > 1)
    return { kind: "choose", because, choices: near.map(({ at }) => at) };
  if (first.kind === "never") return { kind: "gap", at: first.at };
  return bounded({ kind: "at", at: first.at, ...(first.kind === "twice" && { again: first.again }) }, place);
}

const isTooFar = (at: Date, { now }: Place) => at.getTime() - now.getTime() > FURTHEST_MS;

function bounded(found: Extract<When, { kind: "at" }>, place: Place): When {
  if (found.at <= place.now) return { kind: "past", at: found.at };
  return isTooFar(found.at, place) ? { kind: "too_far", at: found.at } : found;
}
