/** The statements around the wire: `inflight` before a body, and what became of it after. Each may be run again. */
import { type EventType, insertingEvents } from "../events/events.ts";
import { intArray, textArray, timeArray, uuidArray } from "../platform/db/arrays.ts";
import { prepared, type Queryable, type Sql, sql, type Writable } from "../platform/db/db.ts";
import { findWhyNotMailable, ofLiveList } from "../subscribers/subscribers.ts";
import { type Holder, isDead } from "./lease-store.ts";
import type { Settlement } from "./rules.ts";

export type Entry = {
  readonly contactId: string;
  readonly subscriberId: string;
  /** The number of this attempt. */
  readonly attempt: number;
  /** The message's Date, unless the row has one already. */
  readonly date: Date;
};

/**
 * Marks rows `inflight` and returns whose. A row passes that is ready or deferred, or was left on the wire by a worker now
 * dead, or is inflight by this very attempt, since the answer to an earlier COMMIT may have got lost. None pass
 * when this worker was taken over or the source no longer runs; who may not be mailed any more is skipped, with the reason.
 */
export async function markInflight(
  db: Queryable,
  holder: Holder,
  accountId: string,
  sourceId: string,
  entries: readonly Entry[],
  now: Date,
): Promise<readonly string[]> {
  const contacts = entries.map((entry) => entry.contactId);
  // null: all of them, as nearly always, and then nobody need be named.
  const { held } = await db.one<{ held: string[] | null }>(
    prepared(sql`
      with me as materialized (
        select epoch from workers where id = ${holder.id} and epoch = ${holder.epoch} for share
      ), running as materialized (
        select id from sources where account_id = ${accountId} and id = ${sourceId} and state = 'running'
      ), given as materialized (
        select * from unnest(
          ${uuidArray(contacts)}::uuid[], ${uuidArray(entries.map((entry) => entry.subscriberId))}::uuid[],
          ${intArray(entries.map((entry) => entry.attempt))}::int[],
          ${timeArray(entries.map((entry) => entry.date))}::timestamptz[]
        ) as one (contact_id, subscriber_id, attempt, dated_at)
        where exists (select from me) and exists (select from running)
      ), picked as materialized (
        select s.contact_id, s.id, s.list_id, s.status, s.consented_at from subscribers s
        where s.account_id = ${accountId} and s.id = any(array(select subscriber_id from given)) and ${ofLiveList}
      ), ${findWhyNotMailable(accountId)}, judged as materialized (
        select given.*, case
          when found.id is null then 'deleted'
          when found.why in ('bounced', 'complained') or found.why like 'suppressed%' then 'suppressed'
          when found.why is not null then 'unsubscribed'
        end as why
        from given left join found on found.id = given.subscriber_id
      ), marked as (
        update deliveries d set
          state = case when j.why is null then 'inflight' else 'skipped' end, why = j.why, changed_at = ${now},
          attempt = case when j.why is null then j.attempt else d.attempt end,
          dated_at = coalesce(d.dated_at, j.dated_at), worker_id = ${holder.id}, epoch = ${holder.epoch}
        from judged j
        where d.account_id = ${accountId} and d.source_id = ${sourceId}
          and d.contact_id = any(array(select contact_id from given)) and d.contact_id = j.contact_id
          and (d.attempt = j.attempt - 1
                 and (d.state in ('ready', 'deferred')
                   or d.state = 'inflight'
                     and ${isDead(sql`d`)})
               or d.attempt = j.attempt and d.state = 'inflight'
                 and d.worker_id = ${holder.id} and d.epoch = ${holder.epoch})
        returning d.contact_id, d.state, d.why, d.attempt
      ), unqueued as (
        delete from retries
        where account_id = ${accountId} and source_id = ${sourceId} and contact_id = any(array(select contact_id from marked))
      ), noted as (
        insert into problems (account_id, source_id, state, contact_id, attempt, why, at)
        select ${accountId}::uuid, ${sourceId}::uuid, state, contact_id, attempt, why, ${now}::timestamptz
        from marked where state = 'skipped'
      ), tallied as (
        insert into counters as known (account_id, source_id, worker_id, what, count)
        select ${accountId}::uuid, ${sourceId}::uuid, ${holder.id}::uuid, 'skipped.' || why, count(*)
        from marked where state = 'skipped' group by why order by why
        on conflict (account_id, source_id, worker_id, what) do update set count = known.count + excluded.count
      )
      select case when count(*) < ${entries.length} then coalesce(array_agg(contact_id), '{}') end as held
      from marked where state = 'inflight'`),
  );
  return held ?? contacts;
}

