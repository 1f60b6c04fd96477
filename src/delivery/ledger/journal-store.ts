/** The journal's statements mark rows `inflight` before a body is sent and write outcomes after. Each may be run twice. */
import { type EventType, insertingEvents } from "../../events/events.ts";
import { intArray, textArray, timeArray, uuidArray } from "../../platform/db/arrays.ts";
import { prepared, type Queryable, type Sql, sql, type Writable } from "../../platform/db/db.ts";
import { isSuppressed, lookUpWhyNotMailable } from "../../subscribers/subscribers.ts";
import { countingAccepted, countingOthers } from "../reputation/reputation.ts";
import { countingUsage } from "../usage/usage.ts";
import type { Holder } from "./lease-store.ts";
import type { ProviderMessage } from "./provider-messages.ts";
import { waitsForRelease } from "./runnable-store.ts";

export type BounceKind = "hard" | "soft" | "block";

/** A settlement is written into the ledger after an attempt. `ready` leaves the row as if the attempt had not been made. */
export type Settlement = {
  readonly state: "ready" | "sent" | "deferred" | "failed" | "unknown" | "skipped";
  readonly why: string | null;
  readonly bounce: BounceKind | null;
  readonly code: number | null;
  readonly reply: string | null;
  readonly dueAt: Date | null;
};

export type Entry = {
  readonly contactId: string;
  /** null for a recipient who is no subscriber. */
  readonly subscriberId: string | null;
  /** The contact, where `contactId` names a recipient of one mail in a wave. */
  readonly personId?: string | undefined;
  /** The number of this attempt. */
  readonly attempt: number;
  /** The date for the message's Date header, which is used unless the row has one already. */
  readonly date: Date;
  /** The flow that the mail is counted in; undefined for what isn't counted. */
  readonly flowId?: number | undefined;
  /** The transport by which this attempt is made; undefined leaves the one that the row has. */
  readonly transportId?: string | undefined;
};

/**
 * No statement here joins a group with the ledger: without statistics, as in a new ledger, that becomes a nested loop which
 * throws 9,900 of 10,000 pairs away. A group is one row of arrays, sorted by contact and searched by bisection.
 */
function inOrder<One extends { readonly contactId: string }>(group: readonly One[]): One[] {
  return group.toSorted((one, other) => (one.contactId < other.contactId ? -1 : 1));
}

const givenContacts = sql`(select contacts from given)::uuid[]`;

/** Returns the element of an array that belongs to a contact, which is that of `deliveries d` unless another is given. */
function at(arrays: Sql, contact = sql`d.contact_id`): Sql {
  return sql`(${arrays})[width_bucket(${contact}, ${givenContacts})]`;
}

const given = (column: Sql) => at(sql`(select ${column} from given)`);
const attempt = given(sql`attempts`);
/** Stands in arrays for no flow; the numbers of flows begin with 1. */
const NO_FLOW = 0;
const whyNow = at(sql`(select whys from judged)`);

/**
 * Marks rows `inflight` and returns their contacts: rows that are ready, deferred, or inflight by this very attempt, since the
 * answer to an earlier COMMIT may have got lost. What a dead worker left inflight is made ready first (`abandoned.ts`). No row is
 * marked when this worker was taken over, the source isn't running or its account is held. Who may no longer be mailed is skipped, with the reason.
 */
