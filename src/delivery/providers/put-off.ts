/** Mail that was put off for a provider goes sooner when somebody opens it by hand, or deletes the plan that held it back. */
import { type Db, type Queryable, sql } from "../../platform/db/db.ts";

const AT_ONCE = 5_000;

/**
 * Moves the times of what waits on a transport forward, by as much as the opening came sooner. The ledger doesn't say for which provider a row
 * waits: what waits for another reason until after that time comes sooner too, and is put off once more where its own provider is closed. To
 * be run twice does no harm.
 */
export async function sendPutOff(
  db: Db,
  told: { account_id: string; transport_id: string; closed_until: string; opened_at: string },
): Promise<void> {
  const accountId = told.account_id;
  const until = new Date(told.closed_until);
  const opened = new Date(told.opened_at);
  for (const sourceId of await listRunning(db, accountId, told.transport_id)) {
    await db.execute(sql`
      update batches set not_before = null
      where account_id = ${accountId} and source_id = ${sourceId} and provider is not null and not_before >= ${until}`);
    let after: string | undefined = NIL;
    while (after !== undefined) {
      const moved: { last: string | null } = await db.one(sql`
        with chosen as materialized (
          select contact_id from retries
          where account_id = ${accountId} and source_id = ${sourceId} and contact_id > ${after} and due_at >= ${until} and not claimed
          order by contact_id limit ${AT_ONCE} for update skip locked
        ), moved as (
          update retries set due_at = greatest(${opened}::timestamptz, due_at - (${until}::timestamptz - ${opened}::timestamptz))
          where account_id = ${accountId} and source_id = ${sourceId} and contact_id = any(array(select contact_id from chosen))
        )
        select (array_agg(contact_id order by contact_id desc))[1] as last from chosen`);
      after = moved.last ?? undefined;
    }
  }
}

const NIL = "00000000-0000-0000-0000-000000000000";

/** The index sources_by_transport serves it. */
async function listRunning(
  db: Queryable,
  accountId: string,
  transportId: string,
): Promise<readonly string[]> {
  const rows = await db.many<{ id: string }>(sql`
    select id from sources where account_id = ${accountId} and transport_id = ${transportId} and state = 'running'`);
  return rows.map(({ id }) => id);
}
