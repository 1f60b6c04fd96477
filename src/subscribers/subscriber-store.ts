/** These statements read subscribers: one by id, a page, a search. `write-store.ts` has those that write. */
import { type UpdatedByRow, updatedByOf } from "../accounts/accounts.ts";
import { join, prepared, type Queryable, type Sql, sql, type Tx } from "../platform/db/db.ts";
import { type AgePage, newestFirst } from "../platform/db/newest-first.ts";
import { beyondOrUnseen, seenInSnapshot } from "../platform/http/paging/snapshot-cursor.ts";
import { allColumns } from "./column-sql.ts";
import type { SubscriberRow } from "./columns.ts";
import { dormancyOf, type HeldBack, isHeldBack, pausedUntil, whyNotMailable } from "./mailable.ts";
import type { Status } from "./status.ts";

type ConsentRow = {
  action: string;
  attested: boolean;
  source: string | null;
  wording: string | null;
  ip: string | null;
  at: string;
};

/** A view is the row together with what stands in other tables. */
export type SubscriberView = SubscriberRow & {
  tags: string[];
  why_not: string | null;
  paused_until: Date | null;
  dormancy: "warned" | "dormant" | null;
  consent: ConsentRow | null;
  updated_by: UpdatedByRow;
  /** A page by `updated_at` upwards names the snapshot it was read in. */
  seen?: string;
};

const view = sql`${allColumns}, ${updatedByOf("s")},
  array(select t.name from subscriber_tags st join tags t on t.account_id = st.account_id and t.id = st.tag_id
    where st.account_id = s.account_id and st.subscriber_id = s.id order by t.name_key) as tags,
  ${whyNotMailable} as why_not, ${pausedUntil} as paused_until, ${dormancyOf} as dormancy,
  (select jsonb_build_object('action', c.action, 'attested', c.attested, 'source', c.source, 'wording', c.wording,
      'ip', c.ip, 'at', to_char(coalesce(c.given_at, c.created_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
    from consents c where c.account_id = s.account_id and c.subscriber_id = s.id and c.action in ('granted', 'confirmed')
    order by coalesce(c.given_at, c.created_at) desc, c.id desc limit 1) as consent`;

/**
 * This leaves out subscribers of a list whose delete is under way. Most accounts have none, so it is one look into an empty
 * index. Written as `<> all (array(…))`, the server took it to leave next to nobody, and a page by tag sorted everyone with it.
 */
export const ofLiveList = sql`not exists (
  select from lists gone where gone.account_id = s.account_id and gone.id = s.list_id and gone.deleted_at is not null)`;

/** This is the same for many of one account: lists that are being deleted are few, and are looked up once. */
export function ofLiveListIn(accountId: string): Sql {
  return sql`s.list_id <> all(array(
    select id from lists gone where gone.account_id = ${accountId} and gone.deleted_at is not null))`;
}

export function findSubscriber(
  db: Queryable,
  accountId: string,
  id: string,
): Promise<SubscriberView | undefined> {
  return db.maybeOne<SubscriberView>(
    prepared(sql`
      select ${view} from subscribers s where s.account_id = ${accountId} and s.id = ${id} and ${ofLiveList}`),
  );
}

/** Finds several by id, newest first. */
export function findSubscribers(
  db: Queryable,
  accountId: string,
  ids: readonly string[],
): Promise<SubscriberView[]> {
  return db.many<SubscriberView>(sql`
    select ${view} from subscribers s where s.account_id = ${accountId} and s.id = any(${[...ids]}::uuid[])
    order by s.created_at desc, s.id desc`);
}

export function lockSubscriber(tx: Tx, accountId: string, id: string): Promise<SubscriberRow | undefined> {
  return tx.maybeOne<SubscriberRow>(
    prepared(sql`
      select ${allColumns} from subscribers s
      where s.account_id = ${accountId} and s.id = ${id} and ${ofLiveList} for update`),
  );
}

export type Sort = "-created_at" | "created_at" | "-updated_at" | "updated_at" | "email";

export type PageFilter = {
  listId: string | undefined;
  status: string | undefined;
  tagIds: readonly string[];
  createdAfter: string | undefined;
  createdBefore: string | undefined;
  updatedAfter: string | undefined;
  updatedBefore: string | undefined;
  heldBack: HeldBack | undefined;
  /** This is a segment's rules, compiled. */
  segment: Sql | undefined;
};

export function listSubscribers(
  db: Queryable,
  accountId: string,
  filter: PageFilter,
  page: { sort: Sort; limit: number; after: readonly string[] | undefined },
): Promise<SubscriberView[]> {
  return db.many<SubscriberView>(pageStatement(accountId, filter, page));
}

