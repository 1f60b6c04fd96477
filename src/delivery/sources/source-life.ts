/** Pauses, resumes, cancels and ends sources that were launched. */
import type { Clock } from "../../platform/clock.ts";
import { systemCtx, type TxCtx } from "../../platform/context.ts";
import type { Db } from "../../platform/db/db.ts";
import { addJob } from "../../platform/jobs/jobs.ts";
import type { Log } from "../../platform/log.ts";
import { countAnew, guardSource } from "../guardrails/guardrails.ts";
import { cancelSourceKind, keepDomainsKind } from "../job-kinds.ts";
import {
  addRunnable,
  lockSourceProgress,
  lockSources,
  moveSource,
  notifyProgress,
  notifyReady,
  notifyWatchers,
  pauseRunning,
  readSourceName,
  readSourceProgress,
  removeRunnable,
  type SourceProgress,
  type SourceState,
} from "../ledger/ledger.ts";
import type { HowEnded, SourceOwner } from "../types.ts";
import { decideReview } from "./review-store.ts";
import { lockWaveAlone } from "./wave-store.ts";

/**
 * Must be called before the owner changes its own state, because delivery locks the source before the owner when it ends a
 * source. In the other order, a pause at the moment of the end was a deadlock, which takes a second to be detected.
 */
export async function lockSourcesOf({ sql, accountId }: TxCtx, ownerId: string): Promise<void> {
  await lockSources(sql, accountId, ownerId);
}

/**
 * Pauses in the transaction in which the owner changes its own state. Mail on the wire is finished, and no other is begun. Sources that an owner
 * gives their recipients may be stopped already and about to be tried again; then it is the owner's pause that holds.
 */
export async function pauseSource(
  ctx: TxCtx,
  ownerId: string,
  reason?: string,
  least: LeastMoved = "one",
): Promise<void> {
  const to = { state: "paused", reason: reason ?? null, endedAt: null } as const;
  const from = least === "one" ? (["running"] as const) : (["running", "paused", "failed"] as const);
  for (const sourceId of await moveSources(ctx, ownerId, from, to, least))
    await removeRunnable(ctx.sql, ctx.accountId, sourceId);
  await notifyWatchers(ctx.sql, ownerId);
}

/** Lets a source continue with exactly those rows that aren't sent yet. For the guardrails it counts anew. */
export async function resumeSource(ctx: TxCtx, ownerId: string, least: LeastMoved = "one"): Promise<void> {
  const to = { state: "running", reason: null, endedAt: null } as const;
  for (const sourceId of await moveSources(ctx, ownerId, ["paused"], to, least)) {
    await countAnew(ctx.sql, ctx.accountId, sourceId, ctx.clock.now());
    await addRunnable(ctx.sql, ctx.accountId, sourceId);
    await notifyReady(ctx.sql, sourceId);
  }
  await notifyWatchers(ctx.sql, ownerId);
}

/** Cancels in the owner's transaction. A job then turns every row that isn't on the wire into skipped, as `canceled`. */
export async function cancelSource(ctx: TxCtx, ownerId: string, least: LeastMoved = "one"): Promise<void> {
  const to = { state: "canceled", reason: null, endedAt: null } as const;
  const from = ["running", "paused", "failed", "superseded"] as const;
  for (const sourceId of await moveSources(ctx, ownerId, from, to, least)) {
    await removeRunnable(ctx.sql, ctx.accountId, sourceId);
    const payload = { account_id: ctx.accountId, source_id: sourceId };
    await addJob(ctx.sql, cancelSourceKind, payload, { key: `cancel ${sourceId}` });
  }
  const withdrawn = { state: "withdrawn", reason: null, at: ctx.clock.now() } as const;
  await decideReview(ctx.sql, ctx.accountId, ownerId, withdrawn);
  await notifyWatchers(ctx.sql, ownerId);
}

/** Of an owner that was launched, one source at least is in the state that its own says; one that is given its sources may have none. */
type LeastMoved = "one" | "none";

