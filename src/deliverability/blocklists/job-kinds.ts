/** Names the job that looks up an account, so that a request can add it. */
import { defineJob } from "../../platform/jobs/jobs.ts";

export type CheckPayload = { account_id: string };

/** It asks the DNS, which may be slow, and nobody waits for it. */
export const checkKind = defineJob<CheckPayload>({
  name: "check_blocklists",
  timeoutMs: 10 * 60_000,
  maxAttempts: 5,
  priority: 10,
  run: async () => {
    throw new Error("this job is run by the jobs role alone");
  },
});

export function keyOf({ account_id }: CheckPayload): string {
  return `blocklists ${account_id}`;
}
