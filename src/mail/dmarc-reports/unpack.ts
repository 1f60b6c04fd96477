/**
 * Unpacks archives piece by piece into a reader of documents, so that neither what an archive claims about itself nor what it
 * unpacks to decides how much memory is taken. What is left when the reader wants no more is never unpacked.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import { createInflate, createInflateRaw } from "node:zlib";
import { Unzip, type UnzipFile, UnzipInflate, UnzipPassThrough } from "fflate";
import { createDocumentReader, type DocumentReader, type Findings } from "./document.ts";
import { refusals } from "./report.ts";

/** Deflate makes at most 1,032 bytes of one, so that a piece of an archive becomes 1 MB and a few milliseconds of parsing. */
const ZIP_PIECE_BYTES = 1_024;
const XML_PIECE_BYTES = 64 * 1_024;
const MOST_ENTRIES = 100;
/** Other work of the process waits no longer than this for its turn. */
const LONGEST_TURN_MS = 10;

export async function readPlain(bytes: Buffer, findings: Findings): Promise<void> {
  const reader = createDocumentReader(findings);
  await inTurns(bytes, XML_PIECE_BYTES, (piece) => reader.write(piece));
  reader.end(true);
}

export async function readZlib(bytes: Buffer, findings: Findings): Promise<void> {
  const reader = createDocumentReader(findings);
  reader.end((await inflate(createInflate(INFLATE), bytes, reader)) !== undefined);
}

/**
 * Reads the members of a gzip one after another. Node's own reader of gzip isn't used, because it refuses the whole for bytes behind
 * its end, and Mimecast's ends with CRLF.
 */
export async function readGzip(bytes: Buffer, findings: Findings): Promise<void> {
  const reader = createDocumentReader(findings);
  let isWhole = true;
  for (let at = 0, member = 0; member < MOST_ENTRIES; member++) {
    const start = at + gzipHeadLength(bytes.subarray(at));
    if (start === at) break;
    const used = await inflate(createInflateRaw(INFLATE), bytes.subarray(start), reader);
    isWhole = used !== undefined;
    if (used === undefined || used === 0) break;
    at = start + used + GZIP_TAIL_BYTES;
  }
  reader.end(isWhole);
}

/** Returns how many bytes were used, or undefined where they can't be unpacked to their end. */
async function inflate(
  unpacking: ReturnType<typeof createInflate>,
  bytes: Buffer,
  reader: DocumentReader,
): Promise<number | undefined> {
  unpacking.end(bytes);
  try {
    for await (const chunk of unpacking) if (!reader.write(chunk)) return 0;
    return unpacking.bytesWritten;
  } catch {
    return undefined;
  }
}

const INFLATE = { chunkSize: 64 * 1_024 };
const GZIP_TAIL_BYTES = 8;

/** Returns the length of the header (RFC 1952 §2.3), or 0 where there is none. */
function gzipHeadLength(bytes: Buffer): number {
  if (bytes.length < 10 || bytes[0] !== 0x1f || bytes[1] !== 0x8b || bytes[2] !== 8) return 0;
  const flags = bytes[3] ?? 0;
  let at = 10;
  if (flags & 4) at += 2 + (bytes[at] ?? 0) + ((bytes[at + 1] ?? 0) << 8);
  // A file name and a comment, each with a zero at its end.
  for (const flag of [8, 16]) if (flags & flag) at = bytes.indexOf(0, at) + 1 || bytes.length;
  if (flags & 2) at += 2;
  return Math.min(at, bytes.length);
}

export async function readZip(bytes: Buffer, findings: Findings): Promise<void> {
  const state: { reader: DocumentReader | undefined; entries: number; isBroken: boolean } = {
    reader: undefined,
    entries: 0,
    isBroken: false,
  };
  const end = (isWhole: boolean) => {
    state.reader?.end(isWhole);
    state.reader = undefined;
  };
  const unzip = new Unzip((file: UnzipFile) => {
    end(false);
    state.entries++;
    if (isNoDocument(file.name) || state.entries > MOST_ENTRIES) return;
    const reader = createDocumentReader(findings);
    state.reader = reader;
    file.ondata = (error, chunk, isLast) => {
      if (state.reader !== reader) return;
      if (error) state.isBroken = true;
      else if (!reader.write(chunk)) end(true);
      else if (isLast) end(true);
    };
    file.start();
  });
  unzip.register(UnzipInflate);
  unzip.register(UnzipPassThrough);
  try {
    await inTurns(bytes, ZIP_PIECE_BYTES, (piece, isLast) => {
      unzip.push(piece, isLast);
      return !state.isBroken && findings.budget.xmlBytes >= 0;
    });
  } catch {
    state.isBroken = true;
  }
  end(!state.isBroken);
  if (state.entries === 0) findings.refusals.push(refusals.brokenArchive);
}

/** Folders, and what macOS puts beside each file. */
function isNoDocument(name: string): boolean {
  return name.endsWith("/") || name.startsWith("__MACOSX/");
}

async function inTurns(
  bytes: Buffer,
  pieceBytes: number,
  take: (piece: Buffer, isLast: boolean) => boolean,
): Promise<void> {
  let since = performance.now();
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    if (!take(bytes.subarray(at, at + pieceBytes), at + pieceBytes >= bytes.length)) return;
    if (performance.now() - since < LONGEST_TURN_MS) continue;
    await nextTurn();
    since = performance.now();
  }
}
