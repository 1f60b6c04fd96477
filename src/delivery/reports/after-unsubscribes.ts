/** Measures from the ledger how long an unsubscribe takes to have its effect. */
import { type Queryable, sql } from "../../platform/db/db.ts";
import { stillUnsubscribed } from "../../subscribers/subscribers.ts";

export type AfterUnsubscribes = {
  /** How many people were looked at. */
  readonly people: number;
  /** How many of them got a mail of the same list afterwards. */
  readonly mailedAfter: number;
  /** How long after the unsubscribe the last of these mails was accepted; 0 where there is none. */
  readonly longestSeconds: number;
};

/**
 * Looks at those who unsubscribed last, so many at most, and are still unsubscribed: was a campaign's mail of that list accepted for
 * them afterwards? The indexes source_unsubscribes_by_time and subscribers_by_contact serve it, and the ledger's primary key.
 */
export function readAfterUnsubscribes(
  db: Queryable,
  accountId: string,
  since: Date,
  most: number,
): Promise<AfterUnsubscribes> {
  return db.one<AfterUnsubscribes>(sql`
    with recent as materialized (
      select u.contact_id, u.at, src.list_id from (
        select source_id, contact_id, at from source_unsubscribes
        where account_id = ${accountId} and at >= ${since} order by at desc limit ${most}) as u
      join sources src on src.account_id = ${accountId} and src.id = u.source_id
    ), gone as materialized (${stillUnsubscribed(accountId, sql`recent`)})
    select count(*) as people, count(late.at) as "mailedAfter",
           coalesce(max(extract(epoch from late.at - gone.at)), 0)::float8 as "longestSeconds"
    from gone left join lateral (
      select max(d.changed_at) as at from sources src
      join deliveries d on d.account_id = ${accountId} and d.source_id = src.id and d.contact_id = gone.contact_id
      where src.account_id = ${accountId} and src.list_id = gone.list_id and src.stream = 'campaign'
        and (src.ended_at is null or src.ended_at > gone.at) and d.state = 'sent' and d.changed_at > gone.at
    ) as late on true`);
}
