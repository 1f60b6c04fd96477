/** The life of a source once it is launched: paused, resumed, canceled, ended. */

import type { Clock } from "../../platform/clock.ts";
import { systemCtx, type TxCtx } from "../../platform/context.ts";
import type { Db } from "../../platform/db/db.ts";
import { addJob } from "../../platform/jobs/jobs.ts";
import type { Log } from "../../platform/log.ts";
import { cancelSourceKind, keepDomainsKind } from "../job-kinds.ts";
import type { HowEnded, SourceOwner } from "../types.ts";
import { notifyProgress, notifyReady, notifyWatchers } from "./notifications.ts";
import { lockSources, readSourceName } from "./owner-store.ts";
import { addRunnable, removeRunnable } from "./runnable-store.ts";
import { lockStanding, moveSource, readStanding, type SourceState, type Standing } from "./source-store.ts";

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
  return new Error(`the source of ${ownerId} is not ${states}`);
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
