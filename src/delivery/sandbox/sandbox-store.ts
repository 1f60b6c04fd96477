import { type Queryable, type Sql, sql, type Writable } from "../../platform/db/db.ts";
import type { Stream } from "../types.ts";

export type SandboxRow = {
  account_id: string;
  id: string;
  /** The stream and the owner whose mail it is; both are null for a test message. */
  stream: Stream | null;
  owner_id: string | null;
  contact_id: string | null;
  envelope_from: string;
  envelope_to: string;
  to_key: string;
  raw: Buffer;
  /** Whether it has a link that sets a password. */
  is_private: boolean;
  created_at: Date;
};

/** This many of the newest messages of each account are kept. */
export const KEPT = 5_000;
/** This much of a message has every header that a page shows. */
const HEAD_BYTES = 16_384;

export async function insertMessages(db: Writable, rows: readonly SandboxRow[]): Promise<void> {
  await db.execute(sql`
    insert into sandbox_messages
      (account_id, id, stream, owner_id, contact_id, envelope_from, envelope_to, to_key, raw, is_private, created_at)
    select * from unnest(
      ${rows.map((row) => row.account_id)}::uuid[], ${rows.map((row) => row.id)}::uuid[],
      ${rows.map((row) => row.stream)}::text[], ${rows.map((row) => row.owner_id)}::uuid[],
      ${rows.map((row) => row.contact_id)}::uuid[],
      ${rows.map((row) => row.envelope_from)}::text[], ${rows.map((row) => row.envelope_to)}::text[],
      ${rows.map((row) => row.to_key)}::text[], ${rows.map((row) => row.raw)}::bytea[],
      ${rows.map((row) => row.is_private)}::boolean[],
      ${rows.map((row) => row.created_at)}::timestamptz[])`);
}

/** Deletes all but the newest messages, by the primary key, since ids are in the order of time. */
export function pruneMessages(db: Writable, accountId: string): Promise<number> {
  return db.execute(sql`
    delete from sandbox_messages where account_id = ${accountId} and id <= (
      select id from sandbox_messages where account_id = ${accountId} order by id desc offset ${KEPT} limit 1)`);
}

/**
 * Which messages somebody may see. Whoever may not read transactional mail doesn't see it here either, and a link that sets a
 * password is seen by those alone who may make one for every user.
 */
export type Sight = {
  readonly toKey?: string | undefined;
  readonly hasTransactional: boolean;
  /** Whether mail to subscribers is seen, which shows who they are and what they may do; tests are seen by all. */
  readonly hasRecipients: boolean;
  readonly hasPrivate: boolean;
};

/** An account has few messages, so those that are left out are passed over by the index that is read anyway. */
function isSeen({ toKey, hasTransactional, hasRecipients, hasPrivate }: Sight): Sql {
  return sql`${toKey === undefined ? sql`` : sql`and to_key = ${toKey}`}
    ${hasTransactional ? sql`` : sql`and stream is distinct from 'transactional'`}
    ${hasRecipients ? sql`` : sql`and (contact_id is null or stream = 'transactional')`}
    ${hasPrivate ? sql`` : sql`and not is_private`}`;
}

/** Lists messages, newest first; `raw` has only the beginning of each. */
export function listMessages(
  db: Queryable,
  accountId: string,
  sight: Sight,
  limit: number,
  before: string | undefined,
): Promise<SandboxRow[]> {
  return db.many<SandboxRow>(sql`
    select account_id, id, stream, owner_id, contact_id, envelope_from, envelope_to, to_key, is_private, created_at,
           substring(raw from 1 for ${HEAD_BYTES}::int) as raw
    from sandbox_messages
    where account_id = ${accountId} ${isSeen(sight)}
      ${before === undefined ? sql`` : sql`and id < ${before}`}
    order by id desc limit ${limit}`);
}

/** Returns the newest messages of an owner as they were sent, by the primary key. */
export async function listCaught(
  db: Queryable,
  accountId: string,
  ownerId: string,
  limit: number,
): Promise<Buffer[]> {
  const rows = await db.many<{ raw: Buffer }>(sql`
    select raw from sandbox_messages where account_id = ${accountId} and owner_id = ${ownerId}
    order by id desc limit ${limit}`);
  return rows.map(({ raw }) => raw);
}

export async function countMessages(db: Queryable, accountId: string, sight: Sight): Promise<number> {
  const { count } = await db.one<{ count: number }>(sql`
    select count(*) as count from sandbox_messages
    where account_id = ${accountId} ${isSeen(sight)}`);
  return count;
}

export function findMessage(
  db: Queryable,
  accountId: string,
  id: string,
  sight: Sight,
): Promise<SandboxRow | undefined> {
  return db.maybeOne<SandboxRow>(sql`
    select account_id, id, stream, owner_id, contact_id, envelope_from, envelope_to, to_key, raw, is_private, created_at
    from sandbox_messages where account_id = ${accountId} and id = ${id} ${isSeen(sight)}`);
}

/** Deletes what the caller is shown, and nothing else. */
export function deleteMessages(db: Writable, accountId: string, sight: Sight): Promise<number> {
  return db.execute(sql`delete from sandbox_messages where account_id = ${accountId} ${isSeen(sight)}`);
}

/** The index sandbox_messages_to serves it. */
export function removeMessagesTo(db: Writable, accountId: string, toKey: string): Promise<number> {
  return db.execute(sql`delete from sandbox_messages where account_id = ${accountId} and to_key = ${toKey}`);
}
