/** The life of a source: launched, paused, resumed, canceled, ended. */

import type { Clock } from "../../platform/clock.ts";
import { systemCtx, type TxCtx } from "../../platform/context.ts";
import type { Db } from "../../platform/db/db.ts";
import { newId } from "../../platform/ids.ts";
import { addJob } from "../../platform/jobs/jobs.ts";
import type { Log } from "../../platform/log.ts";
import { countActive, readSegmentRules } from "../../subscribers/subscribers.ts";
import { SANDBOX_TRANSPORT } from "../ids.ts";
import {
  cancelSourceKind,
  discardSourceKind,
  keepDomainsKind,
  planSourceKind,
  takeOverSourceKind,
} from "../job-kinds.ts";
import { transportFor } from "../transports/transports.ts";
import type { Audience, HowEnded, NewSource, SourceOwner } from "../types.ts";
import { notifyProgress, notifyReady, notifyWatchers } from "./notifications.ts";
import { awaitAdmissions, chooseLedger, mailHasLeft } from "./relaunch.ts";
import {
  addRunnable,
  countPlanned,
  endPlanning,
  type Former,
  insertPlan,
  insertSource,
  type LaunchRow,
  lockFormer,
  lockSources,
  lockStanding,
  moveBatches,
  moveSource,
  readSourceName,
  readStanding,
  relaunchSource,
  removeRunnable,
  replaceSources,
  type SourceState,
  type Standing,
} from "./source-store.ts";

/**
 * `audience_fixed`: mail has left to another audience, so this is no second try of it. `transport_changed`: it would leave by
 * another server than it was looked over for. Nothing was changed.
 */
export type Launched = "launched" | "audience_fixed" | "transport_changed";

/**
 * In the transaction of the owner's own launch: freezes the audience's bounds and what it leaves by, and adds the job that
 * plans. Launched again after it failed, it goes on with those not yet sent, as the same source or, with other content, as
 * another one; with another audience it begins with an empty ledger.
 */
export async function launchSource(ctx: TxCtx, source: NewSource): Promise<Launched> {
  const { sql, accountId } = ctx;
  const launchedAt = ctx.clock.now();
  const { listId, segmentId } = source.audience;
  const transport = await transportFor(sql, accountId, source.stream, source.hasInstanceServer);
  if (transport.host !== source.ownHost) return "transport_changed";
  const row: LaunchRow = {
    account_id: accountId,
    id: source.ownerId,
    owner_id: source.ownerId,
    stream: source.stream,
    transport_id: source.isSandbox ? SANDBOX_TRANSPORT : transport.id,
    revision_id: source.revisionId,
    list_id: listId,
    segment_id: segmentId,
    segment_rules: await freezeRules(ctx, source.audience),
    is_given: false,
    on_ambiguous: source.onAmbiguous,
    launched_at: launchedAt,
  };
  const id = await placeSource(ctx, row);
  if (id === undefined) return "audience_fixed";
  const known = await countPlanned(sql, accountId, source.ownerId, id);
  const estimate = Math.max(0, (await countActive(sql, accountId, listId)) - known);
  await insertPlan(sql, accountId, id, launchedAt, estimate);
  await addRunnable(sql, accountId, id);
  await addJob(sql, planSourceKind, { account_id: accountId, source_id: id }, { key: `plan ${id}` });
  // Senders may sleep until there is something: they get ready while the first slice is planned.
  await notifyReady(sql, id);
  return "launched";
}

/** The id under which the engine has it now: its own, or that of the source that takes the place of a former one. */
async function placeSource(ctx: TxCtx, row: LaunchRow): Promise<string | undefined> {
  const { sql, accountId } = ctx;
  const former = await lockFormer(sql, accountId, row.owner_id, row);
  if (former && former.state !== "failed") throw launchedAlready(row.owner_id);
  if (!former) {
    if (!(await insertSource(sql, row))) throw launchedAlready(row.owner_id);
    return row.id;
  }
  await awaitAdmissions(sql, accountId, former.id);
  const choice = chooseLedger(former, await mailHasLeft(sql, accountId, row.owner_id));
  if (choice === "refuse") return undefined;
  if (choice === "go_on") {
    await relaunchSource(sql, { ...row, id: former.id });
    await moveBatches(sql, accountId, former.id, row.transport_id);
    return former.id;
  }
  if (choice === "take_over") return supersede(ctx, former, row);
  // No mail of any of them has left: what an earlier one still hands over is for the former audience, too.
  for (const replacedId of await replaceSources(sql, accountId, row.owner_id))
    await addJob(sql, discardSourceKind, { account_id: accountId, source_id: replacedId });
  const id = newId(ctx.clock);
  if (!(await insertSource(sql, { ...row, id }))) throw launchedAlready(row.owner_id);
  return id;
}