function pageStatement(
  accountId: string,
  filter: PageFilter,
  page: { sort: Sort; limit: number; after: readonly string[] | undefined },
): Sql {
  const order = ORDERS[page.sort];
  const [leadingTag, ...otherTags] = filter.tagIds;
  // By age the first tag leads, since its index has the page's very order. By any other sort it is a filter like the rest.
  const tagLeads = leadingTag !== undefined && order.column === "created_at";
  const from = tagLeads
    ? sql`subscriber_tags lead join subscribers s on s.account_id = lead.account_id and s.id = lead.subscriber_id`
    : sql`subscribers s`;
  const sorted = tagLeads ? sql`lead.created_at` : order.sql;
  const id = tagLeads ? sql`lead.subscriber_id` : sql`s.id`;
  const filtering = tagLeads ? otherTags : filter.tagIds;
  const conditions = [
    ...(tagLeads
      ? [
          sql`lead.account_id = ${accountId} and lead.tag_id = ${leadingTag}`,
          ...(filter.listId ? [sql`lead.list_id = ${filter.listId}`] : []),
        ]
      : [sql`s.account_id = ${accountId}`, ...(filter.listId ? [sql`s.list_id = ${filter.listId}`] : [])]),
    ...(filter.listId ? [] : [ofLiveList]),
    ...filtering.map(
      (tagId) => sql`exists (select from subscriber_tags st where st.account_id = s.account_id
        and st.subscriber_id = s.id and st.tag_id = ${tagId})`,
    ),
    ...otherConditions(filter, tagLeads ? sorted : sql`s.created_at`),
    ...(page.after ? [beyond(page.after, order, sorted, id)] : []),
  ];
  const seen = page.sort === "updated_at" ? sql`, ${seenInSnapshot}` : sql``;
  return sql`
    select ${view}${seen} from ${from} where ${join(conditions, " and ")}
    order by ${sorted} ${order.direction}, ${id} ${order.direction} limit ${page.limit}`;
}

function beyond(after: readonly string[], order: Order, sorted: Sql, id: Sql): Sql {
  const [value, afterId] = after;
  const place = sql`(${sorted}, ${id}) ${order.beyond} (${order.value(value)}, ${afterId}::uuid)`;
  return beyondOrUnseen(place, sql`s`, after);
}

function otherConditions(filter: PageFilter, createdAt = sql`s.created_at`): Sql[] {
  const time = (value: string | undefined, condition: (value: string) => Sql) =>
    value ? [condition(value)] : [];
  return [
    ...(filter.status ? [sql`s.status = ${filter.status}`] : []),
    ...(filter.segment ? [filter.segment] : []),
    ...(filter.heldBack ? [isHeldBack(filter.heldBack)] : []),
    ...time(filter.createdAfter, (at) => sql`${createdAt} > ${at}::timestamptz`),
    ...time(filter.createdBefore, (at) => sql`${createdAt} < ${at}::timestamptz`),
    ...time(filter.updatedAfter, (at) => sql`s.updated_at > ${at}::timestamptz`),
    ...time(filter.updatedBefore, (at) => sql`s.updated_at < ${at}::timestamptz`),
  ];
}

type Order = {
  column: string;
  sql: Sql;
  direction: Sql;
  beyond: Sql;
  value: (text: string | undefined) => Sql;
};

const asTime = (text: string | undefined) => sql`${text}::timestamptz`;
const down = { direction: sql`desc`, beyond: sql`<`, value: asTime };
const up = { direction: sql`asc`, beyond: sql`>`, value: asTime };
const ORDERS: Readonly<Record<Sort, Order>> = {
  "-created_at": { column: "created_at", sql: sql`s.created_at`, ...down },
  created_at: { column: "created_at", sql: sql`s.created_at`, ...up },
  "-updated_at": { column: "updated_at", sql: sql`s.updated_at`, ...down },
  updated_at: { column: "updated_at", sql: sql`s.updated_at`, ...up },
  email: { column: "email_key", sql: sql`s.email_key`, ...up, value: (text) => sql`${text}` },
};

/** Returns where the next page begins. */
export function positionOf(sort: Sort, row: SubscriberRow): readonly string[] {
  if (sort === "email") return [row.email_key, row.id];
  const time = sort.endsWith("updated_at") ? row.updated_at : row.created_at;
  return [time.toISOString(), row.id];
}

/** Counts them by the counters where those can say it, and else row by row. */
export async function countSubscribers(
  db: Queryable,
  accountId: string,
  filter: PageFilter,
): Promise<number> {
  const { count } = await db.one<{ count: string | number }>(sql`
    select coalesce(sum(s.count), 0) as count ${countedRows(accountId, filter)}`);
  return Number(count);
}

