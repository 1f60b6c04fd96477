/** This file knows where the value of a field stands in a row: in a column of its own, or under the slot of a custom field. */
import type { TxCtx } from "../../platform/context.ts";
import type { PlainName, SubscriberRow } from "../columns.ts";
import { allFields, mergeSlots } from "../fields/fields.ts";
import { type FieldValue, isErased, type StoredAction } from "./action.ts";
import { ChangeFault } from "./change-fault.ts";

export type Place =
  | { readonly column: PlainName; readonly slot?: never; readonly fieldId?: never }
  | { readonly column?: never; readonly slot: number; readonly fieldId: string };

/** A custom field may be deleted while the change runs, and the value be erased with the person whom it names. */
export async function requireSlot(
  ctx: TxCtx,
  action: Extract<StoredAction, { type: "set_field" }>,
): Promise<Place> {
  if (isErased(action))
    throw new ChangeFault("value_erased", "The value named somebody who was forgotten, and went with them.");
  if (action.column) return { column: action.column };
  const fields = await allFields(ctx.sql, ctx.accountId);
  const field = fields.find(({ id }) => id === action.field_id);
  if (!field) throw new ChangeFault("field_deleted", "The field was deleted.");
  return { slot: field.slot, fieldId: field.id };
}

export function fieldValueOf(row: SubscriberRow, { column, slot }: Place): FieldValue {
  return column ? row[column] : (row.fields[String(slot)] ?? null);
}

export function withFieldValue(
  row: SubscriberRow,
  { column, slot }: Place,
  value: FieldValue,
): SubscriberRow {
  if (column) return { ...row, [column]: value };
  return { ...row, fields: mergeSlots(row.fields, { [String(slot)]: value }) };
}
