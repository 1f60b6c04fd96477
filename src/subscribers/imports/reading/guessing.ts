/** This file guesses what each column of a file is: from a preset, else from its heading, else from its cells. It is pure. */
import { isIP } from "node:net";
import { readPlainFromFile } from "../../changes/changes.ts";
import type { FieldRow } from "../../fields/fields.ts";
import {
  createStandingReader,
  type DateOrder,
  factsOf,
  isAgainstMail,
  orderOf,
  plainHeading,
  readAnswer,
  readTime,
} from "../values/values.ts";
import { readCell } from "./cells.ts";
import { FileFault } from "./file-fault.ts";
import { type Format, isAddress } from "./format.ts";
import {
  historyMeaningOf,
  type ImportTarget,
  meaningOf,
  type SuppressionTarget,
  suppressionMeaningOf,
  type Target,
} from "./headings.ts";
import { type Recognised, recognise } from "./presets.ts";
import { isBlank } from "./records.ts";

export type Column = {
  /** This is the heading, or the column's number where there is none; it is unique in its file. */
  readonly name: string;
  readonly target: Target | SuppressionTarget | "field" | "ignore";
  /** A column of target `field` names the field by id, so that a rename changes nothing. */
  readonly fieldId?: string;
};

export const GUESS_ORIGINS = ["preset", "heading", "content", "nothing"] as const;
type Guess = Column & {
  readonly from: (typeof GUESS_ORIGINS)[number];
  /** The heading promises who left, bounced or complained, and the cells can't be read as that. */
  readonly isUnreadStatus?: boolean;
};

export type Guessed = {
  readonly hasHeader: boolean;
  /** The first rows as text, without the header. */
  readonly body: readonly (readonly string[])[];
  readonly columns: readonly Guess[];
  readonly recognised: Recognised | undefined;
  readonly order: DateOrder;
  /** True where a cell says which of day and month comes first, or where a preset does. */
  readonly isOrderKnown: boolean;
};

export type FileFacts = {
  readonly target: ImportTarget;
  readonly fileName: string;
  readonly hasHeader?: boolean | undefined;
  readonly order?: DateOrder | undefined;
  readonly now: Date;
};

/** `records` are the first ones of the file. */
export function guessColumns(
  records: readonly string[][],
  format: Format,
  fields: readonly FieldRow[],
  facts: FileFacts,
): Guessed {
  const rows = records
    .filter((cells) => !isBlank(cells))
    .map((cells) => cells.map((cell) => readCell(cell, format) ?? ""));
  const [first] = rows;
  if (!first) throw new FileFault("empty_file", "There is no row in the file.");
  const hasHeader = facts.hasHeader ?? !first.some(isAddress);
  const body = hasHeader ? rows.slice(1) : rows;
  const width = Math.max(first.length, ...body.map((cells) => cells.length));
  const headings = hasHeader ? first : [];
  const recognised = recognise(headings, facts.fileName);
  const filled = (index: number) => body.map((cells) => cells[index] ?? "").filter((cell) => cell !== "");
  const meaningAt = (index: number) => {
    const heading = headings[index] ?? "";
    if (facts.target === "suppressions") return suppressionMeaningOf(heading);
    return recognised?.targetOf(heading) ?? historyMeaningOf(heading);
  };
  // A birthday in a field of its own is written as its person wrote it, so it doesn't outweigh what a service always writes.
  const ofTimes = headings.flatMap((_, index) => (meaningAt(index)?.endsWith("_at") ? filled(index) : []));
  const said = facts.order ?? orderOf(ofTimes) ?? (recognised ? undefined : orderOf(body.flat()));
  const order = said ?? recognised?.order ?? "mdy";
  const guess = (name: string, index: number): Guess => {
    const heading = headings[index] ?? "";
    const cells = filled(index);
    const fits = (target: Target | SuppressionTarget) => bearsOut(target, cells, order, facts.now);
    if (facts.target === "suppressions") {
      const meaning = suppressionMeaningOf(heading);
      return meaning && fits(meaning) ? { name, target: meaning, from: "heading" } : unknown(name);
    }
    const isUnreadStatus = STATUS_TARGETS.includes(meaningAt(index) ?? "") && cells.length > 0;
    const preset = recognised?.targetOf(heading);
    if (preset && (preset === "ignore" || fits(preset))) return { name, target: preset, from: "preset" };
    const guessed = guessByHeading(name, heading, fields, fits) ?? guessByContent(name, cells);
    return guessed.from === "nothing" && isUnreadStatus ? { ...guessed, isUnreadStatus } : guessed;
  };
  const columns = columnNames(headings, width).map(guess);
  const emailAt = findEmailColumn(columns, filled);
  return {
    hasHeader,
    body,
    columns: withoutTwins(nameParts(columns), emailAt),
    recognised,
    order,
    isOrderKnown: said !== undefined || recognised !== undefined,
  };
}

