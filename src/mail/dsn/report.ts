/** Reads the machine-readable half of a delivery status notification (RFC 3464 §2), and of what resembles one. */
import { type ParsedField, parseFields } from "../reading/headers.ts";
import { findAddress } from "./replies.ts";

export type ReportedRecipient = {
  /** The address that the mail was sent to, and those it was forwarded to, as far as they are told. */
  readonly addresses: readonly string[];
  readonly action: string;
  readonly status: string | null;
  readonly diagnostic: string;
  readonly diagnosticType: string;
  /** PowerMTA's own category of the failure; "" elsewhere. */
  readonly category: string;
};

const MAX_UNITS = 512 * 1024;
const MAX_GROUPS = 2000;

const recipientFields = new Set(["final-recipient", "original-recipient", "x-actual-recipient"]);
const outcomeFields = new Set(["action", "status", "diagnostic-code"]);

/** Returns at most `most` recipients, in the order of the report. */
export function readReport(text: string, most: number): ReportedRecipient[] {
  const recipients: ReportedRecipient[] = [];
  for (const group of splitGroups(text)) {
    if (recipients.length >= most) break;
    const isRecipient = group.some(({ name }) => recipientFields.has(name) || outcomeFields.has(name));
    if (isRecipient) recipients.push(toRecipient(group));
  }
  return recipients;
}

/**
 * Empty lines separate the recipients (§2.1), but some reporters omit them, and some put one between the address and the
 * outcome: a group ends where the next recipient is named, or where a field recurs.
 */
function splitGroups(text: string): ParsedField[][] {
  const groups: ParsedField[][] = [];
  let group: ParsedField[] = [];
  const close = () => {
    if (group.length > 0) groups.push(group);
    group = [];
  };
  for (const block of text.slice(0, MAX_UNITS).split(/\n[ \t]*\n/, MAX_GROUPS)) {
    const fields = parseFields(block);
    if (namesRecipient(fields) && namesRecipient(group)) close();
    for (const field of fields) {
      const isOurs = recipientFields.has(field.name) || outcomeFields.has(field.name);
      if (isOurs && group.some(({ name }) => name === field.name)) close();
      group.push(field);
    }
  }
  close();
  return groups;
}

function namesRecipient(fields: readonly ParsedField[]): boolean {
  return fields.some(({ name }) => recipientFields.has(name));
}

function toRecipient(group: readonly ParsedField[]): ReportedRecipient {
  const fieldValue = (name: string) => group.find((field) => field.name === name)?.value ?? "";
  const [type, quoted] = splitType(fieldValue("diagnostic-code"));
  // Without a diagnostic, a comment on the status is all there is: `4.0.0 (host name lookup failure)`.
  const comment = /\((.{4,300})\)/.exec(fieldValue("status"))?.[1] ?? "";
  const addresses = ["original-recipient", "final-recipient"]
    .map((name) => findAddress(splitType(fieldValue(name))[1]))
    .filter((address) => address !== null);
  return {
    addresses: [...new Set(addresses)],
    action: /^[a-z]+/.exec(fieldValue("action").toLowerCase())?.[0] ?? "",
    status: /(?<![\d.])[245]\.\d{1,3}\.\d{1,3}(?!\.?\d)/.exec(fieldValue("status"))?.[0] ?? null,
    diagnostic: unwrapReply(quoted || comment),
    diagnosticType: type,
    category: fieldValue("x-powermta-bouncecategory").toLowerCase(),
  };
}

/** Splits `smtp; 550 …`; the type may be missing, against §2.3.6. */
function splitType(value: string): [type: string, rest: string] {
  const [, type = "", rest = value] = /^\s*([\w.-]{1,40})\s*;\s*(.*)$/s.exec(value) ?? [];
  return [type.toLowerCase(), rest.trim()];
}

/** IronPort and old SES name the status in their own words, and quote the reply behind it. */
function unwrapReply(diagnostic: string): string {
  const wrapped = /^[245]\.\d{1,3}\.\d{1,3} - [^'(]{0,80}\(?'?([45]\d\d)'?[-,] ?\[?'(.*)$/s.exec(diagnostic);
  return wrapped ? `${wrapped[1]} ${wrapped[2]}` : diagnostic;
}
