/** This file reads what a bulk change is to do. What is stored names tags, lists and fields by their ids. */
import type { TxCtx } from "../../platform/context.ts";
import { fromPublicId, toPublicId } from "../../platform/ids.ts";
import type { Fault } from "../../platform/problems.ts";
import { readPlainFromFile } from "../changes/changes.ts";
import { PLAIN_NAMES, type PlainName } from "../columns.ts";
import { allFields, type FieldRow, readFieldValues } from "../fields/fields.ts";
import { listExists } from "../lists/lists.ts";
import { ensureTags, findTags, readTags, tagKey } from "../tags/tags.ts";
import type { BulkActionInput, BulkActionShown } from "./schema.ts";

export type FieldValue = string | number | boolean | null;

export type StoredAction =
  | { readonly type: "add_tags" | "remove_tags"; readonly tag_ids: readonly string[] }
  /** A column of the table has a name, and a custom field an id. */
  | {
      readonly type: "set_field";
      readonly column?: PlainName;
      readonly field_id?: string;
      readonly value: FieldValue;
      /** The value was somebody's and is forgotten: it is null here and must not be given to anybody, nor compared. */
      readonly is_erased?: true;
    }
  | { readonly type: "add_to_list"; readonly list_id: string }
  | { readonly type: "unsubscribe" | "delete" };

type ActionType = StoredAction["type"];
type Read = { readonly action: StoredAction } | { readonly faults: readonly Fault[] };

/** What an unsubscribed or a deleted person has lost can't be given back by us. */
export function isUndoable(type: ActionType): boolean {
  return type !== "unsubscribe" && type !== "delete";
}

export function isErased(action: StoredAction): boolean {
  return action.type === "set_field" && action.is_erased === true;
}

/** Each type wants these members and takes no other. */
const WANTED: Readonly<Record<ActionType, readonly (keyof BulkActionInput)[]>> = {
  add_tags: ["tags"],
  remove_tags: ["tags"],
  set_field: ["field", "value"],
  add_to_list: ["list_id"],
  unsubscribe: [],
  delete: [],
};

export async function readAction(ctx: TxCtx, input: BulkActionInput): Promise<Read> {
  const { type, ...given } = input;
  const faults: Fault[] = [];
  for (const name of WANTED[type]) {
    if (!(name in given))
      faults.push({ pointer: `/action/${name}`, code: "required", detail: "is required" });
  }
  for (const name of Object.keys(given)) {
    if (WANTED[type].includes(name as keyof BulkActionInput)) continue;
    faults.push({ pointer: `/action/${name}`, code: "not_allowed", detail: `isn't for ${type}` });
  }
  if (faults.length > 0) return { faults };
  switch (type) {
    case "add_tags":
    case "remove_tags":
      return readTagAction(ctx, type, input.tags ?? []);
    case "set_field":
      return readFieldAction(await allFields(ctx.sql, ctx.accountId), input.field ?? "", input.value ?? null);
    case "add_to_list":
      return readListAction(ctx, input.list_id ?? "");
    case "unsubscribe":
    case "delete":
      return { action: { type } };
  }
}

/** A tag to add is made where there is none; one to take off must be there, or it was mistyped. */
async function readTagAction(
  ctx: TxCtx,
  type: "add_tags" | "remove_tags",
  names: readonly string[],
): Promise<Read> {
  const { tags, faults } = readTags(names, "/action/tags");
  if (faults.length > 0) return { faults };
  if (type === "add_tags") return { action: { type, tag_ids: [...(await ensureTags(ctx, tags)).values()] } };
  const known = await findTags(ctx.sql, ctx.accountId, tags.map(tagKey));
  const unknown = names.flatMap((name, at) => (known.has(tagKey(name)) ? [] : [unknownTag(at)]));
  return unknown.length > 0 ? { faults: unknown } : { action: { type, tag_ids: [...known.values()] } };
}

function unknownTag(at: number): Fault {
  return { pointer: `/action/tags/${at}`, code: "not_found", detail: "there is no such tag in this account" };
}

const CUSTOM = "fields.";

function readFieldAction(fields: readonly FieldRow[], name: string, value: FieldValue): Read {
  const type = "set_field";
  const column = PLAIN_NAMES.find((one) => one === name);
  if (column) {
    if (value === null) return { action: { type, column, value } };
    const read =
      typeof value === "string"
        ? readPlainFromFile(column, value)
        : { refusal: { code: "invalid_type", detail: "must be text or null" } };
    if ("value" in read) return { action: { type, column, value: read.value } };
    return { faults: [{ pointer: "/action/value", ...read.refusal }] };
  }
  const key = name.startsWith(CUSTOM) ? name.slice(CUSTOM.length) : undefined;
  const field = fields.find((one) => one.key === key);
  if (!field) {
    const detail = `must be one of ${PLAIN_NAMES.join(", ")}, or fields.<key> of a custom field`;
    return { faults: [{ pointer: "/action/field", code: "unknown_field", detail }] };
  }
  const { faults } = readFieldValues([field], { [field.key]: value }, "");
  if (faults.length > 0)
    return { faults: faults.map(({ code, detail }) => ({ pointer: "/action/value", code, detail })) };
  return { action: { type, field_id: field.id, value } };
}

async function readListAction(ctx: TxCtx, given: string): Promise<Read> {
  const listId = fromPublicId("lst", given);
  if (listId && (await listExists(ctx.sql, ctx.accountId, listId)))
    return { action: { type: "add_to_list", list_id: listId } };
  const detail = "there is no such list in this account";
  return { faults: [{ pointer: "/action/list_id", code: "not_found", detail }] };
}

export function showAction(
  action: StoredAction,
  fields: readonly FieldRow[],
  tagNames: Readonly<Record<string, string>>,
): BulkActionShown {
  switch (action.type) {
    case "add_tags":
    case "remove_tags":
      return { type: action.type, tags: action.tag_ids.flatMap((id) => tagNames[id] ?? []) };
    case "set_field": {
      const key = fields.find(({ id }) => id === action.field_id)?.key ?? "(deleted)";
      return { type: action.type, field: action.column ?? `${CUSTOM}${key}`, value: action.value };
    }
    case "add_to_list":
      return { type: action.type, list_id: toPublicId("lst", action.list_id) };
    default:
      return { type: action.type };
  }
}
