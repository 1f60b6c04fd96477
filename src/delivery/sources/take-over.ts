/**
 * The job of a superseded source moves its unfinished rows to the source that replaced it, a slice at a time, and waits for
 * rows on the wire. Each slice is one transaction, so wherever the job is killed, every row is in one of the two ledgers.
 */
import type { Clock } from "../../platform/clock.ts";
import { sql, type Tx } from "../../platform/db/db.ts";
import { NO_WORKER } from "../ids.ts";
import {
  isDead,
  lockPlan,
  lockSourceProgress,
  type MailEvidence,
  notifyProgress,
  notifyReady,
  notingLost,
  settleRows,
} from "../ledger/ledger.ts";
import type { OnAmbiguous, Stream } from "../types.ts";

import { addKeepDomains, type Ending } from "./source-life.ts";

const SLICE = 5_000;
const BATCH = 500;

/** The next `slice` rows behind the contact `after`. */
type LedgerSlice = { readonly after: string; readonly slice: number };
type TakeOverTools = Pick<Ending, "db" | "clock">;

/** Goes through the former ledger once. Returns false while rows are still on the wire; it must be called again then. */
export async function takeOverRows(
  { db, clock }: TakeOverTools,
  accountId: string,
  formerId: string,
  /** The number of rows in one transaction. */
  slice = SLICE,
): Promise<boolean> {
  let after: string | null = "00000000-0000-0000-0000-000000000000";
  while (after !== null) {
    const from: string = after;
    after = await db.transaction((tx) => moveSlice(tx, accountId, formerId, { after: from, slice }, clock));
  }
  return db.transaction(async (tx) => {
    const progress = await lockSourceProgress(tx, accountId, formerId);
    if (progress?.state !== "superseded") return true;
    if (progress.done < progress.recipients) return false;
    await tx.execute(sql`delete from batches where account_id = ${accountId} and source_id = ${formerId}`);
    await tx.execute(sql`
      update sources set ended_at = coalesce(ended_at, ${clock.now()}) where account_id = ${accountId} and id = ${formerId}`);
    await addKeepDomains(tx, accountId, formerId);
    await notifyProgress(tx, accountId, formerId);
    return true;
  });
}

/** Returns the last contact of the slice, or null at the end or when the source isn't superseded any more. */
async function moveSlice(
  tx: Tx,
  accountId: string,
  formerId: string,
  next: LedgerSlice,
  clock: Clock,
): Promise<string | null> {
  const target = await lockBoth(tx, accountId, formerId);
  if (!target) return null;
  // The locks keep a second job and the planner of the new source from counting in the same rows meanwhile.
  await lockPlan(tx, accountId, formerId);
  await lockPlan(tx, accountId, target.id);
  await settleRows(tx, clock, await listArrived(tx, accountId, formerId, next));
  const { last, moved } = await moveRows(tx, accountId, formerId, target, next, clock.now());
  if (moved > 0) {
    await notifyReady(tx, target.id);
    await notifyProgress(tx, accountId, target.id);
  }
  return last;
}

/** Lists the evidence in rows of the slice that are on the wire. Who has the former content mustn't get the other. */
async function listArrived(
  tx: Tx,
  accountId: string,
  formerId: string,
  { after, slice }: LedgerSlice,
): Promise<MailEvidence[]> {
  const rows = await tx.many<Pick<MailEvidence, "contactId" | "by">>(sql`
    select contact_id as "contactId", substr(why, length('settled_by_') + 1) as by from (
      select contact_id, state, why from deliveries
      where account_id = ${accountId} and source_id = ${formerId} and contact_id > ${after} order by contact_id limit ${slice}
    ) as passed where state = 'inflight' and why is not null`);
  return rows.map((row) => ({ accountId, sourceId: formerId, ...row }));
}

/** The source that gets the rows. `onAmbiguous` is the former source's, since its mail on the wire was sent under that rule. */
type TakeOverTarget = { id: string; stream: Stream; transportId: string; onAmbiguous: OnAmbiguous };

/** Locks the former source and the owner's newest one, which may be later than the one that replaced the former first. */
async function lockBoth(tx: Tx, accountId: string, formerId: string): Promise<TakeOverTarget | undefined> {
  const rows = await tx.many<TakeOverTarget & { state: string }>(sql`
    select id, state, stream, transport_id as "transportId", on_ambiguous as "onAmbiguous" from sources
    where account_id = ${accountId} and not is_given and state <> 'replaced'
      and owner_id = (select owner_id from sources where account_id = ${accountId} and id = ${formerId})
      and (id = ${formerId} or state <> 'superseded')
    order by id for no key update`);
  const former = rows.find(({ id }) => id === formerId);
  const target = rows.findLast(({ id }) => id !== formerId);
  if (former?.state !== "superseded" || !target) return undefined;
  return { ...target, onAmbiguous: former.onAmbiguous };
}

