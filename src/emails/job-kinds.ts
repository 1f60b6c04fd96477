/** These are the kinds of jobs that mails add to the queue. `jobs.ts` says how each is run. */
import { defineJob } from "../platform/jobs/jobs.ts";

export type EmailPayload = { account_id: string; email_id: string };

/** Its time has come. Somebody may be waiting for the mail. */
export const sendEmailKind = defineJob<EmailPayload>({ name: "send_email", priority: -10, run: notHere });
/** Deletes the attachments of a mail that has left. */
export const dropAttachmentsKind = defineJob<EmailPayload>({
  name: "drop_attachments",
  priority: 5,
  run: notHere,
});

async function notHere(): Promise<void> {
  throw new Error("this job is run by the jobs role alone");
}
