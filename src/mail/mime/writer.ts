/** A buffer that grows, the position in it, and what the body encoders must remember between two pieces. */
export type Writer = {
  bytes: Buffer;
  at: number;
  /** The columns already used in the line, in quoted-printable. */
  column: number;
  /** The text written last ended with a CR, so a LF that follows is the same line break. */
  afterCr: boolean;
};

/** A writer that is reused keeps at most this much. Newsletters are far below it; one huge message isn't kept in memory. */
const KEPT_BYTES = 1024 * 1024;

export function createWriter(size: number): Writer {
  return { bytes: Buffer.allocUnsafeSlow(size), at: 0, column: 0, afterCr: false };
}

/** Makes the writer ready for another message. */
export function resetWriter(writer: Writer): void {
  if (writer.bytes.length > KEPT_BYTES) writer.bytes = Buffer.allocUnsafeSlow(KEPT_BYTES);
  writer.at = 0;
  startText(writer);
}

export function startText(writer: Writer): void {
  writer.column = 0;
  writer.afterCr = false;
}

/** Makes room for this many more bytes. */
export function reserve(writer: Writer, size: number): void {
  const needed = writer.at + size;
  if (needed <= writer.bytes.length) return;
  const grown = Buffer.allocUnsafeSlow(Math.max(needed, 2 * writer.bytes.length));
  grown.set(writer.bytes.subarray(0, writer.at));
  writer.bytes = grown;
}

export function writeBytes(writer: Writer, bytes: Uint8Array): void {
  reserve(writer, bytes.length);
  writer.bytes.set(bytes, writer.at);
  writer.at += bytes.length;
}

/** Writes UTF-8; lone surrogates become U+FFFD. */
export function writeText(writer: Writer, text: string): void {
  reserve(writer, text.length * 3);
  writer.at += writer.bytes.write(text, writer.at);
}

/** Returns a copy of what was written, so that the writer can be used again. */
export function takeBytes(writer: Writer): Buffer {
  return Buffer.from(writer.bytes.subarray(0, writer.at));
}
