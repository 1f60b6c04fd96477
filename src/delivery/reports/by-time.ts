/** Counts what became of an owner's mail by the quarter of an hour. It sums a few rows, whatever the size of the audience. */
import { prepared, type Queryable, sql } from "../../platform/db/db.ts";
import { sourcesOf } from "../ledger/ledger.ts";
import type { QuarterCounts } from "../types.ts";
import { laterBounces } from "./later-bounces.ts";

/** Returns the quarters in the order of time, without those in which nothing happened. */
export function readQuarters(db: Queryable, accountId: string, ownerId: string): Promise<QuarterCounts[]> {
  return db.many<QuarterCounts>(
    prepared(sql`
      with src as materialized (select ${sourcesOf(accountId, ownerId)} as ids), counted as (
        select at, what, sum(count) as count from counters_by_time
        where account_id = ${accountId} and source_id = any((select ids from src)::uuid[]) group by at, what
        union all
        select date_bin('15 minutes', at, 'epoch'), 'unsubscribe', count(*) from source_unsubscribes
        where account_id = ${accountId} and source_id = any((select ids from src)::uuid[]) group by 1
        union all
        select date_bin('15 minutes', at, 'epoch'), 'bounce.' || split_part(kind, '_', 1), count(*)
        from (${laterBounces(accountId, sql`(select ids from src)::uuid[]`)}) as b group by 1, 2
      )
      select at, coalesce(sum(count) filter (where what = 'sent'), 0)::bigint as sent,
             coalesce(sum(count) filter (where what = 'failed'), 0)::bigint as failed,
             coalesce(sum(count) filter (where what = 'unknown'), 0)::bigint as unknown,
             coalesce(sum(count) filter (where what like 'skipped.%'), 0)::bigint as skipped,
             coalesce(sum(count) filter (where what = 'bounce.hard'), 0)::bigint as hard,
             coalesce(sum(count) filter (where what = 'bounce.soft'), 0)::bigint as soft,
             coalesce(sum(count) filter (where what = 'bounce.block'), 0)::bigint as block,
             coalesce(sum(count) filter (where what = 'unsubscribe'), 0)::bigint as unsubscribes
      from counted group by at order by at`),
  );
}
