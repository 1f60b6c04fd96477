/** What may become of a subscription: other terms now or later, an end, another that begins. Whoever does it has locked the account. */
import type { TxCtx } from "../../platform/context.ts";
import { newId } from "../../platform/ids.ts";
import { applyLimits } from "../limits/limits.ts";
import { afterDays, periodOf } from "../periods.ts";
import { holdDefaultPlan, termsOf } from "../plans/plans.ts";
import {
  type Agreed,
  dropUpcoming,
  endSubscriptions,
  hasHadTrial,
  insertSubscription,
  type SubscriptionRow,
  updateSubscriptionRow,
} from "../subscription-store.ts";

/** Changes what holds now, and takes back whatever was to come. */
export async function agreeNow(ctx: TxCtx, row: SubscriptionRow, agreed: Agreed): Promise<void> {
  const { sql, accountId, clock } = ctx;
  const now = clock.now();
  await dropUpcoming(sql, accountId, now);
  await updateSubscriptionRow(sql, { ...row, ...agreed, next: null, ended_at: null, updated_at: now });
  await applyLimits(ctx);
}

/** Says what holds from the next period on. Until then everything stays as it is. */
export async function agreeLater(ctx: TxCtx, row: SubscriptionRow, agreed: Agreed): Promise<void> {
  const { sql, accountId, clock } = ctx;
  const now = clock.now();
  const next = { ...agreed, at: periodOf(row, now).to };
  await dropUpcoming(sql, accountId, now);
  await updateSubscriptionRow(sql, { ...row, next, ended_at: null, updated_at: now });
  await applyLimits(ctx);
}

type Beginning = {
  readonly from: Date;
  readonly anchor: Date;
  readonly timeZone: string;
  readonly isDefault?: boolean;
};

/** Begins a subscription where all that the account has ends, so that each hour is of one of them. */
export async function beginAnew(
  ctx: TxCtx,
  { from, anchor, timeZone, isDefault = false }: Beginning,
  agreed: Agreed,
): Promise<SubscriptionRow> {
  const { sql, accountId, clock } = ctx;
  const now = clock.now();
  await endSubscriptions(sql, accountId, { endedAt: from, now });
  const made: SubscriptionRow = {
    account_id: accountId,
    id: newId(clock),
    ...agreed,
    next: null,
    time_zone: timeZone,
    started_at: from,
    anchor,
    ended_at: null,
    is_default: isDefault,
    created_at: now,
    updated_at: now,
  };
  await insertSubscription(sql, made);
  await applyLimits(ctx);
  return made;
}

/**
 * Ends what the account has. What accounts get by themselves begins at that moment, in the same transaction, so that there is none without limits
 * between. Its tax goes along.
 */
export async function endAndFollow(
  ctx: TxCtx,
  row: SubscriptionRow,
  { endedAt, timeZone }: { readonly endedAt: Date; readonly timeZone: string },
): Promise<void> {
  await endSubscriptions(ctx.sql, ctx.accountId, { endedAt, now: ctx.clock.now() });
  const { tax_label, tax_rate } = row;
  const hasFollower = await beginDefault(ctx, { from: endedAt, timeZone, tax: { tax_label, tax_rate } });
  if (!hasFollower) await applyLimits(ctx);
}

/** Gives the account the plan that all accounts get. Returns false where there is none. */
export async function beginDefault(ctx: TxCtx, { from, timeZone, tax }: DefaultBeginning): Promise<boolean> {
  const plan = await holdDefaultPlan(ctx.sql);
  if (!plan) return false;
  const hasTrial = plan.trial_days > 0 && !(await hasHadTrial(ctx.sql, ctx.accountId));
  const anchor = hasTrial ? afterDays(from, plan.trial_days, timeZone) : from;
  const agreed = { plan_id: plan.id, terms: termsOf(plan), spending_cap: null, ...tax };
  await beginAnew(ctx, { from, anchor, timeZone, isDefault: true }, agreed);
  return true;
}

type DefaultBeginning = {
  readonly from: Date;
  readonly timeZone: string;
  readonly tax: Pick<Agreed, "tax_label" | "tax_rate">;
};
