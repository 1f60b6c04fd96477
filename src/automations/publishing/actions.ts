/** These verbs move an automation from one status to the next. Each asks `status.ts` with the row locked, and tells delivery besides. */
import { refuseWhileHeld, requireFeature } from "../../accounts/accounts.ts";
import { cancelSource, pauseSource, resumeSource } from "../../delivery/delivery.ts";
import { type NewEvent, recordEvent } from "../../events/events.ts";
import type { TxCtx } from "../../platform/context.ts";
import { requireMatch } from "../../platform/http/etag.ts";
import { toPublicId } from "../../platform/ids.ts";
import { addJob } from "../../platform/jobs/jobs.ts";
import { AppError, missing } from "../../platform/problems.ts";
import { automationEtag } from "../automations.ts";
import { beginTelling, holdFeed } from "../feed/feed.ts";
import { emptyOutbox } from "../outbox/outbox.ts";
import { overdueSteps, refuse } from "../problems.ts";
import { hintDue } from "../runs/runs.ts";
import { nextStatus, type Status, type Transition } from "../status.ts";
import { type AutomationRow, lockAutomation, moveAutomation } from "../store.ts";
import { endRunsJob } from "./ending.ts";
import { hasActiveRuns } from "./ending-store.ts";
import { beginOverdue } from "./overdue.ts";
import { countOverdue } from "./overdue-store.ts";
import { type Prepared, type PublishingTools, publishIfNeeded } from "./publish.ts";
import { recountAfterPause } from "./recount.ts";

/** Publishes what isn't published yet, and lets people enter. */
export async function startAutomation(
  ctx: TxCtx,
  tools: PublishingTools,
  id: string,
  prepared: Prepared | undefined,
  ifMatch: string | undefined,
): Promise<AutomationRow> {
  const { row, to } = await lockFor(ctx, id, "start");
  await requireFeature(ctx, "automations");
  requireMatch(ifMatch, automationEtag(row));
  await refuseWhileHeld(ctx);
  const { row: published, graph } = await publishIfNeeded(ctx, tools, row, prepared);
  await beginTelling(ctx, tools.sent, { id, listId: row.list_id, version: published.version, graph });
  return move(ctx, published, to, "automation.started");
}

/** Nothing moves in a paused automation: no step is done, and mail of it that isn't on the wire waits. */
export async function pauseAutomation(ctx: TxCtx, id: string): Promise<AutomationRow> {
  const { row, to } = await lockFor(ctx, id, "pause");
  const moved = await move(ctx, row, to, "automation.paused");
  await pauseSource(ctx, id, "requested", "none");
  return moved;
}

export type Overdue = {
  /** Undefined refuses to go on where anything fell due meanwhile. */
  readonly choice: "run" | "spread" | "skip" | undefined;
  readonly spreadMinutes: number;
};

export async function resumeAutomation(ctx: TxCtx, id: string, overdue: Overdue): Promise<AutomationRow> {
  const { row, to } = await lockFor(ctx, id, "resume");
  if (row.state === "paused") await requireFeature(ctx, "automations");
  await refuseWhileHeld(ctx);
  if (row.state === "draining") {
    // Its people moved all the while; only its mail stood still.
    await resumeSource(ctx, id, "none");
    return row;
  }
  const now = ctx.clock.now();
  const nodes = await countOverdue(ctx.sql, ctx.accountId, id, now);
  const people = nodes.reduce((sum, one) => sum + one.people, 0);
  if (people > 0 && overdue.choice === undefined) {
    const who = people === 1 ? "a step of one person" : `steps of ${people} people`;
    throw new AppError(overdueSteps, `${who} fell due while it was paused; say what becomes of them`, {
      members: { current_status: row.state, nodes },
    });
  }
  const moved = await move(ctx, row, to, "automation.resumed");
  const { choice, spreadMinutes } = overdue;
  const left =
    people === 0 || choice === undefined || choice === "run"
      ? null
      : await beginOverdue(ctx, id, { choice, until: now, spread_minutes: spreadMinutes, people });
  await resumeSource(ctx, id, "none");
  await recountAfterPause(ctx.sql, ctx.accountId, row);
  await hintDue(ctx.sql);
  return { ...moved, overdue: left };
}

/** Nobody enters any more; it is archived once the last person inside has finished, which is at once where nobody is inside. */
export async function drainAutomation(ctx: TxCtx, id: string): Promise<AutomationRow> {
  const { row, to } = await lockToEnd(ctx, id, "drain");
  const moved = await move(ctx, row, to, "automation.drained");
  const isEmpty = !(await hasActiveRuns(ctx.sql, ctx.accountId, id));
  return isEmpty ? move(ctx, moved, "archived", "automation.archived") : moved;
}

/** Everybody leaves, and mail that isn't on the wire yet doesn't leave. A job goes through the runs, however many they are. */
export async function cancelAutomation(ctx: TxCtx, id: string): Promise<AutomationRow> {
  const { row, to } = await lockToEnd(ctx, id, "cancel");
  const moved = await move(ctx, row, to, "automation.canceled");
  await cancelSource(ctx, id, "none");
  await emptyOutbox(ctx.sql, ctx.accountId, id);
  const payload = { account_id: ctx.accountId, automation_id: id };
  await addJob(ctx.sql, endRunsJob, payload, { key: `end runs ${id}` });
  return moved;
}

export async function archiveAutomation(ctx: TxCtx, id: string): Promise<AutomationRow> {
  const { row, to } = await lockToEnd(ctx, id, "archive");
  if (await hasActiveRuns(ctx.sql, ctx.accountId, id))
    throw refuse(row.state, "people are inside: drain it, or cancel it to let all of them leave");
  return move(ctx, row, to, "automation.archived");
}

/**
 * The feed lets people in by how an automation was when it began to read, so whoever ends one waits for it: they are inside then, and nobody comes
 * in later. A start and a publication lock the two in the same order.
 */
async function lockToEnd(
  ctx: TxCtx,
  id: string,
  transition: Transition,
): Promise<{ readonly row: AutomationRow; readonly to: Status }> {
  const locked = await lockFor(ctx, id, transition);
  await holdFeed(ctx.sql, ctx.accountId);
  return locked;
}

async function lockFor(
  ctx: TxCtx,
  id: string,
  transition: Transition,
): Promise<{ readonly row: AutomationRow; readonly to: Status }> {
  const row = await lockAutomation(ctx.sql, ctx.accountId, id);
  if (!row) throw missing("automation");
  const to = nextStatus(row.state, transition);
  if (!to) throw refuse(row.state, `an automation that is ${row.state} can't do this`);
  return { row, to };
}

async function move(
  ctx: TxCtx,
  row: AutomationRow,
  state: Status,
  type: NewEvent["type"],
): Promise<AutomationRow> {
  const to = { state, version: row.version };
  const moved = await moveAutomation(ctx.sql, row, to, ctx.clock.now(), ctx.actor);
  await recordEvent(ctx, { type, data: { automation_id: toPublicId("aut", row.id) } });
  return moved;
}
