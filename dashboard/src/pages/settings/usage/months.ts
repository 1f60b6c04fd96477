/** Months and days by their names, such as 2026-11 and 2026-11-30. They are the account's, so no time zone is asked here. */
const DAY_MS = 86_400_000;
/** Usage is kept for three years. */
const MOST_MONTHS = 36;

export const monthOf = (day: string) => day.slice(0, 7);

/** The first and the last day of a month. */
export function daysOfMonth(month: string): { readonly from: string; readonly to: string } {
  const [year = 0, number = 1] = month.split("-").map(Number);
  return { from: `${month}-01`, to: nameOf(Date.UTC(year, number, 0)) };
}

/** The day that comes so many days after another. */
export const dayAfter = (day: string, count: number) => nameOf(Date.parse(day) + count * DAY_MS);

/** Every month from the first to the last, the last at the head. */
export function monthsBetween(first: string, last: string): readonly string[] {
  const [year = 0, number = 1] = last.split("-").map(Number);
  return Array.from({ length: MOST_MONTHS }, (_, back) =>
    monthOf(nameOf(Date.UTC(year, number - 1 - back, 1))),
  ).filter((month, back) => back === 0 || month >= first);
}

const nameOf = (time: number) => new Date(time).toISOString().slice(0, 10);
