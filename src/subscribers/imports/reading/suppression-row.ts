/** This file makes one record of a file into a suppression, or into what is wrong with it. It is pure. */
import { parseAddress } from "../../../mail/addresses.ts";
import { fromPublicId } from "../../../platform/ids.ts";
import { FOUND_OUT } from "../../mailable.ts";
import { SUPPRESSION_REASONS, type SuppressionReason } from "../../suppressions/suppressions.ts";
import {
  createStandingReader,
  type HistoryFormat,
  NO_TIME,
  plainHeading,
  readTime,
  type Standing,
  suppressionReasonOf,
} from "../values/values.ts";
import { readCell } from "./cells.ts";
import type { Column } from "./guessing.ts";
import { type ReaderOptions, type RowFault, type RowReader, tooManyCells, toRowFault } from "./row.ts";

export type SuppressionImportRow = {
  email: string | null;
  hash: Buffer | null;
  /** A row of our own export may have the contact alone, where no address was known. */
  contactId: string | null;
  /** Null asks for nothing: the row says of somebody that they may be mailed. */
  reason: SuppressionReason | null;
  source: string | null;
  since: Date | null;
  /** Makes the row's fault, where its contact turns out to be nobody's. */
  readonly fault: (code: string, detail: string) => RowFault;
};

const LONGEST_SOURCE = 200;

export function createSuppressionReader(options: ReaderOptions): RowReader<SuppressionImportRow> {
  const { columns, format, hash, history } = options;
  const readReason = reasonReader(history);
  const usual = reasonOf(history.standing) ?? "manual";
  const reasonColumn = columns.find(({ target }) => target === "reason")?.name;
  const idColumn = columns.find(({ target }) => target === "contact_id")?.name ?? null;
  return (cells, row) => {
    const faults: { column: string | null; code: string; detail: string }[] = [];
    const made: SuppressionImportRow = {
      email: null,
      hash: null,
      contactId: null,
      reason: usual,
      source: null,
      since: null,
      fault: (code, detail) => toRowFault([{ column: idColumn, code, detail }], cells, row, format, NO_HASH),
    };
    columns.forEach((column, at) => {
      const fail = (code: string, detail: string) => void faults.push({ column: column.name, code, detail });
      if (column.target === "ignore") return;
      const text = readCell(cells[at] ?? "", format);
      if (text === undefined) fail("invalid_encoding", `is not in ${format.encoding.toUpperCase()}`);
      else if (text.includes("\0")) fail("invalid_character", "has a NUL in it");
      else if (text !== "") readOne(made, column, text, fail);
    });
    if (!made.hash && !made.contactId && faults.length === 0)
      faults.push({ column: null, code: "required", detail: "the row has neither an address nor a contact" });
    const tooMany = tooManyCells(cells, columns);
    if (tooMany) faults.push(tooMany);
    if (faults.length === 0) return made;
    const faulty = toRowFault(faults, cells, row, format, made.hash ?? NO_HASH);
    const isTold = made.hash !== null && !faults.some(({ column }) => column === reasonColumn);
    return isTold && made.reason !== null ? { faulty, against: made } : faulty;
  };

  function readOne(
    made: SuppressionImportRow,
    { target }: Column,
    text: string,
    fail: (code: string, detail: string) => void,
  ): void {
    if (target === "email") {
      const parsed = parseAddress(text);
      if (!parsed.ok) {
        fail(parsed.code, parsed.detail);
        return;
      }
      made.email = parsed.address;
      made.hash = hash(parsed.key);
    } else if (target === "contact_id") {
      made.contactId = fromPublicId("con", text) ?? null;
      if (made.contactId === null) fail("invalid_id", "must be an id of a contact");
    } else if (target === "reason") {
      const reason = readReason(text);
      if (reason === undefined) fail("unknown_status", "nobody has said in `status_values` what this means");
      else made.reason = reason;
    } else if (target === "created_at") {
      const since = readTime(text, history.order, history.now);
      if (since === undefined) fail("invalid_time", NO_TIME);
      else made.since = since;
      // A file can't claim that delivery found something out here: on that it depends who gets our own mail.
    } else if (target === "source" && text !== FOUND_OUT)
      made.source = [...text].slice(0, LONGEST_SOURCE).join("");
  }
}

const NO_HASH = Buffer.alloc(0);
const ours = new Map(SUPPRESSION_REASONS.map((reason) => [plainHeading(reason), reason]));

/** Our own words go before those of others; null is somebody who may be mailed. */
function reasonReader({
  statusValues,
}: HistoryFormat): (text: string) => SuppressionReason | null | undefined {
  const said = new Set(Object.keys(statusValues).map(plainHeading));
  const readStanding = createStandingReader(statusValues);
  return (text) => {
    const word = plainHeading(text);
    const own = said.has(word) ? undefined : ours.get(word);
    if (own) return own;
    const standing = readStanding(text);
    return standing === undefined ? undefined : reasonOf(standing);
  };
}

/** Who left a list elsewhere and is put among the suppressions isn't to be mailed at all. */
function reasonOf(standing: Standing): SuppressionReason | null {
  return standing === "unsubscribed" ? "manual" : (suppressionReasonOf(standing) ?? null);
}
