/** Chooses the encoding of one part's text, encodes its static pieces once, and writes the text for one recipient. */
import { base64Length, writeBase64 } from "./base64.ts";
import {
  fillSlots,
  hasSlots,
  mergePieces,
  normalizeBreaks,
  type Pieces,
  staticText,
  valueAt,
} from "./pieces.ts";
import {
  countEncodedOctets,
  encodeQuotedPiece,
  guardTrailingBlank,
  type QuotedPiece,
  writeQuotedPiece,
} from "./quoted-printable.ts";
import { repeatValue, type WrittenValue, writeValue } from "./quoted-values.ts";
import { createWriter, resetWriter, startText, type Writer, writeBytes, writeText } from "./writer.ts";

export type TransferEncoding = "7bit" | "quoted-printable" | "base64";

type RawPiece = { readonly bytes: Uint8Array; readonly startsWithLf: boolean; readonly endsWithCr: boolean };

/** A number stands for the slot of that number. */
export type Body =
  | { readonly encoding: "7bit"; readonly text: string }
  | { readonly encoding: "quoted-printable"; readonly pieces: readonly (QuotedPiece | number)[] }
  | { readonly encoding: "base64"; readonly pieces: readonly (RawPiece | number)[] };

export function compileBody(pieces: Pieces): Body {
  const encoding = chooseEncoding(pieces);
  if (encoding === "7bit") return { encoding, text: normalizeBreaks(fillSlots(pieces, []), false) };
  const merged = mergePieces(pieces);
  return encoding === "base64"
    ? { encoding, pieces: merged.map((piece) => (typeof piece === "string" ? encodeRaw(piece) : piece.slot)) }
    : {
        encoding,
        pieces: merged.map((piece) => (typeof piece === "string" ? encodeQuotedPiece(piece) : piece.slot)),
      };
}

/**
 * 7bit is for text that no server has a reason to touch; with slots that can't be known. Otherwise the shorter one is
 * chosen: quoted-printable takes 3 octets for each that isn't literal, base64 4 for any 3. But spam filters distrust ASCII
 * in base64.
 */
function chooseEncoding(pieces: Pieces): TransferEncoding {
  const text = normalizeBreaks(staticText(pieces), false);
  if (!hasSlots(pieces) && text.split("\r\n").every(isUntouchable)) return "7bit";
  const bytes = Buffer.from(text);
  if (bytes.length === text.length) return "quoted-printable";
  const quoted = (bytes.length + 2 * countEncodedOctets(bytes)) * (1 + 3 / 75);
  return quoted <= base64Length(bytes.length) ? "quoted-printable" : "base64";
}

/**
 * Such a line is ASCII, has at most 76 columns, no blank at its end, no dot or "From " at its start, and begins no
 * boundary.
 */
function isUntouchable(line: string): boolean {
  return line.length <= 76 && /^(?!\.|From |.*=_)(?:[\t -~]*[!-~])?$/.test(line);
}

/**
 * Before a boundary a text may end as it likes, but a message (`endsMessage`) ends with a line break, which counts as the
 * text's. So it is added where it is missing, in base64 too, so that the encoding makes no difference.
 */
export function writeBody(writer: Writer, body: Body, values: readonly string[], endsMessage: boolean): void {
  const start = writer.at;
  startText(writer);
  switch (body.encoding) {
    case "7bit":
      writeText(writer, body.text);
      break;
    case "quoted-printable":
      writeQuoted(writer, body.pieces, values);
      break;
    case "base64":
      writeBase64(writer, collectRaw(body.pieces, values, endsMessage));
      break;
  }
  if (endsMessage && writer.at > start) endLine(writer);
}

function endLine(writer: Writer): void {
  if (writer.bytes[writer.at - 1] !== 0x0a) writeText(writer, "\r\n");
}

function writeQuoted(
  writer: Writer,
  pieces: readonly (QuotedPiece | number)[],
  values: readonly string[],
): void {
  let known: WrittenValue | undefined;
  for (const piece of pieces) {
    if (typeof piece !== "number") writeQuotedPiece(writer, piece);
    else if (piece === known?.slot) repeatValue(writer, known);
    else known = writeValue(writer, piece, valueAt(piece, values));
  }
  guardTrailingBlank(writer);
}

function encodeRaw(text: string): RawPiece {
  return {
    bytes: Buffer.from(normalizeBreaks(text, false)),
    startsWithLf: text.startsWith("\n"),
    endsWithCr: text.endsWith("\r"),
  };
}

/**
 * Base64 can't be written in pieces, since 3 octets become 4 wherever they come from, so the whole text is put together
 * here first.
 */
const raw = createWriter(64 * 1024);

function collectRaw(
  pieces: readonly (RawPiece | number)[],
  values: readonly string[],
  endsMessage: boolean,
): Uint8Array {
  resetWriter(raw);
  for (const piece of pieces) {
    if (typeof piece !== "number") {
      writeBytes(raw, raw.afterCr && piece.startsWithLf ? piece.bytes.subarray(2) : piece.bytes);
      raw.afterCr = piece.endsWithCr;
      continue;
    }
    const value = valueAt(piece, values);
    if (value === "") continue;
    writeText(raw, normalizeBreaks(value, raw.afterCr));
    raw.afterCr = value.endsWith("\r");
  }
  if (endsMessage && raw.at > 0) endLine(raw);
  return raw.bytes.subarray(0, raw.at);
}
