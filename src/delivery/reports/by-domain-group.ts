/** Counts an account's mail of late by groups of recipients' domains, such as those of one mailbox provider. */

import { textArray } from "../../platform/db/arrays.ts";
import { type Queryable, sql } from "../../platform/db/db.ts";
import { leastIdAt } from "../../platform/ids.ts";
import { SANDBOX_TRANSPORT } from "../ids.ts";

export type GroupedDomain = { readonly domain: string; readonly group: string };

export type GroupDay = {
  readonly group: string;
  /** As `YYYY-MM-DD`, in UTC. */
  readonly day: string;
  /** Both may be fractions, so that the sum over days is what was counted. */
  readonly sent: number;
  readonly hard: number;
};

/**
 * Reads it from what was counted when each source ended, and from its counts by time: a source's mail to a group is dealt out to days
 * like all of its mail. What is still being sent isn't counted yet, and the sandbox never. Both tables are read by their primary keys.
 */
export function readByDomainGroup(
  db: Queryable,
  accountId: string,
  domains: readonly GroupedDomain[],
  since: Date,
): Promise<GroupDay[]> {
  return db.many<GroupDay>(sql`
    with src as materialized (
      select id from sources
      where account_id = ${accountId} and id >= ${leastIdAt(since.getTime())} and state <> 'replaced' and transport_id <> ${SANDBOX_TRANSPORT}
    ), grouped as (
      select k.source_id, g.name, sum(k.sent) as sent, sum(k.hard) as hard
      from src join source_domains k on k.account_id = ${accountId} and k.source_id = src.id
      join unnest(${textArray(domains.map(({ domain }) => domain))}::text[], ${textArray(domains.map(({ group }) => group))}::text[])
        as g (domain, name) on g.domain = k.domain
      group by 1, 2
    ), days as (
      select c.source_id, (c.at at time zone 'UTC')::date as day, sum(c.count) as sent
      from src join counters_by_time c on c.account_id = ${accountId} and c.source_id = src.id and c.what = 'sent'
      group by 1, 2
    ), shares as (
      select source_id, day, sent / sum(sent) over (partition by source_id) as share from days where sent > 0
    )
    select grouped.name as "group", to_char(shares.day, 'YYYY-MM-DD') as day,
           sum(grouped.sent * shares.share)::float8 as sent, sum(grouped.hard * shares.share)::float8 as hard
    from grouped join shares using (source_id) group by 1, 2 order by 1, 2`);
}
