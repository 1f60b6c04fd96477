/** This file finds a file's encoding and delimiter from its first bytes. It is pure, apart from the CSV parser it asks. */
import { parse } from "csv-parse/sync";
import { parseAddress } from "../../../mail/addresses.ts";
import { FileFault } from "./file-fault.ts";

export const ENCODINGS = ["utf-8", "utf-16le", "utf-16be", "windows-1252"] as const;
export type Encoding = (typeof ENCODINGS)[number];
export const DELIMITERS = [",", ";", "\t", "|"] as const;
export type Delimiter = (typeof DELIMITERS)[number];

/** The format says how the bytes of a file become records. */
export type Format = {
  readonly encoding: Encoding;
  /** Nobody said which encoding it is: then a cell that is no UTF-8 is read as Windows-1252, whatever the rest is. */
  readonly isGuess: boolean;
  readonly delimiter: Delimiter;
  /** So many bytes are the byte order mark and Excel's `sep=;` line. */
  readonly skipBytes: number;
};

/** A longer record is no row of anybody's list, but a torn quotation mark or no CSV at all. */
const MOST_RECORD_BYTES = 256 * 1_024;
export const MOST_COLUMNS = 1_000;
/** So much is looked at to learn the format; it is more than the longest record. */
export const SAMPLE_BYTES = 2 * MOST_RECORD_BYTES;

export function parserOptions(delimiter: string) {
  return {
    delimiter,
    // Bytes are read as characters: every encoding that gets here is a superset of ASCII, and each cell is decoded by itself.
    encoding: "latin1" as const,
    // All line ends count, because files that people joined by hand have several.
    record_delimiter: ["\r\n", "\n", "\r"],
    relax_quotes: true,
    relax_column_count: true,
    max_record_size: MOST_RECORD_BYTES,
  };
}

const MARKS: readonly { bytes: readonly number[]; encoding: Encoding }[] = [
  { bytes: [0xef, 0xbb, 0xbf], encoding: "utf-8" },
  { bytes: [0xff, 0xfe], encoding: "utf-16le" },
  { bytes: [0xfe, 0xff], encoding: "utf-16be" },
];

const FOREIGN: readonly { bytes: readonly number[]; what: string }[] = [
  { bytes: [0x50, 0x4b, 0x03, 0x04], what: "a zip archive or an Excel workbook" },
  { bytes: [0x50, 0x4b, 0x05, 0x06], what: "an empty zip archive" },
  { bytes: [0x1f, 0x8b], what: "a gzip archive" },
  { bytes: [0xd0, 0xcf, 0x11, 0xe0], what: "an old Excel workbook" },
  { bytes: [0x25, 0x50, 0x44, 0x46], what: "a PDF" },
];

export function findFormat(
  sample: Buffer,
  given: { encoding?: Encoding | undefined; delimiter?: Delimiter | undefined },
): Format {
  if (sample.length === 0) throw new FileFault("empty_file", "The file is empty.");
  const foreign = FOREIGN.find(({ bytes }) => startsWith(sample, bytes));
  if (foreign) throw new FileFault("not_csv", `The file is ${foreign.what}. Save it as CSV and send that.`);
  const mark = MARKS.find(({ bytes }) => startsWith(sample, bytes));
  const encoding = given.encoding ?? mark?.encoding ?? guessEncoding(sample);
  const markBytes = mark && mark.encoding === encoding ? mark.bytes.length : 0;
  const isWide = encoding === "utf-16le" || encoding === "utf-16be";
  const bytes = toAsciiSuperset(sample.subarray(markBytes), encoding);
  if (bytes.includes(0)) {
    throw new FileFault(
      "binary_file",
      "There are NUL bytes in the file: it is no text. Save it as CSV in UTF-8.",
    );
  }
  const said = /^"?sep=([,;|\t])"?\r?\n/i.exec(bytes.subarray(0, 16).toString("latin1"));
  const saidBytes = (said?.[0].length ?? 0) * (isWide ? 2 : 1);
  const text = bytes.subarray(said?.[0].length ?? 0);
  return {
    encoding,
    isGuess: given.encoding === undefined && !mark,
    delimiter: given.delimiter ?? (said?.[1] as Delimiter | undefined) ?? guessDelimiter(text),
    skipBytes: markBytes + saidBytes,
  };
}

/** UTF-16 becomes UTF-8; the rest stays as it is. */
export function toAsciiSuperset(bytes: Buffer, encoding: Encoding): Buffer {
  if (encoding !== "utf-16le" && encoding !== "utf-16be") return bytes;
  return Buffer.from(new TextDecoder(encoding, { ignoreBOM: true }).decode(bytes, { stream: true }), "utf8");
}

