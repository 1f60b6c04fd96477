/**
 * This file alone decides whether a contact may be mailed, and if not, why. It decides in SQL, because whoever asks asks for
 * many: pages, audiences and the sender's last look all put this fragment into their statement.
 */
import { type Sql, sql } from "../platform/db/db.ts";

/** This id stands for "every list" in `opt_outs`. */
export const ALL_LISTS = "00000000-0000-0000-0000-000000000000";

/**
 * The result is null when `s` may be mailed, else a word: `suppressed_<reason>`, a status other than active, `opted_out`,
 * `paused` or `dormant`. The statement around it must have `subscribers s`, and says how what its contact has said is looked up.
 */
function whyNot(suppressedFor: Sql, isOptedOut: Sql, isPaused: Sql, isAsleep: Sql): Sql {
  return sql`coalesce(
  'suppressed_' || ${suppressedFor},
  case when s.status <> 'active' then s.status when ${isOptedOut} then 'opted_out' when ${isPaused} then 'paused'
       when ${isAsleep} then 'dormant' end)`;
}

/**
 * This holds for an opt-out `o` of the contact that counts for `s`. A consent after "from no list" brings back its own
 * list alone.
 */
const outweighs = sql`(o.list_id = s.list_id
  or (o.list_id = ${ALL_LISTS} and o.created_at > coalesce(s.consented_at, '-infinity')))`;

function suppressionOf(accountId: Sql): Sql {
  return sql`(select reason from suppressions sup where sup.account_id = ${accountId} and sup.contact_id = s.contact_id)`;
}

function hasOptedOut(accountId: Sql): Sql {
  return sql`exists (
    select from opt_outs o where o.account_id = ${accountId} and o.contact_id = s.contact_id and ${outweighs})`;
}

/** A pause ends by itself, so that this asks the server's clock: whoever reads has no other moment in mind. */
const isInForce = sql`until > now()`;

function hasPaused(accountId: Sql): Sql {
  return sql`exists (
    select from contact_pauses p where p.account_id = ${accountId} and p.contact_id = s.contact_id and p.${isInForce})`;
}

/** By the sunset policy of its list the subscriber is dormant. Who is only warned is mailed. */
function isDormant(accountId: Sql): Sql {
  return sql`exists (
    select from dormancies z where z.account_id = ${accountId} and z.subscriber_id = s.id and z.state = 'dormant')`;
}

export const whyNotMailable: Sql = whyNot(
  suppressionOf(sql`s.account_id`),
  hasOptedOut(sql`s.account_id`),
  hasPaused(sql`s.account_id`),
  isDormant(sql`s.account_id`),
);

/** Until when mail to the contact of `subscribers s` is paused; null where it isn't. */
export const pausedUntil: Sql = sql`(
  select p.until from contact_pauses p where p.account_id = s.account_id and p.contact_id = s.contact_id and p.${isInForce})`;

/** What a sunset policy says of `subscribers s`: `warned` or `dormant`; null of others. */
export const dormancyOf: Sql = sql`(
  select z.state from dormancies z
  where z.account_id = s.account_id and z.subscriber_id = s.id and z.state <> 'woken')`;

function isTopicDefault(accountId: string, topicId: Sql): Sql {
  return sql`(select t.is_default from topics t where t.account_id = ${accountId} and t.id = ${topicId})`;
}

/** This holds for `subscribers s` who get mail of the topic, by their own word or else by the topic's default. */
export function getsTopic(accountId: string, topicId: Sql): Sql {
  return sql`coalesce(
    (select c.is_on from topic_choices c
     where c.account_id = ${accountId} and c.contact_id = s.contact_id and c.topic_id = ${topicId}),
    ${isTopicDefault(accountId, topicId)}, false)`;
}

/** Why somebody whose subscription is active gets no mail all the same. */
export const HELD_BACK = ["opted_out", "suppressed", "paused", "dormant"] as const;
export type HeldBack = (typeof HELD_BACK)[number];

