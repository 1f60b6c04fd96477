import {
  signedBy,
  signedColumns,
  signing,
  type Unsigned,
  type UpdatedByRow,
  updatedByOf,
} from "../../accounts/accounts.ts";
import type { Actor } from "../../platform/context.ts";
import { join, type Queryable, type Sql, sql, type Tx } from "../../platform/db/db.ts";
import { type AgePage, newestFirst } from "../../platform/db/newest-first.ts";
import type { Rule } from "./rules.ts";

export type SegmentRow = {
  account_id: string;
  id: string;
  name: string;
  list_id: string | null;
  rules: Rule;
  created_at: Date;
  updated_at: Date;
  updated_by: UpdatedByRow;
};

const by = updatedByOf("segments");
const columns = sql`account_id, id, name, list_id, rules, created_at, updated_at, ${by}`;

/** The rules are answered as they were given, since the server orders the keys of an object as it likes. */
export async function insertSegment(tx: Tx, row: Unsigned<SegmentRow>, actor: Actor): Promise<SegmentRow> {
  const signed = await tx.one<Pick<SegmentRow, "updated_by">>(sql`
    insert into segments (account_id, id, name, list_id, rules, created_at, updated_at, ${signedColumns})
    values (${row.account_id}, ${row.id}, ${row.name}, ${row.list_id}, ${JSON.stringify(row.rules)}::jsonb,
            ${row.created_at}, ${row.updated_at}, ${signing(actor)})
    returning ${by}`);
  return { ...row, ...signed };
}

export function findSegment(db: Queryable, accountId: string, id: string): Promise<SegmentRow | undefined> {
  return db.maybeOne<SegmentRow>(
    sql`select ${columns} from segments where account_id = ${accountId} and id = ${id}`,
  );
}

/** Returns those of these ids that are segments of the account. */
export async function findSegmentIds(
  db: Queryable,
  accountId: string,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await db.many<{ id: string }>(
    sql`select id from segments where account_id = ${accountId} and id = any(${[...ids]}::uuid[])`,
  );
  return new Set(rows.map(({ id }) => id));
}

export function lockSegment(tx: Tx, accountId: string, id: string): Promise<SegmentRow | undefined> {
  return tx.maybeOne<SegmentRow>(
    sql`select ${columns} from segments where account_id = ${accountId} and id = ${id} for update`,
  );
}

export async function updateSegmentRow(tx: Tx, row: SegmentRow, actor: Actor): Promise<SegmentRow> {
  const signed = await tx.one<Pick<SegmentRow, "updated_by">>(sql`
    update segments set name = ${row.name}, list_id = ${row.list_id}, rules = ${JSON.stringify(row.rules)}::jsonb,
      updated_at = ${row.updated_at}, ${signedBy(actor)}
    where account_id = ${row.account_id} and id = ${row.id} returning ${by}`);
  return { ...row, ...signed };
}

/** Keeps segments from being deleted until the commit, and returns how many of them there are. */
export async function shareSegments(tx: Tx, accountId: string, ids: readonly string[]): Promise<number> {
  if (ids.length === 0) return 0;
  const rows = await tx.many(sql`
    select from segments where account_id = ${accountId} and id = any(${[...ids]}::uuid[]) order by id for key share`);
  return rows.length;
}

export function removeSegment(tx: Tx, accountId: string, id: string): Promise<number> {
  return tx.execute(sql`delete from segments where account_id = ${accountId} and id = ${id}`);
}

export function listSegments(
  db: Queryable,
  accountId: string,
  words: string | undefined,
  page: AgePage,
): Promise<SegmentRow[]> {
  return db.many<SegmentRow>(sql`
    select ${columns} from segments where account_id = ${accountId} ${named(words)} ${newestFirst(page)}`);
}

export async function countSegments(
  db: Queryable,
  accountId: string,
  words: string | undefined,
): Promise<number> {
  const { count } = await db.one<{ count: number }>(
    sql`select count(*) as count from segments where account_id = ${accountId} ${named(words)}`,
  );
  return count;
}

/** Segments are made by hand and few, so that the words are looked for in the names of all. */
function named(words: string | undefined): Sql {
  return words === undefined ? sql`` : sql`and position(lower(${words}) in lower(name)) > 0`;
}

/** Counts those of the audience's lists that match, in one pass over the list, which the server may run in parallel. */
export function countStatement(accountId: string, listId: string | null, condition: Sql): Sql {
  return sql`select count(*) as count from subscribers s where ${audience(accountId, listId, condition)}`;
}

/**
 * Looks through the audience once. A group is an expression on `subscribers s`, one of a few numbers; `tests` are counted
 * within each, whatever the group.
 */
export function countGroups(
  db: Queryable,
  accountId: string,
  listId: string | null,
  group: Sql,
  tests: readonly Sql[],
): Promise<{ group: number; count: number; met: number[] }[]> {
  const met = tests.map((test) => sql`count(*) filter (where ${test})`);
  return db.many(sql`
    select ${group} as group, count(*) as count, array[${met.length > 0 ? join(met) : sql``}]::int[] as met
    from subscribers s where ${audience(accountId, listId, sql`true`)} group by 1`);
}

/** Returns the ids of a few that match, newest first. */
export async function sampleMatching(
  db: Queryable,
  accountId: string,
  listId: string | null,
  condition: Sql,
  limit: number,
): Promise<string[]> {
  const rows = await db.many<{ id: string }>(sql`
    select s.id from subscribers s where ${audience(accountId, listId, condition)}
    order by s.created_at desc, s.id desc limit ${limit}`);
  return rows.map(({ id }) => id);
}

function audience(accountId: string, listId: string | null, condition: Sql): Sql {
  const ofList = listId
    ? sql`s.list_id = ${listId}`
    : sql`not exists (
        select from lists gone
        where gone.account_id = s.account_id and gone.id = s.list_id and gone.deleted_at is not null)`;
  return join([sql`s.account_id = ${accountId}`, ofList, condition], " and ");
}

export function namesOfLists(db: Queryable, accountId: string): Promise<{ id: string; name: string }[]> {
  return db.many(sql`select id, name from lists where account_id = ${accountId} and deleted_at is null`);
}
