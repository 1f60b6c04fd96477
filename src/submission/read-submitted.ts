/**
 * Turns a submitted mail into the request that POST /v1/emails would have had. The envelope alone says who gets the mail; its
 * header says who of them is seen. What the header names beyond that is neither sent to nor shown.
 */
import { isGivenHeader } from "../emails/emails.ts";
import { EmailCreate } from "../emails/schema.ts";
import { parseAddress } from "../mail/addresses.ts";
import { type ListedAddress, readAddressList } from "../mail/reading/address-list.ts";
import {
  decodeWords,
  findField,
  MAX_BLOCK_BYTES,
  MAX_FIELDS,
  type ParsedField,
} from "../mail/reading/headers.ts";
import { readMail } from "../mail/reading/reading.ts";
import type { TakenMail } from "../mail/smtp-server/smtp-server.ts";
import { findUnstorable } from "../platform/http/bodies/json-body.ts";
import { createValidation } from "../platform/http/bodies/validation.ts";
import { Strict } from "../platform/http/schemas.ts";
import { type Fault, invalid } from "../platform/problems.ts";
import { readContent } from "./read-content.ts";

const LIMITS = { maxBytes: Number.POSITIVE_INFINITY, maxValueUnits: MAX_BLOCK_BYTES };
const OWN = "x-postrider-";
/** As many as RFC 5322 §2.1.1 lets stand on one line, less the name. */
const LONGEST_REFERENCES = 900;

/** All recipients may be hidden ones, where the API asks for one that is seen. */
const faultsOf = createValidation().body(
  Strict({ ...EmailCreate.properties, to: EmailCreate.properties.cc }),
);

export type Submitted = {
  readonly given: EmailCreate;
  /** By this the client knows the mail; undefined where it gave none. */
  readonly messageId: string | undefined;
};

/** Throws what a request with these fields would have been refused for. */
export function readSubmitted({ bytes, recipients }: Pick<TakenMail, "bytes" | "recipients">): Submitted {
  refuseUnreadable(bytes);
  const mail = readMail(bytes, LIMITS);
  if (mail.isCut)
    throw fault("", "too_complex", "the mail has more than 200 parts, or they are nested too deeply");
  const { fields } = mail;
  const faults: Fault[] = [];
  const own = readOwnHeaders(fields, faults);
  const { attachments, ...texts } = readContent(mail.parts);
  const subject = decodeWords(findField(fields, "subject") ?? "");
  const given = {
    from: readOnly(fields, "from", faults),
    ...readRecipients(fields, recipients),
    ...(findField(fields, "reply-to") && { reply_to: readOnly(fields, "reply-to", faults) }),
    // Every mail has a body, if an empty one. Where it names a template, that is what is sent.
    ...("template_id" in own ? subject !== "" && { subject } : { subject, ...texts }),
    ...(attachments && { attachments }),
    headers: readGivenHeaders(fields),
    ...own,
  };
  // JSON in a header may say what no body of a request may.
  faults.push(...findUnstorable(given), ...faultsOf(given));
  if (faults.length > 0) throw invalid(...faults);
  return { given: given as EmailCreate, messageId: findField(fields, "message-id") || undefined };
}

/** A header of ten thousand lines is refused, rather than read in part. */
function refuseUnreadable(bytes: Buffer): void {
  if (bytes.includes(0)) throw fault("", "invalid_character", "there is a NUL in the mail");
  const end = bytes.indexOf("\r\n\r\n");
  const header = bytes.subarray(0, end < 0 ? bytes.length : end);
  let lines = 1;
  for (let at = header.indexOf("\r\n"); at >= 0 && lines <= MAX_FIELDS; at = header.indexOf("\r\n", at + 2))
    lines++;
  if (header.length > MAX_BLOCK_BYTES || lines > MAX_FIELDS)
    throw fault(
      "/headers",
      "too_long",
      `the header has more than ${MAX_FIELDS} lines or ${MAX_BLOCK_BYTES / 1_024} KB`,
    );
}

function fault(pointer: string, code: string, detail: string) {
  return invalid({ pointer, code, detail });
}

function readAll(fields: readonly ParsedField[], name: string): ListedAddress[] {
  return fields.filter((field) => field.name === name).flatMap(({ value }) => readAddressList(value));
}

/** Reads a header that names one mailbox. */
function readOnly(fields: readonly ParsedField[], name: string, faults: Fault[]): string {
  const found = readAll(fields, name);
  const [only] = found;
  if (only && found.length === 1) return write(only);
  const pointer = `/${name.replace("-", "_")}`;
  const detail = only ? `the mail has ${found.length} of them, and may have one` : `the mail has none`;
  faults.push({ pointer, code: only ? "too_many" : "required", detail: `${name}: ${detail}` });
  return "none@example.invalid";
}