export async function markInflight(
  db: Queryable,
  holder: Holder,
  accountId: string,
  sourceId: string,
  entries: readonly Entry[],
  now: Date,
): Promise<readonly string[]> {
  const sorted = inOrder(entries);
  const contacts = sorted.map((entry) => entry.contactId);
  // Nearly always all recipients are subscribers, and then the statement needs no check for others.
  const subscribers = allSubscribers(sorted);
  const isCounted = sorted.some((entry) => entry.flowId !== undefined);
  const transports = sorted.map((entry) => entry.transportId);
  // null means that all were marked, which is nearly always so and saves sending their ids back.
  const { held } = await db.one<{ held: string[] | null }>(
    prepared(sql`
      with me as materialized (
        select epoch from workers where id = ${holder.id} and epoch = ${holder.epoch} for share
      ), running as materialized (
        select stream, topic_id from sources src
        where account_id = ${accountId} and id = ${sourceId} and state = 'running' and not ${waitsForRelease(sql`src`)}
      ), given as materialized (
        select ${uuidArray(contacts)}::uuid[] as contacts,
               ${subscribers ? uuidArray(subscribers) : sorted.map((entry) => entry.subscriberId)}::uuid[] as subscribers,
               ${intArray(sorted.map((entry) => entry.attempt))}::int[] as attempts,
               ${timeArray(sorted.map((entry) => entry.date))}::timestamptz[] as dates
               ${isCounted ? sql`, ${intArray(sorted.map((entry) => entry.flowId ?? NO_FLOW))}::int[] as flows` : sql``}
               ${isMixed(transports) ? sql`, ${transports.map((one) => one ?? null)}::uuid[] as transports` : sql``}
        where exists (select from me) and exists (select from running)
      ), judged as materialized (
        select case when count(word) > 0 then array_agg(word order by n) end as whys
        from (
          select one.n, case
            ${subscribers ? sql`` : whyNotGiven(accountId, sourceId)}
            when s.id is null then 'deleted'
            when s.why in ('bounced', 'complained') or s.why like 'suppressed%' then 'suppressed'
            when s.why is not null then 'unsubscribed'
          end as word
          from unnest((select subscribers from given)) with ordinality as one (id, n) left join lateral ${lookUpWhyNotMailable(accountId, sql`one.id`, sql`(select topic_id from running)`)} as s on true
        ) as one
      ), marked as (
        update deliveries d set
          state = case when ${whyNow} is null then 'inflight' else 'skipped' end, changed_at = ${now},
          why = ${whyNow},
          attempt = case when ${whyNow} is null then ${attempt} else d.attempt end,
          ${settingTransport(transports)}
          ${isCounted ? sql`flow_id = coalesce(nullif(${given(sql`flows`)}, ${NO_FLOW}), d.flow_id),` : sql``}
          dated_at = coalesce(d.dated_at, ${given(sql`dates`)}), worker_id = ${holder.id}, epoch = ${holder.epoch}
        where d.account_id = ${accountId} and d.source_id = ${sourceId} and d.contact_id = any(${givenContacts})
          and (d.attempt = ${attempt} - 1 and d.state in ('ready', 'deferred')
               -- Evidence that came since the first admission shows that an earlier attempt arrived, and this one isn't sent.
               or d.attempt = ${attempt} and d.state = 'inflight' and d.why is null
                 and d.worker_id = ${holder.id} and d.epoch = ${holder.epoch})
        returning d.contact_id, d.state, d.why, d.attempt
      ), unqueued as (
        delete from retries
        where account_id = ${accountId} and source_id = ${sourceId} and contact_id = any(array(select contact_id from marked))
      ), noted as (
        insert into delivery_errors (account_id, source_id, state, contact_id, attempt, why, at)
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

/** Only while a source moves to another transport, a group may have rows of both. */
function isMixed(transports: readonly (string | undefined)[]): boolean {
  return transports.some((one) => one !== transports[0]);
}

function settingTransport(transports: readonly (string | undefined)[]): Sql {
  if (isMixed(transports)) return sql`transport_id = coalesce(${given(sql`transports`)}, d.transport_id),`;
  return transports[0] === undefined ? sql`` : sql`transport_id = ${transports[0]},`;
}

function allSubscribers(entries: readonly Entry[]): string[] | undefined {
  const ids = entries.flatMap(({ subscriberId }) => subscriberId ?? []);
  return ids.length === entries.length ? ids : undefined;
}

/** Says why a recipient who is no subscriber (`one.id` is null) is skipped: it is suppressed, or its address was deleted. */
function whyNotGiven(accountId: string, sourceId: string): Sql {
  const contact = sql`((select contacts from given)::uuid[])[one.n]`;
  const person = sql`coalesce(g.person_id, g.contact_id)`;
  return sql`
    when one.id is null then nullif(coalesce((
      select case when ${isSuppressed(accountId, person, sql`(select stream from running)`, sql`g.is_owed`)} then 'suppressed' else '' end
      from given_recipients g where g.account_id = ${accountId} and g.source_id = ${sourceId} and g.contact_id = ${contact}
    ), 'deleted'), '')`;
}

export type Settled = {
  readonly contactId: string;
  readonly subscriberId: string | null;
  /** The contact, where `contactId` names a recipient of one mail in a wave. */
  readonly personId?: string | undefined;
  readonly attempt: number;
  /** What a provider that we know calls the message; undefined for every other server. */
  readonly providerMessage?: ProviderMessage | undefined;
  /** As in its `Entry`; undefined too where what came of it says nothing of the provider. */
  readonly flowId?: number | undefined;
} & Settlement;

/** The event that is recorded together with a message's outcome; its type is null where there is none to record. */
export type MailEvent = {
  readonly id: string;
  readonly type: EventType | null;
  readonly data: string;
};

export type WrittenOutcome = { contactId: string; bounce: string | null };

type Outcomes = {
  readonly accountId: string;
  readonly sourceId: string;
  readonly settled: readonly Settled[];
  readonly now: Date;
};

/**
 * Writes each outcome whose row is still this worker's by epoch and attempt, and returns those that were written.
 * Counts, retries and events are written in the same statement, so nobody can see one without the others.
 */
export function writeOutcomes(
  db: Queryable,
  holder: Holder,
  { accountId, sourceId, settled, now }: Outcomes,
  events: readonly MailEvent[],
): Promise<WrittenOutcome[]> {
  const sorted = inOrder(settled.map((one, index) => ({ ...one, event: events[index] as MailEvent })));
  const isCounted = settled.some((one) => one.flowId !== undefined);
  const hasSent = settled.some((one) => one.state === "sent");
  return db.many(
    prepared(sql`
      with given as materialized (
        select ${uuidArray(sorted.map((one) => one.contactId))}::uuid[] as contacts,
               ${intArray(sorted.map((one) => one.attempt))}::int[] as attempts,
               ${sorted.map((one) => one.state)}::text[] as states, ${sorted.map((one) => one.why)}::text[] as whys,
               ${sorted.map((one) => one.bounce)}::text[] as bounces, ${sorted.map((one) => one.code)}::int[] as codes,
               ${sorted.map((one) => one.flowId !== undefined)}::boolean[] as counted,
               ${sorted.map((one) => one.reply)}::text[] as replies, ${sorted.map((one) => one.dueAt)}::timestamptz[] as dues,
               ${uuidArray(sorted.map(({ event }) => event.id))}::uuid[] as event_ids,
               ${sorted.map(({ event }) => event.type)}::text[] as event_types,
               ${textArray(sorted.map(({ event }) => event.data))}::text[] as event_datas
      ), written as (
        update deliveries d set state = ${given(sql`states`)}, why = ${given(sql`whys`)}, code = ${given(sql`codes`)},
          reply = ${given(sql`replies`)}, changed_at = ${now},
          -- The state ready undoes the attempt: the next one gets its number again, and a new date if this was the first.
          attempt = case ${given(sql`states`)} when 'ready' then d.attempt - 1 else d.attempt end,
          dated_at = case when ${given(sql`states`)} = 'ready' and d.attempt = 1 then null else d.dated_at end
        where ${isOnWireOf(holder, accountId, sourceId)}
        returning d.contact_id, d.attempt, d.state, d.why, d.code, d.reply, d.stream, d.transport_id, ${given(sql`bounces`)} as bounce,
                  case when ${given(sql`counted`)} then d.flow_id end as flow_id, ${given(sql`dues`)} as due_at, ${eventOfRow}, ${given(sql`event_types`)} as event_type
      ), queued as (
        insert into retries (account_id, source_id, contact_id, due_at)
        select ${accountId}::uuid, ${sourceId}::uuid, contact_id, due_at from written where state = 'deferred'
      ), noted as (
        insert into delivery_errors as known (account_id, source_id, state, contact_id, attempt, why, code, reply, at, flow_id)
        select ${accountId}::uuid, ${sourceId}::uuid, state, contact_id, attempt, why, code, reply, ${now}::timestamptz, flow_id
        from written where state not in ('sent', 'ready')
        -- Whoever released the row noted this attempt as one that may have been taken, and when.
        on conflict (account_id, source_id, state, contact_id, attempt) do update
          set why = excluded.why, code = excluded.code, reply = excluded.reply, flow_id = excluded.flow_id,
            at = case when excluded.why = 'ambiguous' then known.at else excluded.at end
      ), tallied as (
        insert into counters as known (account_id, source_id, worker_id, what, count)
        select ${accountId}::uuid, ${sourceId}::uuid, ${holder.id}::uuid, what, count(*)
        from (select case state when 'skipped' then 'skipped.' || why else state end as what
              from written where state not in ('deferred', 'ready')
              union all select 'bounce.' || bounce from written where bounce is not null) as terminal
        group by what order by what
        on conflict (account_id, source_id, worker_id, what) do update set count = known.count + excluded.count
      ), told as (${tellingOf(accountId, now)})
      ${isCounted ? sql`, flowed as (${countingOthers(accountId, holder.id, now)})` : sql``}
      ${hasSent ? sql`, metered as (${countingUsage({ accountId, sourceId, workerId: holder.id }, now)})` : sql``}
      select contact_id as "contactId", bounce from written`),
  );
}

/**
 * Writes the outcomes of accepted messages, which are nearly all of them. `events` is given if the account wants them. Returns the contacts
 * whose rows aren't this worker's any more, because it was given up and others went on; or were written by an earlier run of this.
 */
export async function writeAccepted(
  db: Writable,
  holder: Holder,
  { accountId, sourceId, settled, now }: Outcomes,
  events: readonly MailEvent[] | undefined,
  countsUsage = true,
): Promise<readonly string[]> {
  const sorted = inOrder(settled.map((one, index) => ({ ...one, event: events?.[index] })));
  const eventArrays =
    events &&
    sql`, ${uuidArray(sorted.map(({ event }) => event?.id as string))}::uuid[] as event_ids,
        ${textArray(sorted.map(({ event }) => event?.data as string))}::text[] as event_datas`;
  const isNamed = sorted.some((one) => one.providerMessage !== undefined);
  const isCounted = sorted.some((one) => one.flowId !== undefined);
  const nameArrays = sql`,
    ${sorted.map(({ providerMessage }) => providerMessage?.provider ?? null)}::text[] as providers,
    ${sorted.map(({ providerMessage }) => providerMessage?.id ?? null)}::text[] as provider_ids`;
  const naming = sql`, named as (
    insert into provider_messages (account_id, provider, provider_id, source_id, contact_id, created_at)
    select ${accountId}::uuid, provider, provider_id, ${sourceId}::uuid, contact_id, ${now}::timestamptz
    from written where provider_id is not null on conflict do nothing)`;
  // null means that all were written, which is nearly always so.
  const { written } = await db.one<{ written: string[] | null }>(
    prepared(sql`
      with given as materialized (
        select ${uuidArray(sorted.map((one) => one.contactId))}::uuid[] as contacts,
               ${intArray(sorted.map((one) => one.attempt))}::int[] as attempts,
               ${intArray(sorted.map((one) => one.code ?? 0))}::int[] as codes,
               ${textArray(sorted.map((one) => one.reply))}::text[] as replies ${eventArrays ?? sql``}
               ${isNamed ? nameArrays : sql``}
      ), written as (
        update deliveries d set state = 'sent', why = null, changed_at = ${now}, code = ${given(sql`codes`)},
          reply = ${given(sql`replies`)}
        where ${isOnWireOf(holder, accountId, sourceId)}
        returning d.contact_id, d.state, d.flow_id, d.stream, d.transport_id ${events ? sql`, ${eventOfRow}, 'email.sent' as event_type` : sql``}
          ${isNamed ? sql`, ${given(sql`providers`)} as provider, ${given(sql`provider_ids`)} as provider_id` : sql``}
      ) ${events ? sql`, told as (${tellingOf(accountId, now)})` : sql``} ${isNamed ? naming : sql``}
      ${isCounted ? sql`, flowed as (${countingAccepted(accountId, holder.id, now)})` : sql``}
      ${countsUsage ? sql`, metered as (${countingUsage({ accountId, sourceId, workerId: holder.id }, now)})` : sql``}, tallied as (
        insert into counters as known (account_id, source_id, worker_id, what, count)
        select ${accountId}::uuid, ${sourceId}::uuid, ${holder.id}::uuid, 'sent', count(*) from written having count(*) > 0
        on conflict (account_id, source_id, worker_id, what) do update set count = known.count + excluded.count
      )
      select case when count(*) < ${sorted.length} then coalesce(array_agg(contact_id), '{}') end as written from written`),
  );
  if (written === null) return [];
  const known = new Set(written);
  return sorted.map(({ contactId }) => contactId).filter((contactId) => !known.has(contactId));
}

const eventOfRow = sql`${given(sql`event_ids`)} as event_id, ${given(sql`event_datas`)} as event_data`;

/**
 * Holds for the rows of `deliveries d` that this worker marked `inflight` for the given attempt. One that was released meanwhile, because
 * this worker counts as dead, and that nobody has begun anew, is ready under the same number: then what the server said counts.
 */
function isOnWireOf(holder: Holder, accountId: string, sourceId: string): Sql {
  return sql`d.account_id = ${accountId} and d.source_id = ${sourceId} and d.contact_id = any(${givenContacts})
    and d.state in ('inflight', 'ready') and d.worker_id = ${holder.id} and d.epoch = ${holder.epoch} and d.attempt = ${attempt}`;
}

/** Inserts the events of the rows in `written`. */
function tellingOf(accountId: string, now: Date): Sql {
  const from = sql`(
    select event_id as id, event_type as type, event_data as data from written where event_type is not null) as new`;
  return insertingEvents(accountId, now, from);
}

export type Parked = { readonly contactId: string; readonly dueAt: Date };

/** Defers rows without an attempt, because their domain is being sent to slowly. */
export async function parkRows(
  db: Writable,
  holder: Holder,
  accountId: string,
  sourceId: string,
  parked: readonly Parked[],
  now: Date,
): Promise<void> {
  const sorted = inOrder(parked);
  await db.execute(
    prepared(sql`
      with me as materialized (
        select epoch from workers where id = ${holder.id} and epoch = ${holder.epoch} for share
      ), given as materialized (
        select ${uuidArray(sorted.map((one) => one.contactId))}::uuid[] as contacts,
               ${timeArray(sorted.map((one) => one.dueAt))}::timestamptz[] as dues
      ), parked as (
        update deliveries d set state = 'deferred', changed_at = ${now}
        where d.account_id = ${accountId} and d.source_id = ${sourceId} and d.contact_id = any(${givenContacts})
          and d.state in ('ready', 'deferred') and exists (select from me)
        returning d.contact_id, ${given(sql`dues`)} as due_at
      )
      insert into retries (account_id, source_id, contact_id, due_at)
      select ${accountId}::uuid, ${sourceId}::uuid, contact_id, due_at from parked
      on conflict (account_id, source_id, contact_id) do update set due_at = excluded.due_at, claimed = false, batch = null`),
  );
}
