import type { TxCtx } from "../../platform/context.ts";
import { type Sql, sql } from "../../platform/db/db.ts";
import { addCounts, createCounts } from "./counts.ts";
import { activeRunsOf } from "./find.ts";
import { countGoals } from "./goals.ts";
import { aheadOf } from "./set-back.ts";
import { takeBackMails } from "./take-back.ts";

/** Whose runs end: those of some people, or some runs. */
type RunsToExit =
  | { readonly subscriberIds: readonly string[]; readonly key?: string }
  | { readonly runIds: readonly string[] };

/**
 * Ends runs where they stand, as `as`: a goal, an exit, unsubscribed, suppressed, canceled. The step that is left so is in the journal. Runs that
 * began after `at` go on. Their mails that haven't left are taken back. Returns how many ended.
 */
export function exitRuns(
  ctx: TxCtx,
  automation: { readonly id: string },
  which: RunsToExit & { readonly as: string; readonly at: Date; readonly shard?: number },
): Promise<number> {
  const { as, at, shard } = which;
  const found = sql`select id, ${as}::text as ended_as, ${at}::timestamptz as at from (${find(ctx.accountId, automation.id, which)}) as run`;
  return endFound(ctx, automation.id, found, shard);
}

function find(accountId: string, automationId: string, which: RunsToExit): Sql {
  if ("runIds" in which) return sql`select unnest(${[...new Set(which.runIds)]}::uuid[]) as id`;
  const ofKey = which.key === undefined ? sql`` : sql`and run.key = ${which.key}`;
  return sql`
    select run.id from unnest(${[...new Set(which.subscriberIds)]}::uuid[]) as person (id)
    cross join lateral ${activeRunsOf(accountId, sql`person.id`)} as run
    where run.automation_id = ${automationId} ${ofKey}`;
}

/** Ends runs, each as its own goal or exit and at its own time, in one statement. A run is named once. */
export async function exitEach(
  ctx: TxCtx,
  automation: { readonly id: string },
  ends: readonly { readonly runId: string; readonly as: string; readonly at: Date }[],
  shard: number,
): Promise<void> {
  if (ends.length === 0) return;
  const found = sql`
    select * from unnest(${ends.map(({ runId }) => runId)}::uuid[], ${ends.map(({ as }) => as)}::text[],
      ${ends.map(({ at }) => at)}::timestamptz[]) as told (id, ended_as, at)`;
  await endFound(ctx, automation.id, found, shard);
}

/**
 * `found` has the `id`, `ended_as` and `at` of runs. They are locked in the order of their ids, and those of the automation end that are active and
 * began before.
 */
async function endFound(
  ctx: TxCtx,
  automationId: string,
  found: Sql,
  shard: number | undefined,
): Promise<number> {
  const { sql: tx, accountId } = ctx;
  // Whose turn of an enrollment has not come leaves from where they would have begun.
  const arrivedAt = sql`case when r.visit = 1 then greatest(r.entered_at, least(r.arrived_at, wanted.at)) else r.arrived_at end`;
  const rows = await tx.many<{
    node: string;
    ended_as: string;
    run_ids: string[];
    visits: number[];
  }>(sql`
    with told as materialized (select * from (${found}) as found order by id), wanted as materialized (
      select run.id, told.ended_as, told.at from told cross join lateral (
        select id, automation_id, state, entered_at from automation_runs
        where account_id = ${accountId} and id = told.id offset 0 for update) as run
      where run.automation_id = ${automationId} and run.state = 'active' and (run.entered_at <= told.at or run.entered_at > ${aheadOf(ctx.clock)})
    ), ended as (
      update automation_runs r set state = 'exited', ended_as = wanted.ended_as, arrived_at = ${arrivedAt},
        ended_at = greatest(wanted.at, ${arrivedAt})
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
  await takeBackMails(
    ctx,
    rows.flatMap(({ run_ids: ids }) => ids),
  );
  await addCounts(tx, accountId, automationId, counts, shard);
  return rows.reduce((sum, { run_ids: ids }) => sum + ids.length, 0);
}
