import type { TxCtx } from "../../platform/context.ts";
import { type Sql, sql } from "../../platform/db/db.ts";
import { addCounts, createCounts } from "./counts.ts";

/** Whose runs end: those of some people, some runs, or so many of all who are inside. */
type RunsToExit =
  | { readonly subscriberIds: readonly string[]; readonly key?: string }
  | { readonly runIds: readonly string[] }
  | { readonly atMost: number };

/**
 * Ends runs where they stand, as `as`: a goal, an exit, unsubscribed, suppressed, canceled. The step that is left so is in the journal. Runs that
 * began after `at` go on. Returns how many ended.
 */
export async function exitRuns(
  { sql: tx, accountId }: TxCtx,
  { id: automationId }: { readonly id: string },
  which: RunsToExit & { readonly as: string; readonly at: Date; readonly shard?: number },
): Promise<number> {
  const { as, at, shard } = which;
  const rows = await tx.many<{ node: string; count: number }>(sql`
    with wanted as materialized (
      select id from automation_runs r
      where account_id = ${accountId} and automation_id = ${automationId} and state = 'active' and entered_at <= ${at}
        and ${condition(which)}
      order by id ${"atMost" in which ? sql`limit ${which.atMost}` : sql``} for update
    ), ended as (
      update automation_runs r set state = 'exited', ended_as = ${as}, ended_at = greatest(${at}, arrived_at)
      from wanted where r.account_id = ${accountId} and r.id = wanted.id
      returning r.id, r.visit, r.version, r.node, r.arrived_at, r.ended_at
    ), written as (
      insert into automation_journal (account_id, run_id, visit, automation_id, version, node, reason, arrived_at, left_at)
      select ${accountId}, id, visit, ${automationId}, version, node, 'exit', arrived_at, ended_at from ended
    )
    select node, count(*) as count from ended group by node`);
  const counts = createCounts();
  for (const { node, count } of rows) {
    counts.add("", `exited:${as}`, count);
    counts.add(node, `exited:${as}`, count);
  }
  await addCounts(tx, accountId, automationId, counts, shard);
  return rows.reduce((sum, { count }) => sum + count, 0);
}

function condition(which: RunsToExit): Sql {
  if ("atMost" in which) return sql`true`;
  if ("runIds" in which) return sql`id = any(${[...which.runIds]}::uuid[])`;
  const ofKey = which.key === undefined ? sql`` : sql`and key = ${which.key}`;
  return sql`subscriber_id = any(${[...which.subscriberIds]}::uuid[]) ${ofKey}`;
}
