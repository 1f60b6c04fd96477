import { defineJob } from "../platform/jobs/jobs.ts";

export type SourcePayload = { account_id: string; source_id: string };

const DAY_MS = 24 * 3_600_000;

/** What is added to the queue; `jobs.ts` says how each is run, which takes more than whoever adds it has. */
export const planSourceKind = defineJob<SourcePayload>({
  name: "plan_source",
  // Somebody has just pressed "send".
  priority: -10,
  timeoutMs: DAY_MS,
  run: notHere,
});
export const cancelSourceKind = defineJob<SourcePayload>({
  name: "cancel_source",
  priority: -10,
  timeoutMs: DAY_MS,
  run: notHere,
});

async function notHere(): Promise<void> {
  throw new Error("this job is run by the jobs role alone");
}
