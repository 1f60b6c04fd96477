/** All jobs of deliverability, for the `jobs` role. */
import type { AnyJob, Job } from "../platform/jobs/jobs.ts";
import type { BlocklistTools } from "./blocklists/blocklists.ts";
import { blocklistJobs } from "./blocklists/jobs.ts";

/** Those of `hourly` are for timers. */
export function deliverabilityJobs(tools: { readonly blocklists: BlocklistTools }): {
  readonly jobs: readonly AnyJob[];
  readonly hourly: readonly Job<Record<string, never>>[];
} {
  const { jobs, planning } = blocklistJobs(tools.blocklists);
  return { jobs, hourly: [planning] };
}
