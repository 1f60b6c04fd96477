/** This file decides what each column of a file becomes: what the client says, or what was guessed. */
import type { Fault } from "../../../platform/problems.ts";
import type { FieldRow } from "../../fields/fields.ts";
import type { DateOrder, Standing } from "../values/values.ts";
import { FileFault } from "./file-fault.ts";
import type { Format } from "./format.ts";
import { type Column, type FileFacts, type Guessed, guessColumns } from "./guessing.ts";
import { type ImportTarget, targetsOf } from "./headings.ts";
import type { PresetId } from "./presets.ts";

export type Plan = {
  readonly hasHeader: boolean;
  readonly columns: readonly Column[];
  readonly preset: PresetId | null;
  /** What a row without a status of its own is. */
  readonly standing: Standing;
  readonly order: DateOrder;
};

/** `records` are the first ones of the file. */
export function planColumns(
  records: readonly string[][],
  format: Format,
  fields: readonly FieldRow[],
  given: FileFacts & { mapping?: Readonly<Record<string, string>> | undefined },
): Plan | { faults: readonly Fault[] } {
  const guessed = guessColumns(records, format, fields, given);
  const { hasHeader, recognised, order } = guessed;
  const common = {
    hasHeader,
    preset: recognised?.id ?? null,
    standing: recognised?.standing ?? "active",
    order,
  } as const;
  if (given.mapping) {
    const names = guessed.columns.map(({ name }) => name);
    const read = readMapping(given.mapping, names, given.target, fields);
    return "faults" in read ? read : { ...common, columns: read.columns };
  }
  if (!isIdentified(guessed.columns)) {
    throw new FileFault(
      "no_email_column",
      "No column looks like e-mail addresses. Say in `mapping` which one it is.",
    );
  }
  return { ...common, columns: columnsOf(guessed) };
}

export function columnsOf({ columns }: Pick<Guessed, "columns">): Column[] {
  return columns.map(({ name, target, fieldId }) => ({
    name,
    target,
    ...(fieldId !== undefined && { fieldId }),
  }));
}

/** Only a suppression may be known by its contact alone, because those whom nobody knows by address come out so. */
export function isIdentified(columns: readonly Column[]): boolean {
  return columns.some(({ target }) => target === "email" || target === "contact_id");
}

/** Writes the mapping for a client: by column, with custom fields by their present keys. */
export function showMapping(columns: readonly Column[], fields: readonly FieldRow[]): Record<string, string> {
  const keys = new Map(fields.map((field) => [field.id, field.key]));
  return Object.fromEntries(
    columns.map(({ name, target, fieldId }) => [
      name,
      target === "field" ? `fields.${keys.get(fieldId ?? "") ?? "(deleted)"}` : target,
    ]),
  );
}

function readMapping(
  mapping: Readonly<Record<string, string>>,
  names: readonly string[],
  importTarget: ImportTarget,
  fields: readonly FieldRow[],
): { columns: readonly Column[] } | { faults: readonly Fault[] } {
  const targets = targetsOf(importTarget);
  const takesFields = importTarget === "subscribers";
  const faults: Fault[] = [];
  const byName = new Map<string, Column>();
  for (const [given, target] of Object.entries(mapping)) {
    const pointer = `/mapping/${given.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    const same = (name: string) => name.toLowerCase() === given.trim().toLowerCase();
    const name = names.find((one) => one === given) ?? names.find(same);
    if (name === undefined) {
      const known = names.slice(0, 20).join(", ");
      faults.push({
        pointer,
        code: "unknown_column",
        detail: `the file has no such column; it has ${known}`,
      });
      continue;
    }
    const isField = takesFields && target.startsWith("fields.");
    const field = isField ? fields.find((one) => one.key === target.slice("fields.".length)) : undefined;
    const plain = targets.find((one) => one === target);
    if (field) byName.set(name, { name, target: "field", fieldId: field.id });
    else if (plain || target === "ignore") byName.set(name, { name, target: plain ?? "ignore" });
    else {
      const detail = isField
        ? "make this field first, with POST /v1/fields"
        : `must be one of ${[...targets, ...(takesFields ? ["fields.<key>"] : []), "ignore"].join(", ")}`;
      faults.push({ pointer, code: isField ? "unknown_field" : "invalid_value", detail });
    }
  }
  const columns = names.map((name): Column => byName.get(name) ?? { name, target: "ignore" });
  const meanings = columns.map(({ target, fieldId }) => fieldId ?? target).filter((one) => one !== "ignore");
  if (!isIdentified(columns) && faults.length === 0)
    faults.push({ pointer: "/mapping", code: "required", detail: "one column must become email" });
  if (new Set(meanings).size < meanings.length)
    faults.push({ pointer: "/mapping", code: "duplicate", detail: "two columns become the same thing" });
  return faults.length > 0 ? { faults } : { columns };
}
