/** The kinds of jobs that mail tests add to the queue. `jobs.ts` says how they are run. */
import type { Writable } from "../../platform/db/db.ts";
import { addJob, defineJob } from "../../platform/jobs/jobs.ts";

export type TestPayload = { account_id: string; test_id: string };
/** The mail as it was composed, in base 64. */
export type SendPayload = TestPayload & {
  /** Is null for the instance's own server. */
  transport_id: string | null;
  from: string;
  to: string;
  message: string;
};

const run = async () => {
  throw new Error("this job is run by the jobs role alone");
};

/** Hands the mail of a test over. The seventh try comes after 10 minutes, when greylisting lets it in. */
export const sendMailTestKind = defineJob<SendPayload>({
  name: "send_mail_test",
  timeoutMs: 240_000,
  maxAttempts: 7,
  run,
});

/** Writes the report of a mail that has come. */
export const reportMailTestKind = defineJob<TestPayload>({
  name: "report_mail_test",
  timeoutMs: 120_000,
  maxAttempts: 3,
  run,
});

export async function addSendJob(db: Writable, payload: SendPayload): Promise<void> {
  await addJob(db, sendMailTestKind, payload, { key: `send_mail_test ${payload.test_id}` });
}

export async function addReportJob(db: Writable, payload: TestPayload): Promise<void> {
  await addJob(db, reportMailTestKind, payload, { key: `report_mail_test ${payload.test_id}` });
}
