/** Counts how much was mailed to one domain of late, so that what comes back from there can be held against it. */

import { type Queryable, sql } from "../../platform/db/db.ts";
import { leastIdAt } from "../../platform/ids.ts";
import { lookUpDomain } from "../../subscribers/subscribers.ts";
import type { Stream } from "../types.ts";

/** So many rows of a source that hasn't ended are looked at; of more, the share among them stands for all. */
const MOST_LOOKED_AT = 20_000;

export type MailedToDomain = {
  readonly sourceId: string;
  readonly stream: Stream;
  readonly sent: number;
  /** How many bounced hard within the session. */
  readonly hard: number;
};

/** Reads it for each source that was made since then, by their primary key: what was counted when it ended, or the ledger itself. */
export function readMailedToDomain(
  db: Queryable,
  accountId: string,
  domain: string,
  since: Date,
): Promise<MailedToDomain[]> {
  return db.many<MailedToDomain>(sql`
    select src.id as "sourceId", src.stream, coalesce(kept.sent, live.sent, 0)::bigint as sent, coalesce(kept.hard, 0)::bigint as hard
    from sources src
    left join source_domains kept
      on kept.account_id = ${accountId} and kept.source_id = src.id and kept.domain = ${domain}
    left join lateral (
      select count(*) filter (where p.domain = ${domain})
             * (select coalesce(sum(c.count), 0) from counters c
                where c.account_id = ${accountId} and c.source_id = src.id and c.what = 'sent') / greatest(count(*), 1) as sent
      from (
        select own.contact_id, own.subscriber_id from deliveries own
        where own.account_id = ${accountId} and own.source_id = src.id and own.state = 'sent' limit ${MOST_LOOKED_AT}) as d
      left join lateral (
        select domain from ${lookUpDomain(accountId, sql`d.subscriber_id`)} as subscriber
        union all
        select split_part(g.email_key, '@', -1) from given_recipients g
        where d.subscriber_id is null and g.account_id = ${accountId} and g.source_id = src.id and g.contact_id = d.contact_id
      ) as p on true
    ) as live on not exists (
      select from source_domains k where k.account_id = ${accountId} and k.source_id = src.id)
    where src.account_id = ${accountId} and src.id >= ${leastIdAt(since.getTime())} and src.state <> 'replaced'`);
}
