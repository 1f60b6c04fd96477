/** This room has custom fields: what they are called, what they may hold, and how values are kept under their slots. */

import { refuseInUse } from "../../accounts/accounts.ts";
import { changedFields, recordEvent } from "../../events/events.ts";
import type { TxCtx } from "../../platform/context.ts";
import { isUniqueViolation } from "../../platform/db/errors.ts";
import { escapePointer } from "../../platform/http/bodies/validation.ts";
import { etagOf, requireMatch } from "../../platform/http/etag.ts";
import { newId, toPublicId } from "../../platform/ids.ts";
import { AppError, type Fault, missing } from "../../platform/problems.ts";
import { fieldExists, tooManyFields } from "../problems.ts";
import {
  claimSlot,
  type FieldRow,
  type FieldView,
  insertField,
  lockField,
  markFieldDeleted,
  updateFieldRow,
} from "./field-store.ts";
import type { FieldType } from "./schema.ts";

export { allFields, type FieldRow, type FieldView, shareFields } from "./field-store.ts";

const MOST_FIELDS = 200;

export async function createField(
  ctx: TxCtx,
  input: { key: string; name?: string; type: FieldType },
): Promise<FieldView> {
  const { slot, live } = await claimSlot(ctx.sql, ctx.accountId);
  if (live >= MOST_FIELDS)
    throw new AppError(tooManyFields, `${MOST_FIELDS} fields are the most an account may have`);
  const now = ctx.clock.now();
  const made: FieldRow = {
    account_id: ctx.accountId,
    id: newId(ctx.clock),
    slot,
    key: input.key,
    name: input.name ?? input.key,
    type: input.type,
    created_at: now,
    updated_at: now,
  };
  const field = await refusingTakenKey(made.key, () => insertField(ctx.sql, made, ctx.actor));
  await recordEvent(ctx, { type: "field.created", data: { field_id: toPublicId("fld", field.id) } });
  return field;
}

export async function updateField(
  ctx: TxCtx,
  id: string,
  patch: { key?: string; name?: string },
  ifMatch: string | undefined,
): Promise<FieldView> {
  const field = await lockField(ctx.sql, ctx.accountId, id);
  if (!field) throw missing("field");
  requireMatch(ifMatch, fieldEtag(field));
  const changed = { ...field, ...patch, updated_at: ctx.clock.now() };
  const names = changedFields(field, changed, ["key", "name"]);
  if (names.length === 0) return field;
  // What runs names it by its key.
  if (names.includes("key")) await refuseInUse(ctx.sql, ctx.accountId, { kind: "field", id });
  const after = await refusingTakenKey(changed.key, () => updateFieldRow(ctx.sql, changed, ctx.actor));
  const data = { field_id: toPublicId("fld", id), changed: names };
  await recordEvent(ctx, { type: "field.updated", data });
  return after;
}

/** No row is rewritten: the values stay under a slot that nothing names any more, and that no other field gets. */
export async function deleteField(ctx: TxCtx, id: string): Promise<void> {
  const field = await lockField(ctx.sql, ctx.accountId, id);
  if (!field) throw missing("field");
  await refuseInUse(ctx.sql, ctx.accountId, { kind: "field", id });
  await markFieldDeleted(ctx.sql, ctx.accountId, id, ctx.clock.now(), ctx.actor);
  await recordEvent(ctx, { type: "field.deleted", data: { field_id: toPublicId("fld", id) } });
}

export function fieldEtag(field: FieldRow): string {
  return etagOf({ key: field.key, name: field.name });
}

async function refusingTakenKey<T>(key: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isUniqueViolation(error, "fields_by_key")) throw error;
    throw new AppError(fieldExists, `there is a field ${key} already`);
  }
}

export type FieldValue = string | number | boolean | null;
/** Values stand by slot, as they are stored; null clears one. */
export type SlotValues = Readonly<Record<string, FieldValue>>;

/** Checks values against the account's fields and files them under their slots. */
export function readFieldValues(
  fields: readonly FieldRow[],
  values: Readonly<Record<string, FieldValue>>,
  pointer: string,
): { slots: SlotValues; faults: readonly Fault[] } {
  const byKey = new Map(fields.map((field) => [field.key, field]));
  const slots: Record<string, FieldValue> = {};
  const faults: Fault[] = [];
  for (const [key, value] of Object.entries(values)) {
    const field = byKey.get(key);
    const at = `${pointer}/${escapePointer(key)}`;
    if (!field) {
      faults.push({
        pointer: at,
        code: "unknown_field",
        detail: "make this field first, with POST /v1/fields",
      });
      continue;
    }
    const wrong = value === null ? undefined : faultOfValue(field.type, value);
    if (wrong) faults.push({ pointer: at, code: "invalid_value", detail: wrong });
    else slots[field.slot] = value;
  }
  return { slots, faults };
}

/** Says what is wrong with a value of a field; null, which clears it, is asked for nothing. */
export function faultOfValue(type: FieldType, value: unknown): string | undefined {
  switch (type) {
    case "text":
      return typeof value === "string" && [...value].length <= 1_000
        ? undefined
        : "must be text of at most 1,000 characters";
    case "number":
      return typeof value === "number" && Number.isFinite(value) ? undefined : "must be a number";
    case "boolean":
      return typeof value === "boolean" ? undefined : "must be true or false";
    case "date":
      return typeof value === "string" && isDate(value) ? undefined : "must be a date such as 2026-11-14";
    case "url":
      return typeof value === "string" && isWebAddress(value)
        ? undefined
        : "must be an http or https address";
  }
}

function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

/** The form is spelt out, because the URL parser alone would take `https:example.com`, and blanks and line breaks inside. */
function isWebAddress(text: string): boolean {
  return text.length <= 2_000 && /^https?:\/\/[^\s/]\S*$/i.test(text) && URL.canParse(text);
}

/** A value of null clears its slot. */
export function mergeSlots(before: SlotValues, change: SlotValues): SlotValues {
  return Object.fromEntries(Object.entries({ ...before, ...change }).filter(([, value]) => value !== null));
}

/** Names the values by their fields' keys; those of a deleted field are left out. */
export function nameFieldValues(fields: readonly FieldRow[], slots: SlotValues): Record<string, FieldValue> {
  const named: Record<string, FieldValue> = {};
  for (const field of fields) {
    const value = slots[field.slot];
    if (value !== undefined && value !== null) named[field.key] = value;
  }
  return named;
}

/** Returns the ids of the fields whose values differ. */
export function changedValues(
  fields: readonly FieldRow[],
  before: SlotValues,
  after: SlotValues,
): readonly string[] {
  return fields.flatMap(({ id, slot }) => ((before[slot] ?? null) === (after[slot] ?? null) ? [] : [id]));
}
