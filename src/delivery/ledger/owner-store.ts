/** What an owner has: all its sources that count. */
import { type Queryable, type Sql, sql, type Tx } from "../../platform/db/db.ts";
import type { SourceName } from "../types.ts";

/** Of an owner's sources those that count, as an array of ids to be put into other statements; by sources_of_owner. */
export function sourcesOf(accountId: string, ownerId: string): Sql {
  return sql`array(${idsOf(accountId, ownerId)})`;
}

function idsOf(accountId: string, ownerId: string): Sql {
  return sql`select id from sources where account_id = ${accountId} and owner_id = ${ownerId} and state <> 'replaced'`;
}

/** The ids themselves, the oldest first. */
export async function listSources(db: Queryable, accountId: string, ownerId: string): Promise<string[]> {
  const rows = await db.many<{ id: string }>(sql`${idsOf(accountId, ownerId)} order by id`);
  return rows.map(({ id }) => id);
}

/** The same, with the sources locked. */
export async function lockSources(tx: Tx, accountId: string, ownerId: string): Promise<string[]> {
  const rows = await tx.many<{ id: string }>(sql`${idsOf(accountId, ownerId)} order by id for no key update`);
  return rows.map(({ id }) => id);
}

/** By which everybody outside knows it. */
export function readSourceName(
  db: Queryable,
  accountId: string,
  sourceId: string,
): Promise<SourceName & { id: string }> {
  return db.one(
    sql`select id, stream, owner_id as "ownerId" from sources where account_id = ${accountId} and id = ${sourceId}`,
  );
}

/** Those of an owner that failed or were superseded; another one has their place. */
export async function replaceSources(tx: Tx, accountId: string, ownerId: string): Promise<string[]> {
  const rows = await tx.many<{ id: string }>(sql`
    update sources set state = 'replaced', reason = null, ended_at = null
    where account_id = ${accountId} and owner_id = ${ownerId} and not is_given and state in ('failed', 'superseded')
    returning id`);
  return rows.map(({ id }) => id);
}