/** What has been begun is ended with the audience that was frozen then. Behind the lock of its plan nobody plans the former. */
async function supersede(ctx: TxCtx, former: Former, row: LaunchRow): Promise<string> {
  const { sql, accountId, clock } = ctx;
  const to = { state: "superseded", reason: null, endedAt: null } as const;
  await moveSource(sql, accountId, former.id, ["failed"], to);
  await endPlanning(sql, accountId, former.id, clock.now());
  const id = newId(clock);
  const { segmentId, segmentRules } = former;
  const successor = { ...row, id, segment_id: segmentId, segment_rules: segmentRules };
  if (!(await insertSource(sql, successor))) throw launchedAlready(row.owner_id);
  const payload = { account_id: accountId, source_id: former.id };
  await addJob(sql, takeOverSourceKind, payload, { key: `take over ${former.id}` });
  return id;
}

function launchedAlready(ownerId: string): Error {
  return new Error(`${ownerId} was launched already`);
}

async function freezeRules(ctx: TxCtx, { listId, segmentId }: Audience): Promise<unknown> {
  if (segmentId === null) return null;
  const rules = await readSegmentRules(ctx.sql, ctx.accountId, segmentId, listId);
  if (!rules) throw new Error(`there is no segment ${segmentId}`);
  return rules;
}

/**
 * Before the owner's own compare-and-set: the engine, too, locks the source first and the owner then, at the end.
 * The other way round, a pause in the moment of the end was a deadlock, which takes a second to be seen.
 */
export async function holdSource({ sql, accountId }: TxCtx, ownerId: string): Promise<void> {
  await lockSources(sql, accountId, ownerId);
}

/** In the transaction of the owner's own compare-and-set. What is on the wire finishes, nothing else leaves. */
export async function pauseSource(ctx: TxCtx, ownerId: string, reason?: string): Promise<void> {
  const to = { state: "paused", reason: reason ?? null, endedAt: null } as const;
  for (const sourceId of await moveSources(ctx, ownerId, ["running"], to))
    await removeRunnable(ctx.sql, ctx.accountId, sourceId);
  await notifyWatchers(ctx.sql, ownerId);
}

/** Goes on with exactly those not yet sent. */
export async function resumeSource(ctx: TxCtx, ownerId: string): Promise<void> {
  const to = { state: "running", reason: null, endedAt: null } as const;
  for (const sourceId of await moveSources(ctx, ownerId, ["paused"], to)) {
    await addRunnable(ctx.sql, ctx.accountId, sourceId);
    await notifyReady(ctx.sql, sourceId);
  }
  await notifyWatchers(ctx.sql, ownerId);
}

/** Every row that isn't on the wire becomes skipped(canceled), by a job. */
export async function cancelSource(ctx: TxCtx, ownerId: string): Promise<void> {
  const to = { state: "canceled", reason: null, endedAt: null } as const;
  for (const sourceId of await moveSources(ctx, ownerId, ["running", "paused", "failed", "superseded"], to)) {
    await removeRunnable(ctx.sql, ctx.accountId, sourceId);
    const payload = { account_id: ctx.accountId, source_id: sourceId };
    await addJob(ctx.sql, cancelSourceKind, payload, { key: `cancel ${sourceId}` });
  }
  await notifyWatchers(ctx.sql, ownerId);
}

/** Those of an owner's sources that are in one of the states; there must be one. */
async function moveSources(
  ctx: TxCtx,
  ownerId: string,
  from: readonly SourceState[],
  to: Parameters<typeof moveSource>[4],
): Promise<readonly string[]> {
  const moved: string[] = [];
  for (const sourceId of await lockSources(ctx.sql, ctx.accountId, ownerId))
    if (await moveSource(ctx.sql, ctx.accountId, sourceId, from, to)) moved.push(sourceId);
  if (moved.length === 0) throw notIn(ownerId, from.join(" or "));
  return moved;
}

