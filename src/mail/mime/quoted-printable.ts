/**
 * Writes quoted-printable (RFC 2045 §6.7) piece by piece: static pieces are encoded once, and get a soft break before them
 * where the line has no room. No line is longer than 76, ends with a blank, or begins with a dot or "From ", so
 * dot-stuffing never changes the text, and no mailbox file puts a > in it.
 */
import { createWriter, reserve, takeBytes, type Writer } from "./writer.ts";

/** This is one less than RFC 2045 allows, so that there is always room for the = of a soft break. */
export const MAX_COLUMNS = 75;

const MAX_STRETCH = 65_536;

const CR = 0x0d;
const LF = 0x0a;
const EQUALS = 0x3d;
const DOT = 0x2e;
const F = 0x46;
const BLANK = 0x20;
const TAB = 0x09;
const hexDigits = Buffer.from("0123456789ABCDEF");

const from = Buffer.from("From ");
const LINE_BREAK = 255;

/**
 * The columns that a line must have left for a byte of UTF-8. A character isn't split, so that the source stays readable.
 */
const columnsOf = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte === CR || byte === LF) return LINE_BREAK;
  if (byte === TAB || (byte >= BLANK && byte <= 0x7e && byte !== EQUALS)) return 1;
  if (byte < 0x80) return 3;
  if (byte < 0xc0) return 0;
  return byte < 0xe0 ? 6 : byte < 0xf0 ? 9 : 12;
});

/** Counts the octets of a text that aren't literal; each takes three columns. */
export function countEncodedOctets(bytes: Uint8Array): number {
  let count = 0;
  for (const byte of bytes) if (columnsOf[byte] !== 1 && columnsOf[byte] !== LINE_BREAK) count++;
  return count;
}

export type QuotedPiece = {
  readonly bytes: Uint8Array;
  /** The columns up to the first break, including the = of a soft one, or up to the end where there is none. */
  readonly firstColumns: number;
  readonly lastColumns: number;
  readonly hasBreak: boolean;
  readonly startsWithBreak: boolean;
  /** Says whether the line break at the start belongs to a CR before it, if there is one. */
  readonly startsWithLf: boolean;
  readonly endsWithCr: boolean;
};

export function encodeQuotedPiece(text: string): QuotedPiece {
  const writer = createWriter(text.length * 4 + 64);
  writeQuotedText(writer, text);
  const bytes = takeBytes(writer);
  const firstBreak = bytes.indexOf("\r\n");
  return {
    bytes,
    firstColumns: firstBreak < 0 ? bytes.length : firstBreak,
    lastColumns: writer.column,
    hasBreak: firstBreak >= 0,
    startsWithBreak: firstBreak === 0,
    startsWithLf: text.startsWith("\n"),
    endsWithCr: text.endsWith("\r"),
  };
}

export function writeQuotedPiece(writer: Writer, piece: QuotedPiece): void {
  const { bytes, firstColumns, hasBreak } = piece;
  reserve(writer, bytes.length + 6);
  const skipsLf = writer.afterCr && piece.startsWithLf;
  if (piece.startsWithBreak) {
    if (!skipsLf) guardTrailingBlank(writer);
  } else if (writer.column + firstColumns > (hasBreak ? MAX_COLUMNS + 1 : MAX_COLUMNS)) {
    writeSoftBreak(writer);
  }
  if (skipsLf) {
    writer.bytes.set(bytes.subarray(2), writer.at);
    writer.at += bytes.length - 2;
  } else {
    writer.bytes.set(bytes, writer.at);
    writer.at += bytes.length;
  }
  writer.column = hasBreak ? piece.lastColumns : writer.column + piece.lastColumns;
  writer.afterCr = piece.endsWithCr;
}

/** Lone surrogates become U+FFFD. Returns true where all bytes are the text's own, and would be at any column. */
export function writeQuotedText(writer: Writer, text: string): boolean {
  const { length } = text;
  if (length === 0) return false;
  if (writer.column + length > MAX_COLUMNS && length <= MAX_COLUMNS) writeSoftBreak(writer);
  if (writer.column + length <= MAX_COLUMNS && writeLiterals(writer, text)) return true;
  // The text is written in stretches, so that the space reserved for the worst case is never many times what it takes.
  for (let start = 0; start < text.length; ) {
    let end = start + MAX_STRETCH;
    if (end < text.length && (text.codePointAt(end - 1) as number) > 0xffff) end++;
    writeStretch(writer, text.slice(start, end));
    start = end;
  }
  return false;
}

