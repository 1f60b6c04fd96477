/** Lets the people of an enrollment in, a piece a transaction. The next piece begins where the last one that was committed ended. */
import { recordEvent } from "../../events/events.ts";
import { systemCtx, type TxCtx } from "../../platform/context.ts";
import { type Sql, sql } from "../../platform/db/db.ts";
import { toPublicId } from "../../platform/ids.ts";
import { addJob, defineJob, type Job, type JobCtx } from "../../platform/jobs/jobs.ts";
import {
  compileRules,
  countActive,
  countListPeople,
  createFactReader,
  type ListPlace,
  readListPage,
  readSegmentRules,
  type SentCampaigns,
  shareLists,
} from "../../subscribers/subscribers.ts";
import { enterRuns, type LiveAutomation, readOneLive } from "../runs/runs.ts";
import { exitOf } from "../steps/steps.ts";
import {
  type EnrollmentRow,
  type EnrollmentWork,
  findInside,
  holdAutomation,
  lockEnrollment,
  moveEnrollment,
  type Progress,
} from "./enrollment-store.ts";

type Payload = { readonly account_id: string; readonly enrollment_id: string };
type Tools = { readonly sent: SentCampaigns };

/** Is added to the queue by itself; `enrollJob` says how it is run. */
export const enrollKind = defineJob<Payload>({
  name: "enroll_people",
  priority: 10,
  timeoutMs: 24 * 3_600_000,
  maxAttempts: 10,
  run: async () => {
    throw new Error("this job is run by the jobs role alone");
  },
});

const AT_ONCE = 1_000;

export function enrollJob(tools: Tools): Job<Payload> {
  const run = async (job: JobCtx, payload: Payload): Promise<void> => {
    try {
      while (await enrollPiece(job, tools, payload)) {
        if (!job.signal.aborted) continue;
        // This is a new job and not a failed one, because stopping a service must not use up its attempts.
        await addJob(job.db, enrollKind, payload, { key: `enroll ${payload.enrollment_id}` });
        return;
      }
    } catch (error) {
      if (job.attempt >= enrollKind.maxAttempts) await fail(job, payload);
      throw error;
    }
  };
  return { ...enrollKind, run };
}

/** Returns whether there may be more. */
export async function enrollPiece(
  { db, clock, log }: Pick<JobCtx, "db" | "clock" | "log">,
  tools: Tools,
  { account_id: accountId, enrollment_id: id }: Payload,
  limit = AT_ONCE,
): Promise<boolean> {
  return db.transaction(async (tx) => {
    const work = await lockEnrollment(tx, accountId, id);
    if (!work || (work.status !== "queued" && work.status !== "running")) return false;
    const ctx = systemCtx({ clock, log }, tx, accountId);
    await holdAutomation(tx, accountId, work.automation_id);
    const live = await readOneLive(tx, accountId, work.automation_id);
    const giveUp = async (error: string): Promise<false> => {
      await end(ctx, work, { ...work, after: undefined, status: "failed", error });
      return false;
    };
    if (!live || live.state === "draining") return giveUp("automation_ended");
    // Its people are removed by a job, so they may still be there.
    if ((await shareLists(tx, accountId, [live.listId])).length === 0) return giveUp("list_deleted");
    const condition = await conditionOf(ctx, tools, work, live);
    if (!condition) return giveUp("segment_deleted");
    const total = work.total ?? (await countAll(ctx, work, live, condition));
    const { ids, last } = await readPiece(ctx, work, live, condition, limit);
    const done = await letIn(ctx, tools, { ...work, total }, live, ids);
    const progress: Progress = {
      ...work,
      ...done,
      total: Math.max(total, done.processed),
      status: "running",
      after: last,
    };
    if (last) await moveEnrollment(tx, work, progress, clock.now());
    else await end(ctx, work, { ...progress, total: done.processed, status: "completed" });
    return last !== undefined;
  });
}

async function conditionOf(
  ctx: TxCtx,
  { sent }: Tools,
  { segment_id: segmentId, created_at: at }: EnrollmentRow,
  { listId }: LiveAutomation,
): Promise<Sql | undefined> {
  if (segmentId === null) return sql`true`;
  const rules = await readSegmentRules(ctx.sql, ctx.accountId, segmentId, listId);
  return rules && compileRules(ctx, rules, { listId, at, sent });
}

