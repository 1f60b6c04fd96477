/** A subscription that is paid elsewhere is followed here: whoever charges for it says which plan it is, since when, and when it ends. */
import type { TxCtx } from "../../platform/context.ts";
import { lockPayer } from "../account-store.ts";
import { endOfHour, hourOf, periodOf } from "../periods.ts";
import { isSameRhythm, type PlanRow, termsOf } from "../plans/plans.ts";
import { findHeld, findTakenTo, type SubscriptionRow } from "../subscription-store.ts";
import { changeTo, goingOn } from "./changing.ts";
import { agreeLater, agreeNow, beginAnew, endAndFollow } from "./writing.ts";

/** Whoever charges reckons in months of this time zone, and so do the periods here. */
const TIME_ZONE = "UTC";

export type Followed = {
  readonly plan: PlanRow;
  readonly startedAt: Date;
  /** Later than the start where it begins with a trial, or where whoever charges has begun periods anew since. */
  readonly anchor: Date;
  /** Whether the plan is charged for the period that lasts; undefined where nothing is charged in it, or nobody said. */
  readonly isCharged?: boolean | undefined;
  /** The subscription that followed it until now; null where none did. */
  readonly followerId: string | null;
};

/**
 * Gives the account the plan that it pays for, and returns the id of the subscription that follows. A plan that it has already keeps the terms under
 * which it was taken. What an operator gave ends where the paid one begins, so that there is neither gap nor overlap.
 */
export async function followPlan(ctx: TxCtx, followed: Followed): Promise<string> {
  const { sql, accountId, clock } = ctx;
  await lockPayer(sql, accountId);
  const now = clock.now();
  const held = await findHeld(sql, accountId, now);
  const running = goingOn(held);
  const follower = running?.id === followed.followerId ? running : undefined;
  const agreed = agreedOf(followed.plan, follower);
  if (follower && !isAnchorMoved(follower, followed) && isSameRhythm(follower.terms, agreed.terms)) {
    await follow(ctx, follower, agreed, followed);
    return follower.id;
  }
  const { current } = held;
  const least = latest(current?.started_at, await findTakenTo(sql, accountId, now));
  const { from, anchor } = beginningOf(followed, least, now);
  const made = await beginAnew(
    ctx,
    { from, anchor, timeZone: TIME_ZONE },
    {
      ...agreed,
      spending_cap: current && isSameRhythm(current.terms, agreed.terms) ? current.spending_cap : null,
      tax_label: current?.tax_label ?? null,
      tax_rate: current?.tax_rate ?? null,
    },
  );
  return made.id;
}

/** Terms of a plan that the account has, or is to have, are those under which it took it. */
function agreedOf({ id, ...plan }: PlanRow, follower: SubscriptionRow | undefined) {
  const known = [follower, follower?.next].find((one) => one?.plan_id === id);
  return { plan_id: id, terms: known?.terms ?? termsOf({ id, ...plan }) };
}

/** Goes on with the periods that it has. One that was to come may be taken back. */
async function follow(
  ctx: TxCtx,
  follower: SubscriptionRow,
  chosen: Pick<SubscriptionRow, "plan_id" | "terms">,
  { isCharged }: Pick<Followed, "isCharged">,
): Promise<void> {
  const { plan_id, terms } = chosen;
  const planned = follower.next ?? follower;
  if (planned.plan_id === plan_id && follower.ended_at === null) return;
  const { spending_cap, tax_label, tax_rate } = follower;
  const agreed = { plan_id, terms, spending_cap, tax_label, tax_rate };
  const holds = whenCharged(follower, agreed, isCharged);
  await (holds === "now" ? agreeNow : agreeLater)(ctx, follower, agreed);
}

/** What is charged for the period that lasts holds in it, and what isn't charged before the next one holds from that. */
function whenCharged(
  follower: SubscriptionRow,
  { plan_id, terms }: Pick<SubscriptionRow, "plan_id" | "terms">,
  isCharged: boolean | undefined,
): "now" | "period_end" {
  if (isCharged) return "now";
  if (isCharged === false && terms.price > follower.terms.price) return "period_end";
  return changeTo(follower, { planId: plan_id, terms }).holds;
}

/**
 * Says when another plan begins that is to be paid: at once with a period of its own, or from the next period on. It is the rule by which it then holds.
 * At the same price there is nothing to be charged, so a larger plan begins no period.
 */
export function whenToCharge(running: SubscriptionRow, plan: PlanRow): "now" | "next_period" {
  if (plan.id === running.plan_id) return "next_period";
  const { plan_id, terms } = agreedOf(plan, running);
  const { isAnew, holds } = changeTo(running, { planId: plan_id, terms });
  return isAnew || (holds === "now" && terms.price > running.terms.price) ? "now" : "next_period";
}

/**
 * Says whether whoever charges has begun periods anew: a dearer plan that is paid at once, or a trial that was ended early. Then the period that ran
 * ends there, and is billed by its own terms. Within the hour in which it began there is nothing to tell apart.
 */
function isAnchorMoved({ started_at, anchor }: SubscriptionRow, { anchor: asked }: Followed): boolean {
  const hour = hourOf(asked);
  return (hour > started_at ? hour : started_at).getTime() !== anchor.getTime();
}

/** Ends the subscription that followed, unless an operator has given the account another since. Returns whether it did. */
export async function unfollowPlan(ctx: TxCtx, followerId: string, endedAt: Date | null): Promise<boolean> {
  const { sql, accountId, clock } = ctx;
  const timeZone = await lockPayer(sql, accountId);
  const now = clock.now();
  const held = await findHeld(sql, accountId, now);
  const running = goingOn(held);
  if (running?.id !== followerId) return false;
  const least = latest(running.started_at, await findTakenTo(sql, accountId, now));
  const at = endOf(running, between(least, endedAt ?? now, now));
  await endAndFollow(ctx, running, { endedAt: at, timeZone });
  return true;
}

/**
 * What ends within a period ends with the hour, whose mails are its last. What ends where its period does, at some minute of the hour in which that is
 * here, ends with the period: it began as many minutes early.
 */
function endOf(row: SubscriptionRow, at: Date): Date {
  const hour = hourOf(at);
  const isEdge = hour > row.started_at && periodOf(row, hour).from.getTime() === hour.getTime();
  return isEdge ? hour : endOfHour(at);
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
