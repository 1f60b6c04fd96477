/** Says how the jobs of blocklists are run, for the `jobs` role. */
import { listAccountsWith } from "../../alerts/alerts.ts";
import { type AnyJob, addJobs, defineJob, type Job, type JobCtx } from "../../platform/jobs/jobs.ts";
import { type BlocklistTools, checkAccount, DAY_MS } from "./check.ts";
import { type CheckPayload, checkKind, keyOf } from "./job-kinds.ts";
import { addMissingChecks, takeDue } from "./store.ts";

/** The second job is for a timer, every hour: it plans the looks at accounts that are due. */
export function blocklistJobs(tools: BlocklistTools): {
  readonly jobs: readonly AnyJob[];
  readonly planning: Job<Record<string, never>>;
} {
  const planning = defineJob<Record<string, never>>({
    name: "plan_blocklist_checks",
    run: (job) => planChecks(job, tools),
  });
  const check = (job: JobCtx, { account_id }: CheckPayload) => checkAccount(job, tools, account_id);
  return { jobs: [planning, { ...checkKind, run: check }], planning };
}

/** Where no list is asked any more, only those accounts are looked at whose alerts are still open. */
async function planChecks({ db, clock }: JobCtx, { blocklists }: BlocklistTools): Promise<void> {
  const now = clock.now();
  await db.transaction(async (tx) => {
    if (blocklists.whyOff === null) await addMissingChecks(tx, now);
    const accounts =
      blocklists.whyOff === null
        ? await takeDue(tx, now, new Date(now.getTime() + DAY_MS))
        : await listAccountsWith(tx, ["blocklisted"]);
    if (accounts.length === 0) return;
    const payloads = accounts.map((account_id) => ({ account_id }));
    await addJobs(tx, checkKind, payloads, keyOf);
  });
}
