/** This pure rule says how much mail a month will have: what it has, and for the rest of it as much a day as the last four weeks had. */
const DAY_MS = 24 * 3_600_000;
/** Whole weeks, because few send as much on Sundays as on other days. */
export const RECENT_DAYS = 28;

export type Recent = {
  /** What left since the month began. */
  readonly month: number;
  /** What left in the last `RECENT_DAYS`. */
  readonly recent: number;
  readonly now: Date;
  readonly monthEnds: Date;
  /** An account that is younger than four weeks is judged by the time that it has been there, a day at least. */
  readonly since: Date;
};

export function forecastMonth({ month, recent, now, monthEnds, since }: Recent): number {
  const ageMs = Math.max(now.getTime() - since.getTime(), DAY_MS);
  const spanMs = Math.min(ageMs, RECENT_DAYS * DAY_MS);
  const leftMs = Math.max(0, monthEnds.getTime() - now.getTime());
  return month + Math.round((recent * leftMs) / spanMs);
}
