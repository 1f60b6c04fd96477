import { defineProblem } from "../platform/problems.ts";

export const exportRunning = defineProblem(
  429,
  "account_export_running",
  "Export under way",
  "A process exports an account once at a time, and few accounts at once. Wait as long as `Retry-After` says.",
);
export const deletionStarted = defineProblem(
  409,
  "deletion_started",
  "Deletion under way",
  "The time in which the deletion of the account could be taken back is over, and its data is being removed.",
);
