/** Says how the jobs of DMARC reports are run, for the `jobs` role. */
import type { AnyJob, JobCtx } from "../../platform/jobs/jobs.ts";
import { type NamePayload, nameSourcesKind } from "./job-kinds.ts";
import { type NamingTools, nameSources } from "./name-sources.ts";

export function dmarcJobs(tools: NamingTools): readonly AnyJob[] {
  const run = (job: JobCtx, { account_id }: NamePayload) => nameSources(job, tools, account_id);
  return [{ ...nameSourcesKind, run }];
}
