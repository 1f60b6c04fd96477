import { type Queryable, sql } from "../../platform/db/db.ts";
import { activeRunsOf, endedRunsOf } from "./find.ts";

type Caused = { readonly automationId: string; readonly subscriberId: string; readonly at: Date };

/**
 * Events that a step brought about name its automation as their actor. This says for each how deep what follows from it is: one more than the
 * run that the person was in then. Who has no such run any more is as deep as one that nobody brought about.
 */
export async function causeDepthsOf(
  db: Queryable,
  accountId: string,
  caused: readonly Caused[],
): Promise<readonly number[]> {
  if (caused.length === 0) return [];
  const rows = await db.many<{ depth: number }>(sql`
    select coalesce(greatest(
      (select max(cause_depth) from ${activeRunsOf(accountId, sql`one.subscriber_id`)} as r
       where r.automation_id = one.automation_id and r.entered_at <= one.at),
      (select max(cause_depth) from ${endedRunsOf(accountId, sql`one.subscriber_id`)} as r
       where r.automation_id = one.automation_id and r.entered_at <= one.at and r.ended_at >= one.at)), 0) + 1 as depth
    from unnest(${caused.map((one) => one.automationId)}::uuid[], ${caused.map((one) => one.subscriberId)}::uuid[],
        ${caused.map((one) => one.at)}::timestamptz[])
      with ordinality as one (automation_id, subscriber_id, at, nth)
    order by nth`);
  return rows.map(({ depth }) => depth);
}
