/**
 * Who reaches a goal is counted with the step itself, as everything is: each run once for the whole automation, once at each step that is a goal,
 * and once for each way that it had taken at a split before. So the ways of a split can be compared; one without mail is the holdout.
 */
import { sql, type Tx } from "../../platform/db/db.ts";
import type { Counts } from "./counts.ts";

/** A run that came to a goal on this visit: at a step, or by leaving the automation (`node` is null). */
export type GoalVisit = { readonly runId: string; readonly visit: number; readonly node: string | null };

/** Adds to the counts. The journal must have what the runs did before, and the goals of this transaction as well. */
export async function countGoals(
  tx: Tx,
  accountId: string,
  goals: readonly GoalVisit[],
  counts: Pick<Counts, "add">,
): Promise<void> {
  if (goals.length === 0) return;
  const rows = await tx.many<{
    node: string | null;
    had_any: boolean;
    had_this: boolean;
    ways: string[];
  }>(sql`
    select goal.node, before.had_any, before.had_this, before.ways
    from unnest(${goals.map(({ runId }) => runId)}::uuid[], ${goals.map(({ visit }) => visit)}::smallint[],
      ${goals.map(({ node }) => node)}::text[]) as goal (run_id, visit, node)
    cross join lateral (
      select coalesce(bool_or(reason = 'goal'), false) as had_any,
             coalesce(bool_or(reason = 'goal' and j.node = goal.node), false) as had_this,
             coalesce(array_agg(distinct j.node || ' ' || way) filter (where reason = 'share'), '{}') as ways
      from automation_journal j
      where account_id = ${accountId} and run_id = goal.run_id and visit < goal.visit) as before`);
  for (const { node, had_any: hadAny, had_this: hadThis, ways } of rows) {
    if (node !== null && !hadThis) counts.add(node, "goal");
    if (hadAny) continue;
    counts.add("", "goal");
    for (const taken of ways) {
      const [split = "", way = ""] = taken.split(" ");
      counts.add(split, `goal:${way}`);
    }
  }
}
