import { defineProblem } from "../platform/problems.ts";

export const exportRunning = defineProblem(
  429,
  "account_export_running",
  "Export under way",
  "A process exports an account once at a time, and few accounts at once. Wait as long as `Retry-After` says.",
);
