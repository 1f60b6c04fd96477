/** This file reads moments as other services write them. `docs/moving-in.md` lists the forms. It is pure. */

/** This is which comes first where a date is three numbers with the year last, such as 03/04/2025. */
export const DATE_ORDERS = ["dmy", "mdy"] as const;
export type DateOrder = (typeof DATE_ORDERS)[number];

const CLOCK = String.raw`(?:[T,\s]\s*(?<hour>\d{1,2}):(?<minute>\d{2})(?::(?<second>\d{2})(?:[.,](?<fraction>\d{1,9}))?)?\s*(?<half>am|pm)?)?`;
/** Go writes the offset and then the zone's name, which adds nothing. */
const ZONE = String.raw`\s*(?:(?<utc>z|utc|gmt)|(?<sign>[+-])(?<zoneHour>\d{2}):?(?<zoneMinute>\d{2})?(?:\s+[a-z]{1,5})?)?`;
const form = (date: string) => new RegExp(`^${date}${CLOCK}${ZONE}$`, "i");

const YEAR_FIRST = form(
  String.raw`(?<year>\d{4})(?<between>[-/.])(?<month>\d{1,2})\k<between>(?<day>\d{1,2})`,
);
const YEAR_LAST = form(String.raw`(?<one>\d{1,2})(?<between>[-/.])(?<two>\d{1,2})\k<between>(?<year>\d{4})`);
const DAY_NAMED = form(
  String.raw`(?:[a-z]{3,9},?\s+)?(?<day>\d{1,2})(?:\s+|-)(?<name>[a-z]{3,9})\.?,?(?:\s+|-)(?<year>\d{4})`,
);
const MONTH_NAMED = form(
  String.raw`(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?,?\s+)?(?<name>[a-z]{3,9})\.?\s+(?<day>\d{1,2})(?:st|nd|rd|th)?,?\s+(?<year>\d{4})`,
);
const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
/** Databases write this where there is no date. */
const NOTHING = /^0000-00-00(?:[T ]00:00:00)?$/;
/** There was no e-mail marketing service before, so an earlier year is a number that means something else. */
const FIRST_YEAR = 1_990;
const DAY_MS = 24 * 3_600_000;

/** Returns null for a date that stands for none, and undefined for what can't be read. Without a zone it is UTC. */
export function readTime(text: string, order: DateOrder, now: Date): Date | null | undefined {
  if (NOTHING.test(text)) return null;
  const time = /^\d{10}$|^\d{13}$/.test(text) ? fromUnix(text) : readDate(text, order);
  if (!time || time.getUTCFullYear() < FIRST_YEAR || time.getTime() > now.getTime() + DAY_MS)
    return undefined;
  return time;
}

/**
 * A number that can't be a month tells the order of the whole column; undefined means that nothing does. With points the day
 * comes first whatever the others do, so they tell nothing of them.
 */
export function orderOf(cells: readonly string[]): DateOrder | undefined {
  for (const cell of cells) {
    const { one, two, between } = YEAR_LAST.exec(cell)?.groups ?? {};
    if (between === ".") continue;
    if (Number(one) > 12) return "dmy";
    if (Number(two) > 12) return "mdy";
  }
  return undefined;
}

/** Says whether the order decides what this cell means. */
export function isAmbiguous(cell: string): boolean {
  const { one, two, between } = YEAR_LAST.exec(cell)?.groups ?? {};
  return between !== undefined && between !== "." && one !== two && Number(one) <= 12 && Number(two) <= 12;
}

function fromUnix(text: string): Date {
  return new Date(Number(text) * (text.length === 10 ? 1_000 : 1));
}

type Groups = Readonly<Record<string, string | undefined>>;

/** Reads a date of any year, with or without a time of day. */
export function readDate(text: string, order: DateOrder): Date | undefined {
  const yearFirst = YEAR_FIRST.exec(text)?.groups;
  if (yearFirst) return momentOf(yearFirst, Number(yearFirst["month"]), Number(yearFirst["day"]));
  const yearLast = YEAR_LAST.exec(text)?.groups;
  if (yearLast) {
    const [one, two] = [Number(yearLast["one"]), Number(yearLast["two"])];
    // Points are written where the day comes first. Elsewhere the other order is tried where one makes no date.
    const isDayFirst = yearLast["between"] === "." || (order === "dmy" ? two <= 12 : one > 12);
    return isDayFirst ? momentOf(yearLast, two, one) : momentOf(yearLast, one, two);
  }
  const named = (MONTH_NAMED.exec(text) ?? DAY_NAMED.exec(text))?.groups;
  if (!named) return undefined;
  const month = MONTHS.indexOf((named["name"] ?? "").slice(0, 3).toLowerCase()) + 1;
  return month === 0 ? undefined : momentOf(named, month, Number(named["day"]));
}

function momentOf(groups: Groups, month: number, day: number): Date | undefined {
  const year = Number(groups["year"]);
  const half = groups["half"]?.toLowerCase();
  const given = Number(groups["hour"] ?? 0);
  if (half && (given < 1 || given > 12)) return undefined;
  const hour = half ? (given % 12) + (half === "pm" ? 12 : 0) : given;
  const [minute, second] = [Number(groups["minute"] ?? 0), Number(groups["second"] ?? 0)];
  if (hour > 23 || minute > 59 || second > 60) return undefined;
  const millisecond = Number((groups["fraction"] ?? "").padEnd(3, "0").slice(0, 3));
  const local = new Date(Date.UTC(year, month - 1, day, hour, minute, Math.min(second, 59), millisecond));
  // The 31st of April would have become the 1st of May.
  if (local.getUTCMonth() !== month - 1 || local.getUTCDate() !== day) return undefined;
  const offset = (Number(groups["zoneHour"] ?? 0) * 60 + Number(groups["zoneMinute"] ?? 0)) * 60_000;
  return new Date(local.getTime() - (groups["sign"] === "-" ? -offset : offset));
}
