/**
 * The product's own mail: invitations, links for those who have forgotten their password, and notices of what happened. It is
 * transactional mail of the account, written here. A mail with a link that sets a password is shown to nobody but its recipient
 * (docs/decisions/0030). This file is what other folders may use.
 */
import type { Writable } from "../platform/db/db.ts";
import { removeOldMails } from "./store.ts";

export { canMailProof } from "./address-jobs.ts";
export { noticeJobs } from "./jobs.ts";
export { createInvitationMail, type OwnMailTools } from "./send.ts";
export { readSystemFrom } from "./sender.ts";
export { createTellPeople } from "./step-letters.ts";

/** A job is given up after three days, so a week later none asks whether its mail was accepted. */
const KEPT_MS = 10 * 24 * 3_600_000;

export function forgetOldMails(db: Writable, now: Date): Promise<void> {
  return removeOldMails(db, new Date(now.getTime() - KEPT_MS));
}
