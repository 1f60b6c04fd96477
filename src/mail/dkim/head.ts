/** The header section: which of its fields are signed, and their relaxed form. */
import type { SigningFaultReason } from "./faults.ts";
import { foldNames, type NameList } from "./field.ts";
import { borrowMemory } from "./scratch.ts";

const TAB = 0x09;
const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const DELETE = 0x7f;

/**
 * Each is signed as often as it occurs and once more, so that none can be added to a signed message (RFC 6376 §8.15).
 * List-Unsubscribe-Post must be among them (RFC 8058 §4). Left out is what others may rightly add on the way: Received,
 * Return-Path, Resent-*, and the List-* fields with which a mailing list describes itself.
 */
const usualSpellings = [
  ...["From", "Sender", "Reply-To", "To", "Cc", "Subject", "Date", "Message-ID", "In-Reply-To", "References"],
  ...["MIME-Version", "Content-Type", "Content-Transfer-Encoding"],
  ...["List-Id", "List-Unsubscribe", "List-Unsubscribe-Post", "Feedback-ID"],
];
const signedFields = usualSpellings.map((name) => name.toLowerCase());
/** The place in `signedFields` by name, in the usual spelling and in lower case. */
const places = new Map(
  [...usualSpellings, ...signedFields].map((name) => [name, signedFields.indexOf(name.toLowerCase())]),
);
const FROM = 0;

export type SignedHead = {
  /** In the order in which a verifier picks the fields. */
  readonly names: NameList;
  /** The relaxed form of those that are there, a character for a byte. */
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
    const place = findPlace(lines.slice(start, colon));
    if (place === null) return "malformed_field";
    if (place >= 0) {
      const valueStart = lines.charCodeAt(colon + 1) === SPACE ? colon + 2 : colon + 1;
      // Of several with one name, a verifier picks the lowest first (RFC 6376 §5.4.2).
      texts[place] = `${signedFields[place]}:${lines.slice(valueStart, end + 2)}${texts[place]}`;
      counts[place] = (counts[place] ?? 0) + 1;
    }
    start = end + 2;
  }
  const authors = counts[FROM] ?? 0;
  if (authors !== 1) return authors === 0 ? "no_from" : "several_from";
  return { names: listNames(counts), canonical: texts.join("") };
}

/** The last list: the messages of a campaign all have the same fields. */
let kept = { shape: "", names: foldNames([]) };

function listNames(counts: readonly number[]): NameList {
  const shape = counts.join();
  if (kept.shape !== shape) {
    const names = signedFields.flatMap((name, place) => Array<string>((counts[place] ?? 0) + 1).fill(name));
    kept = { shape, names: foldNames(names) };
  }
  return kept.names;
}

/** -1 where it isn't signed, null where it is no name (RFC 5322 §2.2; a blank before the colon is obsolete). */
function findPlace(name: string): number | null {
  const place = places.get(name);
  if (place !== undefined) return place;
  return /^[!-9;-~]+$/.test(name) ? (places.get(name.toLowerCase()) ?? -1) : null;
}

type RelaxedHead =
  | { readonly ok: true; readonly lines: string }
  | { readonly ok: false; readonly reason: "bare_line_break" | "control_character" };

/**
 * RFC 6376 §3.4.2, but for the names' case and the space behind the colon: a line for each field, no space at its end,
 * one for each other run of white space. Control characters are refused: verifiers strip or keep them as they please.
 */
export function relaxHead(head: Buffer): RelaxedHead {
  const out = borrowMemory(head.length);
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
