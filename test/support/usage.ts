/** Counts the mail that was sent once more, from the ledger, in one snapshot with the usage that was counted while it was sent. */
import assert from "node:assert/strict";
import { type Db, sql } from "../../src/platform/db/db.ts";

type Row = { key: string; told: number; counted: number };

/** Compares one account, or all, by hour, stream and whose server it left by. Where and when are read from the ledger's own columns. */
function compareUsage(db: Db, accountId: string | undefined): Promise<Row[]> {
  return db.many<Row>(sql`
    with asked as (select ${accountId ?? null}::uuid as id), told as (
      select account_id, hour, stream, via, sum(sent)::int as sent from usage_hours, asked
      where asked.id is null or account_id = asked.id group by 1, 2, 3, 4
    ), counted as (
      select account_id, date_trunc('hour', changed_at at time zone 'UTC') at time zone 'UTC' as hour, stream,
             case when exists (
                    select from sources s where s.account_id = d.account_id and s.id = d.source_id and not s.is_metered) then 'system'
                  when transport_id::text like '%-000000000000' then 'instance'
                  when transport_id::text like '00000000-%-000000000001' then 'sandbox' else 'own' end as via, count(*)::int as sent
      from (select account_id, source_id, stream, transport_id, changed_at, state from deliveries
            union all select account_id, null, 'transactional', transport_id, changed_at, state from test_mails) as d, asked
      where state = 'sent' and (asked.id is null or account_id = asked.id) group by 1, 2, 3, 4
    )
    select account_id || ' ' || hour || ' ' || stream || ' ' || via as key,
           coalesce(told.sent, 0) as told, coalesce(counted.sent, 0) as counted
    from told full join counted using (account_id, hour, stream, via) order by 1`);
}

/** Says where usage differs from the ledger. */
export async function miscountedUsage(db: Db, accountId?: string): Promise<string[]> {
  const rows = await compareUsage(db, accountId);
  return rows
    .filter(({ told, counted }) => told !== counted)
    .map(({ key, told, counted }) => `usage ${key}: ${told}, and ${counted} in the ledger`);
}

export async function assertUsageAgrees(db: Db, accountId?: string): Promise<void> {
  assert.deepEqual(await miscountedUsage(db, accountId), []);
}

/** Sums up an account's usage, by stream and whose server it left by. */
export async function usageOf(db: Db, accountId: string): Promise<Readonly<Record<string, number>>> {
  const rows = await db.many<{ key: string; sent: number }>(sql`
    select stream || ' ' || via as key, sum(sent)::int as sent from usage_hours
    where account_id = ${accountId} group by 1 order by 1`);
  return Object.fromEntries(rows.map(({ key, sent }) => [key, sent]));
}

const NO_WORKER = "00000000-0000-0000-0000-000000000000";

type MadeUp = { readonly stream?: string; readonly via?: string; readonly workerId?: string };

/** Adds made-up usage to the hour of each of these times. */
export async function addUsage(
  db: Db,
  accountId: string,
  hours: Readonly<Record<string, number>>,
  { stream = "campaign", via = "instance", workerId = NO_WORKER }: MadeUp = {},
): Promise<void> {
  await db.execute(sql`
    insert into usage_hours as known (account_id, hour, stream, via, worker_id, sent)
    select ${accountId}, date_trunc('hour', at::timestamptz), ${stream}, ${via}, ${workerId}, sum(sent)
    from unnest(${Object.keys(hours)}::text[], ${Object.values(hours)}::int[]) as given (at, sent) group by 2
    on conflict (account_id, hour, stream, via, worker_id) do update set sent = known.sent + excluded.sent`);
}
