/**
 * Reads what became of the mail that a transport was given on a day, for each mailbox provider: the step rule asks nobody else. What was sent,
 * was refused and was put off stands in the day's own rows, where senders count it; what came back by mail is added once, when the next day is
 * opened.
 */
import { sql, type Tx } from "../../platform/db/db.ts";
import { leastIdAt } from "../../platform/ids.ts";
import type { DayCounts } from "./plan-rules.ts";

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
 * Adds what came back by mail on days that are over, each once: a relay takes nearly all at first, and most bounces come as mail. It counts for
 * the day on which it came, by the flow that the mail was sent as. The primary keys of sources, whose ids begin with a time, of source_feedback
 * and of mail_flows serve it.
 */
export async function addWhatCameBack(
  tx: Tx,
  accountId: string,
  transportId: string,
  before: string,
): Promise<void> {
  const since = leastIdAt(Date.parse(before) - TOLD_OF_DAYS * DAY_MS);
  await tx.execute(sql`
    with days as materialized (
      select day, provider from transport_days
      where account_id = ${accountId} and transport_id = ${transportId} and day < ${before}::date and complained is null
        and provider <> ${ALL_PROVIDERS}
    ), told as materialized (
      select (f.at at time zone 'UTC')::date as day, m.provider, count(*) filter (where f.kind = 'complaint') as complained,
             count(*) filter (where f.kind = 'hard_bounce') as hard
      from sources src
      join source_feedback f on f.account_id = src.account_id and f.source_id = src.id and f.kind in ('complaint', 'hard_bounce')
      join mail_flows m on m.account_id = f.account_id and m.id = f.flow_id and m.transport_id = ${transportId}
      where src.account_id = ${accountId} and src.id >= ${since}::uuid and exists (select from days)
      group by 1, 2
    )
    update transport_days d set complained = coalesce(told.complained, 0), hard = d.hard + coalesce(told.hard, 0)
    from days left join told on told.day = days.day and told.provider = days.provider
    where d.account_id = ${accountId} and d.transport_id = ${transportId} and d.day = days.day and d.provider = days.provider
      and d.complained is null`);
}