/** The caller holds its own state against ours, so this is a bug of one of us. */
function notIn(ownerId: string, states: string): Error {
  return new Error(`no source of ${ownerId} is ${states}`);
}

export type Ending = {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly owner: SourceOwner;
};

/**
 * Ends a running source once planning has ended, no row is left to send, and its counts sum up to its recipients. Anybody
 * may ask at any time, so that whoever dies before asking leaves nothing undone. One that is still given recipients and has
 * nothing to send is looked at by nobody any more, until it is given others.
 */
export async function endIfDone(ending: Ending, accountId: string, id: string): Promise<boolean> {
  const seen = await readStanding(ending.db, accountId, id);
  if (!seen || seen.hasWork || seen.isTakingOver || !(seen.isPlanned || seen.isGiven)) return false;
  return ending.db.transaction(async (sql) => {
    const now = await lockStanding(sql, accountId, id);
    if (now?.state !== "running" || now.hasWork || now.isTakingOver) return false;
    if (!now.isPlanned) {
      if (now.isGiven) await removeRunnable(sql, accountId, id);
      return false;
    }
    if (now.done !== now.recipients) {
      ending.log.error({ source: id, recipients: now.recipients, done: now.done }, "a ledger doesn't add up");
      return false;
    }
    await end(ending, systemCtx(ending, sql, accountId), id, how(now));
    return true;
  });
}

function how({ isGiven, hasFormer, eligible }: Standing): HowEnded {
  return eligible === 0 && !isGiven && !hasFormer ? { kind: "no_recipients" } : { kind: "done" };
}

/** What can't be composed stops here, with everybody not yet sent still to be sent. */
export async function failSource(
  ending: Ending,
  accountId: string,
  id: string,
  /** Of a launch, or of whichever there is. */
  failed: { readonly launch: number | null; readonly reason: string },
): Promise<void> {
  await ending.db.transaction(async (sql) => {
    const now = await lockStanding(sql, accountId, id);
    // Launched again meanwhile, it has another revision: what failed is no longer what is sent.
    if (now?.state !== "running" || (failed.launch ?? now.launch) !== now.launch) return;
    await end(ending, systemCtx(ending, sql, accountId), id, { kind: "failed", reason: failed.reason });
  });
}

/** The engine itself pauses what can't go on until somebody has mended something: nobody is lost by it. */
export async function pauseByEngine(
  ending: Ending,
  accountId: string,
  id: string,
  reason: string,
  detail: string,
): Promise<void> {
  await ending.db.transaction(async (sql) => {
    const to = { state: "paused", reason, endedAt: null } as const;
    if (!(await moveSource(sql, accountId, id, ["running"], to))) return;
    await removeRunnable(sql, accountId, id);
    const name = await readSourceName(sql, accountId, id);
    await ending.owner.sourceEnded(systemCtx(ending, sql, accountId), name, { kind: "paused", reason });
    await notifyProgress(sql, accountId, id);
    sql.afterCommit(() => ending.log.warn({ source: id, reason, detail }, "a source was paused"));
  });
}

async function end(ending: Ending, ctx: TxCtx, id: string, ended: HowEnded): Promise<void> {
  const state = ended.kind === "done" ? "finished" : "failed";
  const reason = ended.kind === "failed" ? ended.reason : ended.kind === "done" ? null : ended.kind;
  await moveSource(ctx.sql, ctx.accountId, id, ["running"], { state, reason, endedAt: ctx.clock.now() });
  await removeRunnable(ctx.sql, ctx.accountId, id);
  // A failed one may be launched again, and what it had on the wire is still to be settled.
  if (state === "finished") await addKeepDomains(ctx.sql, ctx.accountId, id);
  await ending.owner.sourceEnded(ctx, await readSourceName(ctx.sql, ctx.accountId, id), ended);
  await notifyProgress(ctx.sql, ctx.accountId, id);
}

/** In the transaction in which the last of its rows is known to be final. */
export async function addKeepDomains(tx: TxCtx["sql"], accountId: string, id: string): Promise<void> {
  const payload = { account_id: accountId, source_id: id };
  await addJob(tx, keepDomainsKind, payload, { key: `domains ${id}` });
}
