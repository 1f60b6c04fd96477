import { intArray, textArray, timeArray, uuidArray } from "../../platform/db/arrays.ts";
import { prepared, sql, type Tx, type Writable, withTimeout } from "../../platform/db/db.ts";
import type { Hit, HitGroup } from "./hit.ts";

const NOBODY = "00000000-0000-0000-0000-000000000000";
const PIXEL = -1;

/** Stores a group of hits. A group that was stored already, though its answer was lost, is left alone. */
export function insertHits(db: Writable, group: HitGroup, now: Date): Promise<void> {
  return insertHitGroups(db, [group], now);
}

/** Stores groups of hits in one statement, as `insertHits` does one. */
export async function insertHitGroups(db: Writable, given: readonly HitGroup[], now: Date): Promise<void> {
  // A group may stand on disk twice.
  const groups = [...new Map(given.map((group) => [group.id, group])).values()];
  const hits = groups.flatMap((group) => group.hits);
  const groupIds = groups.flatMap(({ id, hits: { length } }) => new Array<string>(length).fill(id));
  await db.execute(
    prepared(sql`
      with noted as (
        insert into hit_groups (id, at)
        select id, ${now} from unnest(${uuidArray(groups.map(({ id }) => id))}::uuid[]) as stored (id)
        on conflict do nothing returning id
      )
      insert into hits (account_id, source_id, contact_id, link, at, times, is_head, is_prefetch, has_from, user_agent, address)
      select account_id, source_id, nullif(contact_id, ${NOBODY}), nullif(link, ${PIXEL}), hit.at, times, flags & 1 = 1,
             flags & 2 = 2, flags & 4 = 4, user_agent, address
      from unnest(${uuidArray(groupIds)}::uuid[],
                  ${uuidArray(hits.map((hit) => hit.accountId))}::uuid[],
                  ${uuidArray(hits.map((hit) => hit.sourceId))}::uuid[],
                  ${uuidArray(hits.map((hit) => hit.contactId ?? NOBODY))}::uuid[],
                  ${intArray(hits.map((hit) => hit.link ?? PIXEL))}::int[],
                  ${timeArray(hits.map((hit) => hit.at))}::timestamptz[],
                  ${intArray(hits.map((hit) => hit.times))}::int[],
                  ${intArray(hits.map((hit) => (hit.isHead ? 1 : 0) + (hit.isPrefetch ? 2 : 0) + (hit.hasFrom ? 4 : 0)))}::int[],
                  ${textArray(hits.map((hit) => hit.userAgent))}::text[],
                  ${textArray(hits.map((hit) => hit.address))}::text[])
        as hit (group_id, account_id, source_id, contact_id, link, at, times, flags, user_agent, address)
      where group_id in (select id from noted)`),
  );
}

type HitRow = {
  account_id: string;
  source_id: string;
  contact_id: string | null;
  link: number | null;
  at: Date;
  times: number;
  is_head: boolean;
  is_prefetch: boolean;
  user_agent: string;
  has_from: boolean;
  address: string;
};

/** A message that is hit again and again is counted all the same, after this long. */
const LONGEST_MS = 60_000;

/** A long inbox is read as a whole for each slice, which takes seconds for some million hits. */
const TAKING_MS = 120_000;

/**
 * Only one process counts at a time, until its transaction ends. Answers false where another one does. The migration 0035 has a
 * trigger that lets nobody take hits who doesn't name this way of counting.
 */
export async function lockCounting(tx: Tx): Promise<boolean> {
  const { isOurs } = await tx.one<{ isOurs: boolean }>(sql`
    select pg_try_advisory_xact_lock(hashtext('postrider count hits')) as "isOurs",
           set_config('postrider.counting', 'by_domain', true), set_config('statement_timeout', ${String(TAKING_MS)}, true)`);
  return isOurs;
}

/** So many hits are looked at to find messages whose hits have settled. */
const LOOKED_AT = 50_000;
/** A message with more hits than this is counted in parts, which bounds memory. */
const MOST_OF_ONE = 50_000;

/**
 * Takes all hits of some messages out of the inbox, to be counted in the same transaction: of those whose last one came before
 * `before`, so that what belongs together is judged together. Only one process counts at a time, which holds the lock above
 * until its transaction ends; the others answer with nothing. Hits of nobody in particular belong together with none, however
 * many they are: they wait for nothing and are taken in any number. `most` is how many hits are taken of each kind; the rest of the
 * message that the last belongs to comes along.
 *
 * The first hits in the order of the table are looked at. New ones may come into pages that were emptied, before older ones; but
 * whoever takes more than arrives gets to the last page. A message's other hits are found by one pass over the table.
 */
export async function takeHits(tx: Tx, before: Date, most: number): Promise<Hit[]> {
  if (!(await lockCounting(tx))) return [];
  // The server may have counted the rows when there were none, and would then go over the table once for each message.
  tx.send(sql`set local enable_nestloop = off`);
  const rows = await tx.many<HitRow>(
    withTimeout(
      sql`
    with anonymous as (
      delete from hits where ctid = any(array(select ctid from hits where contact_id is null limit ${most}))
      returning *
    ), looked_at as materialized (
      select distinct source_id, contact_id from (
        select source_id, contact_id from hits where contact_id is not null and at < ${before} limit ${LOOKED_AT}
      ) as first
    ), settled as materialized (
      select places from (
        select array_agg(h.ctid) as places, sum(count(*)) over (rows unbounded preceding) - count(*) as before_it
        from hits h join looked_at using (source_id, contact_id)
        group by source_id, contact_id
        having max(h.at) < ${before} or min(h.at) < ${new Date(before.getTime() - LONGEST_MS)}
      ) as message where before_it < ${most}
    ), personal as (
      delete from hits where ctid = any(array(select unnest(places) from settled limit ${most + MOST_OF_ONE}))
      returning *
    )
    select * from anonymous union all select * from personal`,
      TAKING_MS,
    ),
  );
  // It is sent no sooner: the time that a statement has begins when it is sent.
  tx.send(sql`set local enable_nestloop to default`);
  return rows.map((row) => ({
    accountId: row.account_id,
    sourceId: row.source_id,
    contactId: row.contact_id,
    link: row.link,
    at: row.at,
    times: row.times,
    isHead: row.is_head,
    isPrefetch: row.is_prefetch,
    userAgent: row.user_agent,
    hasFrom: row.has_from,
    address: row.address,
  }));
}

/** A group whose answer was lost is tried again within minutes, or from a disk within days. */
export async function removeOldHitGroups(db: Writable, before: Date): Promise<void> {
  await db.execute(sql`delete from hit_groups where at < ${before}`);
}
