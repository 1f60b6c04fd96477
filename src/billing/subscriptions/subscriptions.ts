/**
 * A subscription is the plan that an account has, with the terms under which it took it. One runs at a time. Its periods have neither gap nor
 * overlap, since the anchor and the time zone by which they are reckoned never change while it runs.
 */
import type { Ctx, TxCtx } from "../../platform/context.ts";
import { etagOf, requireMatch } from "../../platform/http/etag.ts";
import { fromPublicId, newId, toPublicId } from "../../platform/ids.ts";
import { AppError, type Fault, invalid, notFound } from "../../platform/problems.ts";
import { lockPayer } from "../account-store.ts";
import { applyLimits } from "../limits/limits.ts";
import { readRate, writeRate } from "../lines.ts";
import { readAmount, writeAmount } from "../money.ts";
import { afterDays, hourOf, periodOf } from "../periods.ts";
import { holdPlan, isSameRhythm, type Terms, termsOf, writeTerms } from "../plans/plans.ts";
import { planArchived } from "../problems.ts";
import type { PlanSubscription, PlanSubscriptionPut } from "./schema.ts";
import {
  endSubscription,
  findSubscription,
  hasEverSubscribed,
  insertSubscription,
  type SubscriptionRow,
  updateSubscriptionRow,
} from "./subscription-store.ts";

export { followPlan, unfollowPlan } from "./follow.ts";
export { findSubscription, hasEverSubscribed } from "./subscription-store.ts";

export async function readSubscription({ sql, accountId }: Ctx): Promise<SubscriptionRow> {
  const row = await findSubscription(sql, accountId);
  if (!row) throw noSubscription();
  return row;
}

/**
 * Gives the account a plan. Another plan with periods of the same length, in the same currency, goes on with the period that has begun, which is then
 * billed by the new terms as a whole. Any other ends what ran, and begins now.
 */
export async function putSubscription(
  ctx: TxCtx,
  input: PlanSubscriptionPut,
  ifMatch: string | undefined,
): Promise<SubscriptionRow> {
  const { sql, accountId, clock } = ctx;
  const timeZone = await lockPayer(sql, accountId);
  const running = await findSubscription(sql, accountId);
  // Where there is none, nothing matches, not even `*`.
  if (ifMatch !== undefined) requireMatch(running ? ifMatch : "", running ? subscriptionEtag(running) : NONE);

  const { planId, terms, trialDays } = await termsFor(ctx, input, running);
  const now = clock.now();
  const chosen = { plan_id: planId, terms, ...readChoices(input, terms.currency), updated_at: now };
  if (running && isSameRhythm(running.terms, terms)) {
    const changed = { ...running, ...chosen };
    await updateSubscriptionRow(sql, changed);
    await applyLimits(ctx);
    return changed;
  }
  // What ends and what begins within an hour meet where it began, so that its mails are counted once.
  const startedAt = hourOf(now);
  const endOfTrial = afterDays(startedAt, trialDays, timeZone);
  const anchor = await anchorFor(ctx, running, { startedAt, endOfTrial });
  if (running) await endSubscription(sql, accountId, { endedAt: startedAt, now });
  const made = {
    account_id: accountId,
    id: newId(clock),
    ...chosen,
    time_zone: timeZone,
    started_at: startedAt,
    anchor,
    created_at: now,
  };
  await insertSubscription(sql, made);
  await applyLimits(ctx);
  return made;
}

/** Ends the subscription at once. Afterwards the account has no plan, and no limits of one. */
export async function deleteSubscription(ctx: TxCtx): Promise<void> {
  const { sql, accountId, clock } = ctx;
  await lockPayer(sql, accountId);
  const now = clock.now();
  if (!(await endSubscription(sql, accountId, { endedAt: hourOf(now), now }))) throw noSubscription();
  await applyLimits(ctx);
}

/** A plan that the account has already keeps the terms that it was taken with, unless they are asked for anew. */
async function termsFor(
  { sql }: TxCtx,
  { plan_id, renew_terms = false }: PlanSubscriptionPut,
  running: SubscriptionRow | undefined,
): Promise<{ planId: string; terms: Terms; trialDays: number }> {
  const planId = fromPublicId("pln", plan_id);
  if (running && running.plan_id === planId && !renew_terms)
    return { planId: running.plan_id, terms: running.terms, trialDays: 0 };
  const plan = planId && (await holdPlan(sql, planId));
  if (!plan) throw invalid({ pointer: "/plan_id", code: "not_found", detail: "there is no such plan" });
  if (plan.archived_at) throw new AppError(planArchived, `${plan.name} is archived; take another plan`);
  return { planId: plan.id, terms: termsOf(plan), trialDays: plan.trial_days };
}

/** An account has one trial, and what is left of it stays with it when it takes another plan. */
async function anchorFor(
  { sql, accountId }: TxCtx,
  running: SubscriptionRow | undefined,
  { startedAt, endOfTrial }: { readonly startedAt: Date; readonly endOfTrial: Date },
): Promise<Date> {
  if (running) return running.anchor > startedAt ? running.anchor : startedAt;
  return (await hasEverSubscribed(sql, accountId)) ? startedAt : endOfTrial;
}

const NONE = '"none"';

function readChoices({ spending_cap = null, tax = null }: PlanSubscriptionPut, currency: string) {
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

export function subscriptionEtag({
  plan_id,
  terms,
  spending_cap,
  tax_label,
  tax_rate,
}: SubscriptionRow): string {
  return etagOf({ plan_id, ...writeTerms(terms), spending_cap, tax_label, tax_rate });
}

export function shapeSubscription(row: SubscriptionRow, now: Date): PlanSubscription {
  const { terms, spending_cap, tax_label, tax_rate } = row;
  const { from, to } = periodOf(row, now);
  return {
    object: "plan_subscription",
    id: toPublicId("pls", row.id),
    plan_id: toPublicId("pln", row.plan_id),
    state: now < row.anchor ? "trialing" : "active",
    terms: { ...writeTerms(terms), features: [...terms.features] },
    time_zone: row.time_zone,
    started_at: row.started_at.toISOString(),
    anchor: row.anchor.toISOString(),
    period: { from: from.toISOString(), to: to.toISOString() },
    spending_cap: spending_cap === null ? null : writeAmount(spending_cap, terms.currency),
    tax: tax_label === null || tax_rate === null ? null : { label: tax_label, rate: writeRate(tax_rate) },
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

function noSubscription(): AppError {
  return new AppError(notFound, "the account has no plan");
}
