/** Counts the mail that was sent once more, from the ledger, in one snapshot with the usage that was counted while it was sent. */
import assert from "node:assert/strict";
import { type Db, sql } from "../../src/platform/db/db.ts";

type Row = { key: string; told: number; counted: number };

/** Compares all accounts by hour, stream and whose server it left by. Where and when are read from the ledger's own columns. */
function compareUsage(db: Db): Promise<Row[]> {
  return db.many<Row>(sql`
    with told as (
      select account_id, hour, stream, via, sum(sent)::int as sent from usage_hours group by 1, 2, 3, 4
    ), counted as (
      select account_id, date_trunc('hour', changed_at at time zone 'UTC') at time zone 'UTC' as hour, stream,
             case when transport_id::text like '%-000000000000' then 'instance'
                  when transport_id::text like '00000000-%-000000000001' then 'sandbox' else 'own' end as via, count(*)::int as sent
      from deliveries where state = 'sent' group by 1, 2, 3, 4
    )
    select account_id || ' ' || hour || ' ' || stream || ' ' || via as key,
           coalesce(told.sent, 0) as told, coalesce(counted.sent, 0) as counted
    from told full join counted using (account_id, hour, stream, via) order by 1`);
}

/** Says where usage differs from the ledger. */
export async function miscountedUsage(db: Db): Promise<string[]> {
  const rows = await compareUsage(db);
  return rows
    .filter(({ told, counted }) => told !== counted)
    .map(({ key, told, counted }) => `usage ${key}: ${told}, and ${counted} in the ledger`);
}

export async function assertUsageAgrees(db: Db): Promise<void> {
  assert.deepEqual(await miscountedUsage(db), []);
}

/** Sums up an account's usage, by stream and whose server it left by. */
export async function usageOf(db: Db, accountId: string): Promise<Readonly<Record<string, number>>> {
  const rows = await db.many<{ key: string; sent: number }>(sql`
    select stream || ' ' || via as key, sum(sent)::int as sent from usage_hours
    where account_id = ${accountId} group by 1 order by 1`);
  return Object.fromEntries(rows.map(({ key, sent }) => [key, sent]));
}