/** Without a mark, UTF-16 gives itself away by a NUL in every other byte of its ASCII. The first odd byte decides the rest. */
function guessEncoding(sample: Buffer): Encoding {
  const nuls = [0, 0];
  const looked = Math.min(sample.length, 4_096);
  for (let at = 0; at < looked; at++) if (sample[at] === 0) nuls[at % 2] = (nuls[at % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = nuls;
  if (odd > looked / 8 && even < odd / 8) return "utf-16le";
  if (even > looked / 8 && odd < even / 8) return "utf-16be";
  const firstHigh = sample.findIndex((byte) => byte > 0x7f);
  if (firstHigh < 0) return "utf-8";
  const isUtf8 =
    /^[\x00-\x7f]*(?:[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3})/;
  return isUtf8.test(sample.subarray(firstHigh, firstHigh + 4).toString("latin1")) ? "utf-8" : "windows-1252";
}

/** So much is enough for a guess; the whole sample, read four times, would hold up the process for a fifth of a second. */
const GUESS_BYTES = 16 * 1_024;
const MOST_RECORDS = 200;

/** Chooses the delimiter that leaves whole addresses in one column, and else the one that makes rows of one length. */
function guessDelimiter(bytes: Buffer): Delimiter {
  const scores = DELIMITERS.map((delimiter) => {
    const records = parseOrNone(bytes.subarray(0, GUESS_BYTES), delimiter);
    return { delimiter, score: shareOfAddresses(records) * 10 + evenness(records) };
  });
  return scores.reduce((best, one) => (one.score > best.score ? one : best)).delimiter;
}

/** A delimiter under which the file can't be read is just not the one. */
function parseOrNone(bytes: Buffer, delimiter: string): string[][] {
  try {
    return parseSample(bytes, delimiter, false);
  } catch {
    return [];
  }
}

function shareOfAddresses(records: readonly string[][]): number {
  const withOne = records.filter((cells) => cells.slice(0, MOST_COLUMNS).some((cell) => isAddress(cell)));
  return records.length === 0 ? 0 : withOne.length / records.length;
}

function evenness(records: readonly string[][]): number {
  const lengths = Map.groupBy(records, (cells) => cells.length);
  const [commonest] = [...lengths.values()].sort((a, b) => b.length - a.length);
  const columns = commonest?.[0]?.length ?? 1;
  return columns < 2 ? 0 : ((commonest?.length ?? 0) / records.length) * (1 + Math.log2(columns));
}

export function isAddress(cell: string): boolean {
  return cell.includes("@") && parseAddress(cell).ok;
}

/** Returns the first whole records of a file, 200 at most. `isAll` says that there is nothing behind the sample. */
export function parseSample(bytes: Buffer, delimiter: string, isAll: boolean): string[][] {
  return readSample(bytes, delimiter, isAll).records;
}

/** `isTorn` says that a quotation mark isn't closed before the sample ends. */
export function readSample(
  bytes: Buffer,
  delimiter: string,
  isAll: boolean,
): { records: string[][]; isTorn: boolean } {
  const records: string[][] = [];
  let isTorn = false;
  let tooWide: FileFault | undefined;
  try {
    parse(bytes, {
      ...parserOptions(delimiter),
      to: MOST_RECORDS,
      on_record: (cells: string[]) => {
        if (cells.length > MOST_COLUMNS) tooWide ??= tooManyColumns(records.length + 1, cells.length);
        else records.push(cells);
        return null;
      },
    });
    // The last one may be cut off in the middle.
    if (!isAll && records.length < MOST_RECORDS) records.pop();
  } catch (error) {
    // A quotation mark closes beyond the sample, or never: what stands before it is good for guessing.
    isTorn = true;
    if ((error as { code?: string }).code !== "CSV_QUOTE_NOT_CLOSED" && records.length === 0)
      throw lineTooLong(1);
  }
  if (tooWide && records.length === 0) throw tooWide;
  return { records, isTorn };
}

export function tooManyColumns(row: number, count: number): FileFault {
  const [has, most] = [count.toLocaleString("en-GB"), MOST_COLUMNS.toLocaleString("en-GB")];
  return new FileFault("too_many_columns", `Row ${row} has ${has} columns; ${most} are the most.`);
}

export function lineTooLong(row: number): FileFault {
  const limit = MOST_RECORD_BYTES / 1_024;
  return new FileFault(
    "row_too_long",
    `Row ${row} is over ${limit} KB long. Either a quotation mark in it is never closed, or the file is no CSV.`,
  );
}

function startsWith(bytes: Buffer, start: readonly number[]): boolean {
  return start.every((byte, index) => bytes[index] === byte);
}
