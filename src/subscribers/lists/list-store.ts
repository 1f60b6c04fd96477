import {
  signedBy,
  signedColumns,
  signing,
  type TrackingMode,
  type Unsigned,
  type UpdatedByRow,
  updatedByOf,
} from "../../accounts/accounts.ts";
import type { Actor } from "../../platform/context.ts";
import { prepared, type Queryable, type Sql, sql, type Tx } from "../../platform/db/db.ts";
import { type AgePage, newestFirst } from "../../platform/db/newest-first.ts";
import { toPublicId } from "../../platform/ids.ts";
import type { Status } from "../status.ts";
import { deleteSubscriberRows } from "../write-store.ts";

export type ListRow = {
  account_id: string;
  id: string;
  name: string;
  from_name: string | null;
  from_email: string | null;
  reply_to: string | null;
  postal_address: string | null;
  double_opt_in: boolean;
  public: boolean;
  /** Null where it is as the account says. */
  tracking: TrackingMode | null;
  archive_slug: string | null;
  archive_indexed: boolean;
  /** The published template that whoever confirms is mailed; null is none. */
  welcome_template_id: string | null;
  /** It has made-up people, and its mail goes into the sandbox. */
  is_sample: boolean;
  created_at: Date;
  updated_at: Date;
  updated_by: UpdatedByRow;
};
export type ListWithCounts = ListRow & { counts: Partial<Record<Status, number>> | null };

const columns = sql`l.account_id, l.id, l.name, l.from_name, l.from_email, l.reply_to, l.postal_address,
  l.double_opt_in, l.is_public as public, l.tracking, l.archive_slug, l.archive_indexed, l.welcome_template_id, l.is_sample,
  l.created_at, l.updated_at, ${updatedByOf("l")}`;

const withCounts = sql`${columns}, (
  select jsonb_object_agg(status, count) from (
    select status, sum(count) as count from list_counts c
    where c.account_id = l.account_id and c.list_id = l.id group by status) as summed
  ) as counts`;

export function insertList(tx: Tx, list: Unsigned<ListRow>, actor: Actor): Promise<ListRow> {
  return tx.one<ListRow>(sql`
    insert into lists as l (account_id, id, name, from_name, from_email, reply_to, postal_address, double_opt_in, is_public,
                       tracking, archive_slug, archive_indexed, welcome_template_id, is_sample, created_at, updated_at,
                       ${signedColumns})
    values (${list.account_id}, ${list.id}, ${list.name}, ${list.from_name}, ${list.from_email}, ${list.reply_to},
            ${list.postal_address}, ${list.double_opt_in}, ${list.public}, ${list.tracking}, ${list.archive_slug},
            ${list.archive_indexed}, ${list.welcome_template_id}, ${list.is_sample}, ${list.created_at}, ${list.updated_at}, ${signing(actor)})
    returning ${columns}`);
}

export function findList(db: Queryable, accountId: string, id: string): Promise<ListWithCounts | undefined> {
  return db.maybeOne<ListWithCounts>(
    prepared(sql`
      select ${withCounts} from lists l
      where l.account_id = ${accountId} and l.id = ${id} and l.deleted_at is null`),
  );
}

/** Finds the oldest list of that name. Only the command line asks, where few lists are looked through. */
export function findListNamed(
  db: Queryable,
  accountId: string,
  name: string,
): Promise<Pick<ListRow, "id"> | undefined> {
  return db.maybeOne(sql`
    select id from lists where account_id = ${accountId} and name = ${name} and deleted_at is null
    order by created_at, id limit 1`);
}

/** Returns the public id of a list that welcomes with this template, by the index lists_welcoming; null where none does. */
export async function listWelcomingWith(
  db: Queryable,
  accountId: string,
  templateId: string,
): Promise<string | null> {
  const found = await db.maybeOne<{ id: string }>(sql`
    select id from lists
    where account_id = ${accountId} and welcome_template_id = ${templateId} and deleted_at is null limit 1`);
  return found ? toPublicId("lst", found.id) : null;
}

export async function listExists(db: Queryable, accountId: string, id: string): Promise<boolean> {
  const rows = await db.many(
    prepared(sql`select from lists where account_id = ${accountId} and id = ${id} and deleted_at is null`),
  );
  return rows.length === 1;
}

/** Returns those of these ids that are lists of the account. */
export async function findListIds(
  db: Queryable,
  accountId: string,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await db.many<{ id: string }>(
    sql`select id from lists where account_id = ${accountId} and id = any(${[...ids]}::uuid[]) and deleted_at is null`,
  );
  return new Set(rows.map(({ id }) => id));
}

export function lockList(tx: Tx, accountId: string, id: string): Promise<ListRow | undefined> {
  return tx.maybeOne<ListRow>(sql`
    select ${columns} from lists l
    where l.account_id = ${accountId} and l.id = ${id} and l.deleted_at is null for update`);
}

