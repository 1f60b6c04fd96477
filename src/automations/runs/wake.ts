import type { TxCtx } from "../../platform/context.ts";
import { sql } from "../../platform/db/db.ts";
import { runByKey } from "./find.ts";
import { hintDue } from "./notify.ts";
import { aheadOf } from "./set-back.ts";

/**
 * Wakes runs that stand at `node`, because what they wait for has happened at `at`. What happened before they came, or after their time was over,
 * wakes nobody; one who has just come has no such time yet. A step of the automation (`isOwn`) writes its events at the very moment at which the
 * run comes to the next one, and doesn't wake it there. Of several things that happened to a run the first that wakes it counts, in the order
 * in which they are given. The caller has locked the runs where a worker may be leading them on. Each is found by its key, also in a table that was
 * never analysed. Returns how many were woken.
 */
export async function wakeRuns(
  { sql: tx, accountId, clock }: TxCtx,
  { id: automationId }: { readonly id: string },
  wakes: readonly {
    readonly runId: string;
    readonly node: string;
    readonly at: Date;
    readonly isOwn?: boolean;
  }[],
): Promise<number> {
  if (wakes.length === 0) return 0;
  // They came before the clock was set back, or their turn of an enrollment has not come.
  const ahead = aheadOf(clock);
  const wasSetBack = sql`(run.arrived_at > ${ahead} and (run.visit > 1 or run.entered_at > ${ahead}))`;
  const count = await tx.execute(sql`
    update automation_runs r set due_at = woken.at, woken_by = 'event'
    from (
      select distinct on (run.id) run.id, told.at
      from unnest(${wakes.map(({ runId }) => runId)}::uuid[], ${wakes.map(({ node }) => node)}::text[],
        ${wakes.map(({ at }) => at)}::timestamptz[], ${wakes.map(({ isOwn = false }) => isOwn)}::bool[])
        with ordinality as told (id, node, at, is_own, nth)
      cross join lateral ${runByKey(accountId, sql`told.id`)} as run
      where run.automation_id = ${automationId} and run.state = 'active' and run.node = told.node and run.woken_by <> 'event'
        and (run.arrived_at < told.at or run.arrived_at = told.at and not told.is_own or ${wasSetBack}) and (run.due_at >= told.at or run.woken_by = 'arrival')
      order by run.id, told.nth
    ) as woken
    where r.account_id = ${accountId} and r.id = woken.id`);
  if (count > 0) await hintDue(tx);
  return count;
}
