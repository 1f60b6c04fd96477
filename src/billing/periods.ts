/**
 * Periods lie between the returns of an anchor by the clock of one time zone. Each return is reckoned from the anchor itself and not from the return
 * before: 31 January is followed by 28 February and then by 31 March. A period ends at the very moment at which the next begins. That is always the
 * beginning of a UTC hour, since usage is counted by the hour.
 */

export const INTERVALS = ["month", "year"] as const;
export type Interval = (typeof INTERVALS)[number];

export type Rhythm = {
  readonly anchor: Date;
  readonly interval: Interval;
  /** The time zone whose clock is meant. Whoever stores a rhythm stores this too, or a change of it would leave a gap or an overlap. */
  readonly timeZone: string;
};

/** `to` is the first moment that isn't in the period. */
export type Period = { readonly from: Date; readonly to: Date };

const HOUR_MS = 3_600_000;

/** Returns when the UTC hour began that a moment is in. */
export function hourOf(at: Date): Date {
  return new Date(Math.floor(at.getTime() / HOUR_MS) * HOUR_MS);
}

/** Returns when the UTC hour ends that a moment is in. One that begins at that moment hasn't begun. */
export function endOfHour(at: Date): Date {
  return new Date(Math.ceil(at.getTime() / HOUR_MS) * HOUR_MS);
}

/**
 * Returns the return of the anchor by its number: 0 is the anchor itself, and those before it are negative. Where clocks change by half an hour, the
 * local time of a return is within a UTC hour, and the return is when that hour began.
 */
export function returnOf({ anchor, interval, timeZone }: Rhythm, number: number): Date {
  const months = number * (interval === "year" ? 12 : 1);
  return hourOf(new Date(local(anchor, timeZone).add({ months }).epochMilliseconds));
}

/** Returns the period that a moment is in. */
export function periodAt(rhythm: Rhythm, at: Date): Period {
  let number = estimate(rhythm, at);
  while (returnOf(rhythm, number) > at) number -= 1;
  while (returnOf(rhythm, number + 1) <= at) number += 1;
  return { from: returnOf(rhythm, number), to: returnOf(rhythm, number + 1) };
}

/** What says of a subscription when its periods are. */
export type Subscribed = {
  readonly started_at: Date;
  readonly anchor: Date;
  readonly terms: { readonly interval: Interval };
  readonly time_zone: string;
};

/** Returns the period that a moment of a subscription is in. What lies before the anchor is the trial. */
export function periodOf({ started_at, anchor, terms, time_zone }: Subscribed, at: Date): Period {
  if (at < anchor) return { from: started_at, to: anchor };
  return periodAt({ anchor, interval: terms.interval, timeZone: time_zone }, at);
}

/** A trial lasts whole days of the calendar, so that it ends at the hour at which it began. */
export function afterDays(from: Date, days: number, timeZone: string): Date {
  return hourOf(new Date(local(from, timeZone).add({ days }).epochMilliseconds));
}

/** It is wrong by one at most, since it looks at months of the calendar and not at days and hours. */
function estimate({ anchor, interval, timeZone }: Rhythm, at: Date): number {
  const [start, moment] = [local(anchor, timeZone), local(at, timeZone)];
  const months = (moment.year - start.year) * 12 + moment.month - start.month;
  return Math.floor(months / (interval === "year" ? 12 : 1));
}

function local(at: Date, timeZone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(timeZone);
}
