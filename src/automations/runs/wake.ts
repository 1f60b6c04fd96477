import type { TxCtx } from "../../platform/context.ts";
import { sql } from "../../platform/db/db.ts";
import { hintDue } from "./notify.ts";

/**
 * Wakes people who stand at one of these steps, because what they wait for has happened at `at`. What happened before they came, or after their
 * time was over, wakes nobody; one who has just come has no such time yet. The caller has locked the runs where a worker may be leading them on.
 */
export async function wakeRuns(
  { sql: tx, accountId }: TxCtx,
  { id: automationId }: { readonly id: string },
  woken: {
    readonly subscriberIds: readonly string[];
    readonly nodes: readonly string[];
    readonly at: Date;
    /** Only the run with this key, where it is given. */
    readonly key?: string;
    /** Only these runs, where they are given. */
    readonly runIds?: readonly string[];
  },
): Promise<number> {
  const { subscriberIds, nodes, at, key, runIds } = woken;
  if (subscriberIds.length === 0 || nodes.length === 0) return 0;
  const count = await tx.execute(sql`
    update automation_runs set due_at = ${at}, woken_by = 'event'
    where account_id = ${accountId} and subscriber_id = any(${[...subscriberIds]}::uuid[])
      and automation_id = ${automationId} and state = 'active' and node = any(${[...nodes]}::text[])
      and woken_by <> 'event' and arrived_at <= ${at} and (due_at >= ${at} or woken_by = 'arrival')
      ${key === undefined ? sql`` : sql`and key = ${key}`}
      ${runIds === undefined ? sql`` : sql`and id = any(${[...runIds]}::uuid[])`}`);
  if (count > 0) await hintDue(tx);
  return count;
}
