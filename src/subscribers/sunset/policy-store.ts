/** The statements on policies, and on whom they marked. */
import { type Queryable, type Sql, sql, type Tx, type Writable } from "../../platform/db/db.ts";
import type { SunsetInput } from "./schema.ts";

export type PolicyRow = {
  account_id: string;
  list_id: string;
  days: number;
  mails: number;
  grace_days: number;
  paused_at: Date | null;
  created_at: Date;
  updated_at: Date;
};

const columns = sql`account_id, list_id, days, mails, grace_days, paused_at, created_at, updated_at`;

export function findPolicy(db: Queryable, accountId: string, listId: string): Promise<PolicyRow | undefined> {
  return db.maybeOne<PolicyRow>(sql`
    select ${columns} from sunset_policies where account_id = ${accountId} and list_id = ${listId}`);
}

/** Holds a policy until the commit: it isn't changed or deleted while a piece of its work is written. */
export function holdPolicy(tx: Tx, accountId: string, listId: string): Promise<PolicyRow | undefined> {
  return tx.maybeOne<PolicyRow>(sql`
    select ${columns} from sunset_policies where account_id = ${accountId} and list_id = ${listId} for share`);
}

/** Keeps others from changing a policy until the commit. */
export function lockPolicy(tx: Tx, accountId: string, listId: string): Promise<PolicyRow | undefined> {
  return tx.maybeOne<PolicyRow>(sql`
    select ${columns} from sunset_policies where account_id = ${accountId} and list_id = ${listId} for no key update`);
}

/** A pause that goes on keeps the time at which it began. */
export function putPolicy(
  tx: Tx,
  accountId: string,
  listId: string,
  { days, mails, grace_days: graceDays, paused }: SunsetInput,
  now: Date,
): Promise<PolicyRow> {
  return tx.one<PolicyRow>(sql`
    insert into sunset_policies as known (${columns})
    values (${accountId}, ${listId}, ${days}, ${mails}, ${graceDays}, ${paused ? now : null}, ${now}, ${now})
    on conflict (account_id, list_id) do update set
      days = excluded.days, mails = excluded.mails, grace_days = excluded.grace_days, updated_at = excluded.updated_at,
      paused_at = case when excluded.paused_at is null then null else coalesce(known.paused_at, excluded.paused_at) end
    returning ${columns}`);
}

export async function deletePolicy(tx: Tx, accountId: string, listId: string): Promise<boolean> {
  const deleted = await tx.execute(sql`
    delete from sunset_policies where account_id = ${accountId} and list_id = ${listId}`);
  return deleted === 1;
}

type ListKey = { readonly account_id: string; readonly list_id: string };

/** Lists policies of all accounts, page by page. A list whose delete is under way is left out. */
export function nextPolicies(db: Queryable, after: ListKey | undefined, limit: number): Promise<ListKey[]> {
  const above = after ? sql`and (p.account_id, p.list_id) > (${after.account_id}, ${after.list_id})` : sql``;
  return db.many<ListKey>(sql`
    select p.account_id, p.list_id from sunset_policies p
    where exists (select from lists l where l.account_id = p.account_id and l.id = p.list_id and l.deleted_at is null) ${above}
    order by p.account_id, p.list_id limit ${limit}`);
}

/** The index dormancies_of_list has all that this asks for. */
export async function countMarked(
  db: Queryable,
  accountId: string,
  listId: string,
): Promise<{ warned: number; dormant: number }> {
  const { warned, dormant } = await db.one<{ warned: number; dormant: number }>(sql`
    select count(*) filter (where state = 'warned') as warned, count(*) filter (where state = 'dormant') as dormant
    from dormancies where account_id = ${accountId} and list_id = ${listId} and state <> 'woken'`);
  return { warned, dormant };
}

export type Marked = { id: string; list_id: string; contact_id: string };

/** A place in a list, in the order of sign-up. */
export type Place = { readonly created_at: Date; readonly id: string };

const beyond = (after: Place | undefined): Sql =>
  after ? sql`and (s.created_at, s.id) > (${after.created_at}::timestamptz, ${after.id}::uuid)` : sql``;

/** Finds the last of the next `rows` people of a list, or of what is left of it; the index subscribers_of_list_by_age serves it. */
export function findSliceEnd(
  db: Queryable,
  list: { readonly accountId: string; readonly listId: string; readonly until: Date },
  after: Place | undefined,
  rows: number,
): Promise<Place | undefined> {
  return db.maybeOne<Place>(sql`
    select created_at, id from (
      select s.created_at, s.id from subscribers s
      where s.account_id = ${list.accountId} and s.list_id = ${list.listId} and s.created_at <= ${list.until} ${beyond(after)}
      order by s.created_at, s.id limit ${rows}) as slice
    order by created_at desc, id desc limit 1`);
}

/**
 * Marks those of a slice who meet the condition on `subscribers s`. Each is held until the commit, so that a delete that is under way takes
 * the mark along. Who has a row has woken since they were judged: those who woke long ago have none any more. `offset 0` keeps the slice one: the server reads it by the list's index, whatever it believes of the rest.
 */
