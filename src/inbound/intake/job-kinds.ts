/** The kinds of job that what comes in adds. `src/inbound/jobs.ts` says how they are run. */
import type { Writable } from "../../platform/db/db.ts";
import { addJob, addJobs, defineJob, type Job } from "../../platform/jobs/jobs.ts";
import { QUEUES, type Queue } from "../types.ts";

export type ReadPayload = { account_id: string };

const reading = (name: string, priority: number) =>
  defineJob<ReadPayload>({
    name,
    priority,
    timeoutMs: 120_000,
    run: async () => {
      throw new Error("this job is run by the jobs role alone");
    },
  });

/** Each reads what waits in an account. Bounces come in floods, and jobs that people wait for go first; reports go last. */
export const READ_KINDS: Readonly<Record<Queue, Job<ReadPayload>>> = {
  returned: reading("read_inbound", 5),
  dmarc_reports: reading("read_dmarc_reports", 10),
};

type Waiting = { readonly accountId: string; readonly queue: Queue };

/** At most one such job of an account waits at a time. The order is the same for all, so that no two wait for each other. */
export async function addReadJobs(db: Writable, waiting: readonly Waiting[]): Promise<void> {
  for (const queue of QUEUES) {
    const accountIds = waiting.filter((one) => one.queue === queue).map(({ accountId }) => accountId);
    const payloads = [...new Set(accountIds)].sort().map((account_id) => ({ account_id }));
    if (payloads.length > 0) await addJobs(db, READ_KINDS[queue], payloads, (one) => keyOf(queue, one));
  }
}

export async function addReadJobAt(db: Writable, { accountId, queue }: Waiting, runAt: Date): Promise<void> {
  const payload = { account_id: accountId };
  await addJob(db, READ_KINDS[queue], payload, { runAt, key: keyOf(queue, payload) });
}

function keyOf(queue: Queue, { account_id }: ReadPayload): string {
  return `${READ_KINDS[queue].name} ${account_id}`;
}
