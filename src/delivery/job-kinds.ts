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
/** The mail of those who are taken over waits for it. */
export const takeOverSourceKind = defineJob<SourcePayload>({
  name: "take_over_source",
  priority: -10,
  timeoutMs: DAY_MS,
  run: notHere,
});
/** Nobody waits for it. */
export const discardSourceKind = defineJob<SourcePayload>({
  name: "discard_source",
  timeoutMs: DAY_MS,
  run: notHere,
});
/** Once a source has ended for good. */
export const keepDomainsKind = defineJob<SourcePayload>({
  name: "keep_domains",
  // Until it has run, who asks counts by himself.
  priority: 5,
  timeoutMs: 300_000,
  run: notHere,
});

/** `message` in base64. Its address and its text are personal, so they are logged nowhere and kept no longer than needed. */
export type TestPayload = {
  account_id: string;
  transport_id: string;
  from: string;
  to: string;
  message: string;
};
export const sendTestKind = defineJob<TestPayload>({
  name: "send_test",
  priority: -5,
  // Longer than the SMTP client waits in all, so that it ends by itself and says how.
  timeoutMs: 240_000,
  maxAttempts: 3,
  run: notHere,
});

async function notHere(): Promise<void> {
  throw new Error("this job is run by the jobs role alone");
}
