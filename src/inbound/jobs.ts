/** Says how the jobs of what comes back are run, for the `jobs` role. */
import type { AnyJob, JobCtx } from "../platform/jobs/jobs.ts";
import type { Secrets } from "../platform/secrets.ts";
import { READ_KINDS, type ReadPayload } from "./intake/job-kinds.ts";
import { readWaiting } from "./intake/read-waiting.ts";
import { type InboundHandlers, QUEUES } from "./types.ts";

type InboundJobTools = { readonly secrets: Secrets; readonly handlers: InboundHandlers };

export function inboundJobs(tools: InboundJobTools): readonly AnyJob[] {
  return QUEUES.map((queue) => ({
    ...READ_KINDS[queue],
    run: (job: JobCtx, { account_id: accountId }: ReadPayload) =>
      readWaiting(job, tools, { accountId, queue }),
  }));
}
