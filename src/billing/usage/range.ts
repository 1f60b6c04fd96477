/**
 * These pure rules turn days of the account's time zone into spans of time. Usage is counted by UTC hours, and an hour belongs to the day in
 * which it begins: where a zone is off by half an hour, so are the edges of its days.
 */
import { USAGE_KEPT_DAYS, type UsageSpan } from "../../delivery/delivery.ts";
import { AppError, invalidQuery } from "../../platform/problems.ts";

export const INTERVALS = ["hour", "day", "month"] as const;
export type Interval = (typeof INTERVALS)[number];

/** Both days belong to it. */
export type Days = { readonly from: Temporal.PlainDate; readonly to: Temporal.PlainDate };
export type GivenDays = { readonly from?: string | undefined; readonly to?: string | undefined };

/** So many points are answered at most: a month of hours with a day more, 13 months of days, or three years of months. */
const MOST_DAYS: Readonly<Record<Interval, number>> = { hour: 32, day: 396, month: USAGE_KEPT_DAYS };
const HOUR_MS = 3_600_000;

export function dayIn(timeZone: string, at: Date): Temporal.PlainDate {
  return Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(timeZone).toPlainDate();
}

/** The calendar month of a day, to its last day. */
export function monthOf(day: Temporal.PlainDate): Days {
  return { from: day.with({ day: 1 }), to: day.with({ day: day.daysInMonth }) };
}

export function spanOf({ from, to }: Days, timeZone: string): UsageSpan {
  return { from: startOf(from, timeZone), to: startOf(to.add({ days: 1 }), timeZone) };
}

/** Where midnight is skipped by the clock, the day begins with the first moment that it has. */
function startOf(day: Temporal.PlainDate, timeZone: string): Date {
  return new Date(day.toZonedDateTime(timeZone).epochMilliseconds);
}

/** Reads `from` and `to`; without them it is the current month. */
export function readDays(given: GivenDays, today: Temporal.PlainDate): Days {
  const days = daysOf(given, today, monthOf(today));
  return within(days, USAGE_KEPT_DAYS);
}

/** Reads them for a series; without them it is today by the hour, the current month by the day, and a year by the month. */
export function readSeriesDays(given: GivenDays, interval: Interval, today: Temporal.PlainDate): Days {
  const usual = {
    hour: { from: today, to: today },
    day: monthOf(today),
    month: { from: today.with({ day: 1 }).subtract({ months: 11 }), to: monthOf(today).to },
  };
  return within(daysOf(given, today, usual[interval]), MOST_DAYS[interval]);
}

function daysOf(given: GivenDays, today: Temporal.PlainDate, usual: Days): Days {
  const [from, to] = [dayOf("from", given.from), dayOf("to", given.to)];
  if (!from && !to) return usual;
  const last = to ?? today;
  return { from: from ?? monthOf(last).from, to: last };
}

function within(days: Days, most: number): Days {
  const count = days.from.until(days.to).days + 1;
  if (count < 1) throw faulty("from", "invalid_range", "must not be after `to`");
  if (count > most) throw faulty("from", "invalid_range", `must be less than ${most} days before \`to\``);
  return days;
}

/** A day such as 31 February has the form of one, and is none. */
function dayOf(parameter: string, given: string | undefined): Temporal.PlainDate | undefined {
  if (given === undefined) return undefined;
  try {
    return Temporal.PlainDate.from(given, { overflow: "reject" });
  } catch {
    throw faulty(parameter, "invalid_day", "must be a day");
  }
}

/** Lists where the intervals begin, and at last where the last of them ends. The first and the last month may be cut by the days. */
export function edgesOf(days: Days, interval: Interval, timeZone: string): Date[] {
  const { from, to } = spanOf(days, timeZone);
  if (interval === "hour") return hoursIn(from, to);
  const edges: Date[] = [];
  for (let day = days.from; Temporal.PlainDate.compare(day, days.to) <= 0; day = next(day, interval))
    edges.push(startOf(day, timeZone));
  return [...edges, to];
}

function next(day: Temporal.PlainDate, interval: "day" | "month"): Temporal.PlainDate {
  return interval === "day" ? day.add({ days: 1 }) : day.with({ day: 1 }).add({ months: 1 });
}

function hoursIn(from: Date, to: Date): Date[] {
  const first = Math.ceil(from.getTime() / HOUR_MS);
  const last = Math.ceil(to.getTime() / HOUR_MS);
  return Array.from({ length: last - first + 1 }, (_, n) => new Date((first + n) * HOUR_MS));
}

function faulty(parameter: string, code: string, detail: string): AppError {
  return new AppError(invalidQuery, `${parameter} ${detail}`, { faults: [{ parameter, code, detail }] });
}
