/** All jobs of deliverability, for the `jobs` role. */
import type { AnyJob, Job } from "../platform/jobs/jobs.ts";
import type { BlocklistTools } from "./blocklists/blocklists.ts";
import { blocklistJobs } from "./blocklists/jobs.ts";
import { watchProvidersJob } from "./by-provider/jobs.ts";
import type { NamingTools } from "./dmarc/dmarc.ts";
import { dmarcJobs } from "./dmarc/jobs.ts";
import { type MailTestJobTools, mailTestJobs } from "./mail-tests/jobs.ts";

export type { MailTestJobTools };

type Timed = readonly Job<Record<string, never>>[];

/** Those of `daily`, `hourly` and `everyMinute` are for timers. */
export function deliverabilityJobs(tools: {
  readonly blocklists: BlocklistTools;
  readonly dmarc: NamingTools;
  readonly mailTests: MailTestJobTools;
}): {
  readonly jobs: readonly AnyJob[];
  readonly daily: Timed;
  readonly hourly: Timed;
  readonly everyMinute: Timed;
} {
  const ofBlocklists = blocklistJobs(tools.blocklists);
  const ofReports = dmarcJobs(tools.dmarc);
  const ofTests = mailTestJobs(tools.mailTests);
  return {
    jobs: [...ofBlocklists.jobs, ...ofTests.jobs, ...ofReports.jobs, watchProvidersJob],
    daily: [ofReports.watching],
    hourly: [ofBlocklists.planning],
    everyMinute: [ofTests.tidying, watchProvidersJob],
  };
}
