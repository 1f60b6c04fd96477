/** The job that lets rows go at once which only waited for a place on a server that was left. */
import { type Db, sql } from "../../platform/db/db.ts";
import type { MovedPayload } from "../job-kinds.ts";

const AT_ONCE = 5_000;
const NIL = "00000000-0000-0000-0000-000000000000";

/**
 * Brings rows forward a piece at a time: a whole campaign may have been put off, and the move itself must not wait for that. Whom a server deferred,
 * or of whom nobody knows whether the mail arrived, waits on as before. To be run twice does no harm. The primary keys of retries and of the
 * ledger serve it.
 */
export async function bringForward(
  db: Db,
  { account_id: accountId, source_id: sourceId, moved_at: movedAt }: MovedPayload,
  signal: AbortSignal,
): Promise<void> {
  const now = new Date(movedAt);
  for (let after: string | null = NIL; after !== null && !signal.aborted; ) {
    const piece: { last: string | null } = await db.one(sql`
      with chosen as materialized (
        select contact_id from retries
        where account_id = ${accountId} and source_id = ${sourceId} and contact_id > ${after} and not claimed and due_at > ${now}
        order by contact_id limit ${AT_ONCE} for update skip locked
      ), untried as materialized (
        select contact_id from deliveries
        where account_id = ${accountId} and source_id = ${sourceId} and contact_id = any(array(select contact_id from chosen))
          and state = 'deferred' and code is null and why is null
      ), moved as (
        update retries set due_at = ${now}
        where account_id = ${accountId} and source_id = ${sourceId} and contact_id = any(array(select contact_id from untried))
      )
      select (array_agg(contact_id order by contact_id desc))[1] as last from chosen`);
    after = piece.last;
  }
  signal.throwIfAborted();
}
