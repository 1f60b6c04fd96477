/** These statements of planning divide a list into stretches and write a slice of it into the ledger. */
import { isHeld } from "../../accounts/accounts.ts";
import { prepared, type Queryable, type Sql, sql, type Tx } from "../../platform/db/db.ts";
import { findInStretches, isListLive, lookUpNth } from "../../subscribers/subscribers.ts";
import { NO_WORKER } from "../ids.ts";
import type { ListPosition, ListStretch, SourceState } from "../ledger/ledger.ts";
import type { Stream } from "../types.ts";

export const START: ListPosition = ["-infinity", "00000000-0000-0000-0000-000000000000"];
export const LAST_ID = "ffffffff-ffff-ffff-ffff-ffffffffffff";

export type PlannedSource = {
  owner_id: string;
  state: SourceState;
  launch: number;
  stream: Stream;
  transport_id: string;
  list_id: string;
  segment_rules: unknown;
  topic_id: string | null;
  launched_at: Date;
  /** Whether it isn't known yet if somebody is to look at it before it leaves. */
  isReviewDue: boolean;
  isListLive: boolean;
  /** Earlier sources of its owner, which this one takes over. A contact with a row in one of them gets none here. */
  formers: string[];
  is_held: boolean;
};

export function findPlannedSource(
  db: Queryable,
  accountId: string,
  sourceId: string,
): Promise<PlannedSource> {
  return db.one<PlannedSource>(sql`
    select owner_id, state, launch, stream, transport_id, list_id, segment_rules, topic_id, launched_at,
           review is not distinct from 'due' as "isReviewDue",
           ${isHeld(accountId)} as is_held, ${isListLive(sql`src.account_id`, sql`src.list_id`)} as "isListLive",
           array(select f.id from sources f where f.account_id = src.account_id and f.owner_id = src.owner_id
                   and f.state = 'superseded') as formers
    from sources src where account_id = ${accountId} and id = ${sourceId}`);
}

/**
 * Finds where the next `rows` of each stretch end, or null where fewer are left. It reads only the index
 * subscribers_of_list_by_age, and its work is bounded even if a segment then matches few of the subscribers.
 */
export async function findEnds(
  db: Queryable,
  accountId: string,
  listId: string,
  stretches: readonly ListStretch[],
  rows: number,
): Promise<(ListPosition | null)[]> {
  const found = await db.many<{ createdAt: string | null; id: string | null }>(
    prepared(sql`
      select to_json(e.created_at) #>> '{}' as "createdAt", e.id from ${unnested(stretches)}
      left join lateral ${lookUpNth(accountId, listId, rows)} as e on true order by w.n`),
  );
  return found.map(({ createdAt, id }) => (createdAt !== null && id !== null ? [createdAt, id] : null));
}

function unnested(stretches: readonly ListStretch[]): Sql {
  return sql`unnest(
    ${stretches.map(({ after }) => after[0])}::timestamptz[], ${stretches.map(({ after }) => after[1])}::uuid[],
    ${stretches.map(({ upto }) => upto[0])}::timestamptz[], ${stretches.map(({ upto }) => upto[1])}::uuid[]
  ) with ordinality as w (after_time, after_id, upto_time, upto_id, n)`;
}

export type Slice = {
  readonly accountId: string;
  readonly sourceId: string;
  readonly source: PlannedSource;
  readonly stretches: readonly ListStretch[];
  /** The segment's condition on `subscribers s`. */
  readonly condition: Sql;
  readonly batchSize: number;
  /** Whether contacts may have a row already, which they keep. It is false if possible: the check costs half as much again. */
  readonly mayMeetRows: boolean;
  /** Whether the account wants `email.queued` events. */
  readonly keepsQueued: boolean;
  readonly now: Date;
};
/** `queued` has the subscribers who are now ready to be mailed, if the account wants events for them. */
export type PlannedSlice = { recipients: number; eligible: number; queued: string[] };

const KEPT_TOGETHER = 10;

