/** Says when a date lets somebody in, and which dates may do so in a stretch of time. Nothing here reads a clock or the database. */
import type { DateTrigger, Graph } from "../graph-types.ts";
import { momentOfDate, nextReturnOfDate } from "../times/times.ts";

/** A stretch of time without its beginning, and with its end. */
export type Window = { readonly from: Date; readonly to: Date };

const QUARTER_MS = 15 * 60_000;
const MINUTE_MS = 60_000;
/** Clocks are 14 hours ahead of UTC at most, and an hour that a change of clocks skips goes forward: two days are enough. */
const DAYS_AROUND = 2;

export function dateTriggersOf({ entry }: Graph): readonly DateTrigger[] {
  return entry.on.filter((trigger) => trigger.type === "date");
}

/**
 * Returns when one of the triggers may next let somebody in, whatever their zone. Clocks differ from UTC by whole quarters of an hour, so 09:07 is
 * somewhere at minutes 7, 22, 37 and 52, and never between.
 */
export function nextMark(triggers: readonly DateTrigger[], after: Date): Date | undefined {
  const marks = triggers.map(({ at }) => {
    const shift = (Number(at.slice(3)) * MINUTE_MS) % QUARTER_MS;
    return Math.floor((after.getTime() - shift) / QUARTER_MS) * QUARTER_MS + QUARTER_MS + shift;
  });
  return marks.length > 0 ? new Date(Math.min(...marks)) : undefined;
}

/**
 * Returns the days of which one lets somebody in within the window, and some around them: as "03-14" for a date that returns every year, and else
 * as "2026-03-14".
 */
export function daysOf({ offsetDays, repeat }: DateTrigger, { from, to }: Window): readonly string[] {
  const last = dayOf(to).add({ days: DAYS_AROUND - offsetDays });
  const days: string[] = [];
  for (
    let day = dayOf(from).subtract({ days: DAYS_AROUND + offsetDays });
    Temporal.PlainDate.compare(day, last) <= 0;
    day = day.add({ days: 1 })
  )
    days.push(day.toString());
  if (repeat === "once") return days;
  const yearly = new Set(days.map((day) => day.slice(5)));
  if (yearly.has("02-28")) yearly.add("02-29");
  return [...yearly];
}

function dayOf(at: Date): Temporal.PlainDate {
  return Temporal.PlainDate.from(at.toISOString().slice(0, 10));
}

/** Returns the moment at which somebody's date lets them in within the window; undefined where it is none. */
export function momentIn(
  { offsetDays, repeat, at }: DateTrigger,
  date: string,
  zone: string,
  { from, to }: Window,
): Date | undefined {
  const moment =
    repeat === "once"
      ? momentOfDate(date, offsetDays, at, zone)
      : nextReturnOfDate(date, offsetDays, at, zone, new Date(from.getTime() + 1));
  return moment > from && moment <= to ? moment : undefined;
}
