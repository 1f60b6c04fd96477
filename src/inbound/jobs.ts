/** Says how the jobs of what comes back are run, for the `jobs` role. */
import type { AnyJob, JobCtx } from "../platform/jobs/jobs.ts";
import type { Secrets } from "../platform/secrets.ts";
import { type ReadPayload, readInboundKind } from "./intake/job-kinds.ts";
import { readWaiting } from "./intake/read-waiting.ts";
import type { InboundHandlers } from "./types.ts";

type InboundJobTools = { readonly secrets: Secrets; readonly handlers: InboundHandlers };

export function inboundJobs(tools: InboundJobTools): readonly AnyJob[] {
  const read = (job: JobCtx, { account_id }: ReadPayload) => readWaiting(job, tools, account_id);
  return [{ ...readInboundKind, run: read }];
}
