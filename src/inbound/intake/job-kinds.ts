/** The kind of job that what comes in adds to the queue. `src/inbound/jobs.ts` says how it is run. */
import type { Writable } from "../../platform/db/db.ts";
import { addJob, addJobs, defineJob } from "../../platform/jobs/jobs.ts";

export type ReadPayload = { account_id: string };

/** Reads what waits in an account. Bounces come in floods, and jobs that people wait for go first. */
export const readInboundKind = defineJob<ReadPayload>({
  name: "read_inbound",
  priority: 5,
  timeoutMs: 120_000,
  run: async () => {
    throw new Error("this job is run by the jobs role alone");
  },
});

const keyOf = ({ account_id }: ReadPayload) => `read_inbound ${account_id}`;

/** At most one such job of an account waits at a time. The order is the same for all, so that no two wait for each other. */
export async function addReadJobs(db: Writable, accountIds: readonly string[]): Promise<void> {
  const payloads = [...new Set(accountIds)].sort().map((account_id) => ({ account_id }));
  await addJobs(db, readInboundKind, payloads, keyOf);
}

export async function addReadJobAt(db: Writable, accountId: string, runAt: Date): Promise<void> {
  const payload = { account_id: accountId };
  await addJob(db, readInboundKind, payload, { runAt, key: keyOf(payload) });
}
