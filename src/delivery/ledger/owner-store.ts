/** These statements find, lock or replace all sources of an owner. They leave out sources that were replaced already. */
import { type Queryable, type Sql, sql, type Tx } from "../../platform/db/db.ts";
import type { SourceName } from "../types.ts";

/** Selects the ids of an owner's sources as an array, for use in other statements. It uses the index sources_of_owner. */
export function sourcesOf(accountId: string, ownerId: string): Sql {
  return sql`array(${idsOf(accountId, ownerId)})`;
}

function idsOf(accountId: string, ownerId: string): Sql {
  return sql`select id from sources where account_id = ${accountId} and owner_id = ${ownerId} and state <> 'replaced'`;
}

/** Selects a source and those of its owner whose rows it took over, as an array. */
export function withFormer(accountId: string, sourceId: string): Sql {
  return sql`array(
    select f.id from sources own join sources f on f.account_id = own.account_id and f.owner_id = own.owner_id
    where own.account_id = ${accountId} and own.id = ${sourceId}
      and (f.id = own.id or not own.is_given and not f.is_given and f.state in ('superseded', 'canceled')))`;
}

/** Returns the ids of an owner's sources, the oldest first. */
export async function listSources(db: Queryable, accountId: string, ownerId: string): Promise<string[]> {
  const rows = await db.many<{ id: string }>(sql`${idsOf(accountId, ownerId)} order by id`);
  return rows.map(({ id }) => id);
}

/** Locks an owner's sources and returns their ids, the oldest first. */
export async function lockSources(tx: Tx, accountId: string, ownerId: string): Promise<string[]> {
  const rows = await tx.many<{ id: string }>(sql`${idsOf(accountId, ownerId)} order by id for no key update`);
  return rows.map(({ id }) => id);
}

/** Reads the stream and the owner, by which the floors above know a source. */
export function readSourceName(
  db: Queryable,
  accountId: string,
  sourceId: string,
): Promise<SourceName & { id: string }> {
  return db.one(
    sql`select id, stream, owner_id as "ownerId" from sources where account_id = ${accountId} and id = ${sourceId}`,
  );
}

/** Marks the owner's sources that failed or were superseded as replaced by another one, and returns their ids. */
export async function replaceSources(tx: Tx, accountId: string, ownerId: string): Promise<string[]> {
  const rows = await tx.many<{ id: string }>(sql`
    update sources set state = 'replaced', reason = null, ended_at = null
    where account_id = ${accountId} and owner_id = ${ownerId} and not is_given and state in ('failed', 'superseded')
    returning id`);
  return rows.map(({ id }) => id);
}