function readRecipients(fields: readonly ParsedField[], envelope: readonly string[]) {
  const hidden = new Map(envelope.map((address) => [keyOf(address), address]));
  const seen = (name: string) =>
    readAll(fields, name).flatMap((one) => {
      const key = keyOf(one.address);
      const address = hidden.get(key);
      hidden.delete(key);
      return address === undefined ? [] : [write({ ...one, address })];
    });
  const to = seen("to");
  const cc = seen("cc");
  return { to, cc, bcc: [...hidden.values()] };
}

function keyOf(address: string): string {
  const parsed = parseAddress(address);
  return parsed.ok ? parsed.key : address;
}

function write({ name, address }: ListedAddress): string {
  return name === "" ? address : `"${name.replaceAll(/["\\]/g, "\\$&")}" <${address}>`;
}

/** A header that is given twice leaves once, as it was first given. */
function readGivenHeaders(fields: readonly ParsedField[]): Record<string, string> {
  const headers = new Map<string, string>();
  for (const { name, value } of fields) {
    if (!isGivenHeader(name) || headers.has(name) || value === "") continue;
    const read = Object.hasOwn(READERS, name) ? READERS[name]?.(value) : decodeWords(value);
    if (read) headers.set(name, read);
  }
  return Object.fromEntries([...headers].map(([name, value]) => [capitalise(name), value]));
}

/**
 * Programs write these headers in many ways, with remarks between and without blanks (RFC 2369 §2, RFC 5322 §4.5.4, RFC 3834 §5).
 * What counts is what stands in angle brackets, or the first word.
 */
const READERS: Readonly<Record<string, (value: string) => string | undefined>> = {
  "in-reply-to": (value) => shorten(bracketed(value)),
  references: (value) => shorten(bracketed(value)),
  "list-unsubscribe": (value) => bracketed(value).join(", ") || value,
  "auto-submitted": (value) => /^[^\s;(]+/.exec(value)?.[0],
};

function bracketed(value: string): string[] {
  return (value.match(/<[^<>]+>/g) ?? []).map((one) => one.replaceAll(/\s/g, ""));
}

/** Leaves out what lies between the first mail of a thread and the last ones (RFC 5322 §3.6.4 says why both are wanted). */
function shorten(ids: readonly string[]): string {
  const [first = ""] = ids;
  let length = first.length;
  const last: string[] = [];
  for (const id of ids.slice(1).reverse()) {
    length += id.length + 1;
    if (length > LONGEST_REFERENCES) break;
    last.unshift(id);
  }
  return [first, ...last].join(" ");
}

function capitalise(name: string): string {
  return name.replaceAll(/(?<=^|-)[a-z]/g, (letter) => letter.toUpperCase());
}

/** The headers that mean something to us, by what follows `X-Postrider-`; `tag` may be there several times. */
const OWN_HEADERS = {
  metadata: { field: "metadata", read: readJson },
  template: { field: "template_id", read: (text: string) => text },
  variables: { field: "variables", read: readJson },
} as const;

/** An unknown one is refused, since it is a known one mistyped. */
function readOwnHeaders(fields: readonly ParsedField[], faults: Fault[]): Record<string, unknown> {
  const own: Record<string, unknown> = {};
  const tags: string[] = [];
  for (const { name, value } of fields) {
    if (!name.startsWith(OWN)) continue;
    const word = name.slice(OWN.length);
    const text = decodeWords(value);
    const pointer = `/headers/${capitalise(name)}`;
    const known = Object.hasOwn(OWN_HEADERS, word)
      ? OWN_HEADERS[word as keyof typeof OWN_HEADERS]
      : undefined;
    if (word === "tag") tags.push(text);
    else if (!known) faults.push({ pointer, code: "header_not_allowed", detail: NOT_OURS });
    else if (known.field in own)
      faults.push({ pointer, code: "duplicate", detail: "the header is given twice" });
    else own[known.field] = known.read(text, pointer, faults);
  }
  return tags.length > 0 ? { ...own, tags } : own;
}

const NOT_OURS = "of those that begin with X-Postrider- there are Tag, Metadata, Template and Variables";

function readJson(text: string, pointer: string, faults: Fault[]): unknown {
  try {
    return JSON.parse(text);
  } catch {
    faults.push({ pointer, code: "invalid_json", detail: 'must be JSON, such as {"order": "4711"}' });
    return {};
  }
}
