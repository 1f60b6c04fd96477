/** Reads what was sent of accounts in spans of time, and of which owners it was, counted from the rows of the ledger themselves. */
import { timeArray, uuidArray } from "../../platform/db/arrays.ts";
import { type Queryable, type Sql, sql, withTimeout } from "../../platform/db/db.ts";
import { leastIdAt } from "../../platform/ids.ts";
import { SANDBOX_TRANSPORT } from "../ids.ts";
import type { Stream } from "../types.ts";
import { isUsage } from "./counting.ts";
import type { UsageSpan } from "./read-usage.ts";

export type AccountSpan = UsageSpan & { readonly accountId: string };

export type Accepted = {
  /** Which of the spans it is of, from 0 on. */
  readonly at: number;
  readonly stream: Stream;
  /** The owner of the sources. Transactional mail has none, nor has what the ledger has no rows of any more. */
  readonly ownerId: string | null;
  /** False for what was counted as usage and isn't in the ledger. */
  readonly isInLedger: boolean;
  readonly sent: number;
};

const spansOf = (spans: readonly AccountSpan[]): Sql => sql`
  span as (
    select n::int - 1 as at, account_id, from_at, to_at, least_id
    from unnest(${uuidArray(spans.map((one) => one.accountId))}::uuid[], ${timeArray(spans.map((one) => one.from))}::timestamptz[],
                ${timeArray(spans.map((one) => one.to))}::timestamptz[], ${uuidArray(spans.map((one) => leastIdAt(one.to.getTime())))}::uuid[])
      with ordinality as one (account_id, from_at, to_at, least_id, n)
  ), told as materialized (
    select at, stream, sum(sent)::bigint as sent from span
    join usage_hours u on u.account_id = span.account_id and u.hour >= from_at and u.hour < to_at and ${isUsage}
    group by at, stream
  )`;

/** Sums up the usage of spans by stream, as `readAccepted` does without looking into the ledger. What is 0 is left out. */
export function readUsageIn(db: Queryable, spans: readonly AccountSpan[]): Promise<Accepted[]> {
  if (spans.length === 0) return Promise.resolve([]);
  return db.many<Accepted>(sql`
    with ${spansOf(spans)}
    select at, stream, null as "ownerId", false as "isInLedger", sent from told order by at, stream`);
}

/**
 * Counts rows of the ledger by owner. The usage is read by the same statement, so that nothing can be sent in between: where the two differ, the
 * difference is returned without an owner. A span without usage costs nothing. Sources are found by their account and when they ended, since an id
 * is made before its source sends anything; the rows of each by the ledger's primary key. Where that may take long, the server was told so before.
 */
export async function readAccepted(
  db: Queryable,
  spans: readonly AccountSpan[],
  timeoutMs?: number,
): Promise<Accepted[]> {
  if (spans.length === 0) return [];
  const statement = sql`
    with ${spansOf(spans)}, counted as materialized (
      select at, d.stream, case when s.stream = 'transactional' then null else s.owner_id end as owner_id, sum(d.sent)::bigint as sent
      from span join sources s on s.account_id = span.account_id and s.id < span.least_id and s.is_metered and (s.ended_at is null or s.ended_at >= from_at)
      cross join lateral (
        select d.stream, count(*) as sent from deliveries d
        where d.account_id = s.account_id and d.source_id = s.id and d.state = 'sent' and d.changed_at >= from_at and d.changed_at < to_at
          and d.transport_id <> ${SANDBOX_TRANSPORT}::uuid
        group by d.stream) as d
      where at in (select at from told)
      group by 1, 2, 3
    ), tested as (
      select at, 'transactional' as stream, null::uuid as owner_id, count(*) as sent
      from span join test_mails m on m.account_id = span.account_id and m.state = 'sent' and m.changed_at >= from_at and m.changed_at < to_at
      group by 1
    ), found as materialized (
      select at, stream, owner_id, sum(sent)::bigint as sent from (select * from counted union all select * from tested) as known
      group by 1, 2, 3
    ), missing as (
      select at, stream, coalesce(told.sent, 0) - coalesce(of_stream.sent, 0) as sent
      from told full join (select at, stream, sum(sent)::bigint as sent from found group by 1, 2) as of_stream using (at, stream)
    )
    select at, stream, owner_id as "ownerId", true as "isInLedger", sent from found
    union all select at, stream, null, false, sent from missing where sent <> 0
    order by at, stream, "ownerId"`;
  return db.many<Accepted>(timeoutMs === undefined ? statement : withTimeout(statement, timeoutMs));
}
