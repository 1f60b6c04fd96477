/** This file makes one record of a file into one subscriber, or into what is wrong with it. It is pure. */
import { parseAddress } from "../../../mail/addresses.ts";
import { readPlainFromFile } from "../../changes/changes.ts";
import { eachPlain, NO_PLAIN_VALUES, type PlainValues } from "../../columns.ts";
import type { HashAddress } from "../../contact-store.ts";
import { type FieldRow, type FieldValue, readFieldValues, type SlotValues } from "../../fields/fields.ts";
import { MOST_TAGS, tagKey } from "../../tags/tags.ts";
import { readCell } from "./cells.ts";
import type { Column } from "./column-mapping.ts";
import type { Format } from "./format.ts";

export type ImportRow = {
  email: string;
  emailKey: string;
  hash: Buffer;
  profile: PlainValues;
  slots: SlotValues;
  /** Null where the file says nothing of it. */
  trackingConsent: boolean | null;
  /** Each tag stands here by its key, in the spelling that was given first. */
  tags: Map<string, string>;
};

export type RowFault = {
  row: number;
  column: string | null;
  code: string;
  detail: string;
  cells: string[];
  hash: Buffer | null;
};

export type RowReader = (cells: readonly string[], row: number) => ImportRow | RowFault;

const LONGEST_TAG = 64;

/** An empty cell says nothing: it neither fails nor clears. A row with a fault is left out whole, with every fault named. */
export function createRowReader(options: {
  columns: readonly Column[];
  fields: readonly FieldRow[];
  format: Format;
  hash: HashAddress;
  tags: readonly string[];
}): RowReader {
  const { columns, format, hash } = options;
  const byId = new Map(options.fields.map((field) => [field.id, field]));
  const readers = eachPlain((name, { isSlowToCheck }) => {
    const read = (text: string) => readPlainFromFile(name, text);
    return isSlowToCheck ? remembered(read) : read;
  });
  const common = options.tags.map((tag) => [tagKey(tag), tag] as const);

  return (cells, row) => {
    const faults: { column: string | null; code: string; detail: string }[] = [];
    const made: ImportRow = {
      email: "",
      emailKey: "",
      hash: NO_HASH,
      profile: { ...NO_PLAIN_VALUES },
      slots: NO_SLOTS,
      trackingConsent: null,
      tags: new Map(common),
    };
    for (let at = 0; at < columns.length; at++) {
      const column = columns[at] as Column;
      if (column.target === "ignore") continue;
      const text = readCell(cells[at] ?? "", format);
      const fail = (code: string, detail: string) => void faults.push({ column: column.name, code, detail });
      if (text === undefined) fail("invalid_encoding", `is not in ${format.encoding.toUpperCase()}`);
      else if (text.includes("\0")) fail("invalid_character", "has a NUL in it");
      else if (column.target === "email") readEmail(made, text, hash, fail);
      else if (text === "") continue;
      else if (column.target === "tags") readTags(made, text, fail);
      else if (column.target === "tracking_consent") readTrackingConsent(made, text, fail);
      else if (column.target === "field") readField(made, byId.get(column.fieldId ?? ""), text, fail);
      else {
        const read = readers[column.target](text);
        if ("value" in read) made.profile[column.target] = read.value;
        else fail(read.refusal.code, read.refusal.detail);
      }
    }
    if (cells.length > columns.length && cells.slice(columns.length).some((cell) => cell.trim() !== "")) {
      const detail = `the row has ${cells.length} cells where there are ${columns.length} columns`;
      faults.push({ column: null, code: "too_many_cells", detail });
    }
    return faults.length === 0 ? made : toRowFault(faults, cells, row, format, made.hash);
  };
}

type Fail = (code: string, detail: string) => void;

const NO_HASH = Buffer.alloc(0);
const NO_SLOTS: SlotValues = Object.freeze({});

function readEmail(made: ImportRow, text: string, hash: HashAddress, fail: Fail): void {
  const parsed = parseAddress(text);
  if (!parsed.ok) {
    fail(parsed.code, parsed.detail);
    return;
  }
  made.email = parsed.address;
  made.emailKey = parsed.key;
  made.hash = hash(parsed.key);
}

function readTags(made: ImportRow, text: string, fail: Fail): void {
  for (const word of text.split(text.includes("\n") ? "\n" : /[,;|]/)) {
    const tag = word.trim();
    if (tag.length > LONGEST_TAG) {
      fail("too_long", `a tag must have at most ${LONGEST_TAG} characters`);
      return;
    }
    const key = tagKey(tag);
    if (key !== "" && !made.tags.has(key)) made.tags.set(key, tag);
  }
  if (made.tags.size > MOST_TAGS) fail("too_many", `a subscriber may have ${MOST_TAGS} tags`);
}

/** A field that was deleted since is as good as none: the import says so once, and not for each row. */
function readField(made: ImportRow, field: FieldRow | undefined, text: string, fail: Fail): void {
  if (!field) return;
  const value = toValue(field.type, text);
  const { slots, faults } = readFieldValues([field], { [field.key]: value }, "");
  if (faults[0]) fail(faults[0].code, faults[0].detail);
  else made.slots = { ...made.slots, ...slots };
}

function readTrackingConsent(made: ImportRow, text: string, fail: Fail): void {
  const answer = toValue("boolean", text);
  if (typeof answer === "boolean") made.trackingConsent = answer;
  else fail("invalid_value", "must be true or false");
}

const YES = /^(?:true|yes|y|1|x|on|ja|oui|sí|si|sim|да)$/i;
const NO = /^(?:false|no|n|0|off|nein|non|não|nao|nej|нет)$/i;

/** What can't be read as the type stays text, and is then refused in the words that the API uses. */
function toValue(type: FieldRow["type"], text: string): FieldValue {
  switch (type) {
    case "number":
      return /^[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d{1,3})?$/i.test(text) ? Number(text) : text;
    case "boolean":
      return YES.test(text) ? true : NO.test(text) ? false : text;
    case "date":
      return /^\d{4}-\d{2}-\d{2}[T ]/.test(text) ? text.slice(0, 10) : text;
    default:
      return text;
  }
}

const LONGEST_KEPT_CELL = 500;
const MOST_KEPT_CELLS = 100;

function toRowFault(
  faults: readonly { column: string | null; code: string; detail: string }[],
  cells: readonly string[],
  row: number,
  format: Format,
  hash: Buffer,
): RowFault {
  const [first, ...others] = faults;
  const more = others.map((one) => `${one.column ?? "row"}: ${one.detail}`);
  const kept = cells.slice(0, MOST_KEPT_CELLS).map((cell) => {
    const text = readCell(cell.slice(0, LONGEST_KEPT_CELL), { ...format, isGuess: true }) ?? "";
    return text.replaceAll("\0", "").toWellFormed();
  });
  return {
    row,
    column: first?.column ?? null,
    code: first?.code ?? "invalid_value",
    detail: [first?.detail ?? "", ...more].join("; ").slice(0, 1_000),
    cells: kept,
    hash: hash.length > 0 ? hash : null,
  };
}

const MOST_REMEMBERED = 1_000;

/** A time zone takes 50 µs to check, and a file has few of them. */
function remembered<T>(read: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    let value = known.get(text);
    if (value === undefined) {
      value = read(text);
      if (known.size < MOST_REMEMBERED) known.set(text, value);
    }
    return value;
  };
}
