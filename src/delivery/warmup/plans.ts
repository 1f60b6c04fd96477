/** What users do with the plan of a transport: make or change it, see how far it is, pause it, let it go on, and delete it. */
import { dayOf, nextDayBegins } from "../../accounts/accounts.ts";
import { recordEvent } from "../../events/events.ts";
import { reportsComplaints } from "../../mail/mailbox-providers/complaint-feedback.ts";
import { MAILBOX_PROVIDERS } from "../../mail/mailbox-providers/mailbox-providers.ts";
import type { Ctx, TxCtx } from "../../platform/context.ts";
import { toPublicId } from "../../platform/ids.ts";
import { addJob } from "../../platform/jobs/jobs.ts";
import { invalid, missing } from "../../platform/problems.ts";
import { sendPutOffKind } from "../job-kinds.ts";
import { countsOf } from "./day-counts.ts";
import { listDays, type ShownDay } from "./day-store.ts";
import { nextStep, RETRIES_SPREAD_MS } from "./plan-rules.ts";
import {
  deletePlan,
  findPlan,
  lockTransportOfPlan,
  type PlanRow,
  pausePlan,
  planOf,
  putPlan,
} from "./plan-store.ts";
import type { Warmup, WarmupInput } from "./schema.ts";

const DAY_MS = 24 * 3_600_000;
const SHOWN_DAYS = 30;

export async function readWarmup(ctx: Ctx, transportId: string): Promise<Warmup> {
  const plan = await findPlan(ctx.sql, ctx.accountId, transportId);
  if (!plan) throw missing("warm-up");
  return shape(ctx, transportId, plan);
}

/** Makes a plan, or changes the one that there is. A day that has begun keeps its caps. */
export async function putWarmup(ctx: TxCtx, transportId: string, input: WarmupInput): Promise<Warmup> {
  if (input.target_per_day < input.start_per_day) {
    const detail = "must be at least start_per_day";
    throw invalid({ pointer: "/target_per_day", code: "out_of_range", detail });
  }
  await requireTransport(ctx, transportId);
  const plan = await putPlan(ctx.sql, ctx.accountId, transportId, input, ctx.clock.now());
  return changed(ctx, transportId, plan);
}

/** Deletes the plan. Retries that found a cap used up wait until the next day by themselves, and are called back. */
export async function deleteWarmup(ctx: TxCtx, transportId: string): Promise<void> {
  const { sql, accountId, clock } = ctx;
  await requireTransport(ctx, transportId);
  if (!(await deletePlan(sql, accountId, transportId))) throw missing("warm-up");
  await recordChange(ctx, transportId);
  await addJob(sql, sendPutOffKind, {
    account_id: accountId,
    transport_id: transportId,
    closed_until: nextDayBegins(clock.now()).toISOString(),
    opened_at: new Date(clock.now().getTime() - RETRIES_SPREAD_MS).toISOString(),
  });
}

/** What is paused already, or runs already, stays as it is. */
export async function pauseWarmup(ctx: TxCtx, transportId: string, isPaused: boolean): Promise<Warmup> {
  await requireTransport(ctx, transportId);
  const plan = await pausePlan(ctx.sql, ctx.accountId, transportId, isPaused, ctx.clock.now());
  if (!plan) throw missing("warm-up");
  return changed(ctx, transportId, plan);
}

async function requireTransport({ sql, accountId }: TxCtx, transportId: string): Promise<void> {
  if (!(await lockTransportOfPlan(sql, accountId, transportId))) throw missing("transport");
}

async function changed(ctx: TxCtx, transportId: string, plan: PlanRow): Promise<Warmup> {
  await recordChange(ctx, transportId);
  return shape(ctx, transportId, plan);
}

async function recordChange(ctx: TxCtx, transportId: string): Promise<void> {
  const data = { transport_id: toPublicId("trn", transportId), changed: ["warmup"] };
  await recordEvent(ctx, { type: "transport.updated", data });
}

async function shape(ctx: Ctx, transportId: string, plan: PlanRow): Promise<Warmup> {
  const since = dayOf(new Date(ctx.clock.now().getTime() - (SHOWN_DAYS - 1) * DAY_MS));
  const days = await listDays(ctx.sql, ctx.accountId, transportId, { planBeganAt: plan.began_at, since });
  const { start_per_day, growth, target_per_day } = plan;
  return {
    object: "warmup",
    transport_id: toPublicId("trn", transportId),
    status: plan.paused_at === null ? "running" : "paused",
    start_per_day,
    growth,
    target_per_day,
    paused_at: plan.paused_at?.toISOString() ?? null,
    began_at: plan.began_at.toISOString(),
    updated_at: plan.updated_at.toISOString(),
    providers: [...Map.groupBy(days, ({ provider }) => provider)].map(([provider, own]) => {
      const perDay = own.at(-1)?.allowed ?? start_per_day;
      return {
        provider,
        name: nameOf(provider),
        per_day: perDay,
        is_at_target: perDay >= target_per_day,
        ...stepsOf(own, plan),
        days: own.map((one) => shapeDay(one, reportsComplaints(provider))),
      };
    }),
  };
}

/** The steps to the last of these days and from it, by the rules as they are now. */
function stepsOf(
  days: readonly ShownDay[],
  row: PlanRow,
): Pick<Warmup["providers"][number], "reason" | "next"> {
  const plan = planOf(row);
  const history = days.map((one) => ({ cap: one.allowed, counts: countsOf(one) }));
  const next = nextStep(history, plan);
  const isFirstKnown = history.length > 1 || days[0]?.day === dayOf(row.began_at);
  const step = isFirstKnown ? nextStep(history.slice(0, -1), plan) : undefined;
  const isSame = step?.cap === history.at(-1)?.cap;
  return {
    reason: step && isSame ? step.reason : null,
    next: { per_day: next.cap, reason: next.reason },
  };
}

/** Where nobody tells of complaints their number is unknown, unless one came after all. */
function shapeDay(row: ShownDay, areTold: boolean): Warmup["providers"][number]["days"][number] {
  const { sent, hard, deferred, complained } = countsOf(row);
  return {
    day: row.day,
    planned: row.allowed,
    sent,
    hard_bounces: hard,
    deferred,
    complaints: complained !== undefined && (areTold || complained > 0) ? complained : null,
  };
}

const NAMES = new Map(MAILBOX_PROVIDERS.map(({ key, name }) => [key, name]));

function nameOf(provider: string): string {
  return NAMES.get(provider) ?? "Other mailboxes";
}
