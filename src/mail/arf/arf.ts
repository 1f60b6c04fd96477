/**
 * Reads complaints that mailbox providers pass on: RFC 5965 reports, and a few in formats of their own. Reports about
 * authentication (RFC 6591), or that a mail was no spam (RFC 6430), have the same form.
 */
import { findField, type ParsedField, parseFields } from "../reading/headers.ts";
import { type ReadMail, readText } from "../reading/reading.ts";

export type FeedbackReport = {
  /** The type in lower case: `abuse`, `fraud`, `virus`, `not-spam`, `auth-failure`, `opt-out`, `other` … */
  readonly type: string;
  /** The recipients of the mail, where the provider doesn't hide them. */
  readonly recipients: readonly string[];
  /** The envelope sender of the mail (Original-Mail-From), as far as it is told. */
  readonly mailFrom: readonly string[];
  readonly userAgent: string | null;
  readonly sourceIp: string | null;
  readonly arrivalDate: string | null;
};

const MAX_RECIPIENTS = 100;
const MAX_UNITS = 200;

/** Returns null where the mail is no feedback report. `returned` is the header of the mail complained about. */
export function readFeedback(
  mail: ReadMail,
  subject: string,
  returned: readonly ParsedField[],
): FeedbackReport | null {
  const fields = findReportFields(mail);
  if (fields) return toReport(fields, returned);
  return isOwnFormat(mail, subject) ? toReport([], returned) : null;
}

/** Some providers put the fields into the part's own header, for want of an empty line; some into plain text. */
function findReportFields(mail: ReadMail): readonly ParsedField[] | null {
  const part = mail.parts.find(({ type }) => type === "message/feedback-report");
  if (part) return [...part.fields, ...parseFields(readText(part))];
  if (mail.parameters.get("report-type")?.toLowerCase() !== "feedback-report") return null;
  for (const text of mail.parts.filter(({ type }) => type === "text/plain")) {
    const fields = parseFields(readText(text));
    if (findField(fields, "feedback-type") !== undefined) return fields;
  }
  return null;
}

/** Outlook.com's JMRP and similar programmes send the mail complained about, with a subject and no report. */
function isOwnFormat(mail: ReadMail, subject: string): boolean {
  if (!mail.parts.some(({ type }) => type === "message/rfc822" || type === "text/rfc822-headers"))
    return false;
  const from = findField(mail.fields, "from") ?? "";
  const isJmrp = /^complaint about message from /i.test(subject) || /\bstaff@hotmail\.com\b/i.test(from);
  const isNamed = /^(?:e-?mail )?(?:feedback report|abuse report|spam report|spam complaint)\b/i.test(
    subject,
  );
  return isJmrp || (isNamed && /abuse|complaint|feedback|fbl|scomp|staff|spam/i.test(from));
}

function toReport(fields: readonly ParsedField[], returned: readonly ParsedField[]): FeedbackReport {
  const named = fields.filter(({ name }) => name === "original-rcpt-to").map(({ value }) => value);
  const hidden = [
    findField(returned, "x-hmxmroriginalrecipient"),
    findField(returned, "original-recipient"),
    findField(returned, "to"),
  ];
  const candidates = named.length > 0 ? named : hidden.filter((value) => value !== undefined).slice(0, 1);
  const addresses = candidates
    .slice(0, MAX_RECIPIENTS)
    .map((value) => /[^\s<>()",;:]{1,64}@[^\s<>()",;:]{1,253}/.exec(value)?.[0])
    .filter((address) => address !== undefined);
  return {
    type: /^[\w-]{1,40}/.exec((findField(fields, "feedback-type") ?? "").toLowerCase())?.[0] ?? "abuse",
    recipients: [...new Set(addresses)],
    mailFrom: fields
      .filter(({ name }) => name === "original-mail-from")
      .map(({ value }) => value)
      .slice(0, 5),
    userAgent: bounded(findField(fields, "user-agent")),
    sourceIp: bounded(findField(fields, "source-ip")),
    arrivalDate: bounded(findField(fields, "arrival-date") ?? findField(fields, "received-date")),
  };
}

function bounded(value: string | undefined): string | null {
  return value === undefined ? null : value.slice(0, MAX_UNITS);
}
