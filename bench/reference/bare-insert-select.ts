/**
 * The reference for planning is one `insert … select` of the same rows into a table of the same shape, with its index
 * and half-empty pages. It checks no consent, shuffles nothing, and makes no batch, slice or plan.
 */
import pg from "pg";

export async function bareInsertSelect(
  databaseUrl: string,
  ids: { accountId: string; listId: string; sourceId: string },
): Promise<{ rows: number; seconds: number }> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query("drop table if exists bare_deliveries");
    await client.query("create table bare_deliveries (like deliveries including all) with (fillfactor = 50)");
    const startedMs = performance.now();
    const inserted = await client.query(
      `insert into bare_deliveries
         (account_id, source_id, contact_id, subscriber_id, stream, transport_id, state, changed_at)
       select account_id, $3, contact_id, id, 'campaign', '00000000-0000-0000-0000-000000000000', 'ready', now()
       from subscribers where account_id = $1 and list_id = $2 and status = 'active'`,
      [ids.accountId, ids.listId, ids.sourceId],
    );
    const seconds = (performance.now() - startedMs) / 1_000;
    await client.query("drop table bare_deliveries");
    return { rows: inserted.rowCount ?? 0, seconds };
  } finally {
    await client.end();
  }
}
