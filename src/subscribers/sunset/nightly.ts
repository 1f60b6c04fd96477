/**
 * Carries the policies out, each list by a job of its own, once a day. The work is done in pieces that are each whole in themselves: whoever
 * takes over after a kill begins anew, and finds done what was done.
 */
import { recordEvents } from "../../events/events.ts";
import { type Ctx, SYSTEM, systemCtx, type TxCtx } from "../../platform/context.ts";
import { type Db, sql, type Tx } from "../../platform/db/db.ts";
import { type AnyJob, addJobs, defineJob, type Job, type JobCtx } from "../../platform/jobs/jobs.ts";
import { holdFacts, type SentCampaigns } from "../engagement/engagement.ts";
import { subjectOf } from "../subject.ts";
import { recordWoken, wakeSubscribers } from "../wake.ts";
import { findJudgement, hasEnoughMail, hasSignOfLife, isToBeMarked, type Judgement } from "./judge.ts";
import {
  endSomeGraces,
  findMarked,
  findPolicy,
  findSliceEnd,
  holdPolicy,
  type Marked,
  markSlice,
  nextPolicies,
  type Place,
  type PolicyRow,
  removeMarks,
  removeWoken,
} from "./policy-store.ts";

const POLICIES_AT_ONCE = 1_000;
/** Whoever counts opens and clicks of the account waits while a piece is judged. */
const PEOPLE_AT_ONCE = 2_000;
const DAY_MS = 24 * 3_600_000;
const LEAST_ID = "00000000-0000-0000-0000-000000000000";

type ListPayload = { readonly account_id: string; readonly list_id: string };

/** `daily` is to be run once a day; it adds one of the others for each list. */
export function sunsetJobs(sent: SentCampaigns): {
  jobs: readonly AnyJob[];
  daily: Job<Record<string, never>>;
} {
  const judgeList = defineJob<ListPayload>({
    name: "judge_dormant",
    priority: 10,
    timeoutMs: 3_600_000,
    run: (job, { account_id: accountId, list_id: listId }) => judgeListOf(job, sent, { accountId, listId }),
  });
  const daily = defineJob<Record<string, never>>({
    name: "sunset_lists",
    run: async ({ db }) => {
      let policies = await nextPolicies(db, undefined, POLICIES_AT_ONCE);
      while (policies.length > 0) {
        await addJobs(db, judgeList, policies, (one) => `judge_dormant ${one.account_id} ${one.list_id}`);
        policies = await nextPolicies(db, policies.at(-1), POLICIES_AT_ONCE);
      }
    },
  });
  return { jobs: [daily, judgeList, wakeListJob], daily };
}

type List = { readonly accountId: string; readonly listId: string };

/** First wakes whom no verb woke, then makes dormant who was warned for long enough, and marks others last. */
export async function judgeListOf(job: JobCtx, sent: SentCampaigns, list: List): Promise<void> {
  const policy = await findPolicy(job.db, list.accountId, list.listId);
  if (!policy) return;
  const ctx = systemCtx(job, job.db, list.accountId);
  const judgement = await findJudgement(ctx, sent, list.listId, policy);
  await wakeTheLiving(job, list, judgement);
  if (policy.paused_at) return;
  while ((await removeWoken(job.db, list, judgement.since, PEOPLE_AT_ONCE)) > 0) job.signal.throwIfAborted();
  if (await endGraces(job, list, policy, judgement)) await markTheSilent(job, list, policy, judgement);
}

/** Somebody may have been marked by a shorter policy, too: what counts is the policy as it is now. */
async function wakeTheLiving(job: JobCtx, list: List, judgement: Judgement): Promise<void> {
  const since = sql`least(z.marked_at, ${judgement.since}::timestamptz)`;
  for (let after: string | undefined = LEAST_ID; after !== undefined; ) {
    job.signal.throwIfAborted();
    const from: string = after;
    after = await inTransaction(job, list, async (ctx) => {
      const rows = await findMarked(ctx.sql, list, from, hasSignOfLife(judgement, since), PEOPLE_AT_ONCE);
      const alive = rows.filter(({ meets }) => meets).map(({ id }) => id);
      await wakeSubscribers(ctx, alive, "found");
      return rows.at(-1)?.id;
    });
  }
}

