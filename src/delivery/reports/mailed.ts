/** What the ledger knows of single messages: whom each was for, and when a server accepted it. */
import { uuidArray } from "../../platform/db/arrays.ts";
import { prepared, type Queryable, sql } from "../../platform/db/db.ts";
import { lookUpDomain, NO_CONTACT } from "../../subscribers/subscribers.ts";
import type { SourceName } from "../types.ts";

export type Mailed = SourceName & {
  readonly listId: string | null;
  /** The topic that it was sent with, which may be deleted by now. */
  readonly topicId: string | null;
  readonly revisionId: string;
  /** Null where the recipient was no subscriber, or where the ledger's row is gone. */
  readonly subscriberId: string | null;
  /** The step of the owner that it was sent for, where there are several. */
  readonly step: string | null;
};

/** Says whether a source is a wave, which has no revision: its own id stands for one. */
export function isWave(sourceId: string, { revisionId }: Pick<Mailed, "revisionId">): boolean {
  return sourceId === revisionId;
}

/** Tells whose each of these messages of waves was, in their order; undefined where the person was erased, or it is no such message. */
export async function readPersons(
  db: Queryable,
  messages: readonly (SourceKey & { readonly contactId: string | null })[],
): Promise<readonly (string | undefined)[]> {
  const rows = await db.many<{ person: string | null }>(sql`
    select (select g.person_id from given_recipients g
            where g.account_id = m.account_id and g.source_id = m.source_id and g.contact_id = m.contact_id) as person
    from unnest(${uuidArray(messages.map((one) => one.accountId))}::uuid[],
                ${uuidArray(messages.map((one) => one.sourceId))}::uuid[],
                ${uuidArray(messages.map((one) => one.contactId ?? NO_CONTACT))}::uuid[])
      with ordinality as m (account_id, source_id, contact_id, n)
    order by n`);
  return rows.map(({ person }) => person ?? undefined);
}

/** Answers undefined where there is no such source. The source outlives its rows, which are dropped after 13 months. */
export function findMailed(
  db: Queryable,
  accountId: string,
  sourceId: string,
  contactId: string | null,
): Promise<Mailed | undefined> {
  return db.maybeOne<Mailed>(
    prepared(sql`
      select src.stream, src.owner_id as "ownerId", src.list_id as "listId", src.topic_id as "topicId",
             src.revision_id as "revisionId", src.step,
             (select d.subscriber_id from deliveries d
              where d.account_id = ${accountId} and d.source_id = ${sourceId} and d.contact_id = ${contactId}) as "subscriberId"
      from sources src where src.account_id = ${accountId} and src.id = ${sourceId}`),
  );
}

/** Finds many at once, in their order; undefined where there is no such source. */
export async function findManyMailed(
  db: Queryable,
  messages: readonly MessageName[],
): Promise<readonly (Mailed | undefined)[]> {
  const rows = await db.many<Partial<Mailed>>(sql`
    select src.stream, src.owner_id as "ownerId", src.list_id as "listId", src.topic_id as "topicId", src.revision_id as "revisionId", src.step,
           (select d.subscriber_id from deliveries d
            where d.account_id = m.account_id and d.source_id = m.source_id and d.contact_id = m.contact_id) as "subscriberId"
    from unnest(${uuidArray(messages.map((one) => one.accountId))}::uuid[],
                ${uuidArray(messages.map((one) => one.sourceId))}::uuid[],
                ${uuidArray(messages.map((one) => one.contactId ?? NO_CONTACT))}::uuid[])
      with ordinality as m (account_id, source_id, contact_id, n)
    left join sources src on src.account_id = m.account_id and src.id = m.source_id
    order by n`);
  return rows.map((row) => (row.stream ? (row as Mailed) : undefined));
}

type SourceKey = { readonly accountId: string; readonly sourceId: string };

/** Tells which revision each of these sources sends, in their order; undefined where there is no such source. */
export async function readRevisionIds(
  db: Queryable,
  sources: readonly SourceKey[],
): Promise<readonly (string | undefined)[]> {
  const rows = await db.many<{ id: string | null }>(sql`
    select src.revision_id as id
    from unnest(${uuidArray(sources.map((one) => one.accountId))}::uuid[],
                ${uuidArray(sources.map((one) => one.sourceId))}::uuid[]) with ordinality as m (account_id, source_id, n)
    left join sources src on src.account_id = m.account_id and src.id = m.source_id
    order by n`);
  return rows.map(({ id }) => id ?? undefined);
}

type MessageName = {
  readonly accountId: string;
  readonly sourceId: string;
  readonly contactId: string | null;
};