/** Changes the state of those of an owner's sources that are in one of the states `from`, and throws if there are fewer than it has. */
async function moveSources(
  ctx: TxCtx,
  ownerId: string,
  from: readonly SourceState[],
  to: Parameters<typeof moveSource>[4],
  least: LeastMoved,
): Promise<readonly string[]> {
  const moved: string[] = [];
  for (const sourceId of await lockSources(ctx.sql, ctx.accountId, ownerId))
    if (await moveSource(ctx.sql, ctx.accountId, sourceId, from, to)) moved.push(sourceId);
  if (moved.length === 0 && least === "one") throw notIn(ownerId, from.join(" or "));
  return moved;
}

/** Callers check their own state first, so a source in another state is a bug. */
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
 * Ends a running source once planning has ended, no row is left to send, and its counts sum up to its recipients. It may be
 * called by anybody at any time, so a process that died before calling it leaves nothing undone. A given source that is open
 * and has nothing to send leaves the table `runnable` until recipients are added.
 */
export async function endIfDone(ending: Ending, accountId: string, id: string): Promise<boolean> {
  const seen = await readSourceProgress(ending.db, accountId, id);
  if (!seen || seen.hasWork || seen.isTakingOver || !(seen.isPlanned || seen.isGiven)) return false;
  return ending.db.transaction(async (sql) => {
    // What is added to a wave meanwhile must be seen here, or it would be left behind.
    if (seen.isGiven && !(await lockWaveAlone(sql, id))) return false;
    const now = await lockSourceProgress(sql, accountId, id);
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

function how({ isGiven, hasFormer, eligible }: SourceProgress): HowEnded {
  return eligible === 0 && !isGiven && !hasFormer ? { kind: "no_recipients" } : { kind: "done" };
}

/** Ends a source as failed because it can't be composed. Rows not yet sent stay so, and a later launch can send them. */
export async function failSource(
  ending: Ending,
  accountId: string,
  id: string,
  /** The launch that failed; null stands for whichever launch is running. */
  failed: { readonly launch: number | null; readonly reason: string },
): Promise<void> {
  await ending.db.transaction(async (sql) => {
    const now = await lockSourceProgress(sql, accountId, id);
    // If the source was launched again meanwhile, the failure of the former launch says nothing about this one.
    if (now?.state !== "running" || (failed.launch ?? now.launch) !== now.launch) return;
    await end(ending, systemCtx(ending, sql, accountId), id, { kind: "failed", reason: failed.reason });
  });
}

/** Pauses a source by delivery's own decision, because it can't continue until somebody repairs something. */
export async function pauseByEngine(
  ending: Ending,
  accountId: string,
  id: string,
  reason: string,
  detail: string,
): Promise<void> {
  await ending.db.transaction(async (sql) => {
    const ctx = systemCtx(ending, sql, accountId);
    // A server's words tell people what to mend. Of a transport that is missing, its own name says all that they can use.
    const words = reason !== "transport_missing" && detail !== "" ? { detail } : {};
    if (!(await pauseRunning(ctx, ending.owner, id, { reason, ...words }))) return;
    sql.afterCommit(() => ending.log.warn({ source: id, reason, detail }, "a source was paused"));
  });
}

async function end(ending: Ending, ctx: TxCtx, id: string, ended: HowEnded): Promise<void> {
  const state = ended.kind === "done" ? "finished" : "failed";
  const reason = ended.kind === "failed" ? ended.reason : ended.kind === "done" ? null : ended.kind;
  await moveSource(ctx.sql, ctx.accountId, id, ["running"], { state, reason, endedAt: ctx.clock.now() });
  await removeRunnable(ctx.sql, ctx.accountId, id);
  // Counts of a failed source aren't kept: it may be launched again, and its mail on the wire isn't settled yet.
  if (state === "finished") {
    await addKeepDomains(ctx.sql, ctx.accountId, id);
    await guardSource(ctx, ending.owner, id);
  }
  await ending.owner.sourceEnded(ctx, await readSourceName(ctx.sql, ctx.accountId, id), ended);
  await notifyProgress(ctx.sql, ctx.accountId, id);
}

/** Adds the job that keeps the counts by domain, in the transaction that finds every row of the source final. */
export async function addKeepDomains(tx: TxCtx["sql"], accountId: string, id: string): Promise<void> {
  const payload = { account_id: accountId, source_id: id };
  await addJob(tx, keepDomainsKind, payload, { key: `domains ${id}` });
}
