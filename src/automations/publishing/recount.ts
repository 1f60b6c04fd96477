/** Lets people whose wait has changed be looked at again, so that the time they have waited counts for the new wait. */
import type { Tx } from "../../platform/db/db.ts";
import { addJob, defineJob } from "../../platform/jobs/jobs.ts";
import { hintDue } from "../runs/runs.ts";
import { findAutomation } from "../store.ts";
import { countStanding, findVersion, makeDue, readFollowing } from "./version-store.ts";

type Recount = {
  readonly account_id: string;
  readonly automation_id: string;
  readonly version: number;
  readonly nodes: readonly string[];
};

const AT_ONCE = 5_000;

/**
 * Makes them due, a piece a transaction. The executor decides anew when each of them leaves, and by that they are in the new version, so
 * that none is made due twice. It may be run again at any time.
 */
export const recountWaits = defineJob<Recount>({
  name: "recount_waits",
  timeoutMs: 3_600_000,
  run: async (
    { db, clock, signal },
    { account_id: accountId, automation_id: automationId, version, nodes },
  ) => {
    // Nothing moves while it is paused; what changed meanwhile is counted anew when it goes on.
    const row = await findAutomation(db, accountId, automationId);
    if (row?.state !== "live" && row?.state !== "draining") return;
    const groups = await countStanding(db, accountId, automationId, nodes);
    let left = groups.reduce((sum, group) => sum + (group.version < version ? group.people : 0), 0);
    while (left > 0) {
      const which = { nodes, before: version, now: clock.now(), limit: AT_ONCE };
      const made = await db.transaction(async (tx) => {
        await hintDue(tx);
        return makeDue(tx, accountId, automationId, which);
      });
      if (made === 0) return;
      left -= made;
      signal.throwIfAborted();
    }
  },
});

/** Is called when an automation goes on: a version that was published meanwhile may have other waits. */
export async function recountAfterPause(
  tx: Tx,
  accountId: string,
  automation: { readonly id: string; readonly version: number; readonly paused_at: Date | null },
): Promise<void> {
  const { id, version, paused_at: pausedAt } = automation;
  const newest = await findVersion(tx, accountId, id, version);
  const isLater = newest && pausedAt && newest.published_at >= pausedAt;
  if (!isLater || newest.people === "stay" || newest.waits === "keep") return;
  const nodes = [...new Set((await readFollowing(tx, accountId, id)).flatMap(({ steps }) => [...steps]))];
  const payload = { account_id: accountId, automation_id: id, version, nodes };
  await addJob(tx, recountWaits, payload, { key: `recount ${id} ${version}` });
}