/** Tells when a server accepted each of these messages, in their order; undefined where nobody knows. */
export async function readAcceptedAt(
  db: Queryable,
  messages: readonly (MessageName & { readonly contactId: string })[],
): Promise<readonly (Date | undefined)[]> {
  const rows = await db.many<{ at: Date | null }>(sql`
    select (select d.changed_at from deliveries d
            where d.account_id = m.account_id and d.source_id = m.source_id and d.contact_id = m.contact_id
              and d.state = 'sent') as at
    from unnest(${uuidArray(messages.map((one) => one.accountId))}::uuid[],
                ${uuidArray(messages.map((one) => one.sourceId))}::uuid[],
                ${uuidArray(messages.map((one) => one.contactId))}::uuid[])
      with ordinality as m (account_id, source_id, contact_id, n)
    order by n`);
  return rows.map(({ at }) => at ?? undefined);
}

type SourceOfList = SourceKey & { readonly listId: string; readonly ownerId: string };

/** Lists the sources of these lists that were launched since then, by the index sources_of_list. */
export function listSourcesOfLists(
  db: Queryable,
  lists: readonly { readonly accountId: string; readonly listId: string }[],
  since: Date,
): Promise<SourceOfList[]> {
  return db.many<SourceOfList>(sql`
    select src.account_id as "accountId", src.list_id as "listId", src.id as "sourceId", src.owner_id as "ownerId"
    from (select distinct * from unnest(${uuidArray(lists.map((one) => one.accountId))}::uuid[],
                                        ${uuidArray(lists.map((one) => one.listId))}::uuid[])) as w (account_id, list_id)
    join sources src on src.account_id = w.account_id and src.list_id = w.list_id and src.launched_at >= ${since}`);
}

export type RecipientDomain = {
  /** It is '' where the subscriber or the ledger's row is gone. */
  readonly domain: string;
  /** Whether it is among the largest of its source, which are known once the source has ended. */
  readonly isLarge: boolean;
};

/** Tells the recipient's domain of each of these messages, in their order, as the counts by domain have it. */
export function readRecipientDomains(
  db: Queryable,
  messages: readonly MessageName[],
): Promise<RecipientDomain[]> {
  return db.many<RecipientDomain>(sql`
    select coalesce(p.domain, '') as domain, exists (
             select from source_domains l
             where l.account_id = m.account_id and l.source_id = m.source_id and l.domain = p.domain) as "isLarge"
    from unnest(${uuidArray(messages.map((one) => one.accountId))}::uuid[],
                ${uuidArray(messages.map((one) => one.sourceId))}::uuid[],
                ${uuidArray(messages.map((one) => one.contactId ?? NO_CONTACT))}::uuid[])
      with ordinality as m (account_id, source_id, contact_id, n)
    left join lateral (
      select own.subscriber_id from deliveries own
      where own.account_id = m.account_id and own.source_id = m.source_id and own.contact_id = m.contact_id limit 1
    ) as d on true
    left join lateral (
      select domain from ${lookUpDomain(sql`m.account_id`, sql`d.subscriber_id`)} as subscriber
      union all
      select split_part(g.email_key, '@', -1) from given_recipients g
      where d.subscriber_id is null and g.account_id = m.account_id and g.source_id = m.source_id
        and g.contact_id = m.contact_id
    ) as p on true
    order by n`);
}

/** Lists the sources of an owner that count, the oldest first, each with its revision. */
export function listSourceRevisions(
  db: Queryable,
  accountId: string,
  ownerId: string,
): Promise<{ readonly id: string; readonly revisionId: string }[]> {
  return db.many(
    prepared(sql`
      select id, revision_id as "revisionId" from sources
      where account_id = ${accountId} and owner_id = ${ownerId} and state <> 'replaced' order by id`),
  );
}

/** Lists the sources of many owners that count, each with its owner and its revision. */
export function listManySourceRevisions(
  db: Queryable,
  accountId: string,
  ownerIds: readonly string[],
): Promise<{ readonly id: string; readonly ownerId: string; readonly revisionId: string }[]> {
  return db.many(
    prepared(sql`
      select id, owner_id as "ownerId", revision_id as "revisionId" from sources
      where account_id = ${accountId} and owner_id = any(${[...ownerIds]}::uuid[]) and state <> 'replaced'`),
  );
}

export type SourceContent = SourceName & { readonly id: string; readonly revisionId: string };

/** Returns what these sources belong to and what was sent, as far as they are there. Neither ever changes. */
export function readSourceContents(
  db: Queryable,
  sources: readonly { readonly accountId: string; readonly sourceId: string }[],
): Promise<SourceContent[]> {
  return db.many<SourceContent>(sql`
    select src.id, src.stream, src.owner_id as "ownerId", src.revision_id as "revisionId" from sources src
    where (src.account_id, src.id) in (
      select * from unnest(${uuidArray(sources.map((one) => one.accountId))}::uuid[],
                           ${uuidArray(sources.map((one) => one.sourceId))}::uuid[]))`);
}
