/**
 * These verbs move a campaign from one status to the next. Each asks `status.ts`, moves the row by compare-and-set, and
 * tells delivery, which sends, in the same transaction.
 */
import { refuseWhileHeld } from "../../accounts/accounts.ts";
import {
  approveSource,
  cancelSource,
  isInReview,
  launchSource,
  lockSourcesOf,
  pauseSource,
  refuseSource,
  resumeSource,
} from "../../delivery/delivery.ts";
import { holdDomainsAbove } from "../../domains/domains.ts";
import { type NewEvent, recordEvent } from "../../events/events.ts";
import { type MessageTools, storeRevision } from "../../messages/messages.ts";
import type { Ctx, TxCtx } from "../../platform/context.ts";
import { requireMatch } from "../../platform/http/etag.ts";
import { AppError, missing } from "../../platform/problems.ts";
import { aboutCampaign } from "../editing/editing.ts";
import {
  audienceFixed,
  campaignInReview,
  notReady,
  refuse,
  sendAtElapsed,
  sendAtInPast,
  sendAtTooFar,
} from "../problems.ts";
import { campaignEtag } from "../shape.ts";
import { nextState, type State, type Transition } from "../status.ts";
import { type CampaignRow, findCampaign, type Move, moveCampaign, stateOf } from "../store.ts";
import { type Launch, prepareLaunch } from "./launch.ts";
import { quotaFaults } from "./quota-check.ts";
import { campaignOwner } from "./source-ended.ts";

/** Prepares a launch before its transaction. It answers undefined where there is nothing to launch; the transaction then says why. */
export async function prepareFor(
  ctx: Ctx,
  tools: MessageTools,
  id: string,
  transition: Transition,
  /** When it leaves, where it is an error that the account has too few mails left then. */
  withinQuotaAt?: Date,
): Promise<Launch | undefined> {
  const row = await findCampaign(ctx.sql, ctx.accountId, id);
  if (!row || !nextState(stateOf(row), transition)) return undefined;
  // A campaign that is resumed while it was being sent goes on with what was frozen.
  if (transition === "resume" && row.paused_from === "sending") return undefined;
  const launch = await prepareLaunch(ctx, tools, row, transition === "schedule");
  if (!withinQuotaAt || launch.isSandbox || launch.faults.length > 0) return launch;
  return { ...launch, faults: await quotaFaults(ctx, row, withinQuotaAt) };
}

/** Sends a campaign now or, so that it can be taken back until then, in so many seconds. */
export async function sendCampaign(
  ctx: TxCtx,
  id: string,
  prepared: Launch | undefined,
  { undoSeconds, ifMatch }: { undoSeconds?: number | undefined; ifMatch?: string | undefined },
): Promise<CampaignRow> {
  const row = await mustFind(ctx, id);
  const to = allowed(row, "send");
  requireMatch(ifMatch, campaignEtag(row));
  // Whoever sends with time to undo is told now, and not when that time is over.
  await refuseWhileHeld(ctx);
  const launch = requireReady(row, prepared);
  refuseTooOld(row, ctx.clock.now());
  if (undoSeconds === undefined) return launchCampaign(ctx, row, to, launch, {});
  const sendAt = new Date(ctx.clock.now().getTime() + undoSeconds * 1_000);
  const agreed = { ...allowed(row, "schedule"), isAgreed: true };
  return putOnSchedule(ctx, row, agreed, sendAt, launch);
}

const YEAR_MS = 366 * 24 * 3_600_000;

export async function scheduleCampaign(
  ctx: TxCtx,
  id: string,
  prepared: Launch | undefined,
  { sendAt, ifMatch }: { sendAt: Date; ifMatch: string | undefined },
): Promise<CampaignRow> {
  const row = await mustFind(ctx, id);
  const to = allowed(row, "schedule");
  requireMatch(ifMatch, campaignEtag(row));
  const aheadMs = sendAt.getTime() - ctx.clock.now().getTime();
  const fault = (code: string, detail: string) => ({ faults: [{ pointer: "/send_at", code, detail }] });
  if (aheadMs <= 0)
    throw new AppError(sendAtInPast, "this time has passed", fault("send_at_in_past", "has passed"));
  if (aheadMs > YEAR_MS) {
    const why = "is more than a year ahead";
    throw new AppError(sendAtTooFar, `this ${why}`, fault("send_at_too_far", why));
  }
  const launch = requireReady(row, prepared);
  refuseTooOld(row, sendAt);
  return putOnSchedule(ctx, row, to, sendAt, launch);
}

