/**
 * What an account mails to one of its subscribers by itself: the link to confirm, a welcome, and whatever other letters the floors above
 * write. It is transactional mail of the account, untracked; a mail with a link that is for its recipient alone is shown to nobody
 * else (docs/decisions/0038). This file is what other folders may use.
 */
import type { Writable } from "../platform/db/db.ts";
import { removeOldClaims } from "./store.ts";

export { addSubscriberMail } from "./add.ts";
export type { Letter } from "./layout.ts";
export { createSubscriberLinks } from "./subscriber-links.ts";
export { findWelcomeFault } from "./welcome.ts";

/** A job is given up after three days, so a week later none asks whether its mail was accepted. */
const KEPT_MS = 10 * 24 * 3_600_000;

export function forgetOldSubscriberMails(db: Writable, now: Date): Promise<void> {
  return removeOldClaims(db, new Date(now.getTime() - KEPT_MS));
}
