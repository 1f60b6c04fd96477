/** These are the jobs of bulk changes: running one, undoing one, and removing what was written down for it. */
import { type AnyJob, addJob, type Job, type JobCtx } from "../../platform/jobs/jobs.ts";
import { removeRows } from "./bulk-store.ts";
import { ChangeFault } from "./change-fault.ts";
import { type BulkPayload, keyOf, removeRowsKind, runBulkKind, undoBulkKind } from "./job-kinds.ts";
import { failBulkChange, failUndo, type RunDeps, runBulkChange, undoBulkChange } from "./run.ts";

export function bulkChangeJobs(deps: RunDeps): readonly AnyJob[] {
  const run = async (ctx: JobCtx, payload: BulkPayload) => {
    try {
      await againIfStopped(ctx, runBulkKind, payload, await runBulkChange(ctx, deps, payload));
    } catch (error) {
      if (ctx.attempt >= runBulkKind.maxAttempts) await failBulkChange(ctx, payload, givenUp("change"));
      throw error;
    }
  };
  const undo = async (ctx: JobCtx, payload: BulkPayload) => {
    try {
      await againIfStopped(ctx, undoBulkKind, payload, await undoBulkChange(ctx, payload));
    } catch (error) {
      if (ctx.attempt >= undoBulkKind.maxAttempts) await failUndo(ctx, payload, givenUp("undo"));
      throw error;
    }
  };
  const remove = async (ctx: JobCtx, payload: BulkPayload) =>
    againIfStopped(ctx, removeRowsKind, payload, await removeAllRows(ctx, payload));
  return [
    { ...runBulkKind, run },
    { ...undoBulkKind, run: undo },
    { ...removeRowsKind, run: remove },
  ];
}

function givenUp(what: string): ChangeFault {
  return new ChangeFault("internal_error", `The ${what} failed again and again; see the log.`);
}

/** This is a new job and not a failed one, because stopping a service must not use up a change's attempts. */
async function againIfStopped(
  { db }: JobCtx,
  kind: Job<BulkPayload>,
  payload: BulkPayload,
  outcome: "ended" | "stopped",
): Promise<void> {
  if (outcome === "stopped") await addJob(db, kind, payload, { key: keyOf(kind, payload) });
}

const REMOVED_AT_ONCE = 10_000;

async function removeAllRows({ db, signal }: JobCtx, payload: BulkPayload): Promise<"ended" | "stopped"> {
  const { account_id: accountId, bulk_change_id: id } = payload;
  while (!(await db.transaction((tx) => removeRows(tx, accountId, id, REMOVED_AT_ONCE)))) {
    if (signal.aborted) return "stopped";
  }
  return "ended";
}