/** Counts them by status, whatever status the filter has. A status that nobody has is left out. */
export async function countByStatus(
  db: Queryable,
  accountId: string,
  filter: PageFilter,
): Promise<Partial<Record<Status, number>>> {
  const rows = await db.many<{ status: Status; count: string | number }>(sql`
    select s.status, sum(s.count) as count
    ${countedRows(accountId, { ...filter, status: undefined })} group by s.status`);
  return Object.fromEntries(rows.map(({ status, count }) => [status, Number(count)]));
}

/** These rows have a `status` and a `count`: the counters, or where those can't say it, each subscriber with a count of 1. */
function countedRows(accountId: string, filter: PageFilter): Sql {
  const plain = filter.tagIds.length === 0 && otherConditions({ ...filter, status: undefined }).length === 0;
  if (!plain) return sql`from (select s.status, 1 as count from ${matching(accountId, filter)}) as s`;
  const ofList = filter.listId ? sql`and s.list_id = ${filter.listId}` : sql``;
  return sql`from list_counts s where s.account_id = ${accountId} ${ofList} and ${ofLiveList}
    ${filter.status ? sql`and s.status = ${filter.status}` : sql``}`;
}

/**
 * These are the `subscribers s` that the filter leaves, all of them, for what comes after `from`. A tag leads: put as a condition
 * on those of a list, it made the server go over the whole tag for each of them while it had not yet counted a new tag's rows.
 */
export function matching(accountId: string, filter: PageFilter): Sql {
  const [leadingTag, ...otherTags] = filter.tagIds;
  const { listId } = filter;
  const conditions = [
    ...(listId ? [] : [ofLiveList]),
    ...otherTags.map(
      (tagId) => sql`exists (select from subscriber_tags st where st.account_id = s.account_id
        and st.subscriber_id = s.id and st.tag_id = ${tagId})`,
    ),
    ...otherConditions(filter),
  ];
  if (!leadingTag) {
    const own = [sql`s.account_id = ${accountId}`, ...(listId ? [sql`s.list_id = ${listId}`] : [])];
    return sql`subscribers s where ${join([...own, ...conditions], " and ")}`;
  }
  const own = [
    sql`lead.account_id = ${accountId} and lead.tag_id = ${leadingTag}`,
    ...(listId ? [sql`lead.list_id = ${listId}`] : []),
  ];
  return sql`subscriber_tags lead join subscribers s on s.account_id = lead.account_id and s.id = lead.subscriber_id
    where ${join([...own, ...conditions], " and ")}`;
}

/** Returns one contact's subscribers, newest first; there is at most one on a list. */
export function listSubscribersOfContact(
  db: Queryable,
  accountId: string,
  contactId: string,
  listId: string | undefined,
  page: AgePage,
): Promise<SubscriberView[]> {
  return db.many<SubscriberView>(sql`
    select ${view} from subscribers s where ${ofContact(accountId, contactId, listId)}
      ${newestFirst(page, "s")}`);
}

export async function countSubscribersOfContact(
  db: Queryable,
  accountId: string,
  contactId: string,
  listId: string | undefined,
): Promise<number> {
  const { count } = await db.one<{ count: number }>(
    sql`select count(*) as count from subscribers s where ${ofContact(accountId, contactId, listId)}`,
  );
  return count;
}

function ofContact(accountId: string, contactId: string, listId: string | undefined): Sql {
  const ofList = listId ? sql`and s.list_id = ${listId}` : sql``;
  return sql`s.account_id = ${accountId} and s.contact_id = ${contactId} ${ofList} and ${ofLiveList}`;
}

/** Reads the addresses of some subscribers by their ids; who is gone has none. */
export async function readAddresses(
  db: Queryable,
  accountId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db.many<{ id: string; email: string }>(sql`
    select id, email from subscribers where account_id = ${accountId} and id = any(${[...new Set(ids)]}::uuid[])`);
  return new Map(rows.map(({ id, email }) => [id, email]));
}

/** Reads the addresses of some contacts by their ids; who is on no list has none. The index subscribers_by_contact serves it. */
export async function readAddressesOfContacts(
  db: Queryable,
  accountId: string,
  contactIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (contactIds.length === 0) return new Map();
  const rows = await db.many<{ contact_id: string; email: string }>(sql`
    select distinct on (contact_id) contact_id, email from subscribers
    where account_id = ${accountId} and contact_id = any(${[...new Set(contactIds)]}::uuid[]) order by contact_id`);
  return new Map(rows.map(({ contact_id, email }) => [contact_id, email]));
}