function countAll(
  { sql: db, accountId }: TxCtx,
  { whom, created_at: until }: EnrollmentRow,
  { listId }: LiveAutomation,
  condition: Sql,
): Promise<number> {
  return whom === "everyone"
    ? countActive(db, accountId, listId)
    : countListPeople(db, accountId, listId, condition, until);
}

type Piece = { readonly ids: readonly string[]; readonly last: ListPlace | undefined };

async function readPiece(
  { sql: db, accountId }: TxCtx,
  work: EnrollmentWork,
  { listId }: LiveAutomation,
  condition: Sql,
  limit: number,
): Promise<Piece> {
  if (work.whom === "subscribers") return { ids: work.subscriber_ids ?? [], last: undefined };
  const { after_created_at: createdAt, after_id: id, created_at: until } = work;
  const after = createdAt && id ? { createdAt, id } : undefined;
  return readListPage(db, accountId, listId, condition, { after, until, limit });
}

/** Lets in who may enter, and says of the others why not. Their first step is due evenly over the minutes that the enrollment has. */
async function letIn(
  ctx: TxCtx,
  { sent }: Tools,
  work: EnrollmentWork & { readonly total: number },
  live: LiveAutomation,
  ids: readonly string[],
): Promise<Pick<Progress, "processed" | "entered" | "skipped">> {
  const now = ctx.clock.now();
  // Whoever reaches a goal before their turn comes doesn't begin.
  const askedAt = work.created_at < now ? work.created_at : now;
  const skipped: Record<string, number> = { ...work.skipped };
  const skip = (why: string, count = 1) => {
    if (count > 0) skipped[why] = (skipped[why] ?? 0) + count;
  };
  const { filter } = live.graph.entry;
  const people = await (await createFactReader(ctx, live.listId, sent)).read(
    ids,
    filter ? [filter] : [],
    undefined,
    now,
  );
  const inside = await findInside(ctx.sql, ctx.accountId, live.id, ids);
  const fitting = ids.flatMap((subscriberId, at) => {
    const known = people.get(subscriberId);
    const why = !known
      ? "not_found"
      : (exitOf(known.why) ??
        (filter && known.matches[0] !== true ? "filter" : inside.has(subscriberId) ? "inside" : undefined));
    if (why !== undefined) {
      skip(why);
      return [];
    }
    const dueAt = beginningOf(work, work.processed + at, now);
    return [{ subscriberId, key: "", causeDepth: 0, at: askedAt, dueAt }];
  });
  const { entered, stopped } = await enterRuns(ctx, { sent }, live, fitting);
  skip("limit", stopped.length);
  skip("reentry", fitting.length - entered - stopped.length);
  return { processed: work.processed + ids.length, entered: work.entered + entered, skipped };
}

/** Counted from when it was asked for, so a job that goes on later keeps to the same times. */
function beginningOf(
  { created_at: from, spread_minutes: minutes, total }: EnrollmentWork & { readonly total: number },
  nth: number,
  now: Date,
): Date {
  const share = total === 0 ? 0 : Math.min(1, nth / total);
  return new Date(Math.max(now.getTime(), Math.round(from.getTime() + share * minutes * 60_000)));
}

async function end(ctx: TxCtx, work: EnrollmentWork, progress: Progress): Promise<void> {
  await moveEnrollment(ctx.sql, work, progress, ctx.clock.now());
  const { total, processed, entered } = progress;
  await recordEvent(ctx, {
    type:
      progress.status === "completed" ? "automation.enrollment_completed" : "automation.enrollment_failed",
    data: {
      automation_id: toPublicId("aut", work.automation_id),
      enrollment_id: toPublicId("enr", work.id),
      counts: { total: total ?? processed, entered, skipped: processed - entered },
      ...(progress.error !== null && { error: progress.error }),
    },
  });
}

async function fail(
  { db, clock, log }: JobCtx,
  { account_id: accountId, enrollment_id: id }: Payload,
): Promise<void> {
  await db.transaction(async (tx) => {
    const work = await lockEnrollment(tx, accountId, id);
    if (work?.status !== "queued" && work?.status !== "running") return;
    const ctx = systemCtx({ clock, log }, tx, accountId);
    await end(ctx, work, { ...work, after: undefined, status: "failed", error: "internal_error" });
  });
}
