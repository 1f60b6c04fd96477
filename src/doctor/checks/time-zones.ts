/** This check says whether PostgreSQL and Node have the same time zones, because an old rule sends a campaign an hour early. */
import { type Queryable, sql } from "../../platform/db/db.ts";
import type { Check, DatabaseEnv, Result } from "../check.ts";

/** Each zone has its minutes east of UTC, one number for each date that was asked for. An unknown zone has no entry. */
export type Offsets = ReadonlyMap<string, readonly number[]>;

/** Every server knows these zones. */
const COMMON = ["Europe/London", "America/New_York", "Asia/Kolkata", "Australia/Sydney", "America/Sao_Paulo"];
/** These zones were renamed or changed by law since 2022, so they show where the data is outdated. */
const RECENT = ["Europe/Kyiv", "America/Mexico_City", "Africa/Cairo", "Asia/Almaty", "America/Asuncion"];
const ZONES = [...COMMON, ...RECENT];

export const timeZonesCheck: Check<DatabaseEnv> = {
  name: "time zones",
  async run({ look, clock }) {
    const dates = monthsFrom(clock.now());
    const theirs = await look((tx) => readServerOffsets(tx, ZONES, dates));
    return judgeTimeZones(COMMON, theirs, nodeOffsets(ZONES, dates), process.versions["tz"] ?? "unknown");
  },
};

export function judgeTimeZones(
  common: readonly string[],
  server: Offsets,
  node: Offsets,
  nodeVersion: string,
): Result {
  const zones = new Set([...common, ...server.keys(), ...node.keys()]);
  const lacking = [...zones].filter((zone) => !server.has(zone) || !node.has(zone));
  const differing = [...zones].filter((zone) => {
    const [theirs, ours] = [server.get(zone), node.get(zone)];
    return theirs && ours && theirs.some((offset, index) => offset !== ours[index]);
  });
  if (lacking.length + differing.length === 0) {
    return { status: "ok", finding: `PostgreSQL and Node (${nodeVersion}) follow the same rules` };
  }
  const remedy = `update the time-zone data of the older one: tzdata on the database's machine, or Node (it has ${nodeVersion})`;
  const parts = [
    ...lacking.map((zone) => `${server.has(zone) ? "Node" : "PostgreSQL"} doesn't know ${zone}`),
    ...(differing.length > 0 ? [`PostgreSQL and Node disagree on ${differing.join(", ")}`] : []),
  ];
  const isBad = lacking.some((zone) => common.includes(zone));
  return { status: isBad ? "fail" : "warn", finding: parts.join("; "), remedy };
}

/** Answers the middle of each month of this year and the next. */
function monthsFrom(now: Date): Date[] {
  return Array.from({ length: 24 }, (_, month) => new Date(Date.UTC(now.getUTCFullYear(), month, 15, 12)));
}

export async function readServerOffsets(
  tx: Queryable,
  zones: readonly string[],
  dates: readonly Date[],
): Promise<Offsets> {
  // An unknown zone in AT TIME ZONE is an error, so the server is first asked which ones it knows.
  const known = await tx.many<{ name: string }>(
    sql`select name from pg_timezone_names where name = any(${zones}::text[])`,
  );
  const rows = await tx.many<{ zone: string; offsets: number[] }>(sql`
    select zone, array_agg(
      (extract(epoch from (at at time zone zone) - (at at time zone 'UTC')) / 60)::int order by at) as offsets
    from unnest(${known.map(({ name }) => name)}::text[]) as zone
    cross join unnest(${dates}::timestamptz[]) as at
    group by zone`);
  return new Map(rows.map(({ zone, offsets }) => [zone, offsets]));
}

export function nodeOffsets(zones: readonly string[], dates: readonly Date[]): Offsets {
  return new Map(
    zones.flatMap((zone) => {
      try {
        const format = new Intl.DateTimeFormat("en", { timeZone: zone, timeZoneName: "longOffset" });
        return [[zone, dates.map((date) => minutesIn(format, date))] as const];
      } catch {
        return [];
      }
    }),
  );
}

function minutesIn(format: Intl.DateTimeFormat, date: Date): number {
  const name = format.formatToParts(date).find(({ type }) => type === "timeZoneName")?.value ?? "";
  const [, sign, hours = 0, minutes = 0] = /^GMT(?:([+-])(\d\d):(\d\d))?$/.exec(name) ?? [];
  return (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
}
