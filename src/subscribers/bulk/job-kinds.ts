import { defineJob, type Job } from "../../platform/jobs/jobs.ts";
import { isErased, isUndoable } from "./action.ts";
import type { BulkRow } from "./bulk-store.ts";

export type BulkPayload = { account_id: string; bulk_change_id: string };

const DAY_MS = 24 * 3_600_000;
const UNDO_DAYS = 30;

/** These jobs are added to the queue here; `jobs.ts` says how each is run, which takes more than whoever adds it has. */
const kind = (name: string) =>
  defineJob<BulkPayload>({ name, priority: 10, timeoutMs: DAY_MS, maxAttempts: 10, run: notHere });

export const runBulkKind = kind("run_bulk_change");
export const undoBulkKind = kind("undo_bulk_change");
export const removeRowsKind = kind("remove_bulk_change_rows");

/** Of each kind a change has one job at most. */
export function keyOf(kind: Job<BulkPayload>, payload: BulkPayload): string {
  return `${kind.name} ${payload.bulk_change_id}`;
}

/** What a change needs for its undo may be personal data, so it goes by itself; until then it can be undone. */
export function undoUntil({ status, action, changed, finished_at }: BulkRow): Date | undefined {
  const isOver = status === "completed" || status === "failed" || status === "canceled";
  if (!isOver || !isUndoable(action.type) || isErased(action) || changed === 0 || !finished_at)
    return undefined;
  return new Date(finished_at.getTime() + UNDO_DAYS * DAY_MS);
}

async function notHere(): Promise<void> {
  throw new Error("this job is run by the jobs role alone");
}
