/** Periods are days, weeks from Monday, and months, all in UTC. */
export type Every = "day" | "week" | "month";

/** `label` ends a partition's name: 20261115, 2026w46 (ISO 8601), 202611. */
export type Period = { readonly from: Date; readonly to: Date; readonly label: string };

const DAY_MS = 24 * 3_600_000;

export function periodOf(every: Every, at: Date): Period {
  const from = startOf(every, at);
  return { from, to: endOf(every, from), label: labelOf(every, from) };
}

export function periodAfter(every: Every, period: Period): Period {
  return periodOf(every, period.to);
}

function startOf(every: Every, at: Date): Date {
  const day = Math.floor(at.getTime() / DAY_MS) * DAY_MS;
  switch (every) {
    case "day":
      return new Date(day);
    case "week":
      return new Date(day - ((at.getUTCDay() + 6) % 7) * DAY_MS);
    case "month":
      return new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), 1));
  }
}

function endOf(every: Every, from: Date): Date {
  if (every === "month") return new Date(Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + 1, 1));
  return new Date(from.getTime() + (every === "week" ? 7 : 1) * DAY_MS);
}

function labelOf(every: Every, from: Date): string {
  if (every === "week") return isoWeek(from);
  return from
    .toISOString()
    .slice(0, every === "day" ? 10 : 7)
    .replaceAll("-", "");
}

/** A week belongs to the year that its Thursday is in. */
function isoWeek(monday: Date): string {
  const thursday = new Date(monday.getTime() + 3 * DAY_MS);
  const year = thursday.getUTCFullYear();
  const week = 1 + Math.floor((thursday.getTime() - Date.UTC(year, 0, 1)) / (7 * DAY_MS));
  return `${year}w${String(week).padStart(2, "0")}`;
}
