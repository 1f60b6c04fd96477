/** Says how much of an allowance is left, and for whom. These rules are pure. */

/** What an account may send in the period and on the day that last now. */
export type Limits = {
  readonly from: Date;
  /** The first moment of the next period. */
  readonly to: Date;
  readonly timeZone: string;
  /** The most mails of the period; null is no limit. */
  readonly mails: number | null;
  /** How many of them only transactional mail may use. */
  readonly transactionalReserve: number;
  readonly day: { readonly mails: number; readonly from: Date; readonly to: Date } | null;
};

/** Mails that were sent, and those that leased batches may still send. */
export type Taken = {
  readonly used: number;
  readonly usedTransactional: number;
  readonly usedToday: number;
  readonly reserved: number;
  readonly reservedTransactional: number;
};

export type Room = {
  /** How many mails are left of the period and the day together. It is negative where a limit was set below what is taken. */
  readonly left: number;
  /** Which of the two is the smaller. */
  readonly of: "period" | "day";
};

/**
 * Says how many mails a stream may still send. The reserve keeps from the others what transactional mail hasn't used of it. It is of the
 * period alone: a day is the same for all. What leased
 * batches may still send counts as sent, since it can't be taken back.
 */
export function roomOf(limits: Limits, taken: Taken, isTransactional: boolean): Room {
  const { used, reserved, usedTransactional, reservedTransactional, usedToday } = taken;
  const kept = isTransactional
    ? 0
    : Math.max(0, limits.transactionalReserve - usedTransactional - reservedTransactional);
  const ofPeriod = limits.mails === null ? Number.POSITIVE_INFINITY : limits.mails - used - reserved - kept;
  const ofDay = limits.day === null ? Number.POSITIVE_INFINITY : limits.day.mails - usedToday - reserved;
  return ofDay < ofPeriod ? { left: ofDay, of: "day" } : { left: ofPeriod, of: "period" };
}

const HOUR_MS = 3_600_000;

/** Returns when the UTC hour began that a moment is in. */
function hourOf(ms: number): number {
  return Math.floor(ms / HOUR_MS) * HOUR_MS;
}

/**
 * Returns the day of the time zone that a moment is in, in whole UTC hours, as usage is counted. Where midnight is within an hour, that whole hour
 * is of the day which begins in it: so every hour is in exactly one day.
 */
export function dayAround(at: Date, timeZone: string): { readonly from: Date; readonly to: Date } {
  const lastOfHour = hourOf(at.getTime()) + HOUR_MS - 1;
  const start = Temporal.Instant.fromEpochMilliseconds(lastOfHour).toZonedDateTimeISO(timeZone).startOfDay();
  const end = start.add({ days: 1 }).startOfDay();
  return { from: new Date(hourOf(start.epochMilliseconds)), to: new Date(hourOf(end.epochMilliseconds)) };
}

const THRESHOLDS = [50, 80, 90, 100] as const;

/** Returns the parts of the period's mails, in percent, that are used up. A limit of none is used up from its beginning. */
export function reachedThresholds(mails: number | null, used: number): readonly number[] {
  if (mails === null) return [];
  return THRESHOLDS.filter((percent) => used * 100 >= mails * percent);
}

/** The reason of a campaign that is paused because the mails of a period are used up. */
export const QUOTA_REACHED = "quota_reached";

/** Says in words what is used up. */
export function describeQuota({ mails, to, timeZone }: Limits): string {
  return `the ${count(mails ?? 0)} mails until ${dateOf(to, timeZone)} are used up`;
}

/** Writes a number as people read it: 12,400. */
export function count(number: number): string {
  return number.toLocaleString("en-GB");
}

/** Writes a day as people read it: 1 December 2026. */
export function dateOf(at: Date, timeZone: string): string {
  return at.toLocaleDateString("en-GB", { day: "numeric", month: "long", year: "numeric", timeZone });
}