/** Ledgers are kept for 13 months by the age of their campaign: a campaign older than this would lose its ledger at once. */
const OLDEST_MS = 380 * 24 * 3_600_000;

function refuseTooOld({ created_at }: CampaignRow, at: Date): void {
  if (at.getTime() - created_at.getTime() <= OLDEST_MS) return;
  const detail = "it would be more than a year old by then: duplicate it, and send the copy";
  throw notReady([{ pointer: "", code: "campaign_too_old", detail }]);
}

async function putOnSchedule(
  ctx: TxCtx,
  row: CampaignRow,
  to: State,
  sendAt: Date,
  launch: Launch,
): Promise<CampaignRow> {
  await holdDomains(ctx, row, launch);
  const { version } = launch;
  const moved = await move(ctx, row, { to, version, send_at: sendAt, pause_reason: null });
  await tell(ctx, moved, "campaign.scheduled", { send_at: sendAt.toISOString() });
  return moved;
}

export async function unscheduleCampaign(ctx: TxCtx, id: string): Promise<CampaignRow> {
  const row = await mustFind(ctx, id);
  return takeBack(ctx, row, allowed(row, "unschedule"));
}

async function takeBack(ctx: TxCtx, row: CampaignRow, to: State): Promise<CampaignRow> {
  const moved = await move(ctx, row, { to, send_at: null, pause_reason: null });
  await tell(ctx, moved, "campaign.unscheduled");
  return moved;
}

/** Pauses a campaign. One that was scheduled keeps its time, but never sends by itself. */
export async function pauseCampaign(ctx: TxCtx, id: string): Promise<CampaignRow> {
  await lockSourcesOf(ctx, id);
  const row = await mustFind(ctx, id);
  const moved = await move(ctx, row, { to: allowed(row, "pause"), pause_reason: "requested" });
  if (moved.paused_from === "sending") await pauseSource(ctx, id, "requested");
  await tell(ctx, moved, "campaign.paused", { reason: "requested" });
  return moved;
}

export async function resumeCampaign(
  ctx: TxCtx,
  id: string,
  prepared: Launch | undefined,
  ifElapsed: "refuse" | "send_now",
): Promise<CampaignRow> {
  await lockSourcesOf(ctx, id);
  const row = await mustFind(ctx, id);
  if (await isInReview(ctx.sql, ctx.accountId, id))
    throw new AppError(campaignInReview, "an operator has to approve it first", {
      members: { current_status: row.status },
    });
  const to = allowed(row, "resume");
  const isElapsed = row.paused_from === "scheduled" && row.send_at && row.send_at <= ctx.clock.now();
  if (isElapsed && ifElapsed === "refuse") {
    throw new AppError(sendAtElapsed, "its time passed while it was paused", {
      members: { current_status: row.status, send_at: row.send_at?.toISOString() },
    });
  }
  if (isElapsed) return launchCampaign(ctx, row, allowed(row, "send"), requireReady(row, prepared), {});
  if (to.status === "sending") await refuseWhileHeld(ctx);
  const moved = await move(ctx, row, { to, ...unpaused(row) });
  if (moved.status === "sending") await resumeSource(ctx, id);
  await tell(ctx, moved, "campaign.resumed");
  return moved;
}

/**
 * Approves a campaign that waits for an operator, and lets it go on; one that its own people have paused besides stays paused. Returns
 * false where it doesn't wait.
 */
export async function approveCampaign(ctx: TxCtx, id: string): Promise<boolean> {
  await lockSourcesOf(ctx, id);
  if (!(await approveSource(ctx, id))) return false;
  const row = await mustFind(ctx, id);
  const state = stateOf(row);
  const to = state.isInReview && nextState({ ...state, isInReview: false }, "resume");
  if (!to) return true;
  const moved = await move(ctx, row, { to, ...unpaused(row) });
  await resumeSource(ctx, id);
  await tell(ctx, moved, "campaign.resumed");
  return true;
}

/** Refuses a campaign that waits for an operator, who says why. It has failed, and may be changed and sent again. */
export function refuseCampaign(ctx: TxCtx, id: string, words: string): Promise<boolean> {
  return refuseSource(ctx, campaignOwner, id, words);
}