const unknown = (name: string): Guess => ({ name, target: "ignore", from: "nothing" });

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

function guessByHeading(
  name: string,
  heading: string,
  fields: readonly FieldRow[],
  fits: (target: Target) => boolean,
): Guess | undefined {
  const meaning = meaningOf(heading);
  if (meaning) return { name, target: meaning, from: "heading" };
  const wanted = plainHeading(heading.replace(/^fields\./i, ""));
  const field = fields.find(
    (one) => wanted !== "" && (plainHeading(one.key) === wanted || plainHeading(one.name) === wanted),
  );
  if (field) return { name, target: "field", fieldId: field.id, from: "heading" };
  const history = historyMeaningOf(heading);
  return history && fits(history) ? { name, target: history, from: "heading" } : undefined;
}

/** E-mail addresses are found later, among all columns. */
function guessByContent(name: string, cells: readonly string[]): Guess {
  const isOfAddresses = cells.length > 0 && cells.every((cell) => isIP(cell) !== 0);
  return isOfAddresses ? { name, target: "opt_in_ip", from: "content" } : unknown(name);
}

const ENOUGH = 0.8;
const readStanding = createStandingReader({});
const STATUS_TARGETS: readonly string[] = [
  "status",
  "is_unsubscribed",
  "is_bounced",
  "is_complained",
  "is_suppressed",
  "unsubscribed_at",
];

function isWordAgainstMail(cell: string): boolean {
  const standing = readStanding(cell);
  return standing !== undefined && isAgainstMail(factsOf(standing));
}

/** Says whether the cells are what the heading promises. A column without a single cell is believed. */
function bearsOut(
  target: Target | SuppressionTarget,
  cells: readonly string[],
  order: DateOrder,
  now: Date,
): boolean {
  if (cells.length === 0) return true;
  const share = (isGood: (cell: string) => boolean) => cells.filter(isGood).length / cells.length;
  const isTime = (cell: string) => readTime(cell, order, now) !== undefined;
  switch (target) {
    case "opted_in_at":
    case "confirmed_at":
    case "unsubscribed_at":
    case "created_at":
      return share(isTime) >= ENOUGH;
    case "opt_in_ip":
    case "confirm_ip":
      return share((cell) => isIP(cell) !== 0) >= ENOUGH;
    case "status":
      // Where a single cell says that somebody left, nobody else may become active by a word that we don't know.
      return cells.some(isWordAgainstMail) || share((cell) => readStanding(cell) !== undefined) >= 0.5;
    case "reason":
      return share((cell) => readStanding(cell) !== undefined) >= 0.5;
    case "is_unsubscribed":
    case "is_bounced":
    case "is_complained":
    case "is_suppressed":
      return share((cell) => readAnswer(cell) !== undefined || isTime(cell)) >= ENOUGH;
    case "opt_in_source":
    case "source":
      return share((cell) => cell.length <= 200) === 1;
    case "time_zone":
    case "locale":
      return share((cell) => "value" in readPlainFromFile(target, cell)) >= ENOUGH;
    default:
      return true;
  }
}

/** The cells decide, whatever the heading: an "E-mail" column of yes and no has a column of addresses beside it. */
function findEmailColumn(columns: readonly Guess[], filled: (index: number) => readonly string[]): number {
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

/** "Name" is the whole name, but beside a column of first names it is the last one. */
function nameParts(columns: readonly Guess[]): Guess[] {
  const has = (target: Target) => columns.some((column) => column.target === target);
  if (!has("first_name")) return [...columns];
  return columns.map((column) => {
    if (column.target !== "full_name") return column;
    return has("last_name") ? unknown(column.name) : { ...column, target: "last_name" };
  });
}

/** Each meaning is given once: the first column wins, and of the e-mail columns the chosen one. */
function withoutTwins(columns: readonly Guess[], emailAt: number): Guess[] {
  const seen = new Set<string>(["email"]);
  return columns.map((column, index) => {
    const { name, target, fieldId } = column;
    if (index === emailAt)
      return { name, target: "email", from: target === "email" ? column.from : "content" };
    if (target === "ignore") return column;
    if (seen.has(fieldId ?? target)) return unknown(name);
    seen.add(fieldId ?? target);
    return column;
  });
}
