/** Writes the DKIM-Signature field itself (RFC 6376 §3.5). */
import type { DkimKey } from "./keys.ts";

type Signed = {
  /** The time in seconds since 1970. */
  readonly signedAt: number;
  readonly expiresAt: number | null;
  readonly bodyHash: string;
  readonly names: NameList;
};

/** The value of `h=`, as it is sent and in its relaxed form. */
export type NameList = { readonly folded: string; readonly relaxed: string };

const NAME = "DKIM-Signature";
const FOLD = "\r\n ";
const MAX_COLUMNS = 76;

/** Writes the folded field, up to the `b=` at its end. */
export function composeUnsigned(key: DkimKey, signed: Signed): string {
  return `${NAME}: ${joinTags(key, signed, signed.names.folded, FOLD)}`;
}

/** Returns the relaxed form of the same field, without a line break at its end (RFC 6376 §3.7). */
export function canonicalizeUnsigned(key: DkimKey, signed: Signed): string {
  return `${NAME.toLowerCase()}:${joinTags(key, signed, signed.names.relaxed, " ")}`;
}

/** There is no `l=`, which would let anyone add text below the body (RFC 6376 §8.2). */
function joinTags(key: DkimKey, signed: Signed, names: string, fold: string): string {
  const expiry = signed.expiresAt === null ? "" : ` x=${signed.expiresAt};`;
  return (
    `v=1; a=${key.algorithm}; c=relaxed/relaxed;${fold}d=${key.domain}; s=${key.selector};` +
    `${fold}i=@${key.domain}; t=${signed.signedAt};${expiry}${fold}bh=${signed.bodyHash};${fold}h=${names};${fold}b=`
  );
}

export function addSignature(unsigned: string, signature: Buffer): string {
  const base64 = signature.toString("base64");
  let field = unsigned;
  for (let at = 0; at < base64.length; at += MAX_COLUMNS - 4) {
    field += (at === 0 ? "" : FOLD) + base64.slice(at, at + MAX_COLUMNS - 4);
  }
  return `${field}\r\n`;
}

/** A list may be folded behind any of its colons. */
export function foldNames(names: readonly string[]): NameList {
  const lines: string[] = [];
  let line = "";
  for (const name of names) {
    if (line.length + name.length > MAX_COLUMNS - 4) {
      lines.push(`${line}:`);
      line = name;
    } else line = line === "" ? name : `${line}:${name}`;
  }
  lines.push(line);
  return { folded: lines.join(FOLD), relaxed: lines.join(" ") };
}