/**
 * A condition on `subscribers s`: those who are active, and held back for this. A suppression comes before an opt-out, that before a
 * pause, and that before a sunset policy.
 */
export function isHeldBack(why: HeldBack): Sql {
  const account = sql`s.account_id`;
  const isOnSuppressions = sql`exists (
    select from suppressions sup where sup.account_id = s.account_id and sup.contact_id = s.contact_id)`;
  const conditions: Record<HeldBack, Sql> = {
    suppressed: isOnSuppressions,
    opted_out: sql`not ${isOnSuppressions} and ${hasOptedOut(account)}`,
    paused: sql`not ${isOnSuppressions} and not ${hasOptedOut(account)} and ${hasPaused(account)}`,
    dormant: sql`not ${isOnSuppressions} and not ${hasOptedOut(account)} and not ${hasPaused(account)} and ${isDormant(account)}`,
  };
  return sql`s.status = 'active' and ${conditions[why]}`;
}

/** The source of a suppression that delivery made of a bounce or a complaint, and nobody by hand. */
export const FOUND_OUT = "delivery";

/**
 * Tells whether mail of a stream is withheld from an address, whose contact needn't be a subscriber. For subscribers the stream
 * isn't asked for: a suppression always stops campaigns and automations. Mail that `isOwed` is withheld only for what was found out.
 */
export function isSuppressed(accountId: string, contactId: Sql, stream: Sql, isOwed: Sql): Sql {
  return sql`exists (
    select from suppressions sup
    where sup.account_id = ${accountId} and sup.contact_id = ${contactId} and ${stream} = any(sup.streams)
      and (sup.source = ${FOUND_OUT} or ${isOwed} is not true))`;
}

/**
 * These parts of a `with` decide it for thousands at once: they lead from `picked`, which has the columns of subscribers, to
 * `found`, which has `why` too, and leaves out who doesn't get the topic. Contacts with a suppression, an opt-out, a pause or a choice, and
 * dormant subscribers, are found as sets, which costs a third where they are few; joins would become nested loops where the server has no statistics.
 */
export function findWhyNotMailable(accountId: string, topicId: string | null): Sql {
  const ofPicked = sql`account_id = ${accountId} and contact_id = any(array(select contact_id from picked))`;
  const account = sql`${accountId}::uuid`;
  return sql`
    found_suppressions as materialized (select contact_id from suppressions where ${ofPicked}),
    found_opt_outs as materialized (select contact_id from opt_outs where ${ofPicked}),
    found_pauses as materialized (select contact_id from contact_pauses where ${ofPicked} and ${isInForce}),
    found_dormant as materialized (
      select subscriber_id from dormancies
      where account_id = ${accountId} and subscriber_id = any(array(select id from picked)) and state = 'dormant'),
    ${topicId === null ? sql`` : sql`${choicesAgainstDefault(accountId, topicId, ofPicked)},`}
    found as (
      select s.*, ${whyNot(
        sql`case when s.contact_id in (select contact_id from found_suppressions) then ${suppressionOf(account)} end`,
        sql`case when s.contact_id in (select contact_id from found_opt_outs) then ${hasOptedOut(account)} end`,
        sql`s.contact_id in (select contact_id from found_pauses)`,
        sql`s.id in (select subscriber_id from found_dormant)`,
      )} as why
      from picked s
      ${topicId === null ? sql`` : sql`where (s.contact_id in (select contact_id from found_choices)) <> ${isTopicDefault(accountId, sql`${topicId}`)}`}
    )`;
}

/** Those who said no to what is on by default, or yes to what isn't: they are fewer than all who said anything. */
function choicesAgainstDefault(accountId: string, topicId: string, ofPicked: Sql): Sql {
  return sql`found_choices as materialized (
      select contact_id from topic_choices
      where ${ofPicked} and topic_id = ${topicId} and is_on <> ${isTopicDefault(accountId, sql`${topicId}`)})`;
}
