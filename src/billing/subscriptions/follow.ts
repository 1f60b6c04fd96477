/** A subscription that is paid elsewhere is followed here: whoever charges for it says which plan it is, since when, and when it ends. */
import type { TxCtx } from "../../platform/context.ts";
import { newId } from "../../platform/ids.ts";
import { lockPayer } from "../account-store.ts";
import { applyLimits } from "../limits/limits.ts";
import { hourOf } from "../periods.ts";
import { isSameRhythm, type PlanRow, termsOf } from "../plans/plans.ts";
import {
  endSubscription,
  findSubscription,
  findTakenTo,
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
      await applyLimits(ctx);
      return changed;
    }
  }
  const least = latest(running?.started_at, await findTakenTo(sql, accountId));
  const { from, anchor } = beginningOf(followed, least, now);
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
  await applyLimits(ctx);
  return made;
}

/** Ends the subscription that followed, unless an operator has given the account another since. Returns whether it did. */
export async function unfollowPlan(ctx: TxCtx, followerId: string, endedAt: Date | null): Promise<boolean> {
  const { sql, accountId, clock } = ctx;
  await lockPayer(sql, accountId);
  const running = await findSubscription(sql, accountId);
  if (running?.id !== followerId) return false;
  const now = clock.now();
  const least = latest(running.started_at, await findTakenTo(sql, accountId));
  const at = hourOf(between(least, endedAt ?? now, now));
  const hasEnded = await endSubscription(sql, accountId, { endedAt: at, now });
  await applyLimits(ctx);
  return hasEnded;
}

/**
 * An anchor that has passed is the start of the newest rhythm: plans of another length begin where Stripe has set it anew. Nothing begins or ends
 * before what was stated already or belongs to a subscription that has ended, or those hours would be billed twice.
 */
function beginningOf(
  { startedAt, anchor }: Followed,
  least: Date | undefined,
  now: Date,
): { from: Date; anchor: Date } {
  const begun = anchor <= now && anchor > startedAt ? anchor : startedAt;
  const from = hourOf(between(least ?? begun, begun, now));
  return { from, anchor: anchor > from ? hourOf(anchor) : from };
}

function latest(...times: readonly (Date | undefined)[]): Date | undefined {
  const known = times.filter((time) => time !== undefined);
  return known.toSorted((one, other) => other.getTime() - one.getTime())[0];
}

function between(least: Date | undefined, at: Date, most: Date): Date {
  if (least && at < least) return least;
  return at > most ? most : at;
}
