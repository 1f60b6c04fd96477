/** Reads what was counted of an account's mail, by the table's primary key. */
import { prepared, type Queryable, sql } from "../../platform/db/db.ts";
import { SANDBOX_TRANSPORT } from "../ids.ts";
import type { Stream } from "../types.ts";
import type { Via } from "./counting.ts";

/** The product's own mail is counted, so that all counts equal the ledger, and shown to nobody as usage. */
const isShown = sql`via <> 'system'`;

/** A span of time: `from` belongs to it, `to` doesn't. An hour belongs to the span in which it begins. */
export type UsageSpan = { readonly from: Date; readonly to: Date };

export type UsageCount = { readonly stream: Stream; readonly via: Via; readonly sent: number };

/** Sums up a span by stream and by whose server it left by; what is 0 is left out. */
export function readUsage(db: Queryable, accountId: string, { from, to }: UsageSpan): Promise<UsageCount[]> {
  return db.many<UsageCount>(
    prepared(sql`
      select stream, via, sum(sent)::bigint as sent from usage_hours
      where account_id = ${accountId} and hour >= ${from} and hour < ${to} and ${isShown} group by 1, 2 order by 1, 2`),
  );
}

export type UsagePoint = UsageCount & {
  /** Which of the intervals it is of, from 0 on. */
  readonly at: number;
};

/** Sums up the intervals between these edges, of which the last is the end; those without mail are left out. */
export function readUsagePoints(
  db: Queryable,
  accountId: string,
  edges: readonly Date[],
): Promise<UsagePoint[]> {
  const [from, to] = [edges[0], edges.at(-1)];
  if (!from || !to) return Promise.resolve([]);
  // Hours are added up over workers first: to find an hour's interval costs more than to add.
  return db.many<UsagePoint>(sql`
    select width_bucket(hour, ${[...edges]}::timestamptz[]) - 1 as at, stream, via, sum(sent)::bigint as sent
    from (select hour, stream, via, sum(sent) as sent from usage_hours
          where account_id = ${accountId} and hour >= ${from} and hour < ${to} and ${isShown} group by 1, 2, 3) as hours
    group by 1, 2, 3 order by 1, 2, 3`);
}

export type CurrentUsage = Omit<UsageCount, "sent"> & { readonly month: number; readonly recent: number };

/** Sums up two spans that overlap, by one look at their hours; what is 0 in both is left out. */
export function readCurrentUsage(
  db: Queryable,
  accountId: string,
  { month, recent }: { readonly month: UsageSpan; readonly recent: UsageSpan },
): Promise<CurrentUsage[]> {
  const least = month.from < recent.from ? month.from : recent.from;
  const most = month.to > recent.to ? month.to : recent.to;
  const of = ({ from, to }: UsageSpan) =>
    sql`coalesce(sum(sent) filter (where hour >= ${from} and hour < ${to}), 0)::bigint`;
  return db.many<CurrentUsage>(
    prepared(sql`
      select stream, via, ${of(month)} as month, ${of(recent)} as recent from usage_hours
      where account_id = ${accountId} and hour >= ${least} and hour < ${most} and ${isShown} group by 1, 2`),
  );
}

export type OwnerUsage = { readonly sent: number; readonly sandbox: number };

/** Reads what was sent of each of these owners, by the counters that their stats are made of. The index is sources_of_owner. */
export async function readUsageOfOwners(
  db: Queryable,
  accountId: string,
  ownerIds: readonly string[],
): Promise<ReadonlyMap<string, OwnerUsage>> {
  if (ownerIds.length === 0) return new Map();
  const isSandbox = sql`s.transport_id = ${SANDBOX_TRANSPORT}`;
  const rows = await db.many<OwnerUsage & { id: string }>(sql`
    select s.owner_id as id, coalesce(sum(c.count) filter (where not ${isSandbox}), 0)::bigint as sent,
           coalesce(sum(c.count) filter (where ${isSandbox}), 0)::bigint as sandbox
    from sources s join counters c on c.account_id = s.account_id and c.source_id = s.id and c.what = 'sent'
    where s.account_id = ${accountId} and s.owner_id = any(${[...ownerIds]}::uuid[]) and s.state <> 'replaced'
    group by 1`);
  return new Map(rows.map(({ id, ...own }) => [id, own]));
}
