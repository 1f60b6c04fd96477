/** Splits a returned mail into what people read, what machines read, and what was returned. */
import { decodeWords, findField, type ParsedField, parseFields } from "../reading/headers.ts";
import { type ReadMail, readInnerFields, readText } from "../reading/reading.ts";
import { cutOriginal } from "./prose.ts";

export type View = {
  readonly mail: ReadMail;
  readonly subject: string;
  /** The text for people, without the returned mail. */
  readonly report: string;
  /** The fields for machines (RFC 3464). */
  readonly status: string;
  /** The fields stand in the text for people, where anybody may have quoted them. */
  readonly isStatusInText: boolean;
  readonly returned: readonly ParsedField[];
  /** The returned mail, where that is a report itself, since gateways wrap what they pass on. */
  readonly inner: Buffer | null;
  /** The envelope has no sender (RFC 5321 §4.5.5), as the receiving server knows. */
  readonly isFromNobody: boolean;
};

const MAX_STATUS_UNITS = 64 * 1024;

const statusTypes = /^message\/(?:global-)?delivery-status$/;
const returnedTypes =
  /^(?:message\/(?:rfc822|global|partial)|text\/rfc822-headers|message\/rfc822-headers|message\/global-headers)$/;

export function viewMail(mail: ReadMail, isFromNobody = false): View {
  const subject = decodeWords(findField(mail.fields, "subject") ?? "").slice(0, 1000);
  const statusParts = mail.parts.filter(({ type }) => statusTypes.test(type));
  const returnedPart = mail.parts.find(({ type }) => returnedTypes.test(type));
  const end = returnedPart ? mail.parts.indexOf(returnedPart) : mail.parts.length;
  const texts = mail.parts.slice(0, end).filter(({ type }) => /^text\/(?:plain|html)$/.test(type));
  const plain = texts.filter(({ type }) => type === "text/plain");
  const read = (plain.some((part) => part.body.length > 20) ? plain : texts)
    .slice(0, 5)
    .map((part) => readText(part));
  const { report, original } = cutOriginal(read.join("\n"));
  const returned = returnedPart
    ? readInnerFields(returnedPart)
    : parseFields(original.split("\n\n", 1)[0] ?? "");
  const status = statusParts
    .map((part) =>
      [...part.fields.map(({ name, value }) => `${name}: ${value}`), "", readText(part)].join("\n"),
    )
    .join("\n\n");
  const isReport =
    /^multipart\/report\b/i.test(findField(returned, "content-type") ?? "") ||
    /mailer-daemon|^<>$/i.test(findField(returned, "from") ?? "");
  const inner = isReport ? (returnedPart?.body ?? Buffer.from(original)) : null;
  return {
    mail,
    subject,
    report,
    status: status || findEmbeddedReport(report),
    isStatusInText: status === "",
    returned,
    inner,
    isFromNobody,
  };
}

/** Some servers send the fields of RFC 3464 as plain text. */
function findEmbeddedReport(report: string): string {
  const start = report.search(/^(?:final-recipient|original-recipient|reporting-mta) ?:/im);
  return start >= 0 && /^(?:action|status|diagnostic-code) ?:/im.test(report) ? report.slice(start) : "";
}

export function findMessageId({ mail, returned, status }: View): string | null {
  const named =
    findField(returned, "message-id") ??
    findField(parseFields(status.slice(0, MAX_STATUS_UNITS)), "x-original-message-id") ??
    findField(mail.fields, "in-reply-to");
  return /<[^<>\s]{1,900}>/.exec(named ?? "")?.[0] ?? null;
}
