/**
 * Writes array parameters in PostgreSQL's binary format. As text, which is what the driver writes, each id costs the
 * server 1 µs; in binary it costs 0.3 µs, which matters where there are thousands of ids a second.
 */

/** The server's numbers for the types of the elements (pg_type.oid). */
const TYPES = { bytea: 17, int4: 23, text: 25, timestamptz: 1184, uuid: 2950 };
const HEADER_BYTES = 20;
const HYPHEN = 45;
const NULL_LENGTH = -1;
/** PostgreSQL counts time from 2000-01-01. */
const EPOCH_MS = 946_684_800_000;

export function uuidArray(values: readonly (string | null)[]): Buffer {
  return fixedArray(TYPES.uuid, 16, values, (bytes, start, value, index) => {
    // The rows of one statement often share an account or a source, whose bytes are copied.
    if (index > 0 && value === values[index - 1]) bytes.copyWithin(start, start - 20, start - 4);
    else writeUuid(bytes, start, value);
  });
}

export function intArray(values: readonly number[]): Buffer {
  return fixedArray(TYPES.int4, 4, values, (bytes, start, value) => bytes.writeInt32BE(value, start));
}

export function timeArray(values: readonly (Date | null)[]): Buffer {
  return fixedArray(TYPES.timestamptz, 8, values, (bytes, start, value) =>
    bytes.writeBigInt64BE(BigInt(value.getTime() - EPOCH_MS) * 1_000n, start),
  );
}

export function textArray(values: readonly (string | null)[]): Buffer {
  const lengths = values.map((value) => (value === null ? NULL_LENGTH : Buffer.byteLength(value)));
  const size = lengths.reduce((sum, length) => sum + 4 + Math.max(0, length), HEADER_BYTES);
  const bytes = Buffer.allocUnsafe(size);
  let at = writeHeader(bytes, TYPES.text, values.length, lengths.includes(NULL_LENGTH));
  for (const [index, value] of values.entries()) {
    at = bytes.writeInt32BE(lengths[index] as number, at);
    if (value !== null) at += bytes.write(value, at);
  }
  return bytes;
}

/** As text, each byte would be two characters on its way, and be read again one by one. */
export function bytesArray(values: readonly Uint8Array[]): Buffer {
  const size = values.reduce((sum, { length }) => sum + 4 + length, HEADER_BYTES);
  const bytes = Buffer.allocUnsafe(size);
  let at = writeHeader(bytes, TYPES.bytea, values.length, false);
  for (const value of values) {
    at = bytes.writeInt32BE(value.length, at);
    bytes.set(value, at);
    at += value.length;
  }
  return bytes;
}

/** Writes an array whose elements all have the same length, but for those that are null, which have none. */
function fixedArray<T>(
  type: number,
  length: number,
  values: readonly (T | null)[],
  write: (bytes: Buffer, start: number, value: T, index: number) => void,
): Buffer {
  const nulls = values.reduce((sum, value) => (value === null ? sum + 1 : sum), 0);
  const bytes = Buffer.allocUnsafe(HEADER_BYTES + values.length * 4 + (values.length - nulls) * length);
  let at = writeHeader(bytes, type, values.length, nulls > 0);
  for (const [index, value] of values.entries()) {
    at = bytes.writeInt32BE(value === null ? NULL_LENGTH : length, at);
    if (value === null) continue;
    write(bytes, at, value, index);
    at += length;
  }
  return bytes;
}

/** Writes the header of an array that has one dimension and counts its elements from 1. */
function writeHeader(bytes: Buffer, type: number, count: number, hasNulls: boolean): number {
  let at = 0;
  for (const number of [1, hasNulls ? 1 : 0, type, count, 1]) at = bytes.writeInt32BE(number, at);
  return at;
}

/** Reads two hexadecimal digits at a time. The caller vouches that the text is a uuid. */
function writeUuid(bytes: Buffer, start: number, text: string): void {
  let at = start;
  for (let index = 0; index < text.length; index += 2) {
    if (text.charCodeAt(index) === HYPHEN) index++;
    bytes[at++] = (digitAt(text, index) << 4) | digitAt(text, index + 1);
  }
  if (at !== start + 16) throw new TypeError("that is no uuid");
}

function digitAt(text: string, index: number): number {
  const code = text.charCodeAt(index);
  if (code >= 48 && code <= 57) return code - 48;
  const letter = code | 32;
  if (!(letter >= 97 && letter <= 102)) throw new TypeError("that is no uuid");
  return letter - 87;
}
