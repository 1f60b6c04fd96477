/** This file makes one record of a file into one subscriber, or into what is wrong with it. It is pure. */
import { parseAddress } from "../../../mail/addresses.ts";
import { readPlainFromFile } from "../../changes/changes.ts";
import { eachPlain, NO_PLAIN_VALUES, type PlainName, type PlainValues } from "../../columns.ts";
import type { HashAddress } from "../../contact-store.ts";
import { type FieldRow, type FieldValue, readFieldValues, type SlotValues } from "../../fields/fields.ts";
import { MOST_TAGS, tagKey } from "../../tags/tags.ts";
import {
  createHistoryReader,
  type DateOrder,
  type Fail,
  factsOf,
  fieldKeyOf,
  flattenAttributes,
  type History,
  type HistoryDraft,
  type HistoryFormat,
  isAgainstMail,
  isOfHistory,
  NO_HISTORY,
  readAnswer,
  readDate,
  readTagCell,
  type StandingFacts,
  standingOf,
} from "../values/values.ts";
import { readCell } from "./cells.ts";
import type { Format } from "./format.ts";
import type { Column } from "./guessing.ts";

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
  /** What the person is elsewhere. */
  standing: StandingFacts;
  history: History;
  /** Makes the row's fault, where it turns out that its person can't be added. */
  fault: (code: string, detail: string) => RowFault;
};

export type RowFault = {
  row: number;
  column: string | null;
  code: string;
  detail: string;
  cells: string[];
  hash: Buffer | null;
};

/** Some of the row can't be read, but it is told whose it is and that they aren't to be mailed: that alone holds. */
export type FaultyRow<R> = { readonly faulty: RowFault; readonly against: R };

export type RowReader<R = ImportRow> = (cells: readonly string[], row: number) => R | RowFault | FaultyRow<R>;

const LONGEST_TAG = 64;

export type ReaderOptions = {
  readonly columns: readonly Column[];
  readonly fields: readonly FieldRow[];
  readonly format: Format;
  readonly hash: HashAddress;
  readonly tags: readonly string[];
  readonly history: HistoryFormat;
};

/**
 * An empty cell says nothing: it neither fails nor clears. A row with a fault is left out, with every fault named; but that
 * somebody left, bounced or complained holds all the same.
 */
export function createRowReader(options: ReaderOptions): RowReader {
  const { columns, format, hash, fields } = options;
  const { order } = options.history;
  const byId = new Map(fields.map((field) => [field.id, field]));
  const readers = eachPlain((name, { isSlowToCheck }) => {
    const read = (text: string) => readPlainFromFile(name, text);
    return isSlowToCheck ? remembered(read) : read;
  });
  const readHistory = createHistoryReader(options.history);
  const common = options.tags.map((tag) => [tagKey(tag), tag] as const);
  const usual = factsOf(options.history.standing);
  const statusColumn = columns.find(({ target }) => target === "status")?.name;

  return (cells, row) => {
    const faults: { column: string | null; code: string; detail: string }[] = [];
    const draft: HistoryDraft = { own: undefined, history: NO_HISTORY };
    const made: ImportRow = {
      email: "",
      emailKey: "",
      hash: NO_HASH,
      profile: { ...NO_PLAIN_VALUES },
      slots: NO_SLOTS,
      trackingConsent: null,
      tags: new Map(common),
      standing: usual,
      history: NO_HISTORY,
      fault: (code, detail) => toRowFault([{ column: null, code, detail }], cells, row, format, made.hash),
    };
    for (let at = 0; at < columns.length; at++) {
      const column = columns[at] as Column;
      const { target } = column;
      if (target === "ignore") continue;
      const text = readCell(cells[at] ?? "", format);
      const fail = (code: string, detail: string) => void faults.push({ column: column.name, code, detail });
      if (text === undefined) fail("invalid_encoding", `is not in ${format.encoding.toUpperCase()}`);
      else if (text.includes("\0")) fail("invalid_character", "has a NUL in it");
      else if (target === "email") readEmail(made, text, hash, fail);
      else if (text === "") continue;
      else if (target === "tags") readTags(made, text, fail);
      else if (target === "tracking_consent") readTrackingConsent(made, text, fail);
      else if (target === "field") readField(made, byId.get(column.fieldId ?? ""), text, order, fail);
      else if (target === "attributes") readAttributes(made, fields, text, order, fail);
      else if (target === "full_name") readFullName(made, text, readers);
      else if (isOfHistory(target)) readHistory(draft, target, text, fail);
      else if (target in readers) {
        const name = target as PlainName;
        const read = readers[name](text);
        if ("value" in read) made.profile[name] = read.value;
        else fail(read.refusal.code, read.refusal.detail);
      }
    }
    made.standing = standingOf(draft, options.history);
    made.history = draft.history;
    const tooMany = tooManyCells(cells, columns);
    if (tooMany) faults.push(tooMany);
    if (faults.length === 0) return made;
    const faulty = toRowFault(faults, cells, row, format, made.hash);
    // A status that can't be read may say that the person is active, so the file's own status doesn't stand in for it.
    const isUnread = draft.own === undefined && faults.some(({ column }) => column === statusColumn);
    const isTold = made.hash !== NO_HASH && !isUnread && isAgainstMail(made.standing);
    return isTold ? { faulty, against: made } : faulty;
  };
}

