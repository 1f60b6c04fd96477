/** These are the kinds of jobs by which accounts ask for mail, which a floor above writes and sends (src/notices/jobs.ts). */
import { defineJob } from "../platform/jobs/jobs.ts";

export type InvitePayload = { account_id: string; user_id: string; occasion_id: string };
/** The address is sealed: it may be nobody's, and the queue is no place to keep what a stranger typed. */
export type ResetPayload = { address: string; occasion_id: string };

/** Mails a user the link that sets the first password. Somebody may be waiting for it. */
export const inviteUserKind = defineJob<InvitePayload>({ name: "invite_user", priority: -10, run: notHere });
/** Mails a link that sets a new password, if the address is a user's. */
export const resetPasswordKind = defineJob<ResetPayload>({
  name: "reset_password",
  priority: -10,
  run: notHere,
});

async function notHere(): Promise<void> {
  throw new Error("this job is run by the jobs role alone");
}
