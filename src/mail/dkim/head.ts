/** Chooses which fields of the header section are signed, and makes their relaxed form. */
import type { SigningFaultReason } from "./faults.ts";
import { foldNames, type NameList } from "./field.ts";
import { borrowBuffer } from "./scratch-buffer.ts";

const TAB = 0x09;
const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const DELETE = 0x7f;

/**
 * Each is signed as often as it occurs and once more, so that none can be added later (RFC 6376 §8.15).
 * List-Unsubscribe-Post must be among them (RFC 8058 §4). Fields that others may rightly add aren't: Received, Return-Path,
 * Resent-*, and a mailing list's own List-* fields.
 */
const usualSpellings = [
  ...["From", "Sender", "Reply-To", "To", "Cc", "Subject", "Date", "Message-ID", "In-Reply-To", "References"],
  ...["MIME-Version", "Content-Type", "Content-Transfer-Encoding"],
  ...["List-Id", "List-Unsubscribe", "List-Unsubscribe-Post", "Feedback-ID"],
];
const signedFields = usualSpellings.map((name) => name.toLowerCase());
/** Maps a name, in its usual spelling and in lower case, to its index in `signedFields`. */
const fieldIndexes = new Map(
  [...usualSpellings, ...signedFields].map((name) => [name, signedFields.indexOf(name.toLowerCase())]),
);
const FROM = 0;

export type SignedHead = {
  /** The names in the order in which a verifier picks the fields. */
  readonly names: NameList;
  /** The relaxed form of the fields that are there, with a character for each byte. */
  readonly canonical: string;
};

/** `head` ends with the line break of its last field. */
export function readHead(head: Buffer): SignedHead | SigningFaultReason {
  const relaxed = relaxHead(head);
  if (!relaxed.ok) return relaxed.reason;
  const { lines } = relaxed;
  const counts = signedFields.map(() => 0);
  const texts = signedFields.map(() => "");
  for (let start = 0; start < lines.length; ) {
    const end = lines.indexOf("\r\n", start);
    const colon = lines.indexOf(":", start);
    if (colon < 0 || colon > end) return "malformed_field";
    const index = findFieldIndex(lines.slice(start, colon));
    if (index === null) return "malformed_field";
    if (index >= 0) {
      const valueStart = lines.charCodeAt(colon + 1) === SPACE ? colon + 2 : colon + 1;
      // Of several fields with one name, a verifier picks the lowest first (RFC 6376 §5.4.2).
      texts[index] = `${signedFields[index]}:${lines.slice(valueStart, end + 2)}${texts[index]}`;
      counts[index] = (counts[index] ?? 0) + 1;
    }
    start = end + 2;
  }
  const authors = counts[FROM] ?? 0;
  if (authors !== 1) return authors === 0 ? "no_from" : "several_from";
  return { names: listNames(counts), canonical: texts.join("") };
}

/** The last list is reused, because the messages of a campaign all have the same fields. */
let lastList = { shape: "", names: foldNames([]) };

function listNames(counts: readonly number[]): NameList {
  const shape = counts.join();
  if (lastList.shape !== shape) {
    const names = signedFields.flatMap((name, index) => Array<string>((counts[index] ?? 0) + 1).fill(name));
    lastList = { shape, names: foldNames(names) };
  }
  return lastList.names;
}

/**
 * Returns -1 where the field isn't signed, null where it is no name (RFC 5322 §2.2; a blank before the colon is obsolete).
 */
function findFieldIndex(name: string): number | null {
  const index = fieldIndexes.get(name);
  if (index !== undefined) return index;
  return /^[!-9;-~]+$/.test(name) ? (fieldIndexes.get(name.toLowerCase()) ?? -1) : null;
}

type RelaxedHead =
  | { readonly ok: true; readonly lines: string }
  | { readonly ok: false; readonly reason: "bare_line_break" | "control_character" };

/**
 * Follows RFC 6376 §3.4.2, except for the names' case and the space behind the colon: a line for each field, no space at
 * its end, one for each other run of white space. Control characters are refused, since some verifiers strip them and
 * others don't.
 */
export function relaxHead(head: Buffer): RelaxedHead {
  const out = borrowBuffer(head.length);
  let [end, previous] = [0, LF];
  for (let at = 0; at < head.length; at++) {
    const byte = head[at] as number;
    if (byte > SPACE && byte !== DELETE) out[end++] = previous = byte;
    else if (byte === SPACE || byte === TAB) {
      if (previous !== SPACE) out[end++] = previous = SPACE;
    } else if (byte === CR) {
      if (head[++at] !== LF) return { ok: false, reason: "bare_line_break" };
      const next = head[at + 1];
      if (next === SPACE || next === TAB) continue;
      if (previous === SPACE) end--;
      out[end++] = CR;
      out[end++] = previous = LF;
    } else return { ok: false, reason: byte === LF ? "bare_line_break" : "control_character" };
  }
  return { ok: true, lines: out.toString("latin1", 0, end) };
}
