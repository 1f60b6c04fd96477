/**
 * A subscription is the plan that an account has, with the terms under which it took it. One runs at a time. Its periods have neither gap nor
 * overlap, since the anchor and the time zone by which they are reckoned never change while it runs.
 */
import type { Ctx, TxCtx } from "../../platform/context.ts";
import { requireMatch } from "../../platform/http/etag.ts";
import { fromPublicId } from "../../platform/ids.ts";
import { AppError, type Fault, invalid, notFound } from "../../platform/problems.ts";
import { lockPayer } from "../account-store.ts";
import { readRate } from "../lines.ts";
import { readAmount } from "../money.ts";
import { afterDays, endOfHour, hourOf, periodOf } from "../periods.ts";
import { findDefaultPlan, holdPlan, type Terms, termsOf } from "../plans/plans.ts";
import { planArchived, planIsDefault } from "../problems.ts";
import {
  type Agreed,
  findHeld,
  type Held,
  hasHadTrial,
  type SubscriptionRow,
} from "../subscription-store.ts";
import { changeTo, goingOn } from "./changing.ts";
import type { PlanSubscriptionPut } from "./schema.ts";
import { subscriptionEtag } from "./shape.ts";
import { agreeLater, agreeNow, beginAnew, beginDefault, endAndFollow } from "./writing.ts";

export { findHeld, hasHadTrial } from "../subscription-store.ts";
export { followPlan, unfollowPlan, whenToCharge } from "./follow.ts";
export { shapePlanTaken, shapeSubscription } from "./shape.ts";

export async function readSubscription({ sql, accountId, clock }: Ctx): Promise<Held & Has> {
  return requireHeld(await findHeld(sql, accountId, clock.now()));
}

type Has = { readonly current: SubscriptionRow };

function requireHeld({ current, upcoming }: Held): Held & Has {
  if (!current) throw new AppError(notFound, "the account has no plan");
  return { current, upcoming };
}

/**
 * Gives the account a plan. One that isn't smaller holds at once, and the period that has begun is billed by it as a whole; a smaller one holds from
 * the next period. One with periods of another length, or in another currency, ends what runs and begins periods of its own.
 */
export async function putSubscription(
  ctx: TxCtx,
  input: PlanSubscriptionPut,
  ifMatch: string | undefined,
): Promise<Held & Has> {
  const { sql, accountId, clock } = ctx;
  const timeZone = await lockPayer(sql, accountId);
  const now = clock.now();
  const held = await findHeld(sql, accountId, now);
  // Where there is none, nothing matches, not even `*`.
  const { current } = held;
  if (ifMatch !== undefined)
    requireMatch(current ? ifMatch : "", current ? subscriptionEtag({ ...held, current }) : NONE);

  const running = goingOn(held);
  const { planId, terms, trialDays } = await termsFor(ctx, input, running);
  const agreed = { plan_id: planId, terms, ...readChoices(input, terms.currency) };
  const change = running && changeTo(running, { planId, terms }, input.at);
  if (running && change && !change.isAnew) {
    await (change.holds === "now" ? agreeNow : agreeLater)(ctx, running, agreed);
  } else {
    // What ends and what begins within an hour meet where it began, so that its mails are counted once.
    const from = running && change?.holds === "period_end" ? periodOf(running, now).to : hourOf(now);
    const anchor = await anchorFor(ctx, running, { from, endOfTrial: afterDays(from, trialDays, timeZone) });
    await beginAnew(ctx, { from, anchor, timeZone }, agreed);
  }
  return requireHeld(await findHeld(sql, accountId, now));
}

/**
 * Ends the subscription with the running hour: its mails are of the last period, and whatever else holds then has none of them. Returns false where
 * it ends with this hour already.
 */
export async function deleteSubscription(ctx: TxCtx): Promise<boolean> {
  const { sql, accountId, clock } = ctx;
  const timeZone = await lockPayer(sql, accountId);
  const now = clock.now();
  const held = await findHeld(sql, accountId, now);
  const { current } = requireHeld(held);
  if (!goingOn(held)) return false;
  if (current.is_default && (await findDefaultPlan(sql))?.id === current.plan_id)
    throw new AppError(
      planIsDefault,
      "the account has what it would get when its plan ends; give it another plan",
    );
  await endAndFollow(ctx, current, { endedAt: endOfHour(now), timeZone });
  return true;
}

/** Gives a new account the plan that all accounts get; nothing where there is none. */
export async function giveDefaultPlan(ctx: TxCtx): Promise<void> {
  const timeZone = await lockPayer(ctx.sql, ctx.accountId);
  const tax = { tax_label: null, tax_rate: null };
  await beginDefault(ctx, { from: hourOf(ctx.clock.now()), timeZone, tax });
}

/** A plan that the account has already, or is to have, keeps the terms that it was taken with, unless they are asked for anew. */
async function termsFor(
  { sql }: TxCtx,
  { plan_id, renew_terms = false }: PlanSubscriptionPut,
  running: SubscriptionRow | undefined,
): Promise<{ planId: string; terms: Terms; trialDays: number }> {
  const planId = fromPublicId("pln", plan_id);
  const known = [running, running?.next].find((one) => one?.plan_id === planId);
  if (known && !renew_terms) return { planId: known.plan_id, terms: known.terms, trialDays: 0 };
  const plan = planId && (await holdPlan(sql, planId));
  if (!plan) throw invalid({ pointer: "/plan_id", code: "not_found", detail: "there is no such plan" });
  if (plan.archived_at) throw new AppError(planArchived, `${plan.name} is archived; take another plan`);
  return { planId: plan.id, terms: termsOf(plan), trialDays: plan.trial_days };
}

/** An account has one trial, and what is left of it stays with it when it takes another plan. */
async function anchorFor(
  { sql, accountId }: TxCtx,
  running: SubscriptionRow | undefined,
  { from, endOfTrial }: { readonly from: Date; readonly endOfTrial: Date },
): Promise<Date> {
  if (running && running.anchor > from) return running.anchor;
  return (await hasHadTrial(sql, accountId)) ? from : endOfTrial;
}

const NONE = '"none"';

function readChoices(
  { spending_cap = null, tax = null }: PlanSubscriptionPut,
  currency: string,
): Omit<Agreed, "plan_id" | "terms"> {
  const faults: Fault[] = [];
  const cap = spending_cap === null ? null : readAmount(spending_cap, currency);
  const rate = tax === null ? null : readRate(tax.rate);
  if (cap !== null && typeof cap !== "number")
    faults.push({ pointer: "/spending_cap", code: "invalid_amount", detail: cap.wrong });
  if (rate !== null && typeof rate !== "number")
    faults.push({ pointer: "/tax/rate", code: "invalid_rate", detail: rate.wrong });
  if (faults.length > 0) throw invalid(...faults);
  return {
    spending_cap: cap as number | null,
    tax_label: tax?.label ?? null,
    tax_rate: rate as number | null,
  };
}
