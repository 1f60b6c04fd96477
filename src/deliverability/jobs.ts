/** All jobs of deliverability, for the `jobs` role. */
import type { AnyJob, Job } from "../platform/jobs/jobs.ts";
import { type MailTestJobTools, mailTestJobs } from "./mail-tests/jobs.ts";

/** Those of `everyMinute` are for timers. */
export function deliverabilityJobs(tools: { readonly mailTests: MailTestJobTools }): {
  readonly jobs: readonly AnyJob[];
  readonly everyMinute: readonly Job<Record<string, never>>[];
} {
  const { jobs, tidying } = mailTestJobs(tools.mailTests);
  return { jobs, everyMinute: [tidying] };
}
