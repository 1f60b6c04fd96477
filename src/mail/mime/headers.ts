/**
 * Formats typed header fields. Every value goes through the one formatter of its kind, and no formatter lets a control
 * character out: text is cleaned, and a value with a grammar must match it from end to end.
 */
import { parseAddress } from "../addresses.ts";
import { cleanText, encodeWords, isPlain, MAX_LINE_COLUMNS } from "./encoded-words.ts";
import { foldField } from "./folding.ts";
import { fillSlots, hasSlots, type Pieces } from "./pieces.ts";
import type { HeaderField, Mailbox } from "./template.ts";

/** A structural value that can't stand in its header. The error's text names the header, never the value. */
export class UnfitValue extends Error {
  override readonly name = "UnfitValue";
  readonly header: string;

  constructor(header: string, why: string) {
    super(`${header}: ${why}`);
    this.header = header;
  }
}

/** With these limits and a name of 50 columns, no line can reach the 998 of RFC 5322 §2.1.1. */
const MAX_WORD_OCTETS = 900;
const MAX_QUOTED_COLUMNS = 60;

const atom = "[\\w!#$%&'*+/=?^`{|}~-]+";
const dotAtom = `${atom}(?:\\.${atom})*`;
const phrase = new RegExp(`^${atom}(?: ${atom})*$`);
const messageId = new RegExp(`^${dotAtom}@(?:${dotAtom}|\\[[!-Z^-~]*\\])$`); // RFC 5322 §3.6.4 defines it.
const listId = new RegExp(`^${dotAtom}$`); // RFC 2919 §2 defines it.
const url = /^[a-z][a-z\d+.-]*:[\w.~:/?#[\]@!$&'()*+,;=%-]+$/i; // RFC 3986 §2 allows no < and >.
const token = /^(?!.*=\?)[!-~]+$/;

/** Returns the field without the line break at its end. */
export function formatField(field: HeaderField, values: readonly string[]): string {
  const { name, kind } = field;
  switch (kind) {
    case "text":
      return formatText(name, fillSlots(field.value, values));
    case "mailboxes":
      return formatMailboxes(
        name,
        field.value.map((mailbox) => fillMailbox(mailbox, values)),
      );
    case "message_ids":
      return formatMessageIds(
        name,
        field.value.map((id) => fillSlots(id, values)),
      );
    case "date":
      return formatDate(name, field.value);
    case "urls":
      return formatUrls(
        name,
        field.value.map((one) => fillSlots(one, values)),
      );
    case "list_id":
      return formatListId(name, fillSlots(field.value.name ?? "", values), fillSlots(field.value.id, values));
    case "token":
      return foldField(name, [fit(name, fillSlots(field.value, values), token, "not visible ASCII alone")]);
  }
}

/** Says whether the field differs from copy to copy. */
export function fieldHasSlots(field: HeaderField): boolean {
  return piecesOf(field).some(hasSlots);
}

function piecesOf(field: HeaderField): readonly Pieces[] {
  switch (field.kind) {
    case "text":
    case "token":
      return [field.value];
    case "mailboxes":
      return field.value.flatMap(({ name = "", address }) => [name, address]);
    case "message_ids":
    case "urls":
      return field.value;
    case "list_id":
      return [field.value.name ?? "", field.value.id];
    case "date":
      return [];
  }
}

/** Unstructured text (RFC 5322 §2.2.1) is written as it is where it is ASCII and can be folded, else in encoded words. */
function formatText(name: string, text: string): string {
  const clean = cleanText(text);
  if (clean === "") return `${name}:`;
  const columns = name.length + 2;
  if (!isPlain(clean)) return foldField(name, encodeWords(clean, columns));
  if (columns + clean.length <= MAX_LINE_COLUMNS) return `${name}: ${clean}`;
  // Each run of blanks stays whole at the start of a line, so no line ends with one or holds nothing else.
  const [first = "", ...others] = clean.split(/(?<=[^ ]) /);
  const fits =
    columns + first.length <= MAX_LINE_COLUMNS && others.every((word) => word.length < MAX_LINE_COLUMNS);
  return foldField(name, fits ? [first, ...others] : encodeWords(clean, columns));
}

export function formatMailboxes(name: string, mailboxes: readonly Mailbox[]): string {
  if (mailboxes.length === 0) throw new UnfitValue(name, "there is no address");
  const words: string[] = [];
  for (const [index, mailbox] of mailboxes.entries()) {
    const end = index + 1 < mailboxes.length ? "," : "";
    const address = formatAddress(name, mailbox.address);
    const named = formatPhrase(mailbox.name ?? "", index === 0 ? name.length + 2 : 1);
    if (named.length > 0) words.push(...named, `<${address}>${end}`);
    else words.push(address + end);
  }
  return foldField(name, words);
}

export function formatMessageIds(name: string, ids: readonly string[]): string {
  if (ids.length === 0) throw new UnfitValue(name, "there is no message id");
  return foldField(
    name,
    ids.map((id) => `<${fit(name, id, messageId, "a message id is left@right, without angle brackets")}>`),
  );
}

/** The date is in UTC, so that it doesn't reveal where the sender is. */
export function formatDate(name: string, date: Date): string {
  // Thousands of mails are sent in a second, and writing the date anew would take 1 µs for each.
  const second = Math.floor(date.getTime() / 1_000);
  if (second !== lastDate.second) lastDate = { second, text: writeDate(name, date) };
  return `${name}: ${lastDate.text}`;
}

let lastDate = { second: Number.NaN, text: "" };

function writeDate(name: string, date: Date): string {
  const year = date.getUTCFullYear();
  if (!(year >= 1900 && year <= 9999)) throw new UnfitValue(name, "not a date of the years 1900 to 9999");
  return date.toUTCString().replace("GMT", "+0000");
}

function fillMailbox({ name, address }: Mailbox<Pieces>, values: readonly string[]): Mailbox {
  const filled = fillSlots(address, values);
  return name === undefined ? { address: filled } : { name: fillSlots(name, values), address: filled };
}

function formatUrls(name: string, urls: readonly string[]): string {
  if (urls.length === 0) throw new UnfitValue(name, "there is no URL");
  const why = "a URL is absolute, in ASCII, percent-encoded where needed, without angle brackets";
  const words = urls.map((one) => `<${fit(name, one, url, why)}>`);
  return foldField(
    name,
    words.map((word, index) => (index + 1 < words.length ? `${word},` : word)),
  );
}

function formatListId(name: string, described: string, id: string): string {
  const fitId = fit(name, id, listId, "a list id is like a domain name, without angle brackets");
  return foldField(name, [...formatPhrase(described, name.length + 2), `<${fitId}>`]);
}

/** An address whose local part isn't ASCII is written by RFC 6532; any other gets A-labels, which every server takes. */
function formatAddress(header: string, address: string): string {
  const parsed = parseAddress(address);
  if (!parsed.ok) throw new UnfitValue(header, parsed.detail);
  return parsed.isEai ? parsed.address : `${parsed.local}@${parsed.asciiDomain}`;
}

/** Writes a display name (RFC 5322 §3.2.5) bare, quoted or encoded. */
function formatPhrase(name: string, columns: number): string[] {
  const clean = cleanText(name);
  if (clean === "") return [];
  if (clean.length > MAX_QUOTED_COLUMNS || !isPlain(clean)) return encodeWords(clean, columns);
  return phrase.test(clean) ? clean.split(" ") : [`"${clean.replace(/["\\]/g, "\\$&")}"`];
}

export function fit(header: string, value: string, grammar: RegExp, why: string): string {
  if (value.length > MAX_WORD_OCTETS) throw new UnfitValue(header, `longer than ${MAX_WORD_OCTETS} octets`);
  if (!grammar.test(value)) throw new UnfitValue(header, why);
  return value;
}
