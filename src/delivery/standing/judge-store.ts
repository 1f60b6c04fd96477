/** Counts what became of the mail of accounts, from the counters by time and the few rows of feedback, and never from the ledger. */
import type { StandingCounts } from "../../accounts/accounts.ts";
import { type Queryable, sql, type Tx } from "../../platform/db/db.ts";
import { SANDBOX_TRANSPORT } from "../ids.ts";

export async function hasSeveralAccounts(db: Queryable): Promise<boolean> {
  const rows = await db.many(sql`select from accounts limit 2`);
  return rows.length > 1;
}

/**
 * Counts the mail since then of all accounts that sent at least so much, or since an operator let the account send again. What stayed in
 * the sandbox and the product's own mail say nothing of an account. It uses the indexes sources_by_end and the primary keys of the counters.
 */
export function countSince(
  db: Queryable,
  since: Date,
  leastMails: number,
): Promise<(StandingCounts & { accountId: string })[]> {
  return db.many(sql`
    with recent as materialized (
      -- Mail is counted by quarters of an hour, so feedback counts from the beginning of one too.
      select src.account_id, src.id,
             date_bin('15 minutes', coalesce(greatest(s.counted_from, ${since}), ${since}), 'epoch') + interval '15 minutes' as since
      from sources src left join account_standings s on s.account_id = src.account_id
      where (src.ended_at is null or src.ended_at >= ${since}) and src.state <> 'replaced'
        and src.transport_id <> ${SANDBOX_TRANSPORT} and not src.goes_while_held
    ), counted as (
      select r.account_id, sum(c.count) filter (where c.what = 'sent') as sent,
             sum(c.count) filter (where c.what = 'failed') as failed,
             sum(c.count) filter (where c.what = 'bounce.hard') as hard
      from recent r cross join lateral (
        select b.what, b.count from counters_by_time b
        where b.account_id = r.account_id and b.source_id = r.id and b.at >= r.since
          and b.what in ('sent', 'failed', 'bounce.hard')
      ) as c
      group by r.account_id
      having sum(c.count) filter (where c.what in ('sent', 'failed')) >= ${leastMails}
    )
    select c.account_id as "accountId", coalesce(c.sent, 0)::bigint as sent, coalesce(c.failed, 0)::bigint as failed,
           (coalesce(c.hard, 0) + later.hard)::bigint as hard, later.complaints
    from counted c cross join lateral (
      select count(*) filter (where f.kind = 'hard_bounce') as hard, count(*) filter (where f.kind = 'complaint') as complaints
      from recent r join source_feedback f on f.account_id = r.account_id and f.source_id = r.id and f.mailed_at >= r.since
      where r.account_id = c.account_id
    ) as later`);
}

/** Tells whether an operator has let the account send again since then. */
export async function isCountedAnew(db: Queryable, accountId: string, since: Date): Promise<boolean> {
  const found = await db.many(sql`
    select from account_standings where account_id = ${accountId} and counted_from >= ${since}`);
  return found.length > 0;
}

/** Lets the mail of an account count from now on alone. */
export async function countAccountAnew(tx: Tx, accountId: string, now: Date): Promise<void> {
  await tx.execute(sql`
    insert into account_standings (account_id, counted_from) values (${accountId}, ${now})
    on conflict (account_id) do update set counted_from = excluded.counted_from`);
}
