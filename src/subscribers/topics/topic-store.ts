import {
  signedBy,
  signedColumns,
  signing,
  type Unsigned,
  type UpdatedByRow,
  updatedByOf,
} from "../../accounts/accounts.ts";
import type { Actor } from "../../platform/context.ts";
import { prepared, type Queryable, sql, type Tx } from "../../platform/db/db.ts";
import { type AgePage, newestFirst } from "../../platform/db/newest-first.ts";

export type TopicRow = {
  account_id: string;
  id: string;
  name: string;
  description: string | null;
  /** Whether those get it who have said nothing. */
  default: boolean;
  created_at: Date;
  updated_at: Date;
  updated_by: UpdatedByRow;
};

const columns = sql`t.account_id, t.id, t.name, t.description, t.is_default as default, t.created_at, t.updated_at, ${updatedByOf("t")}`;

export function insertTopic(tx: Tx, topic: Unsigned<TopicRow>, actor: Actor): Promise<TopicRow> {
  return tx.one<TopicRow>(sql`
    insert into topics as t (account_id, id, name, description, is_default, created_at, updated_at, ${signedColumns})
    values (${topic.account_id}, ${topic.id}, ${topic.name}, ${topic.description}, ${topic.default}, ${topic.created_at},
            ${topic.updated_at}, ${signing(actor)})
    returning ${columns}`);
}

export function findTopic(db: Queryable, accountId: string, id: string): Promise<TopicRow | undefined> {
  return db.maybeOne<TopicRow>(
    prepared(sql`
      select ${columns} from topics t where t.account_id = ${accountId} and t.id = ${id} and t.deleted_at is null`),
  );
}

/** Finds which of these topics there are. */
export async function findTopicIds(
  db: Queryable,
  accountId: string,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await db.many<{ id: string }>(sql`
    select id from topics where account_id = ${accountId} and id = any(${[...ids]}::uuid[]) and deleted_at is null`);
  return new Set(rows.map(({ id }) => id));
}

export function lockTopic(tx: Tx, accountId: string, id: string): Promise<TopicRow | undefined> {
  return tx.maybeOne<TopicRow>(sql`
    select ${columns} from topics t
    where t.account_id = ${accountId} and t.id = ${id} and t.deleted_at is null for update`);
}

export function listTopics(db: Queryable, accountId: string, page: AgePage): Promise<TopicRow[]> {
  return db.many<TopicRow>(sql`
    select ${columns} from topics t where t.account_id = ${accountId} and t.deleted_at is null ${newestFirst(page, "t")}`);
}

export async function countTopics(db: Queryable, accountId: string): Promise<number> {
  const { count } = await db.one<{ count: number }>(
    sql`select count(*) as count from topics where account_id = ${accountId} and deleted_at is null`,
  );
  return count;
}

/** Holds off others who make topics in this account, so that there are never more than allowed; returns how many there are. */
export async function countTopicsAlone(tx: Tx, accountId: string): Promise<number> {
  await tx.execute(sql`select from accounts where account_id = ${accountId} for no key update`);
  return countTopics(tx, accountId);
}

export function updateTopicRow(tx: Tx, topic: TopicRow, actor: Actor): Promise<TopicRow> {
  return tx.one<TopicRow>(sql`
    update topics t set name = ${topic.name}, description = ${topic.description}, is_default = ${topic.default},
      updated_at = ${topic.updated_at}, ${signedBy(actor)}
    where t.account_id = ${topic.account_id} and t.id = ${topic.id} returning ${columns}`);
}

export async function markTopicDeleted(
  tx: Tx,
  accountId: string,
  id: string,
  at: Date,
  actor: Actor,
): Promise<void> {
  await tx.execute(sql`
    update topics set deleted_at = ${at}, updated_at = ${at}, ${signedBy(actor)} where account_id = ${accountId} and id = ${id}`);
}
