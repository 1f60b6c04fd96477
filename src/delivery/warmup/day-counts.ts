/**
 * Reads what became of the mail that a transport was given on a day, for each mailbox provider: the step rule asks nobody else. What was sent,
 * bounced and was put off stands in the day's own rows, where senders count it; complaints are read once, when the next day is opened.
 */
import { prepared, type Queryable, type Sql, sql, type Tx } from "../../platform/db/db.ts";
import type { DayCounts } from "./plan-rules.ts";

/** The columns of `transport_days` that `countsOf` needs. */
export const countColumns = sql`d.drawn, d.hard, d.deferred, d.complained`;
export type CountedDay = { drawn: number; hard: number; deferred: number; complained: number | null };

/** The provider in the row of what a transport may be given to all of them together. */
export const ALL_PROVIDERS = "*";

export function countsOf({ drawn, hard, deferred, complained }: CountedDay): DayCounts {
  return { sent: drawn, hard, deferred, complained: complained ?? undefined };
}

/** People complain for weeks after a mail, but not much later. */
const COMPLAINED_ABOUT_DAYS = 30;
const DAY_MS = 24 * 3_600_000;

/**
 * Reads the domains of the people who complained on days of which that isn't written down yet. They are few. The primary keys of sources,
 * whose ids begin with a time, and of source_feedback serve it.
 */
export function readComplaints(
  db: Queryable,
  accountId: string,
  transportId: string,
  before: string,
): Promise<{ day: string; domain: string }[]> {
  const sinceMs = Date.parse(before) - COMPLAINED_ABOUT_DAYS * DAY_MS;
  return db.many(
    prepared(sql`
      select d.day::text as day, lower(split_part(coalesce(s.email, g.email), '@', 2)) as domain
      from (select distinct day from transport_days
            where account_id = ${accountId} and transport_id = ${transportId} and day < ${before}::date and complained is null
              and provider <> ${ALL_PROVIDERS}) as d
      join sources src on src.account_id = ${accountId} and src.id >= ${firstIdSince(sinceMs)}::uuid and src.transport_id = ${transportId}
      join source_feedback f on f.account_id = src.account_id and f.source_id = src.id and f.kind = 'complaint'
        and (f.at at time zone 'UTC')::date = d.day
      left join deliveries l on l.account_id = f.account_id and l.source_id = f.source_id and l.contact_id = f.contact_id
      left join subscribers s on s.account_id = l.account_id and s.id = l.subscriber_id
      left join given_recipients g on g.account_id = f.account_id and g.source_id = f.source_id and g.contact_id = f.contact_id
      where coalesce(s.email, g.email) is not null`),
  );
}

/** The least UUIDv7 of this time. */
export function firstIdSince(sinceMs: number): string {
  const time = sinceMs.toString(16).padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`;
}

/** Writes the complaints of days that are over, each once: a day that has them keeps them. */
export async function writeComplaints(
  tx: Tx,
  accountId: string,
  transportId: string,
  before: string,
  complaints: readonly { readonly day: string; readonly provider: string }[],
): Promise<void> {
  const given: Sql = sql`unnest(${complaints.map(({ day }) => day)}::date[], ${complaints.map(({ provider }) => provider)}::text[])`;
  await tx.execute(sql`
    update transport_days d set complained = (
      select count(*) from ${given} as c (day, provider) where c.day = d.day and c.provider = d.provider)
    where d.account_id = ${accountId} and d.transport_id = ${transportId} and d.day < ${before}::date and d.complained is null
      and d.provider <> ${ALL_PROVIDERS}`);
}
