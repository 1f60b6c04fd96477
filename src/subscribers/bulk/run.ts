/** This file runs a bulk change, or its undo, from wherever it stands to its end. What is committed says where to go on. */
import { recordEvent } from "../../events/events.ts";
import type { TxCtx } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/db.ts";
import { toPublicId } from "../../platform/ids.ts";
import { addJob, type JobCtx } from "../../platform/jobs/jobs.ts";
import type { HashAddress } from "../contact-store.ts";
import type { SentCampaigns } from "../engagement/engagement.ts";
import { lockSubscribers } from "../write-store.ts";
import { isUndoable } from "./action.ts";
import { applyAction } from "./apply.ts";
import {
  type BulkRow,
  findBulkChange,
  freezeMatching,
  keepOtherRunnersOut,
  lockBulkChange,
  nextSlice,
  readUndo,
  saveUndo,
  updateBulkChange,
} from "./bulk-store.ts";
import { ChangeFault } from "./change-fault.ts";
import { compileFilter } from "./filter.ts";
import { type BulkPayload, keyOf, removeRowsKind, undoUntil } from "./job-kinds.ts";
import { countsOf } from "./shape.ts";
import { undoAction } from "./undo.ts";

export type RunDeps = { readonly hashAddress: HashAddress; readonly sentCampaigns: SentCampaigns };

/** A slice takes some tens of milliseconds, and so long others wait for its rows. */
const SLICE = 1_000;

/** `stopped` means that there is more to do, for whoever comes next. */
export async function runBulkChange(
  job: JobCtx,
  deps: RunDeps,
  payload: BulkPayload,
): Promise<"ended" | "stopped"> {
  try {
    let hasMore = await begin(job, deps, payload);
    while (hasMore) {
      if (job.signal.aborted) return "stopped";
      hasMore = await inTransaction(job, payload, (ctx, row) => runSlice(ctx, deps, row));
    }
  } catch (error) {
    if (!(error instanceof ChangeFault)) throw error;
    await failBulkChange(job, payload, error);
  }
  return "ended";
}

export async function undoBulkChange(job: JobCtx, payload: BulkPayload): Promise<"ended" | "stopped"> {
  try {
    while (await inTransaction(job, payload, undoSlice)) {
      if (job.signal.aborted) return "stopped";
    }
  } catch (error) {
    if (!(error instanceof ChangeFault)) throw error;
    await failUndo(job, payload, error);
  }
  return "ended";
}

export async function failBulkChange(job: JobCtx, payload: BulkPayload, fault: ChangeFault): Promise<void> {
  await inTransaction(job, payload, async (ctx, row) => {
    if (row.status !== "pending" && row.status !== "running") return false;
    await end(ctx, row, "failed", { error_code: fault.code, error_detail: fault.message });
    return false;
  });
}

/** It can be asked for again within the 30 days, which don't begin anew; who is put back already isn't counted twice. */
export async function failUndo(job: JobCtx, payload: BulkPayload, fault: ChangeFault): Promise<void> {
  await inTransaction(job, payload, async (ctx, row) => {
    if (row.status !== "undoing") return false;
    const detail = `The undo stopped. ${fault.message}`;
    const failed = { status: "failed", error_code: fault.code, error_detail: detail } as const;
    await recordEnd(ctx, await updateBulkChange(ctx, row.id, failed));
    await removeRowsWhenDone(ctx, { ...row, ...failed });
    return false;
  });
}

/** The change is locked, so that no two runners do the same slice. It acts in the name of whoever asked for it. */
function inTransaction(
  job: JobCtx,
  { account_id: accountId, bulk_change_id: id }: BulkPayload,
  work: (ctx: TxCtx, row: BulkRow) => Promise<boolean>,
): Promise<boolean> {
  return job.db.transaction(async (tx: Tx) => {
    const row = await lockBulkChange(tx, accountId, id);
    return row ? work(ctxOf(job, tx, row), row) : false;
  });
}

function ctxOf({ clock, log }: JobCtx, tx: Tx, row: BulkRow): TxCtx {
  const actor = { kind: row.actor_kind, id: row.actor_id };
  return { sql: tx, accountId: row.account_id, actor, clock, log };
}

/** The change was canceled while those whom it is for were written down, so that nothing of it may be kept. */
class Overtaken extends Error {}

