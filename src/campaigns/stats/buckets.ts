/** Hours and days of a time zone, as people there count them: a day may have 23 or 25 hours. */
export type Interval = "hour" | "day";

export const MOST_BUCKETS = 1_000;

const MINUTE_MS = 60_000;
const STEP_MS = 15 * MINUTE_MS;

/** Tells when the hour or the day began that `at` is in. */
function startOfBucket(interval: Interval, timeZone: string, at: Date): Date {
  const local = Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(timeZone);
  const start =
    interval === "day" ? local.startOfDay() : local.round({ smallestUnit: "hour", roundingMode: "floor" });
  return new Date(start.epochMilliseconds);
}

/** Finds the next beginning by trial, since clocks may be put forward or back by half an hour, or at midnight. */
function startOfNext(interval: Interval, timeZone: string, start: Date): Date {
  const leastMs = interval === "day" ? 20 * 60 * MINUTE_MS : STEP_MS;
  for (let ms = start.getTime() + leastMs; ; ms += STEP_MS) {
    const next = startOfBucket(interval, timeZone, new Date(ms));
    if (next > start) return next;
  }
}

/**
 * Lists where each bucket begins, from the one with `from` to the one with `to`, and at last where the one after them would.
 * There are no more than `most` buckets; where that is too few, `to` is in none of them.
 */
export function bucketStarts(
  interval: Interval,
  timeZone: string,
  { from, to }: { readonly from: Date; readonly to: Date },
  most = MOST_BUCKETS,
): Date[] {
  const starts = [startOfBucket(interval, timeZone, from)];
  for (let start = starts[0] as Date; start <= to && starts.length <= most; ) {
    start = startOfNext(interval, timeZone, start);
    starts.push(start);
  }
  return starts;
}