/** The lists that this contact is on and that may be named to whoever holds a mail, which may have been forwarded. */
export function listPublicLists(
  db: Queryable,
  accountId: string,
  contactId: string,
): Promise<Pick<ListRow, "id" | "name">[]> {
  return db.many(sql`
    select l.id, l.name from subscribers s join lists l on l.account_id = s.account_id and l.id = s.list_id
    where s.account_id = ${accountId} and s.contact_id = ${contactId} and s.status = 'active'
      and l.is_public and l.deleted_at is null
    order by l.name, l.id limit 100`);
}

/** The lists can't be deleted until the transaction ends, as with a foreign key. */
export function shareLists(
  tx: Tx,
  accountId: string,
  ids: readonly string[],
): Promise<Pick<ListRow, "id" | "double_opt_in">[]> {
  return tx.many(
    prepared(sql`
      select id, double_opt_in from lists
      where account_id = ${accountId} and id = any(${[...ids]}::uuid[]) and deleted_at is null
      order by id for key share`),
  );
}

export function listLists(
  db: Queryable,
  accountId: string,
  words: string | undefined,
  page: AgePage,
): Promise<ListWithCounts[]> {
  return db.many<ListWithCounts>(sql`
    select ${withCounts} from lists l
    where l.account_id = ${accountId} and l.deleted_at is null ${named(words)} ${newestFirst(page, "l")}`);
}

export async function countLists(
  db: Queryable,
  accountId: string,
  words: string | undefined,
): Promise<number> {
  const { count } = await db.one<{ count: number }>(
    sql`select count(*) as count from lists l
      where l.account_id = ${accountId} and l.deleted_at is null ${named(words)}`,
  );
  return count;
}

/** How many lists there are, and how many of them ask people to confirm by mail. */
export function countDoubleOptIn(
  db: Queryable,
  accountId: string,
): Promise<{ lists: number; confirmed: number }> {
  return db.one(sql`
    select count(*) as lists, count(*) filter (where double_opt_in) as confirmed from lists
    where account_id = ${accountId} and deleted_at is null`);
}

/** Lists are made by hand and few, so that the words are looked for in the names of all. */
function named(words: string | undefined): Sql {
  return words === undefined ? sql`` : sql`and position(lower(${words}) in lower(l.name)) > 0`;
}

export async function updateListRow(tx: Tx, list: ListRow, actor: Actor): Promise<void> {
  await tx.execute(sql`
    update lists set name = ${list.name}, from_name = ${list.from_name}, from_email = ${list.from_email},
      reply_to = ${list.reply_to}, postal_address = ${list.postal_address}, double_opt_in = ${list.double_opt_in}, is_public = ${list.public},
      tracking = ${list.tracking}, archive_slug = ${list.archive_slug}, archive_indexed = ${list.archive_indexed},
      welcome_template_id = ${list.welcome_template_id},
      updated_at = ${list.updated_at}, ${signedBy(actor)}
    where account_id = ${list.account_id} and id = ${list.id}`);
}

export async function markListDeleted(
  tx: Tx,
  accountId: string,
  id: string,
  at: Date,
  actor: Actor,
): Promise<void> {
  await tx.execute(sql`
    update lists set deleted_at = ${at}, updated_at = ${at}, ${signedBy(actor)} where account_id = ${accountId} and id = ${id}`);
}

/** Deletes a batch of what a deleted list leaves behind, and returns true when all is gone, the list itself included. */
export async function removeListBatch(
  tx: Tx,
  accountId: string,
  listId: string,
  limit: number,
): Promise<boolean> {
  const rows = await tx.many<{ id: string }>(sql`
    select id from subscribers where account_id = ${accountId} and list_id = ${listId} limit ${limit}`);
  if (rows.length > 0) {
    await deleteSubscriberRows(
      tx,
      accountId,
      rows.map(({ id }) => id),
    );
    return false;
  }
  await tx.execute(sql`delete from list_counts where account_id = ${accountId} and list_id = ${listId}`);
  await tx.execute(sql`delete from list_growth where account_id = ${accountId} and list_id = ${listId}`);
  await tx.execute(sql`delete from opt_outs where account_id = ${accountId} and list_id = ${listId}`);
  await tx.execute(sql`delete from sunset_policies where account_id = ${accountId} and list_id = ${listId}`);
  await tx.execute(sql`delete from lists where account_id = ${accountId} and id = ${listId}`);
  return true;
}

/** Counts the subscribers of each account by the counters of its lists, for operators. */
export async function countSubscribersOf(
  db: Queryable,
  accountIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await db.many<{ account_id: string; count: number }>(sql`
    select c.account_id, sum(c.count)::bigint as count
    from list_counts c join lists l on l.account_id = c.account_id and l.id = c.list_id and l.deleted_at is null
    where c.account_id = any(${[...accountIds]}::uuid[]) group by c.account_id`);
  return new Map(rows.map(({ account_id, count }) => [account_id, count]));
}
