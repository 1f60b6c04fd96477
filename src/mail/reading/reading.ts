/**
 * Reads mail that anybody may have sent into a flat list of its parts, within bounds that no input can exceed. It never
 * throws, and takes time linear in the input. postal-mime isn't used: it throws at its limits of depth and header size, and
 * decodes every attachment.
 */
import { findField, MAX_VALUE_UNITS, type ParsedField, parseParameters, readFields } from "./headers.ts";
import { decodeText, htmlToText } from "./text.ts";
import { decodeTransfer } from "./transfer.ts";

export type MailPart = {
  /** The media type in lower case, `text/plain` where none is given (RFC 2045 §5.2). */
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
  readonly fields: readonly ParsedField[];
  /** The body as it was sent, still encoded. */
  readonly body: Buffer;
};

export type ReadMail = {
  readonly fields: readonly ParsedField[];
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
  /** The leaf parts in order. A message inside the message is a leaf. */
  readonly parts: readonly MailPart[];
  /** Something was left out, because the mail exceeds a limit. */
  readonly isCut: boolean;
};

type ReadLimits = {
  readonly maxBytes: number;
  /** The longest value of a header field. */
  readonly maxValueUnits: number;
};

/** Reports stand before the mail that they return, so whatever lies behind 8 MB is attachments. */
const REPORT_LIMITS: ReadLimits = { maxBytes: 8 * 1024 * 1024, maxValueUnits: MAX_VALUE_UNITS };
const MAX_PARTS = 200;
const MAX_DEPTH = 12;
const MAX_TEXT_BYTES = 512 * 1024;
const MAX_BOUNDARY_UNITS = 200; // RFC 2046 §5.1.1 allows 70.

export function readMail(raw: Buffer, limits = REPORT_LIMITS): ReadMail {
  const { fields, body } = splitHeader(raw.subarray(0, limits.maxBytes), limits.maxValueUnits);
  const { type, parameters } = typeOf(fields);
  const parts: MailPart[] = [];
  const isWhole = collectParts({ type, parameters, fields, body }, 0, parts);
  return { fields, type, parameters, parts, isCut: !isWhole || raw.length > limits.maxBytes };
}

/** Returns the part's text, at most 512 KB of it; HTML is reduced to its text. */
export function readText(part: MailPart): string {
  const encoding = findField(part.fields, "content-transfer-encoding");
  const bytes = decodeTransfer(part.body.subarray(0, MAX_TEXT_BYTES), encoding);
  const text = decodeText(bytes, part.parameters.get("charset"));
  return part.type === "text/html" ? htmlToText(text) : text;
}

/** Returns all that is in the part, decoded. */
export function readBytes(part: MailPart): Buffer {
  return decodeTransfer(part.body, findField(part.fields, "content-transfer-encoding"));
}

/** Returns the whole text of the part as it is, HTML as HTML, with LF at the end of each line. */
export function readWholeText(part: MailPart): string {
  return decodeText(readBytes(part), part.parameters.get("charset"));
}

/** Reads the header of a message that is a part of this one. */
export function readInnerFields(part: MailPart): ParsedField[] {
  const encoding = findField(part.fields, "content-transfer-encoding");
  const inner = decodeTransfer(part.body.subarray(0, MAX_TEXT_BYTES), encoding);
  return splitHeader(inner).fields;
}

/** Returns false where parts were left out. */
function collectParts(part: MailPart, depth: number, into: MailPart[]): boolean {
  const boundary = part.parameters.get("boundary") ?? "";
  const isSplit = part.type.startsWith("multipart/") && boundary !== "" && depth < MAX_DEPTH;
  const pieces = isSplit ? splitAtBoundary(part.body, boundary) : [];
  if (pieces.length === 0) {
    if (into.length >= MAX_PARTS) return false;
    into.push(part.type.startsWith("multipart/") ? { ...part, type: "text/plain" } : part);
    return depth < MAX_DEPTH;
  }
  let isWhole = pieces.length < MAX_PARTS;
  for (const piece of pieces) {
    const { fields, body } = splitHeader(piece);
    isWhole = collectParts({ ...typeOf(fields), fields, body }, depth + 1, into) && isWhole;
  }
  return isWhole;
}

/** Returns the bytes between the delimiter lines (RFC 2046 §5.1.1); none where the boundary doesn't occur. */
function splitAtBoundary(body: Buffer, boundary: string): Buffer[] {
  const line = `--${boundary.slice(0, MAX_BOUNDARY_UNITS).trimEnd()}`;
  const pieces: Buffer[] = [];
  let start = -1;
  for (let at = findLine(body, 0); at >= 0; at = findLine(body, at + 2)) {
    if (body.toString("latin1", at, at + line.length) !== line) continue;
    const after = at + line.length;
    const isClosing = body[after] === DASH && body[after + 1] === DASH;
    if (!isClosing && !isLineEnd(body, after)) continue;
    if (start >= 0) pieces.push(body.subarray(start, at));
    const end = body.indexOf(LF, after);
    start = isClosing || end < 0 ? -1 : end + 1;
    if (isClosing || pieces.length >= MAX_PARTS) return pieces;
  }
  if (start >= 0) pieces.push(body.subarray(start));
  return pieces;
}

const LF = 0x0a;
const DASH = 0x2d;

/** Finds the start of the next line that may be a delimiter. */
function findLine(body: Buffer, from: number): number {
  if (from === 0 && body[0] === DASH && body[1] === DASH) return 0;
  const found = body.indexOf("\n--", Math.max(0, from - 1), "latin1");
  return found < 0 ? -1 : found + 1;
}

/** Blanks may follow a delimiter; anything else makes it another delimiter that begins alike. */
function isLineEnd(body: Buffer, at: number): boolean {
  const byte = body[at];
  return byte === undefined || byte === LF || byte === 0x0d || byte === 0x20 || byte === 0x09;
}

function typeOf(fields: readonly ParsedField[]) {
  const { type, parameters } = parseParameters(findField(fields, "content-type") ?? "");
  return { type: type || "text/plain", parameters };
}

/** The empty line between header and body belongs to neither. Without one, everything is header. */
function splitHeader(
  message: Buffer,
  maxValueUnits = MAX_VALUE_UNITS,
): { fields: ParsedField[]; body: Buffer } {
  if (message[0] === LF) return { fields: [], body: message.subarray(1) };
  if (message[0] === 0x0d && message[1] === LF) return { fields: [], body: message.subarray(2) };
  const [lf, crlf] = [message.indexOf("\n\n", 0, "latin1"), message.indexOf("\n\r\n", 0, "latin1")];
  const isCrlf = crlf >= 0 && (lf < 0 || crlf < lf);
  const end = isCrlf ? crlf : lf;
  if (end < 0) return { fields: readFields(message, maxValueUnits), body: message.subarray(message.length) };
  return {
    fields: readFields(message.subarray(0, end), maxValueUnits),
    body: message.subarray(end + (isCrlf ? 3 : 2)),
  };
}