/**
 * Nobody falls asleep whom the policy wouldn't mark today: who left the list, or was sent too little mail since. Returns false where the
 * policy was changed or deleted meanwhile: what it is now is for the next run.
 */
async function endGraces(job: JobCtx, list: List, policy: PolicyRow, judgement: Judgement): Promise<boolean> {
  const condition = sql`(s.status = 'active' and ${hasEnoughMail(judgement)})`;
  for (;;) {
    job.signal.throwIfAborted();
    const changed = await inTransaction(job, list, async (ctx) => {
      if (!(await stillHolds(ctx.sql, list, policy))) return undefined;
      const now = ctx.clock.now();
      const warnedUntil = new Date(now.getTime() - policy.grace_days * DAY_MS);
      const rows = await endSomeGraces(ctx.sql, list, warnedUntil, condition, now, PEOPLE_AT_ONCE);
      await recordDormant(
        ctx,
        rows.filter((row) => row.is_dormant),
      );
      return rows.length;
    });
    if (changed === undefined) return false;
    if (changed === 0) return true;
  }
}

async function markTheSilent(
  job: JobCtx,
  list: List,
  policy: PolicyRow,
  judgement: Judgement,
): Promise<void> {
  const condition = isToBeMarked(judgement);
  const state = policy.grace_days === 0 ? "dormant" : "warned";
  for (let after: Place | undefined; ; ) {
    job.signal.throwIfAborted();
    const from: Place | undefined = after;
    const end = await findSliceEnd(job.db, { ...list, until: judgement.since }, from, PEOPLE_AT_ONCE);
    if (!end) return;
    const isDone = await inTransaction(job, list, async (ctx) => {
      if (!(await stillHolds(ctx.sql, list, policy))) return false;
      // Nobody writes facts of this account until the commit, so that no click falls between the look and the mark.
      await holdFacts(ctx.sql, list.accountId);
      const rows = await markSlice(ctx.sql, list, { after: from, end }, condition, {
        state,
        at: ctx.clock.now(),
      });
      if (state === "dormant") await recordDormant(ctx, rows);
      return true;
    });
    if (!isDone) return;
    after = end;
  }
}

async function stillHolds(tx: Tx, { accountId, listId }: List, policy: PolicyRow): Promise<boolean> {
  const held = await holdPolicy(tx, accountId, listId);
  return held?.updated_at.getTime() === policy.updated_at.getTime();
}

function recordDormant(ctx: TxCtx, rows: readonly Marked[]): Promise<void> {
  return recordEvents(
    ctx,
    rows.map((row) => ({ type: "subscriber.dormant", data: subjectOf(row) })),
  );
}

/**
 * Wakes everybody whom a policy marked that was deleted then. Another policy of the list marks later, and its marks stay. Where there is no
 * other, times aren't asked for: the clock of whoever marked may have been ahead, and no mark may outlive its policy.
 */
export const wakeListJob = defineJob<ListPayload & { readonly until: string }>({
  name: "wake_list",
  timeoutMs: 3_600_000,
  run: async (job, { account_id: accountId, list_id: listId, until }) => {
    const list = { accountId, listId };
    for (;;) {
      const removed = await inTransaction(job, list, async (ctx) => {
        const another = await holdPolicy(ctx.sql, accountId, listId);
        const rows = await removeMarks(ctx.sql, list, another && new Date(until), PEOPLE_AT_ONCE);
        const marked = rows.filter(({ was }) => was !== "woken");
        await recordWoken(ctx, marked, "policy_ended");
        return rows.length;
      });
      if (removed === 0) return;
      job.signal.throwIfAborted();
    }
  },
});

function inTransaction<T>(
  { db, clock, log }: Pick<JobCtx, "clock" | "log"> & { readonly db: Db },
  { accountId }: List,
  work: (ctx: TxCtx) => Promise<T>,
): Promise<T> {
  return db.transaction((tx) => work({ sql: tx, accountId, actor: SYSTEM, clock, log } satisfies Ctx<Tx>));
}
