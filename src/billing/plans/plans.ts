/** Plans are what operators offer accounts. Whoever subscribes to one keeps its terms, whatever is changed of it later. */
import type { Ctx, TxCtx } from "../../platform/context.ts";
import { isUniqueViolation } from "../../platform/db/errors.ts";
import { etagOf, requireMatch } from "../../platform/http/etag.ts";
import { newId, toPublicId } from "../../platform/ids.ts";
import { AppError, type Fault, invalid, notFound, preconditionFailed } from "../../platform/problems.ts";
import { planArchived, planIsDefault } from "../problems.ts";
import {
  findPlan,
  findPlanRow,
  insertPlan,
  lockDefault,
  lockPlan,
  type PlanEntry,
  type PlanRow,
  unmarkDefault,
  updatePlanRow,
} from "./plan-store.ts";
import { DEFAULTS, type Plan, type PlanCreate, type PlanOffer, type PlanPatch } from "./schema.ts";
import { readTerms, type Terms, type WrittenTerms, writeTerms } from "./terms.ts";

export {
  countSoldPlans,
  findDefaultPlan,
  findPlanByPrice,
  findPlanRow,
  holdDefaultPlan,
  holdPlan,
  listSoldPlans,
  type PlanRow,
} from "./plan-store.ts";
export { dearest, isFree, isSmaller } from "./smaller.ts";
export { featuresOf, isSameRhythm, type Terms, writeTerms } from "./terms.ts";

/** Returns what a subscription keeps of a plan. */
export function termsOf(plan: PlanRow): Terms {
  const { id, trial_days, stripe_price_id, is_default, created_at, updated_at, archived_at, ...terms } = plan;
  return terms;
}

/** What has to be the same where a plan is sold. */
export type SoldAs = Pick<PlanRow, "price" | "currency" | "interval" | "stripe_price_id">;
/** A price as whoever charges it has it. */
export type SoldPrice = {
  readonly id: string;
  /** Says why a plan can't be sold by it. */
  readonly faultFor: (plan: SoldAs) => Fault | undefined;
};
/** Is undefined where nobody is charged. */
export type FindPrice = ((ctx: Ctx, id: string) => Promise<SoldPrice>) | undefined;
/** Is `unasked` where nobody is charged. */
type Asked = SoldPrice | "unasked" | undefined;

/** Asks for the price that a plan is to have. */
export async function askPrice(ctx: Ctx, find: FindPrice, id: string | null | undefined): Promise<Asked> {
  if (!find) return "unasked";
  return id ? find(ctx, id) : undefined;
}

/** Asks for the price that a plan has after a change, where that change could part them. */
export async function askChangedPrice(
  ctx: Ctx,
  find: FindPrice,
  id: string,
  patch: PlanPatch,
): Promise<Asked> {
  const row = find && (await findPlanRow(ctx.sql, id));
  if (!row || row.archived_at) return askPrice(ctx, find, null);
  const read = readTerms({ ...writeTerms(row), ...patch });
  // What can't be read is refused later, and nobody has to be asked about it.
  if ("faults" in read) return undefined;
  const { stripe_price_id = row.stripe_price_id } = patch;
  const isOther = !isSoldAs(row, { ...read.terms, stripe_price_id });
  return askPrice(ctx, find, isOther ? stripe_price_id : null);
}

function isSoldAs(one: SoldAs, other: SoldAs): boolean {
  const names = ["price", "currency", "interval", "stripe_price_id"] as const;
  return names.every((name) => one[name] === other[name]);
}

function requirePrice(plan: SoldAs, asked: Asked): void {
  if (asked === "unasked" || plan.stripe_price_id === null) return;
  if (asked?.id !== plan.stripe_price_id)
    throw new AppError(preconditionFailed, "the plan was changed meanwhile; read it again, then decide");
  const fault = asked.faultFor(plan);
  if (fault) throw invalid(fault);
}

export async function createPlan(ctx: TxCtx, input: PlanCreate, asked: Asked): Promise<PlanEntry> {
  const { trial_days, stripe_price_id, ...written } = { ...DEFAULTS, ...input };
  const now = ctx.clock.now();
  const made: PlanRow = {
    ...requireTerms(written),
    trial_days,
    stripe_price_id,
    is_default: false,
    id: newId(ctx.clock),
    created_at: now,
    updated_at: now,
    archived_at: null,
  };
  requirePrice(made, asked);
  await withOwnPrice(() => insertPlan(ctx.sql, made));
  return { ...made, subscriptions: 0 };
}

