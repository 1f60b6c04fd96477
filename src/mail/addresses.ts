/**
 * Says which e-mail addresses are accepted, and when two of them are the same. docs/addresses.md argues for the policy, and
 * for each place where it is stricter or laxer than the RFCs.
 */
import { domainToASCII, domainToUnicode } from "node:url";

export type ParsedAddress = {
  readonly ok: true;
  /** The address as given, in NFC, without outer blanks; always `local` + "@" + `domain`. */
  readonly address: string;
  readonly local: string;
  readonly domain: string;
  /** The domain as IDNA A-labels in lower case, which is what SMTP and the DNS use. */
  readonly asciiDomain: string;
  /**
   * Addresses are compared by this: the lower-cased local part, "@", `asciiDomain`. It is itself an address with this key.
   */
  readonly key: string;
  /** The local part isn't ASCII, so the receiving server must offer SMTPUTF8 (RFC 6531 §3.2). */
  readonly isEai: boolean;
};

export type AddressFault = {
  readonly ok: false;
  readonly code: "invalid_email";
  readonly reason: AddressFaultReason;
  /** Says what is wrong and what to do. It quotes at most one character of the input. */
  readonly detail: string;
};

export type AddressFaultReason = keyof typeof addressFaults;

export const addressFaults = {
  empty: "There is no address here. Give one, such as ada@example.org.",
  too_long: "The address is longer than 254 octets, which no mail server has to take. Give a shorter one.",
  broken_unicode: "The address holds half a character (a lone surrogate). Send it again as valid UTF-8.",
  control_character: "There is a line break or another control character in the address. Remove it.",
  url: "This is a link. Give the address alone, without mailto:.",
  display_name: "Give the address alone, without a name and without < and >.",
  comment: "Comments in parentheses aren't taken. Give the address without them.",
  quoted_local_part: "Quotation marks aren't taken. Give the address without them.",
  address_literal: "An IP address in brackets isn't taken. Give a domain name after the @.",
  source_route: "This is a route through other servers. Give only the final address.",
  several_addresses: "There is a comma or a semicolon. Give one address at a time.",
  white_space: "There is a blank inside the address. Remove it.",
  no_at: "There is no @. Give a whole address, such as ada@example.org.",
  several_at: "There is more than one @. Give a single address with a single @.",
  look_alike: "A character only looks like the one that is meant. Type it on a plain keyboard layout.",
  no_local_part: "There is nothing before the @. Give the whole address.",
  local_part_too_long: "The part before the @ is longer than 64 octets. Give a shorter address.",
  local_part_dots:
    "The part before the @ begins or ends with a dot, or has two in a row. Remove the stray dot.",
  local_part_character: "The part before the @ holds a character that can't stand there. Correct it.",
  invisible_character: "There is an invisible or unassigned character in the address. Type it afresh.",
  no_domain: "There is nothing after the @. Give the whole address.",
  domain_dots: "The domain begins or ends with a dot, or has two in a row. Remove the stray dot.",
  domain_character: "A domain is made of letters, digits, hyphens and dots. Remove what else is in it.",
  domain_hyphen: "A part of the domain begins or ends with a hyphen. Correct it.",
  label_too_long: "A part of the domain is longer than 63 octets, which the DNS can't hold. Correct it.",
  not_idna: "The domain isn't a valid internationalised name. Check its spelling.",
  single_label_domain: "The domain has no dot in it. Give it in full, such as example.org.",
  numeric_top_level_domain:
    "The domain ends in a number, as an IP address does. Give a domain name after the @.",
} as const;

// A path has 256 with its angle brackets (RFC 5321 §4.5.3.1.3; RFC 3696 erratum 1690).
const MAX_OCTETS = 254;
const MAX_LOCAL_OCTETS = 64; // RFC 5321 §4.5.3.1.1 sets this limit.
const MAX_LABEL_OCTETS = 63; // RFC 1035 §2.3.4 sets this limit.
/** NFC shortens 4 units to 3 octets at best, so any longer text is over 254 octets. */
const MAX_UNITS = 1024;

/**
 * Nearly every address matches this, and is parsed about ten times as fast as by the whole examination, with the same
 * result.
 */
