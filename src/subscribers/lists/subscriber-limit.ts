import { lockSubscriberLimit, type SubscriberLimit } from "../../accounts/accounts.ts";
import type { Tx } from "../../platform/db/db.ts";
import { countSubscribersOf } from "./list-store.ts";

/** How many subscribers an account may have, how many it has, and how many more that lets in. */
export type SubscriberRoom = SubscriberLimit & { readonly used: number; readonly left: number };

/**
 * Says how many subscribers may be added; undefined where there is no limit. Whoever adds some to an account with a limit calls this
 * right before, after all other locks: until its transaction ends nobody else adds any, so that the counters of its lists are exact.
 */
export async function findRoom(
  tx: Tx,
  accountId: string,
  { exceptPlan = false }: { readonly exceptPlan?: boolean } = {},
): Promise<SubscriberRoom | undefined> {
  const limit = await lockSubscriberLimit(tx, accountId, { exceptPlan });
  if (limit === undefined) return undefined;
  // This is a statement of its own, so that it sees what whoever had the lock before has committed.
  const used = (await countSubscribersOf(tx, [accountId])).get(accountId) ?? 0;
  return { ...limit, used, left: Math.max(0, limit.limit - used) };
}
