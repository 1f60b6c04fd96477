/** This file decides what each column of a file becomes: what the client says, or a guess from its heading and its cells. */
import type { Fault } from "../../../platform/problems.ts";
import type { FieldRow } from "../../fields/fields.ts";
import { readCell } from "./cells.ts";
import { FileFault } from "./file-fault.ts";
import { type Format, isAddress } from "./format.ts";
import { meaningOf, TARGETS, type Target } from "./headings.ts";
import { isBlank } from "./records.ts";

export type Column = {
  /** This is the heading, or the column's number where there is none; it is unique in its file. */
  readonly name: string;
  readonly target: Target | "field" | "ignore";
  /** A column of target `field` names the field by id, so that a rename changes nothing. */
  readonly fieldId?: string;
};

export type Plan = { readonly hasHeader: boolean; readonly columns: readonly Column[] };

/** `records` are the first ones of the file. */
export function planColumns(
  records: readonly string[][],
  format: Format,
  fields: readonly FieldRow[],
  given: { mapping?: Readonly<Record<string, string>> | undefined; hasHeader?: boolean | undefined },
): Plan | { faults: readonly Fault[] } {
  const rows = records
    .filter((cells) => !isBlank(cells))
    .map((cells) => cells.map((cell) => readCell(cell, format) ?? ""));
  const [first] = rows;
  if (!first) throw new FileFault("empty_file", "There is no row in the file.");
  const hasHeader = given.hasHeader ?? !first.some(isAddress);
  const body = hasHeader ? rows.slice(1) : rows;
  const width = Math.max(first.length, ...body.map((cells) => cells.length));
  const names = columnNames(hasHeader ? first : [], width);
  if (given.mapping) return readMapping(given.mapping, names, hasHeader, fields);

  const columns = names.map(
    (name, index): Column => guess(name, hasHeader ? (first[index] ?? "") : "", fields),
  );
  const emailAt = findEmailColumn(columns, body);
  if (emailAt < 0) {
    throw new FileFault(
      "no_email_column",
      "No column looks like e-mail addresses. Say in `mapping` which one it is.",
    );
  }
  return { hasHeader, columns: withoutTwins(columns, emailAt) };
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

/** A column without a heading gets its number, and one whose heading came before gets " (2)" behind it. */
function columnNames(headings: readonly string[], width: number): string[] {
  const taken = new Set<string>();
  return Array.from({ length: width }, (_, index) => {
    const heading = (headings[index] ?? "").slice(0, 200) || String(index + 1);
    let name = heading;
    for (let again = 2; taken.has(name); again++) name = `${heading} (${again})`;
    taken.add(name);
    return name;
  });
}

function guess(name: string, heading: string, fields: readonly FieldRow[]): Column {
  const plain = (text: string) =>
    text
      .normalize("NFKD")
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}]/gu, "");
  const wanted = plain(heading.replace(/^fields\./i, ""));
  const field = fields.find(
    (one) => wanted !== "" && (plain(one.key) === wanted || plain(one.name) === wanted),
  );
  const meaning = meaningOf(heading);
  if (meaning) return { name, target: meaning };
  return field ? { name, target: "field", fieldId: field.id } : { name, target: "ignore" };
}

/** The cells decide, whatever the heading: an "E-mail" column of yes and no has a column of addresses beside it. */
function findEmailColumn(columns: readonly Column[], body: readonly string[][]): number {
  const filled = (index: number) => body.map((cells) => cells[index] ?? "").filter((cell) => cell !== "");
  const share = (index: number) => {
    const cells = filled(index);
    return cells.length === 0 ? 0 : cells.filter(isAddress).length / cells.length;
  };
  const candidates = columns.map((column, index) => ({
    index,
    isNamed: column.target === "email",
    share: share(index),
  }));
  const named = candidates.filter(({ isNamed }) => isNamed).sort((a, b) => b.share - a.share)[0];
  const best = candidates.reduce<(typeof candidates)[number] | undefined>(
    (most, one) => (one.share > (most?.share ?? 0) ? one : most),
    undefined,
  );
  // A named column without a single address yet may still be right, in a file of nothing but mistakes or of a header alone.
  if (named && (named.share > 0 || (best?.share ?? 0) < 0.5)) return named.index;
  return best && best.share >= 0.5 ? best.index : -1;
}

/** Each meaning is given once: the first column wins, and of the e-mail columns the chosen one. */
function withoutTwins(columns: readonly Column[], emailAt: number): Column[] {
  const seen = new Set<string>(["email"]);
  return columns.map(({ name, target, fieldId }, index) => {
    if (index === emailAt) return { name, target: "email" };
    const meaning = fieldId ?? target;
    if (target === "ignore" || seen.has(meaning)) return { name, target: "ignore" };
    seen.add(meaning);
    return { name, target, ...(fieldId !== undefined && { fieldId }) };
  });
}

function readMapping(
  mapping: Readonly<Record<string, string>>,
  names: readonly string[],
  hasHeader: boolean,
  fields: readonly FieldRow[],
): Plan | { faults: readonly Fault[] } {
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
    const field = target.startsWith("fields.")
      ? fields.find((one) => one.key === target.slice("fields.".length))
      : undefined;
    const plain = TARGETS.find((one) => one === target);
    if (field) byName.set(name, { name, target: "field", fieldId: field.id });
    else if (plain || target === "ignore") byName.set(name, { name, target: plain ?? "ignore" });
    else {
      const detail = target.startsWith("fields.")
        ? "make this field first, with POST /v1/fields"
        : `must be one of ${TARGETS.join(", ")}, fields.<key>, ignore`;
      faults.push({
        pointer,
        code: target.startsWith("fields.") ? "unknown_field" : "invalid_value",
        detail,
      });
    }
  }
  const columns = names.map((name): Column => byName.get(name) ?? { name, target: "ignore" });
  const emails = columns.filter(({ target }) => target === "email").length;
  const meanings = columns.map(({ target, fieldId }) => fieldId ?? target).filter((one) => one !== "ignore");
  if (emails === 0 && faults.length === 0)
    faults.push({ pointer: "/mapping", code: "required", detail: "one column must become email" });
  if (new Set(meanings).size < meanings.length)
    faults.push({ pointer: "/mapping", code: "duplicate", detail: "two columns become the same thing" });
  return faults.length > 0 ? { faults } : { hasHeader, columns };
}
