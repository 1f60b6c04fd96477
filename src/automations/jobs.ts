/** The jobs of automations: what is done to many people at once, in pieces. */
import type { AnyJob } from "../platform/jobs/jobs.ts";
import {
  archiveDrainedJob,
  endRunsJob,
  moveOverdueJob,
  pauseAutomationJob,
  recountWaits,
} from "./publishing/publishing.ts";

export { enrollJob } from "./enrolling/enrolling.ts";
export { sweepRulesJob } from "./feed/feed.ts";
export { archiveDrainedJob, readFollowing } from "./publishing/publishing.ts";

export const automationJobs: readonly AnyJob[] = [
  endRunsJob,
  archiveDrainedJob,
  moveOverdueJob,
  pauseAutomationJob,
  recountWaits,
];
