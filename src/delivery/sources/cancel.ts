/**
 * The job of a canceled source turns every row that isn't on the wire into skipped, with the reason `canceled`. It waits for
 * rows on the wire. One that a server may have taken becomes `unknown`, since nobody will send it again: its sender died, or it was
 * waiting to be sent again because no reply had come.
 */
import { sql, type Tx, type Writable } from "../../platform/db/db.ts";
import { NO_WORKER } from "../ids.ts";
import {
  endPlanning,
  isDead,
  listAmbiguous,
  lockPlan,
  lockSourceProgress,
  notifyProgress,
} from "../ledger/ledger.ts";

import { addKeepDomains, type Ending } from "./source-life.ts";

const SLICE = 10_000;

/** Goes through the ledger once. Returns false while rows are still on the wire; it must be called again then. */
export async function cancelRows(
  { db, clock }: Pick<Ending, "db" | "clock">,
  accountId: string,
  sourceId: string,
): Promise<boolean> {
  await db.transaction((tx) => endPlanning(tx, accountId, sourceId, clock.now()));
  let after: string | null = "00000000-0000-0000-0000-000000000000";
  while (after !== null) {
    const from: string = after;
    after = await db.transaction(async (tx) => {
      // Two jobs at once would update the same counters, so the lock lets only one of them go on.
      await lockPlan(tx, accountId, sourceId);
      return cancelSlice(tx, accountId, sourceId, from, clock.now());
    });
    await notifyProgress(db, accountId, sourceId);
  }
  return db.transaction(async (tx) => {
    const progress = await lockSourceProgress(tx, accountId, sourceId);
    if (progress?.state !== "canceled") return true;
    if (progress.done < progress.recipients) return false;
    await tidyUp(tx, accountId, sourceId, clock.now());
    await addKeepDomains(tx, accountId, sourceId);
    await notifyProgress(tx, accountId, sourceId);
    return true;
  });
}

/**
 * Returns the last contact of the slice, or null at the end. It never waits for a row, so it can't deadlock with a sender. Of rows that
 * were tried before it takes only those that it has locked already: only a statement after the lock knows what became of them.
 */
async function cancelSlice(
  tx: Tx,
  accountId: string,
  sourceId: string,
  after: string,
  now: Date,
): Promise<string | null> {
  const tried = await lockTried(tx, accountId, sourceId, after);
  const mayHaveLeft = await listAmbiguous(tx, accountId, sourceId, tried);
  const isUnknown = sql`(d.state = 'inflight' or d.contact_id = any(${mayHaveLeft}::uuid[]))`;
  const { last } = await tx.one<{ last: string | null }>(sql`
    with passed as materialized (
      select contact_id from deliveries
      where account_id = ${accountId} and source_id = ${sourceId} and contact_id > ${after}
      order by contact_id limit ${SLICE}
    ), open as materialized (
      select d.contact_id from deliveries d
      where d.account_id = ${accountId} and d.source_id = ${sourceId}
        and d.contact_id = any(array(select contact_id from passed))
        and (d.attempt = 0 or d.contact_id = any(${tried}::uuid[])) and ${isOpen}
      for update of d skip locked
    ), canceled as (
      update deliveries d set changed_at = ${now},
        state = case when ${isUnknown} then 'unknown' else 'skipped' end,
        why = case when ${isUnknown} then 'ambiguous' else 'canceled' end
      where d.account_id = ${accountId} and d.source_id = ${sourceId}
        and d.contact_id = any(array(select contact_id from open))
      returning d.contact_id, d.state, d.why, d.attempt
    ), noted as (
      insert into delivery_errors (account_id, source_id, state, contact_id, attempt, why, at)
      select ${accountId}::uuid, ${sourceId}::uuid, state, contact_id, attempt, why, ${now}::timestamptz from canceled
    ), tallied as (
      insert into counters as known (account_id, source_id, worker_id, what, count)
      select ${accountId}::uuid, ${sourceId}::uuid, ${NO_WORKER}::uuid,
             case state when 'skipped' then 'skipped.canceled' else state end, count(*)
      from canceled group by state order by state
      on conflict (account_id, source_id, worker_id, what) do update set count = known.count + excluded.count
    )
    select case when count(*) = ${SLICE} then (array_agg(contact_id order by contact_id desc))[1] end as last from passed`);
  // A sender may have put a row off between the statement's snapshot and its lock, and only a later snapshot has that retry.
  await tx.execute(sql`
    delete from retries r
    where r.account_id = ${accountId} and r.source_id = ${sourceId} and r.contact_id > ${after}
      and (${last}::uuid is null or r.contact_id <= ${last}::uuid)
      and exists (select from deliveries d where d.account_id = ${accountId} and d.source_id = ${sourceId}
                    and d.contact_id = r.contact_id and d.state in ('skipped', 'unknown'))`);
  return last;
}

/** Holds for rows of `deliveries d` that are neither settled nor on the wire of somebody who may still settle them. */
const isOpen = sql`(d.state in ('ready', 'deferred') or d.state = 'inflight' and ${isDead(sql`d`)})`;

/** Locks those rows of the slice that were tried before, which are few in most campaigns. */
async function lockTried(tx: Tx, accountId: string, sourceId: string, after: string): Promise<string[]> {
  const rows = await tx.many<{ id: string }>(sql`
    with passed as materialized (
      select contact_id from deliveries
      where account_id = ${accountId} and source_id = ${sourceId} and contact_id > ${after}
      order by contact_id limit ${SLICE}
    )
    select d.contact_id as id from deliveries d
    where d.account_id = ${accountId} and d.source_id = ${sourceId}
      and d.contact_id = any(array(select contact_id from passed)) and d.attempt > 0 and ${isOpen}
    for update of d skip locked`);
  return rows.map(({ id }) => id);
}

async function tidyUp(tx: Writable, accountId: string, sourceId: string, now: Date): Promise<void> {
  await tx.execute(sql`delete from batches where account_id = ${accountId} and source_id = ${sourceId}`);
  await tx.execute(sql`
    update sources set ended_at = ${now} where account_id = ${accountId} and id = ${sourceId}`);
}