export async function readPlan({ sql, clock }: Pick<Ctx, "sql" | "clock">, id: string): Promise<PlanEntry> {
  const plan = await findPlan(sql, id, clock.now());
  if (!plan) throw unknownPlan();
  return plan;
}

/** Changes what is offered from now on. Accounts that have the plan keep the terms under which they took it. */
export async function updatePlan(
  ctx: TxCtx,
  id: string,
  patch: PlanPatch,
  { ifMatch, asked }: { readonly ifMatch: string | undefined; readonly asked: Asked },
): Promise<PlanEntry> {
  const { sql, clock } = ctx;
  const { default: marked, ...offer } = patch;
  if (marked !== undefined) await lockDefault(sql);
  const row = await lockPlan(sql, id);
  if (!row) throw unknownPlan();
  if (row.archived_at) throw new AppError(planArchived, "an archived plan isn't changed");
  requireMatch(ifMatch, planEtag(row));
  const { trial_days = row.trial_days, stripe_price_id = row.stripe_price_id, ...written } = offer;
  const terms = requireTerms({ ...writeTerms(row), ...written });
  const now = clock.now();
  const is_default = marked ?? row.is_default;
  const changed = { ...row, ...terms, trial_days, stripe_price_id, is_default, updated_at: now };
  refuseSoldDefault(changed, patch);
  if (!isSoldAs(row, changed)) requirePrice(changed, asked);
  if (marked && !row.is_default) await unmarkDefault(sql, now);
  await withOwnPrice(() => updatePlanRow(sql, changed));
  return readPlan(ctx, id);
}

/** What accounts buy they don't get by themselves, too: nobody would be charged for it. */
function refuseSoldDefault({ is_default, stripe_price_id }: PlanRow, patch: PlanPatch): void {
  if (!is_default || stripe_price_id === null) return;
  const pointer = patch.default ? "/default" : "/stripe_price_id";
  const detail = "a plan that is sold at Stripe can't be the one that accounts get by themselves";
  throw invalid({ pointer, code: "sold_by_default", detail });
}

/** Returns whether it was changed by this: one that is archived already stays as it is. */
export async function archivePlan(ctx: TxCtx, id: string): Promise<boolean> {
  const row = await lockPlan(ctx.sql, id);
  if (!row) throw unknownPlan();
  if (row.archived_at) return false;
  if (row.is_default)
    throw new AppError(
      planIsDefault,
      `${row.name} is what accounts get by themselves; mark another plan first`,
    );
  const now = ctx.clock.now();
  await updatePlanRow(ctx.sql, { ...row, archived_at: now, updated_at: now });
  return true;
}

export function planEtag(row: PlanRow): string {
  const { trial_days, stripe_price_id, is_default } = row;
  return etagOf({ ...writeTerms(row), trial_days, stripe_price_id, is_default });
}

export function shapePlan(row: PlanEntry): Plan {
  return {
    object: "plan",
    id: toPublicId("pln", row.id),
    ...writeTerms(row),
    trial_days: row.trial_days,
    stripe_price_id: row.stripe_price_id,
    default: row.is_default,
    subscriptions: row.subscriptions,
    archived_at: row.archived_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

/** What an account is shown of a plan that it may buy. */
export function shapeOffer(row: PlanRow): PlanOffer {
  return {
    object: "plan_offer",
    id: toPublicId("pln", row.id),
    ...writeTerms(termsOf(row)),
    trial_days: row.trial_days,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

/** A price stands for one plan, or nobody could say which one was bought. */
async function withOwnPrice(write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (!isUniqueViolation(error, "billing_plans_by_stripe_price")) throw error;
    const detail = "another plan has this price; an archived one keeps its own";
    throw invalid({ pointer: "/stripe_price_id", code: "taken", detail });
  }
}

function requireTerms(written: WrittenTerms): Terms {
  const read = readTerms(written);
  if ("faults" in read) throw invalid(...read.faults);
  return read.terms;
}

function unknownPlan(): AppError {
  return new AppError(notFound, "there is no such plan");
}
