/** These are the kinds of jobs that mails add to the queue. `jobs.ts` says how each is run. */
import type { Writable } from "../platform/db/db.ts";
import { addJob, defineJob } from "../platform/jobs/jobs.ts";

export type EmailPayload = { account_id: string; email_id: string };

/** Its time has come. Somebody may be waiting for the mail. */
export const sendEmailKind = defineJob<EmailPayload>({ name: "send_email", priority: -10, run: notHere });
/** Deletes the attachments of a mail that has left, and its texts where they are private or somebody was erased meanwhile. */
export const dropAttachmentsKind = defineJob<EmailPayload>({
  name: "drop_attachments",
  priority: 5,
  run: notHere,
});

/** A mail is looked at this long after it was to leave, and again until it has left. */
const LOOKED_AT_MS = 60_000;

export async function addDropJob(
  db: Writable,
  accountId: string,
  emailId: string,
  leavesAt: Date,
): Promise<void> {
  const payload = { account_id: accountId, email_id: emailId };
  await addJob(db, dropAttachmentsKind, payload, { runAt: new Date(leavesAt.getTime() + LOOKED_AT_MS) });
}

async function notHere(): Promise<void> {
  throw new Error("this job is run by the jobs role alone");
}
