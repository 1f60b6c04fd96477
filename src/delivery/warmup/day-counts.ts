/**
 * Reads what became of the mail that a transport was given on a day, for each mailbox provider: the step rule asks nobody else. What was sent,
 * was refused and was put off stands in the day's own rows, where senders count it; what came back by mail is added once, when the next day on
 * which the provider is sent to is opened.
 */
import { sql, type Tx } from "../../platform/db/db.ts";
import { leastIdAt } from "../../platform/ids.ts";
import type { DayCounts } from "./plan-rules.ts";

/** A transport on a day of UTC, as `YYYY-MM-DD`. */
export type TransportDay = {
  readonly accountId: string;
  readonly transportId: string;
  readonly day: string;
};

/** The columns of `transport_days` that `countsOf` needs. */
export const countColumns = sql`d.drawn, d.hard, d.deferred, d.complained`;
export type CountedDay = { drawn: number; hard: number; deferred: number; complained: number | null };

/** The provider in the row of what a transport may be given to all of them together. */
export const ALL_PROVIDERS = "*";

export function countsOf({ drawn, hard, deferred, complained }: CountedDay): DayCounts {
  return { sent: drawn, hard, deferred, complained: complained ?? undefined };
}

/** People complain for weeks after a mail, but not much later; mail comes back sooner. */
const TOLD_OF_DAYS = 30;
const DAY_MS = 24 * 3_600_000;

/**
 * Adds what came back by mail to the last day on which these providers were sent to, once, when their next day is opened: a relay takes nearly all
 * at first, and most bounces come as mail. What came on days without sending counts for the last day before. It counts by the flow that the
 * mail was sent as. The primary keys of transport_days, of sources, whose ids begin with a time, of source_feedback and of mail_flows serve it.
 */
export async function addWhatCameBack(
  tx: Tx,
  { accountId, transportId, day: before }: TransportDay,
  providers: readonly string[],
): Promise<void> {
  const isOpen = sql`account_id = ${accountId} and transport_id = ${transportId} and day < ${before}::date
    and provider = any(${[...providers]}::text[]) and complained is null`;
  const { first } = await tx.one<{ first: string | null }>(
    sql`select min(day)::text as first from transport_days where ${isOpen}`,
  );
  if (first === null) return;
  const since = leastIdAt(Date.parse(first) - TOLD_OF_DAYS * DAY_MS);
  await tx.execute(sql`
    with days as materialized (
      select day, provider, coalesce(lead(day) over (partition by provider order by day), ${before}::date) as next
      from transport_days where ${isOpen}
    ), told as materialized (
      select (f.at at time zone 'UTC')::date as day, m.provider, count(*) filter (where f.kind = 'complaint') as complained,
             count(*) filter (where f.kind = 'hard_bounce') as hard
      from sources src
      join source_feedback f on f.account_id = src.account_id and f.source_id = src.id and f.kind in ('complaint', 'hard_bounce')
      join mail_flows m on m.account_id = f.account_id and m.id = f.flow_id and m.transport_id = ${transportId}
      where src.account_id = ${accountId} and src.id >= ${since}::uuid
      group by 1, 2
    ), counted as (
      select days.day, days.provider, coalesce(sum(told.complained), 0) as complained, coalesce(sum(told.hard), 0) as hard
      from days left join told on told.provider = days.provider and told.day >= days.day and told.day < days.next
      group by 1, 2
    )
    update transport_days d set complained = counted.complained, hard = d.hard + counted.hard
    from counted
    where d.account_id = ${accountId} and d.transport_id = ${transportId} and d.day = counted.day and d.provider = counted.provider
      and d.complained is null`);
}
