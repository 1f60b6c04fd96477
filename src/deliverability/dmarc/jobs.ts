/** Says how the jobs of DMARC reports are run, for the `jobs` role. */
import { listAccountsWith } from "../../alerts/alerts.ts";
import { type AnyJob, addJobs, defineJob, type Job, type JobCtx } from "../../platform/jobs/jobs.ts";
import { keyOfNaming, type NamePayload, nameSourcesKind } from "./job-kinds.ts";
import { type NamingTools, nameSources } from "./name-sources.ts";
import { SOURCE_ALERTS } from "./watch-sources.ts";

/** The second job is for a timer, every day: where reports stop coming, nothing else ends the alerts that they opened. */
export function dmarcJobs(tools: NamingTools): {
  readonly jobs: readonly AnyJob[];
  readonly watching: Job<Record<string, never>>;
} {
  const run = (job: JobCtx, { account_id }: NamePayload) => nameSources(job, tools, account_id);
  const watching = defineJob<Record<string, never>>({ name: "watch_dmarc_alerts", run: watchAgain });
  return { jobs: [{ ...nameSourcesKind, run }, watching], watching };
}

async function watchAgain({ db }: JobCtx): Promise<void> {
  const accounts = await listAccountsWith(db, SOURCE_ALERTS);
  const payloads = accounts.map((account_id) => ({ account_id }));
  if (payloads.length > 0) await addJobs(db, nameSourcesKind, payloads, keyOfNaming);
}
