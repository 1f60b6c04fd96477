/**
 * These are pieces of statements for those who have ids of subscribers or lists, and need what only this folder's tables
 * know.
 */
import { type Sql, sql } from "../../platform/db/db.ts";
import { plainColumns } from "../column-sql.ts";
import { findWhyNotMailable, getsTopic, whyNotMailable } from "../mailable.ts";
import { ofLiveListIn } from "../subscriber-store.ts";

/**
 * Finds a subscriber's address and merge values, as `FoundRecipient`. Each lookup is a subquery for a lateral join, and
 * `offset 0` keeps it one: subscribers are taken one by one, by the primary key, even where the server has no statistics yet.
 */
export function lookUpRecipient(accountId: string, subscriberId: Sql, needsTags: boolean): Sql {
  const tags = needsTags
    ? sql`array(select t.name from subscriber_tags st
                join tags t on t.account_id = st.account_id and t.id = st.tag_id
                where st.account_id = p.account_id and st.subscriber_id = p.id)`
    : sql`null::text[]`;
  return sql`(
    select email, fields, tracking_consent, ${plainColumns}, ${tags} as tags
    from subscribers p where p.account_id = ${accountId} and p.id = ${subscriberId} offset 0)`;
}

/**
 * Finds `id` and `why`, which is null when the subscriber may be mailed; nothing when it or its list is gone. `topicId` is null where the
 * mail has no topic.
 */
export function lookUpWhyNotMailable(accountId: string, subscriberId: Sql, topicId: Sql): Sql {
  return sql`(
    select s.id, coalesce(${whyNotMailable},
      case when ${topicId} is not null and not ${getsTopic(accountId, topicId)} then 'not_in_topic' end) as why
    from subscribers s
    where s.account_id = ${accountId} and s.id = ${subscriberId} and ${ofLiveListIn(accountId)} offset 0)`;
}

const domain = sql`split_part(s.email_key, '@', -1) as domain`;

/** Finds the domain of a subscriber's address. */
export function lookUpDomain(accountId: string | Sql, subscriberId: Sql): Sql {
  return sql`(
    select ${domain} from subscribers s where s.account_id = ${accountId} and s.id = ${subscriberId} offset 0)`;
}

/** Finds the `id` and the domain of everybody on a list, in one pass over it. */
export function domainsOfList(accountId: string, listId: Sql): Sql {
  return sql`(
    select s.id, ${domain} from subscribers s where s.account_id = ${accountId} and s.list_id = ${listId})`;
}

/** Joins the rows of subscribers as `s`, for those who lock them together with what hangs on them. */
export function joinSubscribers(accountId: Sql, subscriberId: Sql): Sql {
  return sql`join subscribers s on s.account_id = ${accountId} and s.id = ${subscriberId}`;
}

/** These are the addresses of all subscribers, to be joined by `account_id` and `id`. */
export const addresses: Sql = sql`(select account_id, id, email from subscribers)`;

/** Says whether a list is there and nobody is deleting it. */
export function isListLive(accountId: Sql, listId: Sql): Sql {
  return sql`exists (
    select from lists l where l.account_id = ${accountId} and l.id = ${listId} and l.deleted_at is null)`;
}

/** A stretch `w` is a part of a list in the order of sign-up, given by its ends; this holds for `subscribers s` inside it. */
const within = sql`(s.created_at, s.id) > (w.after_time, w.after_id) and (s.created_at, s.id) <= (w.upto_time, w.upto_id)`;

/**
 * Finds `created_at` and `id` of the subscriber that is the `rows`th of a stretch `w (after_time, after_id, upto_time,
 * upto_id)` of a list, by the index subscribers_of_list_by_age alone.
 */
export function lookUpNth(accountId: string, listId: string, rows: number): Sql {
  return sql`(
    select s.created_at, s.id from subscribers s
    where s.account_id = ${accountId} and s.list_id = ${listId} and ${within}
    order by s.created_at, s.id offset ${rows - 1} limit 1)`;
}

/**
 * These parts of a `with` end in `found`: `id` and `contact_id` of the active subscribers of a list who are in one of the
 * stretches, meet the condition on `subscribers s` and get the topic, and `why`, which is null for those who may be mailed. `offset 0` keeps the stretches apart: joined freely, the server reads the whole list for every slice.
 */
export function findInStretches(
  accountId: string,
  { listId, topicId }: { readonly listId: string; readonly topicId: string | null },
  stretches: Sql,
  condition: Sql,
): Sql {
  return sql`picked as materialized (
      select s.contact_id, s.id, s.list_id, s.status, s.consented_at
      from ${stretches} cross join lateral (
        select * from subscribers s
        where s.account_id = ${accountId} and s.list_id = ${listId} and ${within} and s.status = 'active'
        order by s.created_at, s.id offset 0
      ) as s where ${condition}
    ), ${findWhyNotMailable(accountId, topicId)}`;
}
