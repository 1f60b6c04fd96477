/**
 * Says when a wait ends and when mail may leave, by somebody's own clock. A local time that a change of clocks skips goes forward,
 * and of one that it repeats the first is meant, as Temporal has it by default. Nothing here reads a clock.
 */
import { type Hours, type SendRules, type WaitNode, WEEKDAYS, type Weekday } from "../graph-types.ts";

export { atLeastMs, isHour, readDuration } from "./durations.ts";

const DAYS_OF_A_WEEK = 7;

/** A wait's `for`, read: days are of the calendar, so that two days later is the same hour of the clock. */
export function addSpan(from: Date, span: Temporal.Duration, zone: string): Date {
  return toDate(local(from, zone).add(span));
}

/**
 * Returns the first moment at the hour and on one of the weekdays, where these are given, that isn't before `from`; without either,
 * `from` itself. With `isLater` the moment is later than `from`, so that a wait for an hour alone always waits.
 */
export function nextMoment(
  from: Date,
  zone: string,
  { at, weekdays }: Pick<WaitNode, "at" | "weekdays">,
  isLater = false,
): Date {
  if (at === undefined && weekdays.length === 0) return from;
  const start = local(from, zone);
  if (at === undefined && isOn(start, weekdays)) return from;
  const time = at === undefined ? start.toPlainTime() : Temporal.PlainTime.from(at);
  // A day whose hour was skipped, or is over, is followed by another: a week and a day always has one that fits.
  for (let days = 0; days <= DAYS_OF_A_WEEK + 1; days++) {
    const day = start.toPlainDate().add({ days });
    const moment = day.toZonedDateTime({ timeZone: zone, plainTime: time });
    const isReached = isLater
      ? moment.epochMilliseconds > from.getTime()
      : moment.epochMilliseconds >= from.getTime();
    if (isReached && (weekdays.length === 0 || isOn(day, weekdays))) return toDate(moment);
  }
  throw new Error(`there is no ${at ?? "moment"} on ${weekdays.join(", ")} in ${zone}`);
}

/** Returns the moment of a person's date, so many days before or after it, at an hour. */
export function momentOfDate(day: string, offsetDays: number, at: string, zone: string): Date {
  const date = Temporal.PlainDate.from(day).add({ days: offsetDays });
  return toDate(date.toZonedDateTime({ timeZone: zone, plainTime: Temporal.PlainTime.from(at) }));
}

/** Returns the first yearly return of a date that isn't before `from`; 29 February is 28 February in other years. */
export function nextReturnOfDate(
  day: string,
  offsetDays: number,
  at: string,
  zone: string,
  from: Date,
): Date {
  const first = Temporal.PlainDate.from(day);
  const monthDay = first.toPlainMonthDay();
  // An offset of up to a year may bring the return of the year before, or of the year after.
  const year = local(from, zone).year;
  const offsetYears = Math.ceil(Math.abs(offsetDays) / 365);
  for (let some = Math.max(first.year, year - offsetYears); ; some++) {
    const date = monthDay.toPlainDate({ year: some });
    const moment = momentOfDate(date.toString(), offsetDays, at, zone);
    if (moment >= from) return moment;
  }
}

/** Returns the first moment from `from` on at which the rules let mail leave; undefined where they never do. */
export function nextSendTime(from: Date, zone: string, rules: SendRules): Date | undefined {
  let moment = from;
  // Each turn moves on to the end of something that forbids this moment. Every day has two such ends at most.
  for (let turns = 0; turns <= 2 * (DAYS_OF_A_WEEK + 1); turns++) {
    const next = endOfForbidden(moment, zone, rules);
    if (!next) return moment;
    moment = next;
  }
  return undefined;
}

/** Returns when the rules are next to be asked; undefined where they let mail leave now. */
function endOfForbidden(
  moment: Date,
  zone: string,
  { window, quiet, weekdays }: SendRules,
): Date | undefined {
  if (weekdays.length === 0 && !window && !quiet) return undefined;
  const here = local(moment, zone);
  if (weekdays.length > 0 && !isOn(here, weekdays))
    return toDate(here.toPlainDate().add({ days: 1 }).toZonedDateTime(zone));
  if (window && !isWithin(here, window)) return nextMoment(moment, zone, hour(window.from), true);
  if (quiet && isWithin(here, quiet)) return nextMoment(moment, zone, hour(quiet.to), true);
  return undefined;
}

function hour(at: string): Pick<WaitNode, "at" | "weekdays"> {
  return { at, weekdays: [] };
}

/** Hours whose end is their beginning are the whole day. */
function isWithin(here: Temporal.ZonedDateTime, { from, to }: Hours): boolean {
  const now = here.toPlainTime().toString({ smallestUnit: "minute" });
  return from < to ? from <= now && now < to : now >= from || now < to;
}

function isOn(day: { readonly dayOfWeek: number }, weekdays: readonly Weekday[]): boolean {
  return weekdays.includes(WEEKDAYS[day.dayOfWeek - 1] as Weekday);
}

function local(at: Date, zone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(zone);
}

function toDate(moment: Temporal.ZonedDateTime): Date {
  return new Date(moment.epochMilliseconds);
}
