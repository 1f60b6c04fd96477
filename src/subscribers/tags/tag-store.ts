import { signedBy } from "../../accounts/accounts.ts";
import type { TxCtx } from "../../platform/context.ts";
import { prepared, type Queryable, sql, type Tx } from "../../platform/db/db.ts";
import { newId } from "../../platform/ids.ts";

export type TagRow = { account_id: string; id: string; name: string; name_key: string; created_at: Date };

/** One subscriber may have so many tags at most. */
export const MOST_TAGS = 100;

/** Tags are compared without regard to case, and in NFC, so that one word has one form. */
export function tagKey(name: string): string {
  return name.trim().normalize("NFC").toLowerCase();
}

/** Returns the ids of these tags by key. A tag that isn't there yet is made, in the spelling that comes first. */
export async function ensureTags(ctx: TxCtx, names: readonly string[]): Promise<Map<string, string>> {
  const byKey = new Map(names.toReversed().map((name) => [tagKey(name), name.trim().normalize("NFC")]));
  const known = await findTags(ctx.sql, ctx.accountId, [...byKey.keys()]);
  const wanted = [...byKey].filter(([key]) => !known.has(key)).sort(([a], [b]) => (a < b ? -1 : 1));
  if (wanted.length === 0) return known;
  await ctx.sql.execute(sql`
    insert into tags (account_id, id, name, name_key, created_at)
    select ${ctx.accountId}, id, name, name_key, ${ctx.clock.now()}
    from unnest(${wanted.map(() => newId(ctx.clock))}::uuid[], ${wanted.map(([, name]) => name)}::text[],
                ${wanted.map(([key]) => key)}::text[]) as new (id, name, name_key)
    on conflict (account_id, name_key) do nothing`);
  return findTags(ctx.sql, ctx.accountId, [...byKey.keys()]);
}

/** Makes a tag and returns its id, or undefined where there is one of that name. */
export async function insertTag(ctx: TxCtx, name: string): Promise<string | undefined> {
  const made = await ctx.sql.maybeOne<{ id: string }>(sql`
    insert into tags (account_id, id, name, name_key, created_at)
    values (${ctx.accountId}, ${newId(ctx.clock)}, ${name.trim().normalize("NFC")}, ${tagKey(name)}, ${ctx.clock.now()})
    on conflict (account_id, name_key) do nothing returning id`);
  return made?.id;
}

export async function findTags(
  db: Queryable,
  accountId: string,
  keys: readonly string[],
): Promise<Map<string, string>> {
  if (keys.length === 0) return new Map();
  const rows = await db.many<{ id: string; name_key: string }>(
    prepared(sql`
      select id, name_key from tags
      where account_id = ${accountId} and name_key = any(${[...keys]}::text[])`),
  );
  return new Map(rows.map(({ id, name_key }) => [name_key, id]));
}

/** Returns the keys of each subscriber's tags. */
export async function findTagKeys(
  db: Queryable,
  accountId: string,
  subscriberIds: readonly string[],
): Promise<Map<string, string[]>> {
  if (subscriberIds.length === 0) return new Map();
  const rows = await db.many<{ subscriber_id: string; keys: string[] }>(sql`
    select st.subscriber_id, array_agg(t.name_key) as keys
    from subscriber_tags st join tags t on t.account_id = st.account_id and t.id = st.tag_id
    where st.account_id = ${accountId} and st.subscriber_id = any(${[...subscriberIds]}::uuid[])
    group by st.subscriber_id`);
  return new Map(rows.map(({ subscriber_id, keys }) => [subscriber_id, keys]));
}

/** Returns the names of these tags by id; one that was deleted is left out. */
export async function findTagNames(
  db: Queryable,
  accountId: string,
  ids: readonly string[],
): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db.many<{ id: string; name: string }>(sql`
    select id, name from tags where account_id = ${accountId} and id = any(${[...ids]}::uuid[])`);
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** Returns the tags of each of these subscribers. */
export async function findTagsOfMany(
  db: Queryable,
  accountId: string,
  subscriberIds: readonly string[],
): Promise<Map<string, readonly string[]>> {
  const rows = await db.many<{ subscriber_id: string; ids: string[] }>(sql`
    select subscriber_id, array_agg(tag_id::text) as ids from subscriber_tags
    where account_id = ${accountId} and subscriber_id = any(${[...subscriberIds]}::uuid[]) group by subscriber_id`);
  return new Map(rows.map(({ subscriber_id, ids }) => [subscriber_id, ids]));
}

/** Returns the tags of one subscriber. */
export async function findTagIds(
  db: Queryable,
  accountId: string,
  subscriberId: string,
): Promise<readonly string[]> {
  const rows = await db.many<{ tag_id: string }>(sql`
    select tag_id from subscriber_tags where account_id = ${accountId} and subscriber_id = ${subscriberId}`);
  return rows.map(({ tag_id }) => tag_id);
}

export type Tagging = { subscriberId: string; tagId: string; listId: string; createdAt: Date };

