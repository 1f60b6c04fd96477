/**
 * Forms by which people sign up to a list, from a page of ours or from any site. What they show, what they take, and what keeps them
 * from being used against others. This file is what other folders may use.
 */
import type { TxCtx } from "../platform/context.ts";
import type { Db } from "../platform/db/db.ts";
import type { HashAddress } from "../subscribers/subscribers.ts";
import { removeOldProtection } from "./protection/protection.ts";
import { forgetSubmissions, removeOldSubmissions } from "./submitting/submitting.ts";

export { mountForms } from "./public-routes.ts";

const WEEK_MS = 7 * 24 * 3_600_000;

/** An erasure also reaches what was sent in and isn't done yet. */
export function forgetInForms(ctx: TxCtx, hash: HashAddress, addressKey: string): Promise<void> {
  return forgetSubmissions(ctx.sql, ctx.accountId, hash(addressKey));
}

/** Removes counts and proofs that no submission asks for any more, and submissions that nothing came of. */
export async function tidyForms(db: Db, now: Date): Promise<void> {
  await removeOldProtection(db, now);
  await removeOldSubmissions(db, new Date(now.getTime() - WEEK_MS));
}
