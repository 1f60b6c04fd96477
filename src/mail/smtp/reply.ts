/**
 * Reads replies as RFC 5321 §4.2 defines them, from whatever pieces the network delivers. Lines, and lines of a reply, are
 * bounded, so that no server can make this grow. Codes are read at once; text is decoded only when asked for.
 */

/** RFC 5321 §4.5.3.1.5 allows 512 octets to a line. Real servers exceed it, but not by this much. */
const MAX_LINE_OCTETS = 4_096;
const MAX_LINES = 200;
const MAX_REPLY_OCTETS = 65_536;

export const NO_REPLY_YET = 0;
export const MALFORMED = -1;

const CR = 13;
const SPACE = 32;
const HYPHEN = 45;

export type ReplyReader = {
  /** Reads the first `octets` of the chunk, which may be reused afterwards. */
  push(chunk: Buffer, octets: number): void;
  /** Returns the code of the next whole reply, NO_REPLY_YET, or MALFORMED, after which nothing more can be read. */
  next(): number;
  /**
   * Returns the lines of the reply that `next` returned last, without the code; they are valid until the reader is used
   * again.
   */
  lines(): string[];
  /** Says that `next` has returned all that has come: there is neither a further reply nor a part of one. */
  isEmpty(): boolean;
};

export function createReplyReader(): ReplyReader {
  /** Holds a character for each octet, since strings are searched and cut faster than buffers. */
  let input = "";
  let at = 0;
  /** The lines of the reply that is being read, except its last, which stands from `lastFrom` to `lastTo`. */
  let texts: string[] = [];
  let lastFrom = 0;
  let lastTo = 0;
  let replyOctets = 0;
  let codeSoFar = 0;
  let isWhole = false;
  let broken = false;

  function push(chunk: Buffer, octets: number): void {
    const text = chunk.toString("latin1", 0, octets);
    input = at >= input.length ? text : input.slice(at) + text;
    at = 0;
  }

  function next(): number {
    if (isWhole) beginReply();
    while (!broken && at < input.length) {
      const end = input.indexOf("\n", at);
      if (end < 0) return input.length - at > MAX_LINE_OCTETS ? fail() : NO_REPLY_YET;
      const from = at;
      at = end + 1;
      if (!takeLine(from, end)) return fail();
      if (isWhole) return codeSoFar;
    }
    return broken ? MALFORMED : NO_REPLY_YET;
  }

  function takeLine(start: number, lf: number): boolean {
    const end = lf > start && input.charCodeAt(lf - 1) === CR ? lf - 1 : lf;
    const code = codeAt(input, start, end);
    const separator = end - start > 3 ? input.charCodeAt(start + 3) : SPACE;
    replyOctets += end - start;
    if (code === 0 || (separator !== SPACE && separator !== HYPHEN)) return false;
    if (codeSoFar !== 0 && code !== codeSoFar) return false; // All lines have one code (RFC 5321 §4.2.1).
    if (end - start > MAX_LINE_OCTETS || replyOctets > MAX_REPLY_OCTETS || texts.length >= MAX_LINES)
      return false;
    codeSoFar = code;
    isWhole = separator === SPACE;
    lastFrom = Math.min(start + 4, end);
    lastTo = end;
    if (!isWhole) texts.push(input.slice(lastFrom, lastTo));
    return true;
  }

  function beginReply(): void {
    if (texts.length > 0) texts = [];
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
    lines: () => [...texts, input.slice(lastFrom, lastTo)].map(decode),
    isEmpty: () => at >= input.length && (isWhole || codeSoFar === 0),
  };
}

/** Reads three digits of which the first is 2 to 5 (RFC 5321 §4.2.1; nothing in SMTP answers 1yz), or returns 0. */
function codeAt(input: string, start: number, end: number): number {
  if (end - start < 3) return 0;
  const a = digitAt(input, start);
  const b = digitAt(input, start + 1);
  const c = digitAt(input, start + 2);
  return a < 2 || a > 5 || b < 0 || c < 0 ? 0 : a * 100 + b * 10 + c;
}

function digitAt(input: string, at: number): number {
  const digit = input.charCodeAt(at) - 48;
  return digit >= 0 && digit <= 9 ? digit : -1;
}

/** Decodes a string that holds a character for each octet. */
function decode(octets: string): string {
  return /[^\0-\x7f]/.test(octets) ? Buffer.from(octets, "latin1").toString("utf8") : octets;
}
