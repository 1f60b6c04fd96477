/** These pure rules say what becomes of a subscription when another plan is chosen: whether it goes on, and when the plan holds. */
import { isFree, isSameRhythm, isSmaller, type Terms } from "../plans/plans.ts";
import type { Held, SubscriptionRow } from "../subscription-store.ts";

/** Returns what goes on until something is changed of it: what has ended, or ends with this hour, doesn't. What ends for another plan does. */
export function goingOn({ current, upcoming }: Held): SubscriptionRow | undefined {
  const isReplaced = upcoming !== undefined && !upcoming.is_default;
  return current?.ended_at === null || isReplaced ? current : undefined;
}

export type Change = {
  /** Whether a subscription of its own begins, with periods of its own. */
  readonly isAnew: boolean;
  readonly holds: "now" | "period_end";
};

/**
 * A plan with periods of another length or in another currency begins anew, and so does whatever is chosen in place of the plan that the account got
 * by itself: nobody pays for days on which it had that. Smaller terms hold from the next period, unless it is said when they do; where nobody pays for
 * either, they are a quota, which holds at once.
 */
export function changeTo(
  { plan_id, terms, is_default }: Pick<SubscriptionRow, "plan_id" | "terms" | "is_default">,
  next: { readonly planId: string; readonly terms: Terms },
  at?: Change["holds"],
): Change {
  const isLeft = is_default && next.planId !== plan_id;
  const isQuota = isFree(next.terms) && isFree(terms);
  const later = !isLeft && !isQuota && isSmaller(next.terms, terms);
  return { isAnew: isLeft || !isSameRhythm(terms, next.terms), holds: at ?? (later ? "period_end" : "now") };
}
