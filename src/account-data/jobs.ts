/** The job that deletes accounts once their time of grace is over. */
import { defineJob, type Job } from "../platform/jobs/jobs.ts";
import { deleteDueAccounts } from "./deleting/deleting.ts";

/** Large accounts take several runs: each ends at its time, and the timer, which is slower than that, begins the next. */
const RUNS_MS = 10 * 60_000;

export const deleteAccountsJob: Job<Record<string, never>> = defineJob<Record<string, never>>({
  name: "delete_accounts",
  timeoutMs: RUNS_MS,
  // Nobody waits for it.
  priority: 20,
  run: deleteDueAccounts,
});