const plain =
  /^[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*@(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.)+[a-z]{2,63}$/i;

/** Never throws, whatever the text. */
export function parseAddress(text: string): ParsedAddress | AddressFault {
  const trimmed = trimBlanks(text);
  return parsePlain(trimmed) ?? parseWhole(trimmed);
}

function parsePlain(address: string): ParsedAddress | null {
  if (address.length > MAX_OCTETS || !plain.test(address)) return null;
  const at = address.indexOf("@");
  const key = address.toLowerCase();
  if (at > MAX_LOCAL_OCTETS || key.includes("xn--")) return null;
  const [local, domain] = [address.slice(0, at), address.slice(at + 1)];
  return { ok: true, address, local, domain, asciiDomain: key.slice(at + 1), key, isEai: false };
}

function parseWhole(trimmed: string): ParsedAddress | AddressFault {
  if (trimmed === "") return fault("empty");
  if (trimmed.length > MAX_UNITS) return fault("too_long");
  if (!trimmed.isWellFormed()) return fault("broken_unicode");
  const address = trimmed.normalize("NFC"); // RFC 6532 §3.1 asks for this.
  const misshapen = findShapeFault(address);
  if (misshapen) return misshapen;

  const at = address.indexOf("@");
  const [local, domain] = [address.slice(0, at), address.slice(at + 1)];
  const localKey = foldLocal(local);
  // The key must be an address too, and lower case may be longer: Ⱥ has 2 octets, ⱥ has 3.
  const wrong = findLocalFault(local) ?? findLocalFault(localKey) ?? findDomainFault(domain);
  if (wrong) return wrong;
  const asciiDomain = toAsciiDomain(domain);
  if (typeof asciiDomain !== "string") return asciiDomain;

  const key = `${localKey}@${asciiDomain}`;
  // The A-labels are what is sent, and they may be longer than what was given.
  const longest = Math.max(octets(address), octets(local) + 1 + asciiDomain.length, octets(key));
  if (longest > MAX_OCTETS) return fault("too_long");
  return { ok: true, address, local, domain, asciiDomain, key, isEai: !isAscii(local) };
}

/** Tells text that isn't one bare address at all; the most informative reason comes first. */
const shapes: readonly (readonly [RegExp, AddressFaultReason])[] = [
  [/[\p{Cc}\u2028\u2029]/u, "control_character"],
  [/[<>]/, "display_name"],
  [/^mailto:/i, "url"],
  [/[()]/, "comment"],
  [/"/, "quoted_local_part"],
  [/@\[/, "address_literal"],
  [/^@[^:]*:/, "source_route"],
  [/[,;]/, "several_addresses"],
  [/\p{Zs}/u, "white_space"],
  [/[\uFF20\uFE6B]/, "look_alike"], // Chinese and Japanese input methods leave ＠ and ﹫.
  [/^[^@]*$/, "no_at"],
  [/@.*@/, "several_at"],
];
const namedInShapes: ReadonlySet<AddressFaultReason> = new Set([
  "control_character",
  "white_space",
  "look_alike",
]);

function findShapeFault(address: string): AddressFault | null {
  for (const [shape, reason] of shapes) {
    const found = shape.exec(address);
    if (found) return fault(reason, namedInShapes.has(reason) ? found[0] : undefined);
  }
  return null;
}

/** The local part must be a dot-string of RFC 5321 §4.1.2, with the UTF-8 that RFC 6531 §3.3 adds to atext. */
function findLocalFault(local: string): AddressFault | null {
  if (local === "") return fault("no_local_part");
  if (octets(local) > MAX_LOCAL_OCTETS) return fault("local_part_too_long");
  if (/^\.|\.\.|\.$/.test(local)) return fault("local_part_dots");
  // A combining mark at the start would join whatever stands before the address, such as the < of a header.
  const stray = /^\p{M}|[^\w!#$%&'*+/=?^`{|}~.\u0080-\u{10FFFF}-]/u.exec(local);
  if (stray) return fault("local_part_character", stray[0]);
  if (isAscii(local)) return null;
  const invisible = /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/u.exec(withoutFitJoiners(local));
  if (invisible) return fault("invisible_character", invisible[0]);
  // Curly quotes, dashes or full-width forms in a text that is otherwise ASCII are typing mistakes and no name.
  const alike = /[\u2010-\u201F\u2026\u2032\u2033\u2212\u3001\u3002\uFE50-\uFE6F\uFF01-\uFF65]/g;
  return isAscii(local.replace(alike, "")) ? fault("look_alike", local.match(alike)?.[0]) : null;
}

/**
 * ZWNJ and ZWJ are part of Persian and Indic spelling, and invisible anywhere else. RFC 5892 appendix A.1 and A.2 say where
 * they may stand, by tables of joining types that IDNA has: a run of letters in which they fit is a valid label.
 */
function withoutFitJoiners(local: string): string {
  return local.replace(/[^\p{ASCII}\p{N}]*[\u200C\u200D][^\p{ASCII}\p{N}]*/gu, (run) =>
    domainToASCII(run) === "" ? run : run.replace(/[\u200C\u200D]/g, ""),
  );
}

/** Refuses what domainToASCII would accept or silently repair: %41, tabs, slashes and all behind them, soft hyphens. */
function findDomainFault(domain: string): AddressFault | null {
  if (domain === "") return fault("no_domain");
  const stray = /[^a-z\d.\u0080-\u{10FFFF}-]/iu.exec(domain);
  if (stray) return fault("domain_character", stray[0]);
  const invisible = /(?!\u200C|\u200D|\uFE0F)[\p{Cf}\p{Default_Ignorable_Code_Point}]/u.exec(domain);
  return invisible ? fault("invisible_character", invisible[0]) : null;
}

/**
 * Converts by UTS #46, non-transitional. Host names follow RFC 1123 §2.1, so they have no underscores and don't end in a
 * number.
 */
function toAsciiDomain(domain: string): string | AddressFault {
  const isPlain = isAscii(domain) && !/(?:^|\.)xn--/i.test(domain);
  const ascii = isPlain ? domain.toLowerCase() : domainToASCII(domain);
  if (ascii === "") return fault("not_idna");
  const labels = ascii.split(".");
  if (labels.includes("")) return fault("domain_dots");
  if (labels.some((label) => label.length > MAX_LABEL_OCTETS)) return fault("label_too_long");
  // An A-label that doesn't stand for a valid U-label stays as it is (RFC 5890 §2.3.2.1).
  const spelt = isPlain ? labels : domainToUnicode(ascii).split(".");
  if (spelt.some((label) => label.startsWith("xn--"))) return fault("not_idna");
  if (spelt.some((label) => /^-|-$/.test(label))) return fault("domain_hyphen");
  if (/[^a-z\d.\u0080-\u{10FFFF}-]/u.test(spelt.join("."))) return fault("domain_character");
  if (labels.length < 2) return fault("single_label_domain");
  // Hexadecimal counts too, because URL parsers read 0x7f.0x1 as 127.0.0.1.
  if (/\.(?:\d+|0x[\da-f]*)$/.test(ascii)) return fault("numeric_top_level_domain");
  return ascii;
}

/**
 * Lower-cases a local part in the same way in every locale, and stable when repeated. The final sigma becomes the other
 * one, and the dot that İ keeps in lower case is dropped, so that İ, I and i are one letter, even where another mark stands
 * between the letter and its dot.
 */
function foldLocal(local: string): string {
  const lower = local.toLowerCase();
  if (isAscii(lower)) return lower;
  return lower
    .replaceAll("ς", "σ")
    .normalize("NFD")
    .replace(/i\p{M}+/gu, (marked) => marked.replaceAll("\u0307", ""))
    .normalize("NFC");
}

/** Trims blanks, but no line breaks: those are control characters and refused, wherever they stand. */
function trimBlanks(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(text.charCodeAt(start))) start++;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--;
  return start === 0 && end === text.length ? text : text.slice(start, end);
}

/** Blanks are tab, general category Zs, and the byte order mark that begins many files. */
function isBlank(unit: number): boolean {
  if (unit < 0xa0) return unit === 0x20 || unit === 0x09;
  return unit === 0xfeff || /\p{Zs}/u.test(String.fromCharCode(unit));
}

function isAscii(text: string): boolean {
  return /^\p{ASCII}*$/u.test(text);
}

function octets(text: string): number {
  return Buffer.byteLength(text);
}

function fault(reason: AddressFaultReason, character?: string): AddressFault {
  const detail = addressFaults[reason] + (character ? ` The character is ${nameOf(character)}.` : "");
  return { ok: false, code: "invalid_email", reason, detail };
}

function nameOf(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
  return /[\p{L}\p{N}\p{P}\p{S}]/u.test(character) ? `${character} (U+${code})` : `U+${code}`;
}

/** The address must have been parsed before. */
export function isEai(address: string): boolean {
  return !isAscii(address.slice(0, address.lastIndexOf("@")));
}
