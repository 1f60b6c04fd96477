/**
 * Some types of event are written only where somebody wants them, because there is one for each message. Each who does is an owner
 * with rows of its own, so that one who goes away silences no other.
 */
import { prepared, type Queryable, type Sql, sql, type Tx, type Writable } from "../platform/db/db.ts";
import type { EventType } from "./types.ts";

/** From now on the owner, such as `webhook whk_…`, wants exactly these types. */
export async function keepEvents(
  db: Writable,
  accountId: string,
  owner: string,
  types: readonly EventType[],
): Promise<void> {
  // Whoever asked `holdKept` before has committed by then, so that what they wrote without an event is seen by all that this transaction reads next.
  await db.execute(sql`
    select pg_advisory_xact_lock(${lockOf(accountId, sql`type`)}) from unnest(${[...types]}::text[]) as type
    where not exists (
      select from kept_events k where k.account_id = ${accountId} and k.owner = ${owner} and k.type = type.type)
    order by type`);
  // Two parts of one statement may not touch the same row: what stays is neither deleted nor inserted.
  await db.execute(sql`
    with released as (
      delete from kept_events
      where account_id = ${accountId} and owner = ${owner} and type <> all(${[...types]}::text[])
    )
    insert into kept_events (account_id, type, owner)
    select ${accountId}, type, ${owner} from unnest(${[...new Set(types)]}::text[]) as type
    on conflict do nothing`);
}

/** The owner wants nothing any more. */
export async function releaseEvents(db: Writable, accountId: string, owner: string): Promise<void> {
  await keepEvents(db, accountId, owner, []);
}

/** Says whether anybody in the account wants events of this type. */
export async function isKept(db: Queryable, accountId: string, type: EventType): Promise<boolean> {
  const { kept } = await db.one<{ kept: boolean }>(
    prepared(sql`
      select exists (select from kept_events where account_id = ${accountId} and type = ${type}) as kept`),
  );
  return kept;
}

/**
 * Says the same, and it stays so until the transaction is over: whoever begins to want such events meanwhile waits for it. It is to be asked before
 * anything is locked.
 */
export async function holdKept(tx: Tx, accountId: string, type: EventType): Promise<boolean> {
  await tx.execute(sql`select pg_advisory_xact_lock_shared(${lockOf(accountId, sql`${type}`)})`);
  return isKept(tx, accountId, type);
}

function lockOf(accountId: string, type: Sql): Sql {
  return sql`hashtextextended(${`kept_events ${accountId} `} || ${type}, 0)`;
}

/** Tells which of these types anybody wants, in each of these accounts. */
export function listKept(
  db: Queryable,
  accountIds: readonly string[],
  types: readonly EventType[],
): Promise<{ readonly accountId: string; readonly type: EventType }[]> {
  return db.many(sql`
    select distinct account_id as "accountId", type from kept_events
    where account_id = any(${[...accountIds]}::uuid[]) and type = any(${[...types]}::text[])`);
}