/** Returns the tags that were new, by subscriber. */
export async function insertTaggings(
  tx: Tx,
  accountId: string,
  taggings: readonly Tagging[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  if (taggings.length === 0) return new Map();
  const added = await tx.many<{ subscriber_id: string; tag_id: string }>(sql`
    insert into subscriber_tags (account_id, subscriber_id, tag_id, list_id, created_at)
    select ${accountId}, subscriber_id, tag_id, list_id, created_at
    from unnest(${taggings.map((one) => one.subscriberId)}::uuid[], ${taggings.map((one) => one.tagId)}::uuid[],
                ${taggings.map((one) => one.listId)}::uuid[], ${taggings.map((one) => one.createdAt)}::timestamptz[])
      as new (subscriber_id, tag_id, list_id, created_at)
    on conflict do nothing
    returning subscriber_id, tag_id`);
  const bySubscriber = Map.groupBy(added, (one) => one.subscriber_id);
  return new Map([...bySubscriber].map(([id, ones]) => [id, ones.map((one) => one.tag_id)]));
}

type Tagged = { readonly id: string; readonly list_id: string; readonly contact_id: string };

/** Gives many subscribers one tag, and returns those who didn't have it. Who has too many tags already is left out. */
export function insertTagOfMany(
  ctx: TxCtx,
  tagId: string,
  subscriberIds: readonly string[],
): Promise<Tagged[]> {
  return ctx.sql.many<Tagged>(sql`
    with locked as materialized (
      select id, list_id, contact_id, created_at from subscribers s
      where account_id = ${ctx.accountId} and id = any(${[...subscriberIds]}::uuid[])
      order by id for no key update
    ), added as (
      insert into subscriber_tags (account_id, subscriber_id, tag_id, list_id, created_at)
      select ${ctx.accountId}, id, ${tagId}, list_id, created_at from locked l
      where (select count(*) from subscriber_tags st
             where st.account_id = ${ctx.accountId} and st.subscriber_id = l.id) < ${MOST_TAGS}
      on conflict do nothing returning subscriber_id
    ), touched as (
      update subscribers s set updated_at = ${ctx.clock.now()}, ${signedBy(ctx.actor)} from added
      where s.account_id = ${ctx.accountId} and s.id = added.subscriber_id
    )
    select l.id, l.list_id, l.contact_id from locked l join added on added.subscriber_id = l.id`);
}

/** Returns the tags that the subscriber had. */
export async function removeTaggings(
  tx: Tx,
  accountId: string,
  subscriberId: string,
  tagIds: readonly string[],
): Promise<readonly string[]> {
  if (tagIds.length === 0) return [];
  const removed = await tx.many<{ tag_id: string }>(sql`
    delete from subscriber_tags
    where account_id = ${accountId} and subscriber_id = ${subscriberId} and tag_id = any(${[...tagIds]}::uuid[])
    returning tag_id`);
  return removed.map(({ tag_id }) => tag_id);
}

/** Takes tags off many, each pair of a subscriber and a tag by itself, and returns what they had of them, by subscriber. */
export async function removeTaggingsOfMany(
  tx: Tx,
  accountId: string,
  pairs: readonly Pick<Tagging, "subscriberId" | "tagId">[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const removed = await tx.many<{ subscriber_id: string; tag_id: string }>(sql`
    delete from subscriber_tags st
    using unnest(${pairs.map((one) => one.subscriberId)}::uuid[], ${pairs.map((one) => one.tagId)}::uuid[])
      as gone (subscriber_id, tag_id)
    where st.account_id = ${accountId} and st.subscriber_id = gone.subscriber_id and st.tag_id = gone.tag_id
      and st.subscriber_id = any(${pairs.map((one) => one.subscriberId)}::uuid[])
    returning st.subscriber_id, st.tag_id`);
  const bySubscriber = Map.groupBy(removed, (one) => one.subscriber_id);
  return new Map([...bySubscriber].map(([id, ones]) => [id, ones.map((one) => one.tag_id)]));
}

/** Deletes tags of these subscribers that have the address in their name: they go with the person, whoever else has them. */
export async function removeTagsNaming(
  tx: Tx,
  accountId: string,
  subscriberIds: readonly string[],
  addressKey: string,
): Promise<void> {
  await tx.execute(sql`
    with naming as (
      delete from tags t where t.account_id = ${accountId} and position(${addressKey} in t.name_key) > 0 and t.id in (
        select tag_id from subscriber_tags
        where account_id = ${accountId} and subscriber_id = any(${[...subscriberIds]}::uuid[]))
      returning id)
    delete from subscriber_tags where account_id = ${accountId} and tag_id in (select id from naming)`);
}

/** Returns tags by name, from behind `after`. */
export function listTags(
  db: Queryable,
  accountId: string,
  limit: number,
  after: string | undefined,
): Promise<TagRow[]> {
  const above = after === undefined ? sql`` : sql`and name_key > ${after} collate "C"`;
  return db.many<TagRow>(sql`
    select account_id, id, name, name_key, created_at from tags
    where account_id = ${accountId} ${above} order by name_key collate "C" limit ${limit}`);
}

export async function countTags(db: Queryable, accountId: string): Promise<number> {
  const { count } = await db.one<{ count: number }>(
    sql`select count(*) as count from tags where account_id = ${accountId}`,
  );
  return count;
}
