/** Clock times of a zone and the moments that they stand for. A clock that is put forward leaves some out, and one that is put back has some twice. */

/** What calendar and clock show; months count from 1. */
export type ClockTime = {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
};

type Moment =
  | { readonly kind: "once"; readonly at: Date }
  | { readonly kind: "twice"; readonly at: Date; readonly again: Date }
  /** The clock jumps over it; `at` is as much later as the clock jumps. */
  | { readonly kind: "never"; readonly at: Date };

const DAY_MS = 86_400_000;
const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known) return known;
  const made = new Intl.DateTimeFormat("en-GB", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
  });
  formats.set(zone, made);
  return made;
}

export function clockTimeIn(at: Date, zone: string): ClockTime {
  const found: Record<string, number> = {};
  for (const { type, value } of formatOf(zone).formatToParts(at)) found[type] = Number(value);
  const { year = 0, month = 0, day = 0, hour = 0, minute = 0 } = found;
  return { year, month, day, hour, minute };
}

function asIfUtc({ year, month, day, hour, minute }: ClockTime): number {
  return Date.UTC(year, month - 1, day, hour, minute);
}

/** By how much the clocks of the zone are ahead of UTC at that time. */
function aheadMs(ms: number, zone: string): number {
  const minuteMs = Math.floor(ms / 60_000) * 60_000;
  return asIfUtc(clockTimeIn(new Date(minuteMs), zone)) - minuteMs;
}

export function momentOf(time: ClockTime, zone: string): Moment {
  const wanted = asIfUtc(time);
  const before = wanted - aheadMs(wanted - DAY_MS, zone);
  const after = wanted - aheadMs(wanted + DAY_MS, zone);
  const found = [...new Set([before, after])]
    .filter((ms) => asIfUtc(clockTimeIn(new Date(ms), zone)) === wanted)
    .sort((one, other) => one - other);
  const [first, second] = found.map((ms) => new Date(ms));
  if (!first) return { kind: "never", at: new Date(before) };
  return second ? { kind: "twice", at: first, again: second } : { kind: "once", at: first };
}

/** The same clock time so many days later, in months of their own lengths. */
export function addDays(time: ClockTime, days: number): ClockTime {
  const moved = new Date(Date.UTC(time.year, time.month - 1, time.day + days));
  return {
    ...time,
    year: moved.getUTCFullYear(),
    month: moved.getUTCMonth() + 1,
    day: moved.getUTCDate(),
  };
}

/** Sunday is 0. */
export function weekdayOf({ year, month, day }: Pick<ClockTime, "year" | "month" | "day">): number {
  return new Date(Date.UTC(year, month - 1, day)).getUTCDay();
}

export function isDate({ year, month, day }: Pick<ClockTime, "year" | "month" | "day">): boolean {
  const found = new Date(Date.UTC(year, month - 1, day));
  return found.getUTCMonth() === month - 1 && found.getUTCDate() === day;
}
