/**
 * Campaigns that wait for mails of their account's allowance. Senders pause them; here they go on by themselves once there is room, with
 * those who haven't got it, and stop at once where a limit was set below what is used.
 */
import {
  type AllowancePayload,
  allowanceChangedKind,
  lockSourcesOf,
  QUOTA_REACHED,
  readAllowance,
  resumeSource,
  roomOf,
  stopForQuota,
  tellLateThresholds,
} from "../../delivery/delivery.ts";
import { recordEvent } from "../../events/events.ts";
import { systemCtx, type TxCtx } from "../../platform/context.ts";
import { eachAlone } from "../../platform/jobs/each-alone.ts";
import { type AnyJob, defineJob, type JobCtx } from "../../platform/jobs/jobs.ts";
import { aboutCampaign } from "../editing/editing.ts";
import { nextState } from "../status.ts";
import { listOverQuota, lockCampaign, moveCampaign, stateOf } from "../store.ts";
import { campaignOwner } from "./source-ended.ts";

/** A period begins, an operator gives credit, a plan is changed: whatever it was, this finds within a minute that there is room. */
export const followAllowancesJob = defineJob<Record<string, never>>({
  name: "follow_allowances",
  run: async (ctx) => {
    const both = await Promise.allSettled([tellLateThresholds(ctx), resumeAll(ctx)]);
    const failures = both.flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
    if (failures.length > 0) throw new AggregateError(failures, "some allowances were not followed");
  },
});

async function resumeAll(ctx: JobCtx): Promise<void> {
  const waiting = Map.groupBy(await listOverQuota(ctx.db), ({ account_id }) => account_id);
  await eachAlone(
    waiting,
    ([accountId, campaigns]) =>
      resumeWithRoom(
        ctx,
        accountId,
        campaigns.map(({ id }) => id),
      ),
    (error, [accountId]) =>
      ctx.log.error({ err: error, account: accountId }, "the campaigns of an account don't go on"),
  );
}

export const quotaJobs: readonly AnyJob[] = [
  followAllowancesJob,
  { ...allowanceChangedKind, run: followAllowance },
];

async function followAllowance(ctx: JobCtx, { account_id: accountId }: AllowancePayload): Promise<void> {
  const waiting = await listOverQuota(ctx.db, accountId);
  await resumeWithRoom(
    ctx,
    accountId,
    waiting.map(({ id }) => id),
  );
  const allowance = await readAllowance(ctx.db, accountId, ctx.clock.now());
  if (!allowance || allowance.limits.mails === null) return;
  // What leased batches have to send is more than there is now. What they haven't begun waits.
  const { limits, taken } = allowance;
  const room = roomOf(limits, taken, false);
  if (room.of !== "period" || room.left > 0 || (room.left === 0 && taken.underWay > 0)) return;
  await stopForQuota({ ...ctx, owner: campaignOwner }, accountId, limits);
}

async function resumeWithRoom(ctx: JobCtx, accountId: string, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const allowance = await readAllowance(ctx.db, accountId, ctx.clock.now());
  if (allowance && roomOf(allowance.limits, allowance.taken, false).left <= 0) return;
  await eachAlone(
    ids,
    (id) => ctx.db.transaction((tx) => resumeAfterQuota(systemCtx(ctx, tx, accountId), id)),
    (error, id) => ctx.log.error({ err: error, campaign: id }, "a campaign doesn't go on"),
  );
}

/** Lets a campaign go on that was paused for this and for nothing else since. */
async function resumeAfterQuota(ctx: TxCtx, id: string): Promise<void> {
  await lockSourcesOf(ctx, id);
  const row = await lockCampaign(ctx.sql, ctx.accountId, id);
  if (row?.status !== "paused" || row.pause_reason !== QUOTA_REACHED) return;
  const to = nextState(stateOf(row), "resume");
  const at = ctx.clock.now();
  const change = { at, pause_reason: null, status_reason: null };
  if (!to || !(await moveCampaign(ctx, id, stateOf(row), { to, ...change }))) return;
  await resumeSource(ctx, id);
  const data = { ...aboutCampaign(row), reason: QUOTA_REACHED };
  await recordEvent(ctx, { type: "campaign.resumed", data });
}
