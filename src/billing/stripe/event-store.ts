/** All statements about what Stripe posted. */
import { type Queryable, sql, type Tx, type Writable } from "../../platform/db/db.ts";

const REMOVED_AT_ONCE = 10_000;
/** So many events are answered by one look at most. */
export const EVENTS_AT_ONCE = 500;

export type EventRow = {
  readonly id: string;
  readonly type: string;
  readonly customer_id: string | null;
  readonly account_id: string | null;
  readonly object_id: string | null;
};

/** Returns false where it was posted before. What leads to nothing counts as done. */
export async function insertEvent(tx: Tx, row: EventRow, now: Date): Promise<boolean> {
  const inserted = await tx.execute(sql`
    insert into billing_stripe_events (id, type, customer_id, account_id, object_id, received_at, applied_at)
    values (${row.id}, ${row.type}, ${row.customer_id}, ${row.account_id}, ${row.object_id}, ${now},
      ${row.account_id === null ? now : null})
    on conflict (id) do nothing`);
  return inserted === 1;
}

/** Lists what Stripe is still to be asked about, by the index billing_stripe_events_waiting. */
export function listWaiting(
  db: Queryable,
  accountId: string,
): Promise<Pick<EventRow, "id" | "type" | "object_id">[]> {
  return db.many(sql`
    select id, type, object_id from billing_stripe_events
    where account_id = ${accountId} and applied_at is null order by received_at, id limit ${EVENTS_AT_ONCE}`);
}

/**
 * Lists the accounts of which events have waited since before then, though no job is to look at them, by the index billing_stripe_events_waiting. `keyOf`
 * is what comes before the account's id in the key of such a job.
 */
export async function listOverlooked(db: Queryable, before: Date, keyOf: string): Promise<string[]> {
  const rows = await db.many<{ account_id: string }>(sql`
    select e.account_id from billing_stripe_events e
    where e.applied_at is null and e.account_id is not null and e.received_at < ${before} and not exists (
      select from graphile_worker.jobs j where j.key = ${keyOf} || e.account_id and j.attempts < j.max_attempts)
    group by 1 order by 1`);
  return rows.map(({ account_id }) => account_id);
}

export async function markApplied(
  tx: Tx,
  accountId: string,
  ids: readonly string[],
  now: Date,
): Promise<void> {
  if (ids.length === 0) return;
  await tx.execute(sql`
    update billing_stripe_events set applied_at = ${now}
    where account_id = ${accountId} and id = any(${[...ids]}::text[]) and applied_at is null`);
}

/** By the index billing_stripe_events_by_age. Stripe repeats an event for three days at most. */
export async function removeOldEvents(db: Writable, before: Date): Promise<void> {
  let removed: number;
  do {
    removed = await db.execute(sql`
      delete from billing_stripe_events where id = any(array(
        select id from billing_stripe_events where received_at < ${before} and applied_at is not null limit ${REMOVED_AT_ONCE}))`);
  } while (removed === REMOVED_AT_ONCE);
}
