/** This file puts back what a bulk change did to a slice of subscribers, where nobody has changed it since. */
import type { TxCtx } from "../../platform/context.ts";
import { deleteSubscribers } from "../changes/changes.ts";
import type { SubscriberRow } from "../columns.ts";
import { lockSubscribers } from "../write-store.ts";
import { tagRows, untagRows, writeValues } from "./apply.ts";
import type { BulkRow, UndoData } from "./bulk-store.ts";
import { fieldValueOf, requireSlot, withFieldValue } from "./field-value.ts";

/** Returns how many were put back. */
export async function undoAction(
  ctx: TxCtx,
  { action }: BulkRow,
  undo: ReadonlyMap<string, UndoData>,
): Promise<number> {
  if (action.type === "add_to_list") return removeCopies(ctx, undo);
  const rows = await lockSubscribers(ctx.sql, ctx.accountId, [...undo.keys()]);
  const tagsOf = (id: string) => undo.get(id)?.tags ?? [];
  switch (action.type) {
    case "add_tags":
      return (await untagRows(ctx, rows, tagsOf)).size;
    case "remove_tags":
      return (await tagRows(ctx, rows, tagsOf)).fitting.size;
    case "set_field": {
      const place = await requireSlot(ctx, action);
      const unchanged = rows.filter((row) => fieldValueOf(row, place) === action.value);
      const restored = unchanged.map((row) => withFieldValue(row, place, undo.get(row.id)?.was ?? null));
      await writeValues(ctx, restored, place);
      return restored.length;
    }
    default:
      return 0;
  }
}

/** A copy that has changed since it was made is somebody's work or a person's wish, and stays. */
async function removeCopies(ctx: TxCtx, undo: ReadonlyMap<string, UndoData>): Promise<number> {
  const ids = [...undo.values()].flatMap(({ copy }) => copy ?? []);
  const copies = await lockSubscribers(ctx.sql, ctx.accountId, ids);
  const untouched = copies.filter(isUntouched);
  await deleteSubscribers(ctx, untouched);
  return untouched.length;
}

function isUntouched(row: SubscriberRow): boolean {
  return row.updated_at.getTime() === row.created_at.getTime();
}
