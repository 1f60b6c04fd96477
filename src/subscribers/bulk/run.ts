/** This file runs a bulk change, or its undo, from wherever it stands to its end. What is committed says where to go on. */
import { recordEvent } from "../../events/events.ts";
import type { TxCtx } from "../../platform/context.ts";
import type { Db, Tx } from "../../platform/db/db.ts";
import { toPublicId } from "../../platform/ids.ts";
import { addJob, type JobCtx } from "../../platform/jobs/jobs.ts";
import type { HashAddress } from "../contact-store.ts";
import type { SentCampaigns } from "../engagement/engagement.ts";
import { lockSubscribers } from "../write-store.ts";
import { isUndoable } from "./action.ts";
import { applyAction } from "./apply.ts";
import {
  type BulkRow,
  freezeMatching,
  lockBulkChange,
  nextSlice,
  readUndo,
  saveUndo,
  updateBulkChange,
} from "./bulk-store.ts";
import { ChangeFault } from "./change-fault.ts";
import { compileFilter } from "./filter.ts";
import { type BulkPayload, removeRowsKind, undoUntil } from "./job-kinds.ts";
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
  const step = (work: (ctx: TxCtx, row: BulkRow) => Promise<boolean>) =>
    inTransaction(job, payload, job.db, work);
  try {
    let hasMore = await step((ctx, row) => begin(ctx, deps, row));
    while (hasMore) {
      if (job.signal.aborted) return "stopped";
      hasMore = await step((ctx, row) => runSlice(ctx, deps, row));
    }
  } catch (error) {
    if (!(error instanceof ChangeFault)) throw error;
    await failBulkChange(job, payload, error);
  }
  return "ended";
}

export async function undoBulkChange(job: JobCtx, payload: BulkPayload): Promise<"ended" | "stopped"> {
  for (;;) {
    const hasMore = await inTransaction(job, payload, job.db, undoSlice);
    if (!hasMore) return "ended";
    if (job.signal.aborted) return "stopped";
  }
}

export async function failBulkChange(job: JobCtx, payload: BulkPayload, fault: ChangeFault): Promise<void> {
  await inTransaction(job, payload, job.db, async (ctx, row) => {
    if (row.status !== "pending" && row.status !== "running") return false;
    await end(ctx, row, "failed", { error_code: fault.code, error_detail: fault.message });
    return false;
  });
}

/** The change is locked, so that no two runners do the same slice. It acts in the name of whoever asked for it. */
function inTransaction(
  { clock, log }: JobCtx,
  { account_id: accountId, bulk_change_id: id }: BulkPayload,
  db: Db,
  work: (ctx: TxCtx, row: BulkRow) => Promise<boolean>,
): Promise<boolean> {
  return db.transaction(async (tx: Tx) => {
    const row = await lockBulkChange(tx, accountId, id);
    if (!row) return false;
    return work({ sql: tx, accountId, actor: { kind: row.actor_kind, id: row.actor_id }, clock, log }, row);
  });
}

/** Whom the change is for is written down once, all in one transaction: those who match now, and nobody else later. */
async function begin(ctx: TxCtx, deps: RunDeps, row: BulkRow): Promise<boolean> {
  if (row.status === "running") return true;
  if (row.status !== "pending") return false;
  const total = row.total ?? (await freeze(ctx, deps, row));
  await updateBulkChange(ctx, row.id, { status: "running", total, started_at: ctx.clock.now() });
  return true;
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
  await addJob(ctx.sql, removeRowsKind, payload, { runAt, key: `bulk change rows ${row.id}` });
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