/** A pause by the service itself has its figures, or the server's words, in `status_reason`: no news once somebody has decided. */
function unpaused({ pause_reason }: CampaignRow): Pick<Move, "pause_reason" | "status_reason"> {
  const isByService = pause_reason !== null && pause_reason !== "requested";
  return { pause_reason: null, ...(isByService && { status_reason: null }) };
}

/** Cancels a campaign. Before its start this unschedules it; after it, all whose mail isn't on its way yet don't get it. */
export async function cancelCampaign(ctx: TxCtx, id: string): Promise<CampaignRow> {
  await lockSourcesOf(ctx, id);
  const row = await mustFind(ctx, id);
  const to = allowed(row, "cancel");
  if (to.status !== "canceled") return takeBack(ctx, row, to);
  const moved = await move(ctx, row, { to, finished_at: ctx.clock.now(), ...unpaused(row) });
  // A campaign that failed before it was launched has nothing to take back.
  if (row.started_at) await cancelSource(ctx, id);
  await tell(ctx, moved, "campaign.canceled");
  return moved;
}

/** This is the one way into `sending`: the compare-and-set, the frozen revision and the event are one transaction. */
export async function launchCampaign(
  ctx: TxCtx,
  row: CampaignRow,
  to: State,
  launch: Launch,
  { reason = null, data = {} }: { reason?: string | null; data?: Record<string, unknown> },
): Promise<CampaignRow> {
  const { version, ownHost, hasInstanceServer, isSandbox, revision } = launch;
  await refuseWhileHeld(ctx);
  await holdDomains(ctx, row, launch);
  const moved = await move(ctx, row, {
    to,
    version,
    started_at: row.started_at ?? ctx.clock.now(),
    finished_at: null,
    pause_reason: null,
    status_reason: reason,
  });
  const launched = await launchSource(ctx, {
    ownerId: row.id,
    stream: "campaign",
    audience: { listId: row.list_id, segmentId: row.segment_id, topicId: row.topic_id },
    revisionId: await storeRevision(ctx.sql, ctx.accountId, revision, ctx.clock),
    onAmbiguous: row.on_ambiguous,
    hasInstanceServer,
    isSandbox,
    ownHost,
  });
  // A campaign that was examined for the sandbox may have no sender and no unsubscribe link: it mustn't leave by a real server.
  if (launched === "transport_changed")
    throw refuse(row.status, "what it leaves by changed a moment ago; try again");
  // Mail that was on its way when the campaign failed has arrived after all, and its audience was edited meanwhile.
  if (launched === "audience_fixed") throw audienceFixed(row.status);
  await tell(ctx, moved, "campaign.sending", data);
  return moved;
}

async function mustFind(ctx: TxCtx, id: string): Promise<CampaignRow> {
  const row = await findCampaign(ctx.sql, ctx.accountId, id);
  if (!row) throw missing("campaign");
  return row;
}

function allowed(row: CampaignRow, transition: Transition): State {
  const to = nextState(stateOf(row), transition);
  if (!to) throw refuse(row.status, `a campaign that is ${row.status} can't do this`);
  return to;
}

/** Keeps the domains that it is from. One that is gone since it was examined would let it leave unsigned. */
async function holdDomains({ sql, accountId }: TxCtx, row: CampaignRow, { from }: Launch): Promise<void> {
  if (!from) return;
  const held = new Set(await holdDomainsAbove(sql, accountId, from.domain));
  if (from.domainIds.some((id) => !held.has(id)))
    throw refuse(row.status, "the domain that it is from was deleted a moment ago; look at it and try again");
}

function requireReady(row: CampaignRow, prepared: Launch | undefined): Launch {
  if (!prepared) throw refuse(row.status, "it changed a moment ago; look at it and try again");
  if (prepared.faults.length > 0) throw notReady(prepared.faults);
  return prepared;
}

/** Moves a campaign. Where somebody else was faster, the refusal names the status that it has now. */
async function move(ctx: TxCtx, row: CampaignRow, change: Omit<Move, "at">): Promise<CampaignRow> {
  const moved = await moveCampaign(ctx, row.id, stateOf(row), {
    ...change,
    at: ctx.clock.now(),
  });
  if (moved) return moved;
  const now = await mustFind(ctx, row.id);
  throw refuse(now.status, "it changed a moment ago; look at it and try again");
}

async function tell(
  ctx: TxCtx,
  row: CampaignRow,
  type: NewEvent["type"],
  data: Record<string, unknown> = {},
): Promise<void> {
  await recordEvent(ctx, { type, data: { ...aboutCampaign(row), ...data } });
}
