/** The life of a source: launched, paused, resumed, canceled, ended. */

import type { Clock } from "../platform/clock.ts";
import type { TxCtx } from "../platform/context.ts";
import type { Db } from "../platform/db/db.ts";
import { addJob } from "../platform/jobs/jobs.ts";
import type { Log } from "../platform/log.ts";
import { countActive, readSegmentRules } from "../subscribers/subscribers.ts";
import { hintProgress, hintReady } from "./hints.ts";
import { cancelSourceKind, planSourceKind } from "./job-kinds.ts";
import {
  addRunnable,
  insertPlan,
  insertSource,
  lockSource,
  lockStanding,
  moveBatches,
  moveSource,
  readStanding,
  removeRunnable,
} from "./source-store.ts";
import { transportIdFor } from "./transports/transports.ts";
import type { Audience, HowEnded, NewSource, SourceEnded } from "./types.ts";

/**
 * In the transaction that makes the campaign `sending`: freezes the revision, the audience's bounds and what it leaves by,
 * and adds the job that plans. Of a source that ended as failed before, it goes on with those not yet sent.
 */
export async function launchSource(ctx: TxCtx, source: NewSource): Promise<void> {
  const { sql, accountId } = ctx;
  const launchedAt = ctx.clock.now();
  const transportId = await transportIdFor(sql, accountId, source.stream);
  const isLaunched = await insertSource(sql, {
    account_id: accountId,
    id: source.id,
    stream: source.stream,
    transport_id: transportId,
    revision: source.revision,
    list_id: source.audience.listId,
    segment_rules: await freezeRules(ctx, source.audience),
    on_ambiguous: source.onAmbiguous,
    launched_at: launchedAt,
  });
  if (!isLaunched) throw new Error(`source ${source.id} was launched already`);
  await moveBatches(sql, accountId, source.id, transportId);
  const estimate = await countActive(sql, accountId, source.audience.listId);
  await insertPlan(sql, accountId, source.id, launchedAt, estimate);
  await addRunnable(sql, accountId, source.id);
  const payload = { account_id: accountId, source_id: source.id };
  await addJob(sql, planSourceKind, payload, { key: `plan ${source.id}` });
  // Senders may sleep until there is something: they get ready while the first slice is planned.
  await hintReady(sql, source.id);
}

async function freezeRules(ctx: TxCtx, { listId, segmentId }: Audience): Promise<unknown> {
  if (segmentId === null) return null;
  const rules = await readSegmentRules(ctx.sql, ctx.accountId, segmentId, listId);
  if (!rules) throw new Error(`there is no segment ${segmentId}`);
  return rules;
}

/**
 * Before the campaign's own compare-and-set: the engine, too, locks the source first and the campaign then, at the end.
 * The other way round, a pause in the moment of the end was a deadlock, which takes a second to be seen.
 */
export async function holdSource({ sql, accountId }: TxCtx, id: string): Promise<void> {
  await lockSource(sql, accountId, id);
}

/** In the transaction of the campaign's own compare-and-set. What is on the wire finishes, nothing else leaves. */
export async function pauseSource(ctx: TxCtx, id: string, reason?: string): Promise<void> {
  const to = { state: "paused", reason: reason ?? null, endedAt: null } as const;
  if (!(await moveSource(ctx.sql, ctx.accountId, id, ["running"], to))) throw notIn(id, "running");
  await removeRunnable(ctx.sql, ctx.accountId, id);
  await hintProgress(ctx.sql, id);
}

/** Goes on with exactly those not yet sent. */
export async function resumeSource(ctx: TxCtx, id: string): Promise<void> {
  const to = { state: "running", reason: null, endedAt: null } as const;
  if (!(await moveSource(ctx.sql, ctx.accountId, id, ["paused"], to))) throw notIn(id, "paused");
  await addRunnable(ctx.sql, ctx.accountId, id);
  await hintReady(ctx.sql, id);
  await hintProgress(ctx.sql, id);
}

/** Every row that isn't on the wire becomes skipped(canceled), by a job. */
export async function cancelSource(ctx: TxCtx, id: string): Promise<void> {
  const to = { state: "canceled", reason: null, endedAt: null } as const;
  const from = ["running", "paused", "failed"] as const;
  if (!(await moveSource(ctx.sql, ctx.accountId, id, from, to))) throw notIn(id, from.join(" or "));
  await removeRunnable(ctx.sql, ctx.accountId, id);
  const payload = { account_id: ctx.accountId, source_id: id };
  await addJob(ctx.sql, cancelSourceKind, payload, { key: `cancel ${id}` });
  await hintProgress(ctx.sql, id);
}

/** The caller holds its own state against ours, so this is a bug of one of us. */
function notIn(id: string, states: string): Error {
  return new Error(`source ${id} is not ${states}`);
}

export type Ending = {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly sourceEnded: SourceEnded;
};

/**
 * Ends a running source once planning has ended, no row is left to send, and its counts sum up to its recipients. Anybody
 * may ask at any time, so that whoever dies before asking leaves nothing undone.
 */
export async function endIfDone(ending: Ending, accountId: string, id: string): Promise<boolean> {
  const seen = await readStanding(ending.db, accountId, id);
  if (!seen.isPlanned || seen.hasWork) return false;
  return ending.db.transaction(async (sql) => {
    const now = await lockStanding(sql, accountId, id);
    if (now?.state !== "running" || !now.isPlanned || now.hasWork) return false;
    if (now.done !== now.recipients) {
      ending.log.error({ source: id, recipients: now.recipients, done: now.done }, "a ledger doesn't add up");
      return false;
    }
    await end(ending, systemCtx(ending, sql, accountId), id, how(now.eligible));
    return true;
  });
}

function how(eligible: number): HowEnded {
  return eligible === 0 ? { kind: "no_recipients" } : { kind: "done" };
}

/** What can't be composed stops here, with everybody not yet sent still to be sent. */
export async function failSource(
  ending: Ending,
  accountId: string,
  id: string,
  failed: { readonly launch: number; readonly reason: string },
): Promise<void> {
  await ending.db.transaction(async (sql) => {
    const now = await lockStanding(sql, accountId, id);
    // Launched again meanwhile, it has another revision: what failed is no longer what is sent.
    if (now?.state !== "running" || now.launch !== failed.launch) return;
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
    await ending.sourceEnded(systemCtx(ending, sql, accountId), id, { kind: "paused", reason });
    await hintProgress(sql, id);
    sql.afterCommit(() => ending.log.warn({ source: id, reason, detail }, "a source was paused"));
  });
}

async function end(ending: Ending, ctx: TxCtx, id: string, ended: HowEnded): Promise<void> {
  const state = ended.kind === "done" ? "finished" : "failed";
  const reason = ended.kind === "failed" ? ended.reason : ended.kind === "done" ? null : ended.kind;
  await moveSource(ctx.sql, ctx.accountId, id, ["running"], { state, reason, endedAt: ctx.clock.now() });
  await removeRunnable(ctx.sql, ctx.accountId, id);
  await ending.sourceEnded(ctx, id, ended);
  await hintProgress(ctx.sql, id);
}

export function systemCtx(
  ending: Pick<Ending, "clock" | "log">,
  sql: TxCtx["sql"],
  accountId: string,
): TxCtx {
  return { sql, accountId, actor: { kind: "system", id: null }, clock: ending.clock, log: ending.log };
}
