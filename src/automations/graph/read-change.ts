/** Reads what a person gets or loses: the value of a field, and changes that are made up to try a draft with. */

import type { Fault } from "../../platform/problems.ts";
import { type FieldRow, faultOfValue, readPlainValue } from "../../subscribers/subscribers.ts";
import { type Part, partOf, type Reading } from "./parts.ts";
import { readField, readTag } from "./read-entry.ts";

type FieldValue = string | number | boolean | null;

export const CHANGES = ["tag_added", "tag_removed", "field_changed"] as const;

/** `field` is a built-in name, or `field:<uuid>` of a custom field. */
export type Change =
  | { readonly type: "tag_added" | "tag_removed"; readonly tag: string }
  | { readonly type: "field_changed"; readonly field: string; readonly value: FieldValue };

/** `pointer` is the change's place in the body. There is a change only where there are no faults. */
export function readChange(
  input: unknown,
  fields: readonly FieldRow[],
  pointer: string,
): { readonly change: Change | undefined; readonly faults: readonly Fault[] } {
  const reading: Reading = { fields, faults: [], mentions: [], ruleMentions: [], mailsNamed: [] };
  const part = partOf(reading, input, pointer);
  const change = part && read(reading, part);
  return { change: reading.faults.length === 0 ? change : undefined, faults: reading.faults };
}

function read(reading: Reading, part: Part): Change | undefined {
  const type = part.oneOf("type", CHANGES);
  if (type === undefined) return undefined;
  if (type === "field_changed") {
    const known = readFieldValue(reading, part);
    return known && { type, ...known };
  }
  const tag = readTag(part, "tag");
  return tag === undefined ? undefined : { type, tag };
}

/** Reads which field gets which value; null clears it. */
export function readFieldValue(
  reading: Reading,
  part: Part,
): { readonly field: string; readonly value: FieldValue } | undefined {
  const field = readField(reading, part, "field");
  if (!Object.hasOwn(part.json, "value"))
    return part.fault("value", "required", "give a value, or null to clear it");
  const value = part.json["value"];
  if (!field) return undefined;
  if (field.plain) {
    const read = readPlainValue(field.plain, value);
    if ("refusal" in read) return part.fault("value", "invalid_value", read.refusal.detail);
    return { field: field.name, value: read.value };
  }
  const wrong = value === null ? undefined : faultOfValue(field.type, value);
  if (wrong) return part.fault("value", "invalid_value", wrong);
  return { field: field.name, value: value as FieldValue };
}
