/** A subscription that is paid elsewhere is followed here: whoever charges for it says which plan it is, since when, and when it ends. */
import type { TxCtx } from "../../platform/context.ts";
import { newId } from "../../platform/ids.ts";
import { lockPayer } from "../account-store.ts";
import { hourOf } from "../periods.ts";
import { isSameRhythm, type PlanRow, termsOf } from "../plans/plans.ts";
import {
  endSubscription,
  findSubscription,
  insertSubscription,
  type SubscriptionRow,
  updateSubscriptionRow,
} from "./subscription-store.ts";

/** Whoever charges reckons in months of this time zone, and so do the periods here. */
const TIME_ZONE = "UTC";

export type Followed = {
  readonly plan: PlanRow;
  readonly startedAt: Date;
  /** Later than the start where it begins with a trial. */
  readonly anchor: Date;
  /** The subscription that followed it until now; null where none did. */
  readonly followerId: string | null;
};

/**
 * Gives the account the plan that it pays for, and returns the subscription that follows. A plan that it has already keeps the terms under which it
 * was taken. What an operator gave ends where the paid one begins, so that there is neither gap nor overlap.
 */
export async function followPlan(ctx: TxCtx, followed: Followed): Promise<SubscriptionRow> {
  const { sql, accountId, clock } = ctx;
  await lockPayer(sql, accountId);
  const running = await findSubscription(sql, accountId);
  const { plan, followerId } = followed;
  const now = clock.now();
  const terms = termsOf(plan);
  if (running && running.id === followerId) {
    if (running.plan_id === plan.id) return running;
    if (isSameRhythm(running.terms, terms)) {
      const changed = { ...running, plan_id: plan.id, terms, updated_at: now };
      await updateSubscriptionRow(sql, changed);
      return changed;
    }
  }
  const { from, anchor } = beginningOf(followed, running, now);
  if (running) await endSubscription(sql, accountId, { endedAt: from, now });
  const made: SubscriptionRow = {
    account_id: accountId,
    id: newId(clock),
    plan_id: plan.id,
    terms,
    time_zone: TIME_ZONE,
    started_at: from,
    anchor,
    spending_cap: running && isSameRhythm(running.terms, terms) ? running.spending_cap : null,
    tax_label: running?.tax_label ?? null,
    tax_rate: running?.tax_rate ?? null,
    created_at: now,
    updated_at: now,
  };
  await insertSubscription(sql, made);
  return made;
}

/** Ends the subscription that followed, unless an operator has given the account another since. Returns whether it did. */
export async function unfollowPlan(
  { sql, accountId, clock }: TxCtx,
  followerId: string,
  endedAt: Date | null,
): Promise<boolean> {
  await lockPayer(sql, accountId);
  const running = await findSubscription(sql, accountId);
  if (running?.id !== followerId) return false;
  const now = clock.now();
  const at = hourOf(between(running.started_at, endedAt ?? now, now));
  return endSubscription(sql, accountId, { endedAt: at, now });
}

/** An anchor that has passed is the start of the newest rhythm: plans of another length begin where Stripe has set it anew. */
function beginningOf(
  { startedAt, anchor }: Followed,
  running: SubscriptionRow | undefined,
  now: Date,
): { from: Date; anchor: Date } {
  const begun = anchor <= now && anchor > startedAt ? anchor : startedAt;
  const from = hourOf(between(running?.started_at ?? begun, begun, now));
  return { from, anchor: anchor > from ? hourOf(anchor) : from };
}

function between(least: Date, at: Date, most: Date): Date {
  if (at < least) return least;
  return at > most ? most : at;
}