/** Moves a slice without waiting for locked rows of the former ledger: the next pass meets what a sender is just writing. */
function moveRows(
  tx: Tx,
  accountId: string,
  formerId: string,
  { id, stream, transportId, onAmbiguous }: TakeOverTarget,
  { after, slice }: LedgerSlice,
  now: Date,
): Promise<{ last: string | null; moved: number }> {
  const ofFormer = sql`account_id = ${accountId} and source_id = ${formerId}`;
  const isHeld = sql`(state = 'inflight' and ${onAmbiguous === "hold"})`;
  return tx.one(sql`
    with passed as materialized (
      select contact_id from deliveries where ${ofFormer} and contact_id > ${after} order by contact_id limit ${slice}
    ), open as materialized (
      select d.contact_id, d.state from deliveries d
      where d.account_id = ${accountId} and d.source_id = ${formerId}
        and d.contact_id = any(array(select contact_id from passed))
        -- One that is known to have arrived stays: the evidence settles it.
        and (d.state in ('ready', 'deferred') or d.state = 'inflight' and d.why is null and ${isDead(sql`d`)})
      for update of d skip locked
    ), held as (
      update deliveries set state = 'unknown', why = 'ambiguous', changed_at = ${now}
      where ${ofFormer} and contact_id = any(array(select contact_id from open where ${isHeld}))
      returning contact_id, attempt, flow_id
    ), moved as (
      delete from deliveries
      where ${ofFormer} and contact_id = any(array(select contact_id from open where not ${isHeld}))
      returning contact_id, subscriber_id, state, why, attempt, dated_at, code, reply, planned_at, flow_id
    ), unqueued as (
      delete from retries where ${ofFormer} and contact_id = any(array(select contact_id from open))
      returning contact_id, due_at
    ), placed as (
      insert into deliveries (account_id, source_id, contact_id, subscriber_id, stream, transport_id, state, why, attempt,
                              dated_at, changed_at, code, reply, planned_at)
      select ${accountId}::uuid, ${id}::uuid, contact_id, subscriber_id, ${stream}, ${transportId}::uuid,
             case state when 'inflight' then 'ready' else state end, why, attempt, dated_at, ${now}::timestamptz, code, reply,
             planned_at
      from moved on conflict do nothing returning contact_id, state
    ), queued as (
      insert into retries (account_id, source_id, contact_id, due_at)
      select ${accountId}::uuid, ${id}::uuid, placed.contact_id, coalesce(unqueued.due_at, ${now}::timestamptz)
      from placed left join unqueued using (contact_id) where placed.state = 'deferred'
    ), batched as (
      -- Contacts are mixed, because those next to each other often share a mail server.
      insert into batches (account_id, source_id, stream, transport_id, contacts)
      select ${accountId}::uuid, ${id}::uuid, ${stream}, ${transportId}::uuid, array_agg(contact_id) from (
        select contact_id, (row_number() over (order by hashtext(contact_id::text)) - 1) / ${BATCH}::int as nth
        from placed where state = 'ready') as dealt group by nth
    ), lost as (
      select 'unknown' as state, contact_id, attempt, flow_id from held
      union all select 'deferred', contact_id, attempt, flow_id from moved where state = 'inflight'
    ), noted as (${notingLost(accountId, formerId, sql`lost`, now)}
    ), tallied as (
      insert into counters as known (account_id, source_id, worker_id, what, count)
      select ${accountId}::uuid, ${formerId}::uuid, ${NO_WORKER}::uuid, 'unknown', count(*) from held having count(*) > 0
      on conflict (account_id, source_id, worker_id, what) do update set count = known.count + excluded.count
    ), counted as (
      update plans p set recipients = p.recipients + change.by, eligible = p.eligible + change.by
      from (values (${formerId}::uuid, -(select count(*) from moved)), (${id}::uuid, (select count(*) from placed)))
        as change (source_id, by)
      where p.account_id = ${accountId} and p.source_id = change.source_id
    )
    select case when count(*) = ${slice} then (array_agg(contact_id order by contact_id desc))[1] end as last,
           (select count(*) from placed) as moved
    from passed`);
}
