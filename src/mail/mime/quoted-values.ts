/**
 * Writes values in quoted-printable. A value that needs no encoding is copied when it recurs, as the beginning of a mail's
 * links does.
 */
import {
  MAX_COLUMNS,
  mayBeginLine,
  octetAt,
  softBreakAt,
  writeQuotedText,
  writeSoftBreak,
} from "./quoted-printable.ts";
import { reserve, type Writer } from "./writer.ts";

/** Remembers where a value was written, so that it can be copied from there. */
export type WrittenValue = {
  readonly slot: number;
  readonly length: number;
  /** The value is longer than a line, so its soft breaks depend on the column at which it begins. */
  readonly isLong: boolean;
  column: number;
  endColumn: number;
  at: number;
  end: number;
};

const literalText = /^[\t -<>-~]*$/;
/** Holds the long value that was written last. */
const literals = Buffer.allocUnsafeSlow(1_024);

/** Returns undefined where the value must be encoded anew each time. */
export function writeValue(writer: Writer, slot: number, value: string): WrittenValue | undefined {
  const { length } = value;
  const { column } = writer;
  const isLong = length > MAX_COLUMNS;
  if (isLong && length <= literals.length && literalText.test(value)) {
    literals.write(value, "latin1");
    const known = { slot, length, isLong, column, endColumn: 0, at: 0, end: 0 };
    writeLong(writer, known);
    return endsWithBlank(value) ? undefined : known;
  }
  if (!writeQuotedText(writer, value) || endsWithBlank(value)) return undefined;
  const { at } = writer;
  return { slot, length, isLong, column, endColumn: writer.column, at: at - length, end: at };
}

/** A line break behind the value would encode its last blank, so the written bytes aren't the value any more. */
function endsWithBlank(value: string): boolean {
  return value.endsWith(" ") || value.endsWith("\t");
}

/**
 * Most links of a mail begin at one of a few columns: a copy takes 30 ns, and breaking the lines anew three times as long.
 */
export function repeatValue(writer: Writer, known: WrittenValue): void {
  if (known.isLong && writer.column !== known.column) {
    writeLong(writer, known);
    return;
  }
  if (!known.isLong && writer.column + known.length > MAX_COLUMNS) writeSoftBreak(writer);
  const size = known.end - known.at;
  reserve(writer, size);
  writer.bytes.copyWithin(writer.at, known.at, known.end);
  writer.at += size;
  writer.column = known.isLong ? known.endColumn : writer.column + size;
  writer.afterCr = false;
}

/** Does the same as `writeQuotedText`, but a line at a time. */
function writeLong(writer: Writer, known: WrittenValue): void {
  const { length } = known;
  reserve(writer, length * 2 + 16);
  const { bytes } = writer;
  let { at, column } = writer;
  known.column = column;
  known.at = at;
  for (let index = 0; index < length; ) {
    if (column + 1 > MAX_COLUMNS) {
      at = softBreakAt(bytes, at);
      column = 0;
    }
    if (column === 0 && !mayBeginLine(literals, index, length)) {
      at = octetAt(bytes, at, literals[index] as number);
      column += 3;
      index++;
      continue;
    }
    const count = Math.min(MAX_COLUMNS - column, length - index);
    literals.copy(bytes, at, index, index + count);
    at += count;
    column += count;
    index += count;
  }
  known.end = at;
  known.endColumn = column;
  writer.at = at;
  writer.column = column;
  writer.afterCr = false;
}
