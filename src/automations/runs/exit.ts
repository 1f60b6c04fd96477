import type { TxCtx } from "../../platform/context.ts";
import { type Sql, sql } from "../../platform/db/db.ts";
import { addCounts, createCounts } from "./counts.ts";
import { countGoals } from "./goals.ts";

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
  ctx: TxCtx,
  automation: { readonly id: string },
  which: RunsToExit & { readonly as: string; readonly at: Date; readonly shard?: number },
): Promise<number> {
  const { as, at, shard } = which;
  const wanted = sql`
    select id, ${as}::text as ended_as, ${at}::timestamptz as at from automation_runs r
    where account_id = ${ctx.accountId} and automation_id = ${automation.id} and state = 'active' and entered_at <= ${at}
      and ${condition(which)}
    order by id ${"atMost" in which ? sql`limit ${which.atMost}` : sql``} for update`;
  return endWanted(ctx, automation.id, wanted, shard);
}

/**
 * Ends runs, each as its own goal or exit and at its own time, in one statement. A run is named once. Each is found by its key, also in a table
 * that was never analysed.
 */
export async function exitEach(
  ctx: TxCtx,
  automation: { readonly id: string },
  ends: readonly { readonly runId: string; readonly as: string; readonly at: Date }[],
  shard: number,
): Promise<void> {
  if (ends.length === 0) return;
  const inOrder = ends.toSorted((one, other) => (one.runId < other.runId ? -1 : 1));
  const wanted = sql`
    select run.id, told.ended_as, told.at
    from unnest(${inOrder.map(({ runId }) => runId)}::uuid[], ${inOrder.map(({ as }) => as)}::text[],
      ${inOrder.map(({ at }) => at)}::timestamptz[]) as told (id, ended_as, at)
    cross join lateral (
      select id from automation_runs
      where account_id = ${ctx.accountId} and id = told.id and automation_id = ${automation.id} and state = 'active'
        and entered_at <= told.at
      for update) as run`;
  await endWanted(ctx, automation.id, wanted, shard);
}

/** `wanted` locks the runs that end, and has their `id`, `ended_as` and `at`. */
async function endWanted(
  { sql: tx, accountId }: TxCtx,
  automationId: string,
  wanted: Sql,
  shard: number | undefined,
): Promise<number> {
  const rows = await tx.many<{ node: string; ended_as: string; run_ids: string[]; visits: number[] }>(sql`
    with wanted as materialized (${wanted}), ended as (
      update automation_runs r set state = 'exited', ended_as = wanted.ended_as, ended_at = greatest(wanted.at, arrived_at)
      from wanted where r.account_id = ${accountId} and r.id = wanted.id
      returning r.id, r.visit, r.version, r.node, r.arrived_at, r.ended_at, r.ended_as
    ), written as (
      insert into automation_journal (account_id, run_id, visit, automation_id, version, node, reason, arrived_at, left_at)
      select ${accountId}, id, visit, ${automationId}, version, node, 'exit', arrived_at, ended_at from ended
    )
    select node, ended_as, array_agg(id) as run_ids, array_agg(visit::int) as visits from ended group by node, ended_as`);
  const counts = createCounts();
  for (const { node, ended_as: as, run_ids: ids } of rows) {
    counts.add("", `exited:${as}`, ids.length);
    counts.add(node, `exited:${as}`, ids.length);
  }
  const goals = rows.filter(({ ended_as }) => ended_as === "goal");
  await countGoals(
    tx,
    accountId,
    goals.flatMap(({ run_ids: ids, visits }) =>
      ids.map((runId, at) => ({ runId, visit: visits[at] as number, node: null })),
    ),
    counts,
  );
  await addCounts(tx, accountId, automationId, counts, shard);
  return rows.reduce((sum, { run_ids: ids }) => sum + ids.length, 0);
}

function condition(which: RunsToExit): Sql {
  if ("atMost" in which) return sql`true`;
  if ("runIds" in which) return sql`id = any(${[...which.runIds]}::uuid[])`;
  const ofKey = which.key === undefined ? sql`` : sql`and key = ${which.key}`;
  return sql`subscriber_id = any(${[...which.subscriberIds]}::uuid[]) ${ofKey}`;
}
