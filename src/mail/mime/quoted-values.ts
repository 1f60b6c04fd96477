/** Values in quoted-printable. One that means itself is copied where it comes again, as what a mail's links begin with does. */
import {
  MAX_COLUMNS,
  mayBeginLine,
  octetAt,
  softBreakAt,
  writeQuotedText,
  writeSoftBreak,
} from "./quoted-printable.ts";
import { reserve, type Writer } from "./writer.ts";

/** Where a value was written, so that it can be copied from there. */
export type Known = {
  readonly slot: number;
  readonly length: number;
  /** Longer than a line: then it falls into lines by the column that it begins at. */
  readonly isLong: boolean;
  column: number;
  endColumn: number;
  at: number;
  end: number;
};

const literalText = /^[\t -<>-~]*$/;
/** Of the long value written last. */
const literals = Buffer.allocUnsafeSlow(1_024);

/** Undefined where it must be encoded anew each time. */
export function writeValue(writer: Writer, slot: number, value: string): Known | undefined {
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

/** A line break behind it would encode the blank, so what stands there isn't the value any more. */
function endsWithBlank(value: string): boolean {
  return value.endsWith(" ") || value.endsWith("\t");
}

/** Most links of a mail begin at one of a few columns: a copy takes 30 ns, and to break the lines anew three times as long. */
export function repeatValue(writer: Writer, known: Known): void {
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

/** As `writeQuotedText` would, but a line at a time. */
function writeLong(writer: Writer, known: Known): void {
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
