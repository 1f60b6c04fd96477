/**
 * Bounces that came later, as mail, of what a server had taken. The ledger's rows stay as they were, so all reports add these: the
 * sums, the domains, the quarters of an hour and the lists of recipients count the same.
 */
import { prepared, type Queryable, type Sql, sql } from "../../platform/db/db.ts";
import { lookUpDomain } from "../../subscribers/subscribers.ts";

/**
 * Says of feedback `f` that its mail is `sent`: what came back about another was never counted as delivered. Where the ledger's row
 * is gone, which is dropped after 13 months, the feedback stays.
 */
export const isOfSentMail = sql`coalesce((
  select d.state from deliveries d
  where d.account_id = f.account_id and d.source_id = f.source_id and d.contact_id = f.contact_id), 'sent') = 'sent'`;

export const GRAVEST_FIRST = sql`array['hard_bounce', 'block_bounce', 'soft_bounce']`;

/** Selects each mail of these sources that came back once: its gravest kind, and when it first did. */
export function laterBounces(accountId: string, sourceIds: Sql): Sql {
  return sql`
    select f.source_id, f.contact_id, (${GRAVEST_FIRST})[min(array_position(${GRAVEST_FIRST}, f.kind))] as kind, min(f.at) as at
    from source_feedback f
    where f.account_id = ${accountId} and f.source_id = any(${sourceIds}) and f.kind = any(${GRAVEST_FIRST}) and ${isOfSentMail}
    group by f.source_id, f.contact_id`;
}

type LaterOfDomain = {
  readonly domain: string;
  readonly hard: number;
  readonly soft: number;
  readonly block: number;
  readonly complaints: number;
};

/** Counts them, and complaints, by the recipients' domain, which is '' where the subscriber or the ledger's row is gone. */
export function readLaterByDomain(
  db: Queryable,
  accountId: string,
  sourceId: string,
): Promise<LaterOfDomain[]> {
  return db.many<LaterOfDomain>(
    prepared(sql`
      select coalesce(p.domain, '') as domain, count(*) filter (where b.kind = 'hard_bounce') as hard,
             count(*) filter (where b.kind = 'soft_bounce') as soft, count(*) filter (where b.kind = 'block_bounce') as block,
             count(*) filter (where b.kind = 'complaint') as complaints
      from (
        ${laterBounces(accountId, sql`array[${sourceId}::uuid]`)}
        union all
        select f.source_id, f.contact_id, f.kind, f.at from source_feedback f
        where f.account_id = ${accountId} and f.source_id = ${sourceId} and f.kind = 'complaint' and ${isOfSentMail}
      ) as b
      left join lateral (
        select own.subscriber_id from deliveries own
        where own.account_id = ${accountId} and own.source_id = b.source_id and own.contact_id = b.contact_id limit 1
      ) as d on true
      left join lateral (
        select domain from ${lookUpDomain(accountId, sql`d.subscriber_id`)} as subscriber
        union all
        select split_part(g.email_key, '@', -1) from given_recipients g
        where d.subscriber_id is null and g.account_id = ${accountId} and g.source_id = b.source_id
          and g.contact_id = b.contact_id
      ) as p on true
      group by 1`),
  );
}
