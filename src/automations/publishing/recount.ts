/** Lets people whose wait has changed be looked at again, so that the time they have waited counts for the new wait. */
import type { Tx } from "../../platform/db/db.ts";
import { addJob, defineJob } from "../../platform/jobs/jobs.ts";
import { hintDue } from "../runs/runs.ts";
import { findAutomation } from "../store.ts";
import { findVersion, listStanding, makeDue, readFollowing } from "./version-store.ts";

type Recount = {
  readonly account_id: string;
  readonly automation_id: string;
  readonly version: number;
  readonly nodes: readonly string[];
};

const AT_ONCE = 2_000;
/** So many ids are read at once and kept in memory: 100,000 take 10 MB. */
const FOUND_AT_ONCE = 100_000;
const FIRST = "00000000-0000-0000-0000-000000000000";

/**
 * Makes them due, a piece a transaction, in the order of their ids, so that nobody comes twice. The executor decides anew when each of them
 * leaves. It may be run again at any time.
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
    for (let after = FIRST; ; ) {
      const which = { nodes, before: version, after, limit: FOUND_AT_ONCE };
      const found = await listStanding(db, accountId, automationId, which);
      for (let from = 0; from < found.length; from += AT_ONCE) {
        const ids = found.slice(from, from + AT_ONCE);
        await db.transaction(async (tx) => {
          await makeDue(tx, accountId, { ids, nodes, before: version, now: clock.now() });
          await hintDue(tx);
        });
        signal.throwIfAborted();
      }
      const last = found.at(-1);
      if (last === undefined || found.length < FOUND_AT_ONCE) return;
      after = last;
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
