/**
 * Replies as RFC 5321 §4.2 has them, read from whatever pieces the network hands over. Nothing a server sends makes
 * this grow: lines, and lines to a reply, are bounded. Codes come at once; the text is decoded only when asked for.
 */

/** RFC 5321 §4.5.3.1.5 allows 512 octets to a line. Real servers exceed it, but not by this much. */
const MAX_LINE_OCTETS = 4_096;
const MAX_LINES = 200;
const MAX_REPLY_OCTETS = 65_536;

export const NO_REPLY_YET = 0;
export const MALFORMED = -1;

const CR = 13;
const LF = 10;
const SPACE = 32;
const HYPHEN = 45;

export type ReplyReader = {
  push(chunk: Buffer): void;
  /** The code of the next whole reply, NO_REPLY_YET, or MALFORMED; after the last there is nothing more to read. */
  next(): number;
  /** The lines of the reply that `next` returned last, without code; good until `next` is called again. */
  lines(): string[];
  /** Nothing has come that `next` hasn't returned: neither a further reply nor a part of one. */
  isEmpty(): boolean;
};

export function createReplyReader(): ReplyReader {
  let input: Buffer | undefined;
  let at = 0;
  /** Where the texts of the lines of the reply being read stand. */
  let texts: Buffer[] = [];
  let replyOctets = 0;
  let codeSoFar = 0;
  let isWhole = false;
  let broken = false;

  function push(chunk: Buffer): void {
    input = input === undefined || at >= input.length ? chunk : Buffer.concat([input.subarray(at), chunk]);
    at = 0;
  }

  function next(): number {
    if (isWhole) beginReply();
    while (!broken && input !== undefined && at < input.length) {
      const end = input.indexOf(LF, at);
      if (end < 0) return input.length - at > MAX_LINE_OCTETS ? fail() : NO_REPLY_YET;
      const from = at;
      at = end + 1;
      if (!takeLine(input, from, end)) return fail();
      if (isWhole) return codeSoFar;
    }
    return broken ? MALFORMED : NO_REPLY_YET;
  }

  function takeLine(from: Buffer, start: number, lf: number): boolean {
    const end = lf > start && from[lf - 1] === CR ? lf - 1 : lf;
    const code = codeAt(from, start, end);
    const separator = end - start > 3 ? from[start + 3] : SPACE;
    replyOctets += end - start;
    if (code === 0 || (separator !== SPACE && separator !== HYPHEN)) return false;
    if (codeSoFar !== 0 && code !== codeSoFar) return false; // RFC 5321 §4.2.1: one code for all lines
    if (end - start > MAX_LINE_OCTETS || replyOctets > MAX_REPLY_OCTETS || texts.length >= MAX_LINES)
      return false;
    codeSoFar = code;
    texts.push(from.subarray(Math.min(start + 4, end), end));
    isWhole = separator === SPACE;
    return true;
  }

  function beginReply(): void {
    texts = [];
    replyOctets = 0;
    codeSoFar = 0;
    isWhole = false;
  }

  function fail(): number {
    broken = true;
    beginReply();
    return MALFORMED;
  }

  return {
    push,
    next,
    lines: () => texts.map((text) => text.toString("utf8")),
    isEmpty: () => (input === undefined || at >= input.length) && (isWhole || codeSoFar === 0),
  };
}

/** Three digits, the first 2 to 5 (RFC 5321 §4.2.1; nothing in SMTP answers 1yz), or 0. */
function codeAt(from: Buffer, start: number, end: number): number {
  if (end - start < 3) return 0;
  const [a, b, c] = [digit(from[start]), digit(from[start + 1]), digit(from[start + 2])];
  return a < 2 || a > 5 || b < 0 || c < 0 ? 0 : a * 100 + b * 10 + c;
}

function digit(octet: number | undefined): number {
  return octet !== undefined && octet >= 48 && octet <= 57 ? octet - 48 : -1;
}
