/** Reads one mailbox, as `ada@example.com` or `Ada Lovelace <ada@example.com>`. */
import { parseAddress } from "../../mail/addresses.ts";
import type { Fault } from "../../platform/problems.ts";

export type Address = {
  readonly name: string | null;
  readonly email: string;
  /** Addresses are compared by this. */
  readonly key: string;
  /** The domain as the DNS has it. */
  readonly domain: string;
};

const CONTROLS = /[\p{Cc}\u2028\u2029]/u;
const NAMED = /^(?:"((?:[^"\\]|\\.)*)"|([^"<>]*))\s*<([^<>]*)>$/u;
const LONGEST_NAME = 200;

export function hasControls(text: string): boolean {
  return CONTROLS.test(text);
}

/** A fault of a text that must stand on one line. */
export function controlFault(pointer: string): Fault {
  return {
    pointer,
    code: "invalid_character",
    detail: "has a line break or another control character in it",
  };
}

/** Never throws, whatever the text. */
export function readMailbox(text: string, pointer: string): Address | { readonly fault: Fault } {
  if (hasControls(text)) return { fault: controlFault(pointer) };
  const named = NAMED.exec(text.trim());
  const name = named ? (named[1]?.replaceAll(/\\(.)/gu, "$1") ?? named[2] ?? "").trim() : "";
  if (name.length > LONGEST_NAME) {
    return {
      fault: { pointer, code: "too_long", detail: `the name is longer than ${LONGEST_NAME} characters` },
    };
  }
  const parsed = parseAddress(named ? (named[3] ?? "") : text);
  if (!parsed.ok) return { fault: { pointer, code: parsed.code, detail: parsed.detail } };
  return { name: name || null, email: parsed.address, key: parsed.key, domain: parsed.asciiDomain };
}
