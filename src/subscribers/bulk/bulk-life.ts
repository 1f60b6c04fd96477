/** This file has what may be done with a bulk change: it is created, canceled, undone. `run.ts` runs it. */
import type { TxCtx } from "../../platform/context.ts";
import { fromPublicId, newId } from "../../platform/ids.ts";
import { addJob } from "../../platform/jobs/jobs.ts";
import { AppError, type Fault, invalid, missing } from "../../platform/problems.ts";
import { invalidState } from "../problems.ts";
import { readAction } from "./action.ts";
import {
  type BulkRow,
  blankValuesNaming,
  freezeNamed,
  insertBulkChange,
  lockBulkChange,
  updateBulkChange,
} from "./bulk-store.ts";
import { readBulkFilter } from "./filter.ts";
import { keyOf, runBulkKind, undoBulkKind, undoUntil } from "./job-kinds.ts";
import { end } from "./run.ts";
import type { BulkChangeCreate } from "./schema.ts";

export async function createBulkChange(ctx: TxCtx, input: BulkChangeCreate): Promise<BulkRow> {
  const [action, whom] = [await readAction(ctx, input.action), await readWhom(ctx, input)];
  const faults = [...faultsOf(whom), ...faultsOf(action)];
  if ("faults" in action || "faults" in whom) throw invalid(...faults);
  const { filter, ids } = whom;
  const id = newId(ctx.clock);
  const row = await insertBulkChange(ctx, {
    id,
    filter,
    action: action.action,
    total: ids ? ids.length : null,
  });
  if (ids) await freezeNamed(ctx.sql, ctx.accountId, id, ids);
  const payload = { account_id: ctx.accountId, bulk_change_id: id };
  await addJob(ctx.sql, runBulkKind, payload, { key: keyOf(runBulkKind, payload) });
  return row;
}

async function readWhom(ctx: TxCtx, { filter, ids }: BulkChangeCreate) {
  if ((filter === undefined) === (ids === undefined)) {
    const detail = "say either a filter or ids";
    return {
      faults: [{ pointer: filter ? "/ids" : "/filter", code: filter ? "not_allowed" : "required", detail }],
    };
  }
  if (filter === undefined) {
    const uuids = new Set((ids ?? []).map((one) => fromPublicId("sub", one) ?? ""));
    return { filter: null, ids: [...uuids] };
  }
  const read = await readBulkFilter(ctx, filter);
  return "faults" in read ? read : { filter: read.filter, ids: undefined };
}

function faultsOf(read: object): readonly Fault[] {
  return "faults" in read ? (read.faults as readonly Fault[]) : [];
}

/** The slice in progress is finished, and no other is begun. What was changed stays until it is undone. */
export async function cancelBulkChange(ctx: TxCtx, id: string): Promise<BulkRow> {
  const row = await mustLock(ctx, id);
  if (row.status !== "pending" && row.status !== "running") throw refusal(row, "canceled");
  return end(ctx, row, "canceled", {});
}

export async function requestUndo(ctx: TxCtx, id: string): Promise<BulkRow> {
  const row = await mustLock(ctx, id);
  const until = undoUntil(row);
  if (!until || until <= ctx.clock.now()) throw refusal(row, "undone");
  const undoing = await updateBulkChange(ctx, id, {
    status: "undoing",
    position: null,
    error_code: null,
    error_detail: null,
  });
  const payload = { account_id: ctx.accountId, bulk_change_id: id };
  await addJob(ctx.sql, undoBulkKind, payload, { key: keyOf(undoBulkKind, payload) });
  return undoing;
}

async function mustLock(ctx: TxCtx, id: string): Promise<BulkRow> {
  const row = await lockBulkChange(ctx.sql, ctx.accountId, id);
  if (!row) throw missing("bulk change");
  return row;
}

function refusal(row: BulkRow, what: string): AppError {
  const why =
    what === "undone" && ["completed", "failed", "canceled"].includes(row.status)
      ? "there is nothing of this change that could be undone"
      : `a bulk change that is ${row.status} can't be ${what}`;
  return new AppError(invalidState, why, { members: { current_status: row.status } });
}

/** An erasure comes here. What is kept of one subscriber went with it; this is about what was given to many. */
export async function forgetInBulkChanges(ctx: TxCtx, addressKey: string): Promise<void> {
  await blankValuesNaming(ctx.sql, ctx.accountId, addressKey);
}
