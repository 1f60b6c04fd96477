import { lockSubscriberLimit } from "../../accounts/accounts.ts";
import type { Tx } from "../../platform/db/db.ts";
import { countSubscribersOf } from "./list-store.ts";

/** How many subscribers an account may have, and how many more that lets in. */
type SubscriberRoom = { readonly limit: number; readonly left: number };

/**
 * Says how many subscribers may be added; undefined where there is no limit. Whoever adds some to an account with a limit calls this
 * right before, after all other locks: until its transaction ends nobody else adds any, so that the counters of its lists are exact.
 */
export async function findRoom(tx: Tx, accountId: string): Promise<SubscriberRoom | undefined> {
  const limit = await lockSubscriberLimit(tx, accountId);
  if (limit === null) return undefined;
  // This is a statement of its own, so that it sees what whoever had the lock before has committed.
  const count = (await countSubscribersOf(tx, [accountId])).get(accountId) ?? 0;
  return { limit, left: Math.max(0, limit - count) };
}