export function markSlice(
  tx: Tx,
  list: { readonly accountId: string; readonly listId: string },
  slice: { readonly after: Place | undefined; readonly end: Place },
  condition: Sql,
  to: { readonly state: "warned" | "dormant"; readonly at: Date },
): Promise<Marked[]> {
  return tx.many<Marked>(sql`
    with picked as materialized (
      select s.id, s.contact_id from (
        select s.* from subscribers s
        where s.account_id = ${list.accountId} and s.list_id = ${list.listId} ${beyond(slice.after)}
          and (s.created_at, s.id) <= (${slice.end.created_at}::timestamptz, ${slice.end.id}::uuid)
        offset 0) as s
      where ${condition}
    ), held as materialized (
      select s.id, s.contact_id from subscribers s
      where s.account_id = ${list.accountId} and s.id = any(array(select id from picked))
      order by s.contact_id, s.list_id for key share
    ), marked as (
      insert into dormancies (account_id, subscriber_id, list_id, state, marked_at, changed_at)
      select ${list.accountId}, id, ${list.listId}, ${to.state}, ${to.at}, ${to.at} from held order by id
      on conflict (account_id, subscriber_id) do nothing
      returning subscriber_id
    )
    select held.id, ${list.listId}::uuid as list_id, held.contact_id from marked join held on held.id = marked.subscriber_id`);
}

/**
 * Ends the grace of some who have been warned since before then: who meets the condition on `subscribers s` is dormant, and the mark of
 * the others is dropped. The rows are locked in the order of their ids, as those who wake lock them.
 */
export function endSomeGraces(
  tx: Tx,
  list: { readonly accountId: string; readonly listId: string },
  warnedUntil: Date,
  condition: Sql,
  now: Date,
  limit: number,
): Promise<(Marked & { is_dormant: boolean })[]> {
  return tx.many<Marked & { is_dormant: boolean }>(sql`
    with oldest as materialized (
      select subscriber_id from dormancies
      where account_id = ${list.accountId} and list_id = ${list.listId} and state = 'warned' and changed_at <= ${warnedUntil}
      order by changed_at limit ${limit}
    ), due as materialized (
      select subscriber_id from dormancies
      where account_id = ${list.accountId} and subscriber_id = any(array(select subscriber_id from oldest))
        and state = 'warned' and changed_at <= ${warnedUntil}
      order by subscriber_id for update
    ), judged as materialized (
      select due.subscriber_id as id, s.contact_id, ${condition} is true as is_dormant
      from due left join subscribers s on s.account_id = ${list.accountId} and s.id = due.subscriber_id
    ), changed as (
      update dormancies set state = 'dormant', changed_at = ${now}
      where account_id = ${list.accountId} and subscriber_id = any(array(select id from judged where is_dormant))
    ), dropped as (
      delete from dormancies
      where account_id = ${list.accountId} and subscriber_id = any(array(select id from judged where not is_dormant))
    )
    select id, ${list.listId}::uuid as list_id, contact_id, is_dormant from judged`);
}

/** Finds the next of those who are marked, in the order of their ids, and whether each meets the condition on `subscribers s` and `z`. */
export function findMarked(
  tx: Tx,
  list: { readonly accountId: string; readonly listId: string },
  after: string,
  condition: Sql,
  limit: number,
): Promise<{ id: string; meets: boolean }[]> {
  return tx.many<{ id: string; meets: boolean }>(sql`
    select z.subscriber_id as id, ${condition} as meets from (
      select z.* from dormancies z
      where z.account_id = ${list.accountId} and z.list_id = ${list.listId} and z.state <> 'woken' and z.subscriber_id > ${after}
      order by z.subscriber_id limit ${limit}) as z
    left join subscribers s on s.account_id = z.account_id and s.id = z.subscriber_id
    order by z.subscriber_id`);
}

/** Forgets who woke so long ago that they may be marked again. */
export function removeWoken(
  db: Writable,
  list: { readonly accountId: string; readonly listId: string },
  before: Date,
  limit: number,
): Promise<number> {
  return db.execute(sql`
    delete from dormancies where account_id = ${list.accountId} and subscriber_id = any(array(
      select subscriber_id from dormancies
      where account_id = ${list.accountId} and list_id = ${list.listId} and state = 'woken' and changed_at <= ${before}
      limit ${limit})) and state = 'woken'`);
}

/** Removes some of what a policy did, until then where that is said, and returns who is gone, and whom of them it had marked. */
export function removeMarks(
  tx: Tx,
  list: { readonly accountId: string; readonly listId: string },
  until: Date | undefined,
  limit: number,
): Promise<(Marked & { was: string })[]> {
  const isOld = until ? sql`and changed_at <= ${until}` : sql``;
  return tx.many<Marked & { was: string }>(sql`
    with due as materialized (
      select subscriber_id, state from dormancies
      where account_id = ${list.accountId} and list_id = ${list.listId} ${isOld}
      order by subscriber_id limit ${limit} for update
    ), gone as (
      delete from dormancies where account_id = ${list.accountId} and subscriber_id = any(array(select subscriber_id from due))
    )
    select s.id, s.list_id, s.contact_id, due.state as was from due
    join subscribers s on s.account_id = ${list.accountId} and s.id = due.subscriber_id`);
}
