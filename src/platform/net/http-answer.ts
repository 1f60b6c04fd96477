/**
 * Reads an HTTP/1.1 answer (RFC 9112) from its bytes as they come. It is strict: what a careful server never sends is no answer, so
 * that nothing can be read in two ways. It keeps no more than a head or a line of what it was given.
 */

/** By their names in small letters; of one that came several times, the first. */
export type AnswerHeaders = Readonly<Record<string, string | undefined>>;

export type AnswerHead = { readonly status: number; readonly headers: AnswerHeaders };

export type AnswerSink = {
  head(head: AnswerHead): void;
  /** The bytes are overwritten afterwards. */
  body(bytes: Buffer): void;
};

export type Reading =
  | { readonly kind: "more" }
  /** `keepsOpen`: the connection may be used for another request. */
  | { readonly kind: "whole"; readonly keepsOpen: boolean }
  | { readonly kind: "broken"; readonly code: string };

export type AnswerReader = {
  /** The bytes may be overwritten afterwards. */
  take(bytes: Buffer): Reading;
  /** Says that the other side will send nothing more. */
  end(): Reading;
};

const MOST_HEAD_BYTES = 16 * 1_024;
const LONGEST_CHUNK_LINE = 1_024;
/** A chunk is shorter than 2^32 bytes. */
const CHUNK_LINE = /^([\da-f]{1,8})[ \t]*(?:;[\t\x20-\x7e\x80-\xff]*)?$/i;

const MORE: Reading = { kind: "more" };
const KEPT: Reading = { kind: "whole", keepsOpen: true };
const CLOSED: Reading = { kind: "whole", keepsOpen: false };
const broken = (code: string): Reading => ({ kind: "broken", code });

type Body =
  | { readonly kind: "length"; left: number }
  /** `left` is what is to come of a chunk with the line break behind it, and undefined where a line with a length comes next. */
  | { readonly kind: "chunks"; left: number | undefined; isTrailer: boolean }
  | { readonly kind: "until_close" };

export function createAnswerReader(sink: AnswerSink): AnswerReader {
  let rest: Buffer = Buffer.alloc(0);
  let headBytes = 0;
  let body: Body | undefined;
  let keepsOpen = false;

  /** Heads of 1xx come before the one that counts (RFC 9110 §15.2). */
  function readHeads(): Reading | undefined {
    while (!body) {
      const end = rest.indexOf("\r\n\r\n");
      headBytes += end < 0 ? 0 : end + 4;
      if (headBytes + (end < 0 ? rest.length : 0) > MOST_HEAD_BYTES) return broken("header_size");
      if (end < 0) return MORE;
      const head = parseHead(rest.toString("latin1", 0, end));
      rest = rest.subarray(end + 4);
      if (!head) return broken("head");
      // Another protocol is none of what was asked for.
      if (head.status === 101) return broken("upgrade");
      if (head.status < 200) continue;
      body = bodyOf(head);
      if (!body) return broken("length");
      keepsOpen = head.keepsOpen && body.kind !== "until_close";
      sink.head(head);
    }
    return undefined;
  }

  function readBody(of: Body): Reading {
    if (of.kind === "chunks") return readChunks(of);
    const part = of.kind === "length" ? rest.subarray(0, of.left) : rest;
    rest = rest.subarray(part.length);
    if (part.length > 0) sink.body(part);
    if (of.kind === "until_close") return MORE;
    of.left -= part.length;
    return of.left === 0 ? whole() : MORE;
  }

  function readChunks(of: Extract<Body, { kind: "chunks" }>): Reading {
    while (rest.length > 0) {
      if (of.left !== undefined) {
        // The last two bytes are the line break.
        const part = rest.subarray(0, Math.max(0, of.left - 2));
        if (part.length > 0) sink.body(part);
        rest = rest.subarray(part.length);
        of.left -= part.length;
        if (of.left > 2 || rest.length < 2) return MORE;
        if (rest[0] !== 13 || rest[1] !== 10) return broken("chunk");
        rest = rest.subarray(2);
        of.left = undefined;
        continue;
      }
      const end = rest.indexOf("\r\n");
      if (end > LONGEST_CHUNK_LINE || (end < 0 && rest.length > LONGEST_CHUNK_LINE)) return broken("chunk");
      if (end < 0) return MORE;
      const line = rest.toString("latin1", 0, end);
      rest = rest.subarray(end + 2);
      if (of.isTrailer) {
        headBytes += end + 2;
        if (headBytes > MOST_HEAD_BYTES) return broken("header_size");
        if (line === "") return whole();
      } else {
        const size = CHUNK_LINE.exec(line)?.[1];
        if (size === undefined) return broken("chunk");
        const bytes = Number.parseInt(size, 16);
        if (bytes === 0) of.isTrailer = true;
        else of.left = bytes + 2;
      }
    }
    return MORE;
  }

  /** Whatever comes behind an answer belongs to no request, so nothing more is asked there. */
  function whole(): Reading {
    return keepsOpen && rest.length === 0 ? KEPT : CLOSED;
  }

  return {
    take(bytes) {
      rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
      const reading = readHeads() ?? (body ? readBody(body) : MORE);
      if (reading === MORE && rest.length > 0) rest = Buffer.from(rest);
      return reading;
    },
    end: () => (body?.kind === "until_close" ? CLOSED : broken("ECONNRESET")),
  };
}

type Head = AnswerHead & {
  readonly keepsOpen: boolean;
  /** What says where the body ends, each as often as it came. */
  readonly lengths: readonly string[];
  readonly codings: readonly string[];
};

const STATUS_LINE = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: [\t\x20-\x7e\x80-\xff]*)?$/;
/** The value is trimmed afterwards: with blanks of its own, this would take quadratic time for a line of blanks. */
const HEADER_LINE = /^([!#$%&'*+.^_`|~\w-]+):([\t\x20-\x7e\x80-\xff]*)$/;

function parseHead(text: string): Head | undefined {
  const [first = "", ...lines] = text.split("\r\n");
  const status = STATUS_LINE.exec(first);
  if (!status) return undefined;
  const headers: Record<string, string> = Object.create(null);
  const lengths: string[] = [];
  const codings: string[] = [];
  let keepsOpen = status[1] === "1";
  for (const line of lines) {
    const parts = HEADER_LINE.exec(line);
    if (!parts) return undefined;
    const name = (parts[1] as string).toLowerCase();
    const value = (parts[2] as string).trim();
    headers[name] ??= value;
    if (name === "content-length") lengths.push(value);
    else if (name === "transfer-encoding") codings.push(value);
    else if (name === "connection" && /(?:^|[ \t,])close(?:$|[ \t,])/i.test(value)) keepsOpen = false;
  }
  return { status: Number(status[2]), headers, keepsOpen, lengths, codings };
}

/** Says where the body ends (RFC 9112 §6.3); undefined where that is told in two ways, or in one that isn't known. */
function bodyOf({ status, lengths, codings }: Head): Body | undefined {
  const isPlain = codings.length === 0;
  if (!isPlain && (codings.length > 1 || lengths.length > 0 || codings[0]?.toLowerCase() !== "chunked"))
    return undefined;
  const [length] = lengths;
  if (lengths.length > 1 || (length !== undefined && !/^\d{1,15}$/.test(length))) return undefined;
  if (status === 204 || status === 304) return { kind: "length", left: 0 };
  if (!isPlain) return { kind: "chunks", left: undefined, isTrailer: false };
  return length === undefined ? { kind: "until_close" } : { kind: "length", left: Number(length) };
}
