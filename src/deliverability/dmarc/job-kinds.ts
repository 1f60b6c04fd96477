/** The kind of job that reports add to the queue. `jobs.ts` says how it is run. */
import { defineJob } from "../../platform/jobs/jobs.ts";

export type NamePayload = { account_id: string };

/** Finds out who is behind the sources of an account's reports, and then whether somebody must be told. */
export const nameSourcesKind = defineJob<NamePayload>({
  name: "name_dmarc_sources",
  priority: 10,
  timeoutMs: 120_000,
  run: async () => {
    throw new Error("this job is run by the jobs role alone");
  },
});

export const keyOfNaming = ({ account_id }: NamePayload) => `name_dmarc_sources ${account_id}`;