function writeStretch(writer: Writer, text: string): void {
  const { length } = text;
  // A UTF-16 unit takes at most 3 octets of 3 columns each, and a soft break 3 octets after 64 columns or more.
  const room = length * 10 + 16;
  reserve(writer, room + length * 3);
  const start = writer.at + room;
  encodeQuoted(writer, start, start + writer.bytes.write(text, start));
  writer.afterCr = text.charCodeAt(length - 1) === CR;
}

/**
 * Writes a short text that needs no encoding, as nearly every value does, in one pass and without a call into native code,
 * which alone would take longer. Returns false where something must be encoded; then nothing counts as written.
 */
function writeLiterals(writer: Writer, text: string): boolean {
  const { length } = text;
  const first = text.charCodeAt(0);
  if (first === DOT || first === F) return false;
  reserve(writer, length);
  const { bytes, at } = writer;
  for (let index = 0; index < length; index++) {
    const code = text.charCodeAt(index);
    if (columnsOf[code] !== 1) return false;
    bytes[at + index] = code;
  }
  writer.at += length;
  writer.column += length;
  writer.afterCr = false;
  return true;
}

/** Encodes UTF-8 that stands further on in the same buffer. */
function encodeQuoted(writer: Writer, start: number, end: number): void {
  const { bytes } = writer;
  let { at, column } = writer;
  let index = start;
  if (writer.afterCr && writer.column === 0 && bytes[index] === LF) index++;
  for (; index < end; index++) {
    const byte = bytes[index] as number;
    const columns = columnsOf[byte] as number;
    if (columns === LINE_BREAK) {
      at = guardBlankAt(bytes, at, column);
      bytes[at++] = CR;
      bytes[at++] = LF;
      column = 0;
      if (byte === CR && index + 1 < end && bytes[index + 1] === LF) index++;
      continue;
    }
    // An octet in the middle of a character needs no further columns, since the first one has claimed all.
    if (column + columns > MAX_COLUMNS) {
      at = softBreakAt(bytes, at);
      column = 0;
    }
    if (columns === 1 && (column > 0 || mayBeginLine(bytes, index, end))) {
      bytes[at++] = byte;
      column++;
    } else {
      at = octetAt(bytes, at, byte);
      column += 3;
    }
  }
  writer.at = at;
  writer.column = column;
}

/** Call this where a line ends, or the text does. */
export function guardTrailingBlank(writer: Writer): void {
  reserve(writer, 6);
  writer.at = guardBlankAt(writer.bytes, writer.at, writer.column);
}

export function writeSoftBreak(writer: Writer): void {
  reserve(writer, 3);
  writer.at = softBreakAt(writer.bytes, writer.at);
  writer.column = 0;
}

/** A line may not begin with a dot, nor with "From " or the start of it, since the next piece may bring the rest. */
export function mayBeginLine(bytes: Uint8Array, index: number, end: number): boolean {
  if (bytes[index] === DOT) return false;
  for (let at = index; at < end && at < index + from.length; at++) {
    if (bytes[at] !== from[at - index]) return true;
  }
  return false;
}

export function octetAt(bytes: Uint8Array, at: number, octet: number): number {
  bytes[at] = EQUALS;
  bytes[at + 1] = hexDigits[octet >> 4] as number;
  bytes[at + 2] = hexDigits[octet & 15] as number;
  return at + 3;
}

/** A blank at the end of a line may be lost on the way, so it is encoded (RFC 2045 §6.7, rule 3). */
function guardBlankAt(bytes: Uint8Array, at: number, column: number): number {
  const last = bytes[at - 1] as number;
  if (column === 0 || (last !== BLANK && last !== TAB)) return at;
  return octetAt(bytes, column < MAX_COLUMNS ? at - 1 : softBreakAt(bytes, at - 1), last);
}

export function softBreakAt(bytes: Uint8Array, at: number): number {
  bytes[at] = EQUALS;
  bytes[at + 1] = CR;
  bytes[at + 2] = LF;
  return at + 3;
}
