/** Spans of time as ISO 8601 writes them. Days and weeks are of the calendar, hours and less are exact. */

const LONGEST_DAYS = 366;
const DAY_MS = 24 * 3_600_000;
const FORM = /^P(?:(\d{1,4})W)?(?:(\d{1,4})D)?(?:T(?:(\d{1,5})H)?(?:(\d{1,6})M)?)?$/;

/** Returns the span, or what is wrong with the text. */
export function readDuration(text: string): Temporal.Duration | { readonly wrong: string } {
  const parts = FORM.exec(text);
  if (!parts || text.endsWith("P") || text.endsWith("T"))
    return { wrong: "must be a span such as P2D, P1W, PT12H or P1DT30M" };
  const [weeks, days, hours, minutes] = parts.slice(1).map((part) => Number(part ?? 0)) as [
    number,
    number,
    number,
    number,
  ];
  const span = Temporal.Duration.from({ days: weeks * 7 + days, hours, minutes });
  if (span.blank) return { wrong: "must be more than nothing" };
  return atLeastMs(span) > LONGEST_DAYS * DAY_MS ? { wrong: `must be ${LONGEST_DAYS} days at most` } : span;
}

/** Returns the milliseconds of a span, with days of 24 hours. */
export function atLeastMs(span: Temporal.Duration): number {
  return span.total({ unit: "milliseconds", relativeTo: Temporal.PlainDate.from("2026-01-01") });
}

const HOUR = /^([01]\d|2[0-3]):[0-5]\d$/;

/** Tells whether a text is an hour of the day such as 09:30. */
export function isHour(text: unknown): text is string {
  return typeof text === "string" && HOUR.test(text);
}