export type Settled = {
  readonly contactId: string;
  readonly subscriberId: string;
  readonly attempt: number;
} & Settlement;

/** What is told of a message if its outcome is written; the type is null where there is nothing to tell. */
export type MailEvent = {
  readonly id: string;
  readonly type: EventType | null;
  readonly data: string;
};

export type Written = { contactId: string; bounce: string | null };

type Outcomes = {
  readonly accountId: string;
  readonly sourceId: string;
  readonly settled: readonly Settled[];
  readonly now: Date;
};

/**
 * Writes outcomes, each only where its row is still inflight by this worker, epoch and attempt; returns whose were. Counts,
 * retries and events go with them, so that no moment shows one without the other.
 */
export function writeOutcomes(
  db: Queryable,
  holder: Holder,
  { accountId, sourceId, settled, now }: Outcomes,
  events: readonly MailEvent[],
): Promise<Written[]> {
  return db.many(
    prepared(sql`
      with given as materialized (
        select * from unnest(
          ${uuidArray(settled.map((one) => one.contactId))}::uuid[], ${settled.map((one) => one.attempt)}::int[],
          ${settled.map((one) => one.state)}::text[], ${settled.map((one) => one.why)}::text[],
          ${settled.map((one) => one.bounce)}::text[], ${settled.map((one) => one.code)}::int[],
          ${settled.map((one) => one.reply)}::text[], ${settled.map((one) => one.dueAt)}::timestamptz[],
          ${uuidArray(events.map((one) => one.id))}::uuid[], ${events.map((one) => one.type)}::text[],
          ${textArray(events.map((one) => one.data))}::text[]
        ) as one (contact_id, attempt, state, why, bounce, code, reply, due_at, event_id, event_type, event_data)
      ), written as (
        update deliveries d set state = g.state, why = g.why, code = g.code, reply = g.reply, changed_at = ${now},
          -- As if it had not been tried: the next attempt has its number again, and the first one's its date.
          attempt = case g.state when 'ready' then d.attempt - 1 else d.attempt end,
          dated_at = case when g.state = 'ready' and d.attempt = 1 then null else d.dated_at end
        from given g
        where ${isOnWireOf(holder, accountId, sourceId)}
        returning g.*
      ), queued as (
        insert into retries (account_id, source_id, contact_id, due_at)
        select ${accountId}::uuid, ${sourceId}::uuid, contact_id, due_at from written where state = 'deferred'
      ), noted as (
        insert into problems (account_id, source_id, state, contact_id, attempt, why, code, reply, at)
        select ${accountId}::uuid, ${sourceId}::uuid, state, contact_id, attempt, why, code, reply, ${now}::timestamptz
        from written where state not in ('sent', 'ready')
      ), tallied as (
        insert into counters as known (account_id, source_id, worker_id, what, count)
        select ${accountId}::uuid, ${sourceId}::uuid, ${holder.id}::uuid, what, count(*)
        from (select state as what from written where state not in ('deferred', 'ready')
              union all select 'bounce.' || bounce from written where bounce is not null) as terminal
        group by what order by what
        on conflict (account_id, source_id, worker_id, what) do update set count = known.count + excluded.count
      ), told as (${tellingOf(accountId, now)})
      select contact_id as "contactId", bounce from written`),
  );
}