/**
 * Whom the change is for is written down once, all in one transaction: those who match now, and nobody else later. As this may
 * take minutes, the change is locked only after it: whoever cancels it, or forgets somebody, doesn't wait.
 */
async function begin(job: JobCtx, deps: RunDeps, payload: BulkPayload): Promise<boolean> {
  const { account_id: accountId, bulk_change_id: id } = payload;
  const work = async (tx: Tx): Promise<boolean> => {
    await keepOtherRunnersOut(tx, id);
    const found = await findBulkChange(tx, accountId, id);
    if (found?.status !== "pending") return found?.status === "running";
    const ctx = ctxOf(job, tx, found);
    const total = found.total ?? (await freeze(ctx, deps, found));
    if ((await lockBulkChange(tx, accountId, id))?.status !== "pending") throw new Overtaken();
    await updateBulkChange(ctx, id, { status: "running", total, started_at: ctx.clock.now() });
    return true;
  };
  return job.db.transaction(work).catch((error: unknown) => {
    if (error instanceof Overtaken) return false;
    throw error;
  });
}

async function freeze(ctx: TxCtx, deps: RunDeps, row: BulkRow): Promise<number> {
  const filter = row.filter && (await compileFilter(ctx, row.filter, deps.sentCampaigns));
  return filter ? freezeMatching(ctx, row.id, filter) : 0;
}

async function runSlice(ctx: TxCtx, deps: RunDeps, row: BulkRow): Promise<boolean> {
  if (row.status !== "running") return false;
  const ids = await nextSlice(ctx.sql, row, SLICE);
  const last = ids.at(-1);
  if (!last) {
    await end(ctx, row, "completed", {});
    return false;
  }
  const rows = await lockSubscribers(ctx.sql, ctx.accountId, ids);
  const { changed, failed } = await applyAction(ctx, deps.hashAddress, row, rows);
  if (isUndoable(row.action.type)) await saveUndo(ctx.sql, row, changed);
  await updateBulkChange(ctx, row.id, {
    position: last,
    changed: row.changed + changed.size,
    skipped: row.skipped + ids.length - changed.size - failed,
    failed: row.failed + failed,
  });
  return true;
}

async function undoSlice(ctx: TxCtx, row: BulkRow): Promise<boolean> {
  if (row.status !== "undoing") return false;
  const ids = await nextSlice(ctx.sql, row, SLICE);
  const last = ids.at(-1);
  if (!last) {
    const undone = await updateBulkChange(ctx, row.id, { status: "undone" });
    await removeRowsWhenDone(ctx, undone);
    await recordEnd(ctx, undone);
    return false;
  }
  const undo = await readUndo(ctx.sql, row, ids);
  const count = undo.size > 0 ? await undoAction(ctx, row, undo) : 0;
  await updateBulkChange(ctx, row.id, { position: last, undone: row.undone + count });
  return true;
}

export async function end(
  ctx: TxCtx,
  row: BulkRow,
  status: "completed" | "failed" | "canceled",
  fault: { error_code?: string; error_detail?: string },
): Promise<BulkRow> {
  const ended = await updateBulkChange(ctx, row.id, { status, ...fault, finished_at: ctx.clock.now() });
  await removeRowsWhenDone(ctx, ended);
  await recordEnd(ctx, ended);
  return ended;
}

/** What was written down goes when it can't be undone any more, which may be at once. */
async function removeRowsWhenDone(ctx: TxCtx, row: BulkRow): Promise<void> {
  const payload = { account_id: ctx.accountId, bulk_change_id: row.id };
  const runAt = undoUntil(row) ?? ctx.clock.now();
  await addJob(ctx.sql, removeRowsKind, payload, { runAt, key: keyOf(removeRowsKind, payload) });
}

async function recordEnd(ctx: TxCtx, row: BulkRow): Promise<void> {
  const { status } = row;
  if (status !== "completed" && status !== "failed" && status !== "canceled" && status !== "undone") return;
  await recordEvent(ctx, {
    type: `bulk_change.${status}`,
    data: {
      bulk_change_id: toPublicId("blk", row.id),
      action: row.action.type,
      counts: countsOf(row),
      ...(row.error_code && { error: row.error_code }),
    },
  });
}
