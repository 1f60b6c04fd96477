/** Campaigns by when their sending began, for what is charged by them. The index is campaigns_by_start. */
import { type Queryable, type Sql, sql } from "../platform/db/db.ts";

export type StartedCampaign = { readonly id: string; readonly name: string; readonly startedAt: Date };

/** `from` belongs to it, `to` doesn't. */
type StartedIn = { readonly from: Date; readonly to: Date };

const startedIn = (accountId: string, { from, to }: StartedIn): Sql =>
  sql`account_id = ${accountId} and started_at >= ${from} and started_at < ${to}`;

/** Lists them newest first, behind the one that `after` names by its time and id. */
export function listStartedCampaigns(
  db: Queryable,
  accountId: string,
  span: StartedIn,
  { limit, after }: { readonly limit: number; readonly after: readonly string[] | undefined },
): Promise<StartedCampaign[]> {
  const older = after
    ? sql`and (started_at, id) < (${String(after[0])}::timestamptz, ${String(after[1])}::uuid)`
    : sql``;
  return db.many<StartedCampaign>(sql`
    select id, name, started_at as "startedAt" from campaigns
    where ${startedIn(accountId, span)} ${older} order by started_at desc, id desc limit ${limit}`);
}

export async function countStartedCampaigns(
  db: Queryable,
  accountId: string,
  span: StartedIn,
): Promise<number> {
  const { count } = await db.one<{ count: number }>(
    sql`select count(*) as count from campaigns where ${startedIn(accountId, span)}`,
  );
  return count;
}
