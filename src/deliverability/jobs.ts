/** All jobs of deliverability, for the `jobs` role. */
import type { AnyJob, Job } from "../platform/jobs/jobs.ts";
import type { BlocklistTools } from "./blocklists/blocklists.ts";
import { blocklistJobs } from "./blocklists/jobs.ts";
import { type MailTestJobTools, mailTestJobs } from "./mail-tests/jobs.ts";

/** Those of `hourly` and `everyMinute` are for timers. */
export function deliverabilityJobs(tools: {
  readonly blocklists: BlocklistTools;
  readonly mailTests: MailTestJobTools;
}): {
  readonly jobs: readonly AnyJob[];
  readonly hourly: readonly Job<Record<string, never>>[];
  readonly everyMinute: readonly Job<Record<string, never>>[];
} {
  const blocklists = blocklistJobs(tools.blocklists);
  const mailTests = mailTestJobs(tools.mailTests);
  return {
    jobs: [...blocklists.jobs, ...mailTests.jobs],
    hourly: [blocklists.planning],
    everyMinute: [mailTests.tidying],
  };
}