type Found = { readonly column: string | null; readonly code: string; readonly detail: string };

export function tooManyCells(cells: readonly string[], columns: readonly Column[]): Found | undefined {
  if (cells.length <= columns.length || cells.slice(columns.length).every((cell) => cell.trim() === ""))
    return undefined;
  const detail = `the row has ${cells.length} cells where there are ${columns.length} columns`;
  return { column: null, code: "too_many_cells", detail };
}

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
  for (const tag of readTagCell(text)) {
    if (tag.length > LONGEST_TAG) {
      fail("too_long", `a tag must have at most ${LONGEST_TAG} characters`);
      return;
    }
    const key = tagKey(tag);
    if (key !== "" && !made.tags.has(key)) made.tags.set(key, tag);
  }
  if (made.tags.size > MOST_TAGS) fail("too_many", `a subscriber may have ${MOST_TAGS} tags`);
}

/** The last word is the last name, unless a comma says that it comes first. A column for a part of it goes before. */
function readFullName(
  made: ImportRow,
  text: string,
  readers: Record<PlainName, (text: string) => ReturnType<typeof readPlainFromFile>>,
): void {
  const [last = "", first] = text.split(/\s*,\s*/, 2);
  const words = text.split(/\s+/);
  const [given, family] =
    first === undefined
      ? [words.slice(0, -1).join(" ") || text, words.length > 1 ? words.at(-1) : undefined]
      : [first, last];
  for (const [name, part] of [
    ["first_name", given],
    ["last_name", family],
  ] as const) {
    const read = part && made.profile[name] === null ? readers[name](part) : undefined;
    if (read && "value" in read) made.profile[name] = read.value;
  }
}

/** A field that was deleted since is as good as none: the import says so once, and not for each row. */
function readField(
  made: ImportRow,
  field: FieldRow | undefined,
  text: string,
  order: DateOrder,
  fail: Fail,
): void {
  if (!field) return;
  const value = toValue(field.type, text, order);
  const { slots, faults } = readFieldValues([field], { [field.key]: value }, "");
  if (faults[0]) fail(faults[0].code, faults[0].detail);
  else made.slots = { ...made.slots, ...slots };
}

/** What there is no field for is left out, as is a column that nobody maps. */
function readAttributes(
  made: ImportRow,
  fields: readonly FieldRow[],
  text: string,
  order: DateOrder,
  fail: Fail,
): void {
  const attributes = flattenAttributes(text);
  if (!attributes) fail("invalid_value", "must be a JSON object");
  for (const [path, value] of attributes ?? []) {
    const key = fieldKeyOf(path);
    const field = fields.find((one) => one.key === key);
    if (value !== "")
      readField(made, field, value, order, (code, detail) => fail(code, `${path}: ${detail}`));
  }
}

function readTrackingConsent(made: ImportRow, text: string, fail: Fail): void {
  const answer = readAnswer(text);
  if (answer !== undefined) made.trackingConsent = answer;
  else fail("invalid_value", "must be true or false");
}

/** What can't be read as the type stays text, and is then refused in the words that the API uses. */
function toValue(type: FieldRow["type"], text: string, order: DateOrder): FieldValue {
  switch (type) {
    case "number":
      return /^[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d{1,3})?$/i.test(text) ? Number(text) : text;
    case "boolean":
      return readAnswer(text) ?? text;
    case "date":
      if (/^\d{4}-\d{2}-\d{2}(?:[T ]|$)/.test(text)) return text.slice(0, 10);
      return readDate(text, order)?.toISOString().slice(0, 10) ?? text;
    default:
      return text;
  }
}

const LONGEST_KEPT_CELL = 500;
const MOST_KEPT_CELLS = 100;

export function toRowFault(
  faults: readonly Found[],
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
