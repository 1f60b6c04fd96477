/** These statements keep what contacts have said about topics. */
import type { TxCtx } from "../../platform/context.ts";
import { uuidArray } from "../../platform/db/arrays.ts";
import { type Queryable, sql, type Tx } from "../../platform/db/db.ts";

export type TopicChoice = {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  /** Whether the contact gets it, by its own word or else by the topic's default. */
  readonly isOn: boolean;
  /** Whether the contact has said so, or somebody for it. */
  readonly isChosen: boolean;
  /** Why the contact left it, in its own words. */
  readonly reason: string | null;
};

/** Lists all topics of the account by name, and what this contact gets of them. */
export function listTopicChoices(
  db: Queryable,
  accountId: string,
  contactId: string,
): Promise<TopicChoice[]> {
  return db.many<TopicChoice>(sql`
    select t.id, t.name, t.description, coalesce(c.is_on, t.is_default) as "isOn", c.is_on is not null as "isChosen", c.reason
    from topics t left join topic_choices c
      on c.account_id = t.account_id and c.topic_id = t.id and c.contact_id = ${contactId}
    where t.account_id = ${accountId} and t.deleted_at is null order by lower(t.name), t.id`);
}

export type NewChoice = {
  readonly contactId: string;
  readonly topicId: string;
  readonly isOn: boolean;
  readonly reason: string | null;
};
export type ChangedChoice = { contactId: string; topicId: string; isOn: boolean };

/**
 * Writes choices of contacts, which the caller has locked, and returns those that change what somebody gets. Contacts and topics that
 * aren't there are left out. What was asked for a while ago, and `isLate`, leaves a choice alone that is newer than it.
 */
export function writeChoices(
  { sql: tx, accountId }: TxCtx,
  choices: readonly NewChoice[],
  { source, at, isLate }: { readonly source: string; readonly at: Date; readonly isLate: boolean },
): Promise<ChangedChoice[]> {
  return tx.many<ChangedChoice>(sql`
    with asked as materialized (
      select con.id as contact_id, t.id as topic_id, new.is_on, new.reason, coalesce(c.is_on, t.is_default) as was_on
      from unnest(${uuidArray(choices.map((one) => one.contactId))}::uuid[],
                  ${uuidArray(choices.map((one) => one.topicId))}::uuid[],
                  ${choices.map((one) => one.isOn)}::boolean[],
                  ${choices.map((one) => one.reason)}::text[]) as new (contact_id, topic_id, is_on, reason)
      join contacts con on con.account_id = ${accountId} and con.id = new.contact_id
      join topics t on t.account_id = ${accountId} and t.id = new.topic_id and t.deleted_at is null
      left join topic_choices c on c.account_id = ${accountId} and c.contact_id = con.id and c.topic_id = t.id
    ), written as (
      insert into topic_choices (account_id, contact_id, topic_id, is_on, reason, source, at)
      select ${accountId}, contact_id, topic_id, is_on, reason, ${source}, ${at} from asked order by contact_id, topic_id
      on conflict (account_id, contact_id, topic_id) do update
        set is_on = excluded.is_on, was_on = topic_choices.is_on, reason = excluded.reason, source = excluded.source,
            at = excluded.at
        where topic_choices.is_on <> excluded.is_on ${isLate ? sql`and topic_choices.at <= excluded.at` : sql``}
      returning contact_id, topic_id, is_on
    )
    select written.contact_id as "contactId", written.topic_id as "topicId", written.is_on as "isOn"
    from written join asked using (contact_id, topic_id) where asked.was_on <> written.is_on`);
}

/** Takes back what contacts said at this very moment by this way, and returns what changed by it. The caller has locked the contacts. */
export function takeBackChoices(
  { sql: tx, accountId }: TxCtx,
  contactIds: readonly string[],
  source: string,
  at: Date,
  now: Date,
): Promise<ChangedChoice[]> {
  return tx.many<ChangedChoice>(sql`
    with made as materialized (
      select c.contact_id, c.topic_id, c.is_on, c.was_on, t.is_default from topic_choices c
      join topics t on t.account_id = c.account_id and t.id = c.topic_id and t.deleted_at is null
      where c.account_id = ${accountId} and c.contact_id = any(${uuidArray(contactIds)}::uuid[])
        and c.source = ${source} and c.at = ${at}
    ), removed as (
      delete from topic_choices c using made
      where c.account_id = ${accountId} and c.contact_id = made.contact_id and c.topic_id = made.topic_id and made.was_on is null
    ), restored as (
      update topic_choices c set is_on = made.was_on, was_on = null, reason = null, at = ${now} from made
      where c.account_id = ${accountId} and c.contact_id = made.contact_id and c.topic_id = made.topic_id
        and made.was_on is not null
    )
    select contact_id as "contactId", topic_id as "topicId", not is_on as "isOn" from made
    where coalesce(was_on, is_default) <> is_on`);
}

/** Tells whether a contact gets mail of a topic. */
export async function getsTopicNow(
  db: Queryable,
  accountId: string,
  contactId: string,
  topicId: string,
): Promise<boolean> {
  const row = await db.maybeOne<{ isOn: boolean }>(sql`
    select coalesce(c.is_on, t.is_default) as "isOn" from topics t left join topic_choices c
      on c.account_id = t.account_id and c.topic_id = t.id and c.contact_id = ${contactId}
    where t.account_id = ${accountId} and t.id = ${topicId}`);
  return row?.isOn ?? false;
}

/** Forgets what a contact said. Whoever is forgotten is suppressed for ever, so that nothing is mailed without it. */
export async function removeChoices(tx: Tx, accountId: string, contactId: string): Promise<void> {
  await tx.execute(
    sql`delete from topic_choices where account_id = ${accountId} and contact_id = ${contactId}`,
  );
}