/** The same for messages that were plainly accepted, which is nearly all of them; `events` where somebody wants those. */
export async function writeAccepted(
  db: Writable,
  holder: Holder,
  { accountId, sourceId, settled, now }: Outcomes,
  events: readonly MailEvent[] | undefined,
): Promise<void> {
  const eventArrays =
    events &&
    sql`, ${uuidArray(events.map((one) => one.id))}::uuid[], ${textArray(events.map((one) => one.data))}::text[]`;
  await db.execute(
    prepared(sql`
      with given as materialized (
        select * from unnest(
          ${uuidArray(settled.map((one) => one.contactId))}::uuid[], ${intArray(settled.map((one) => one.attempt))}::int[],
          ${intArray(settled.map((one) => one.code ?? 0))}::int[], ${textArray(settled.map((one) => one.reply))}::text[]
          ${eventArrays ?? sql``}
        ) as one (contact_id, attempt, code, reply ${events ? sql`, event_id, event_data` : sql``})
      ), written as (
        update deliveries d set state = 'sent', why = null, changed_at = ${now}, code = g.code, reply = g.reply
        from given g
        where ${isOnWireOf(holder, accountId, sourceId)}
        returning g.* ${events ? sql`, 'email.sent' as event_type` : sql``}
      ) ${events ? sql`, told as (${tellingOf(accountId, now)})` : sql``}
      insert into counters as known (account_id, source_id, worker_id, what, count)
      select ${accountId}::uuid, ${sourceId}::uuid, ${holder.id}::uuid, 'sent', count(*) from written having count(*) > 0
      on conflict (account_id, source_id, worker_id, what) do update set count = known.count + excluded.count`),
  );
}

/**
 * Of `deliveries d` and `given g`. The ids also as an array, for the index: with no statistics of a young ledger the server
 * would else look through all of it.
 */
function isOnWireOf(holder: Holder, accountId: string, sourceId: string): Sql {
  return sql`d.account_id = ${accountId} and d.source_id = ${sourceId}
    and d.contact_id = any(array(select contact_id from given)) and d.contact_id = g.contact_id
    and d.state = 'inflight' and d.worker_id = ${holder.id} and d.epoch = ${holder.epoch} and d.attempt = g.attempt`;
}

/** Of those in `written`. */
function tellingOf(accountId: string, now: Date): Sql {
  const from = sql`(
    select event_id as id, event_type as type, event_data as data from written where event_type is not null) as new`;
  return insertingEvents(accountId, now, from);
}

export type Parked = { readonly contactId: string; readonly dueAt: Date };

/** Rows that wait for a better time without having been tried: those of a domain that is slow. */
export async function parkRows(
  db: Writable,
  holder: Holder,
  accountId: string,
  sourceId: string,
  parked: readonly Parked[],
  now: Date,
): Promise<void> {
  const contacts = parked.map((one) => one.contactId);
  await db.execute(
    prepared(sql`
      with me as materialized (
        select epoch from workers where id = ${holder.id} and epoch = ${holder.epoch} for share
      ), given as (
        select * from unnest(${contacts}::uuid[], ${parked.map((one) => one.dueAt)}::timestamptz[]) as one (contact_id, due_at)
      ), parked as (
        update deliveries d set state = 'deferred', changed_at = ${now}
        where d.account_id = ${accountId} and d.source_id = ${sourceId} and d.contact_id = any(${contacts}::uuid[])
          and d.state in ('ready', 'deferred') and exists (select from me)
        returning d.contact_id
      )
      insert into retries (account_id, source_id, contact_id, due_at)
      select ${accountId}::uuid, ${sourceId}::uuid, contact_id, due_at from parked join given using (contact_id)
      on conflict (account_id, source_id, contact_id) do update set due_at = excluded.due_at, claimed = false, batch = null`),
  );
}

/** Rows that a dead worker had on the wire, where nobody shall get it twice: they say `unknown`, and end so. */
export async function holdAbandoned(
  db: Writable,
  holder: Holder,
  accountId: string,
  sourceId: string,
  contacts: readonly string[],
  now: Date,
): Promise<void> {
  await db.execute(sql`
    with held as (
      update deliveries d set state = 'unknown', why = 'ambiguous', changed_at = ${now}
      where d.account_id = ${accountId} and d.source_id = ${sourceId} and d.contact_id = any(${[...contacts]}::uuid[])
        and d.state = 'inflight' and ${isDead(sql`d`)}
      returning d.contact_id, d.attempt
    ), noted as (
      insert into problems (account_id, source_id, state, contact_id, attempt, why, reply, at)
      select ${accountId}::uuid, ${sourceId}::uuid, 'unknown', contact_id, attempt, 'ambiguous',
             'its sender died before it knew', ${now}::timestamptz from held
    )
    insert into counters as known (account_id, source_id, worker_id, what, count)
    select ${accountId}::uuid, ${sourceId}::uuid, ${holder.id}::uuid, 'unknown', count(*) from held having count(*) > 0
    on conflict (account_id, source_id, worker_id, what) do update set count = known.count + excluded.count`);
}
