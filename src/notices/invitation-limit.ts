/** Keeps a loop over invitations from filling the mailbox of somebody who isn't even a user yet. */
import type { Ctx } from "../platform/context.ts";
import { countMails } from "./store.ts";

const HOUR_MS = 3_600_000;
const MOST_INVITATIONS_AN_HOUR = 3;

/** Returns whether another invitation may be mailed to a user. The link that the answer shows is made all the same. */
export async function mayInvite({ sql, accountId, clock }: Ctx, userId: string): Promise<boolean> {
  const since = new Date(clock.now().getTime() - HOUR_MS);
  return (await countMails(sql, accountId, userId, "invitation", since)) < MOST_INVITATIONS_AN_HOUR;
}