/**
 * Writes rows for everybody in the stretches: who may be mailed is ready, who is suppressed is skipped, and others get none.
 * Ready contacts are spread over the batches, because neighbours often share a mail server; ten neighbours stay together,
 * because they also share pages of tables and indexes.
 */
export function insertSlice(tx: Tx, slice: Slice): Promise<PlannedSlice> {
  const { accountId, sourceId, source, now } = slice;
  const { stream, transport_id: transportId, formers } = source;
  const known = sql`known as materialized (
    select contact_id from deliveries where account_id = ${accountId} and source_id = any(${formers}::uuid[])
      and contact_id = any(array(select contact_id from found))),`;
  const insert = sql`
    insert into deliveries (account_id, source_id, contact_id, subscriber_id, stream, transport_id, state, why, changed_at,
                            planned_at)
    select ${accountId}, ${sourceId}, contact_id, id, ${stream}, ${transportId}::uuid,
           case when word is null then 'ready' else 'skipped' end, word, ${now}, ${now}
    from judged`;
  const written = slice.mayMeetRows
    ? sql`${insert} on conflict do nothing returning contact_id, subscriber_id as id, why as word`
    : insert;
  // Only new rows count: where contacts may have had a row already, those are the rows that were inserted.
  const planned = slice.mayMeetRows ? sql`written` : sql`judged`;
  const queued = slice.keepsQueued
    ? sql`coalesce(array_agg(id) filter (where word is null), '{}')`
    : sql`'{}'::uuid[]`;
  return tx.one<PlannedSlice>(sql`
    with ${findInStretches(accountId, { listId: source.list_id, topicId: source.topic_id }, unnested(slice.stretches), slice.condition)},
    ${formers.length > 0 ? known : sql``} judged as materialized (
      select contact_id, id, case when why is null then null else 'suppressed' end as word
      from found where (why is null or why like 'suppressed%')
        ${formers.length > 0 ? sql`and contact_id not in (select contact_id from known)` : sql``}
    ), written as (${written}), batched as (
      insert into batches (account_id, source_id, stream, transport_id, contacts)
      select ${accountId}, ${sourceId}, ${stream}, ${transportId}::uuid, array(
        select ready.contacts[place] from generate_series(nth * ${KEPT_TOGETHER}, ready.count - 1, ready.batches * ${KEPT_TOGETHER}) as start
        cross join lateral generate_series(start + 1, least(start + ${KEPT_TOGETHER}, ready.count)) as place)
      from (
        select array_agg(contact_id) as contacts, count(*)::int as count,
               ceil(count(*) / ${slice.batchSize}::float8)::int as batches
        from ${planned} where word is null
      ) as ready cross join lateral generate_series(0, ready.batches - 1) as nth
    ), noted as (
      insert into delivery_errors (account_id, source_id, state, contact_id, attempt, why, at)
      select ${accountId}, ${sourceId}, 'skipped', contact_id, 0, word, ${now} from ${planned} where word is not null
    ), tallied as (
      insert into counters as known (account_id, source_id, worker_id, what, count)
      select ${accountId}, ${sourceId}, ${NO_WORKER}, 'skipped.suppressed', count(*) from ${planned} where word is not null
      having count(*) > 0
      on conflict (account_id, source_id, worker_id, what) do update set count = known.count + excluded.count
    )
    select count(*) as recipients, count(*) filter (where word is null) as eligible, ${queued} as queued
    from ${planned}`);
}

export async function advancePlan(
  tx: Tx,
  accountId: string,
  sourceId: string,
  by: { stretches: readonly ListStretch[]; recipients: number; eligible: number; endedAt: Date | null },
): Promise<void> {
  await tx.execute(sql`
    update plans set stretches = ${JSON.stringify(by.stretches)}::jsonb, recipients = recipients + ${by.recipients},
      eligible = eligible + ${by.eligible}, ended_at = ${by.endedAt}
    where account_id = ${accountId} and source_id = ${sourceId}`);
}
