/** Finds who failed to get a mail, and why. */
import { findField } from "../reading/headers.ts";
import { readMail } from "../reading/reading.ts";
import { findNamed, type NamedRecipient } from "./prose.ts";
import { classOf, findReason } from "./reasons.ts";
import { findAddresses, findReplyCode, findStage, findStatus } from "./replies.ts";
import { type ReportedRecipient, readReport } from "./report.ts";
import { findBounceSigns, isFromPerson } from "./signs.ts";
import { type View, viewMail } from "./view.ts";
import type { BounceClass, BounceReason, Failure } from "./vocabulary.ts";

export type ReturnedRecipient = {
  /** The recipient we wrote to, as the report names it; null where it names nobody. */
  readonly address: string | null;
  /** The enhanced status (RFC 3463), which is the other server's own where that is quoted. */
  readonly status: string | null;
  readonly replyCode: number | null;
  readonly reason: BounceReason;
  readonly class: BounceClass;
  /** The other server's reply, on one line of at most 1,000 characters; "" where nothing is quoted. */
  readonly diagnostic: string;
};

/** A mail of ours goes to one recipient, so a report with more than a few is about somebody else's mail. */
export const MAX_RECIPIENTS = 100;
const MAX_DIAGNOSTIC_UNITS = 1000;

/** Finds who failed by the mail's own report, by one that it wraps, or by its words; nobody where the mail is no bounce. */
export function readFailures(view: View, notified: readonly ReportedRecipient[]): ReturnedRecipient[] {
  const reported = notified.length > 0 ? notified : readReport(view.status, MAX_RECIPIENTS);
  const isQuoted = notified.length === 0 && view.isStatusInText && isFromPerson(view);
  if (reported.length > 0 && !isQuoted) return judgeAllReported(reported, view);
  const signs = findBounceSigns(view);
  if (!signs.isBounce) return [];
  return readWrapped(view, 1) ?? judgeNamed(view, signs.isDelay);
}

/** Gateways wrap what they pass on, and some of it was wrapped before. */
const MAX_WRAPPINGS = 4;

/** Only what a bounce wraps is read: a person who forwards a report has not failed to get our mail. */
function readWrapped({ inner }: View, depth: number): ReturnedRecipient[] | null {
  if (inner === null) return null;
  const view = viewMail(readMail(inner));
  const reported = readReport(view.status, MAX_RECIPIENTS);
  if (reported.length > 0) return judgeAllReported(reported, view);
  const wrapped = depth < MAX_WRAPPINGS ? readWrapped(view, depth + 1) : null;
  if (wrapped !== null) return wrapped;
  const signs = findBounceSigns(view);
  return signs.isBounce ? judgeNamed(view, signs.isDelay) : null;
}

function judgeAllReported(reported: readonly ReportedRecipient[], view: View): ReturnedRecipient[] {
  const named = findNamed(view.report, new Set(), MAX_RECIPIENTS);
  return reported.map((one) => judgeReported(one, reported, view, named));
}

function judgeReported(
  one: ReportedRecipient,
  all: readonly ReportedRecipient[],
  view: View,
  named: readonly NamedRecipient[],
): ReturnedRecipient {
  const note = findNote(one, all, view, named);
  const diagnostic = completeReply(one.diagnostic, view.report);
  const text = diagnostic === "" ? note : diagnostic;
  const isDelayed = one.action === "delayed";
  const quoted = findStatus(text);
  const failure: Failure = {
    diagnostic,
    note,
    context: all.length === 1 ? view.report : "",
    status: chooseStatus(quoted, one.status),
    replyCode: findReplyCode(text),
    stage: findStage(note) ?? findStage(diagnostic),
    isLocalProgram: one.diagnosticType === "x-unix",
    hosts: one.addresses.map(domainOf).join(" "),
    category: one.category,
    isDelayed,
  };
  const address = one.addresses[0] ?? findAddresses(findField(view.returned, "to") ?? "", 1)[0] ?? null;
  const isGood =
    /^(?:delivered|deliverable|relayed|expanded)$/.test(one.action) && !failure.status?.startsWith("5");
  return toRecipient(address, isGood ? { ...failure, status: goodStatus(failure) } : failure, isDelayed);
}

function goodStatus({ status }: Failure): string {
  return status?.startsWith("2.") ? status : "2.0.0";
}

function domainOf(address: string): string {
  return address.slice(address.lastIndexOf("@") + 1).toLowerCase();
}

/** sendmail reports only the first line of a reply, `552-5.7.0 …`; its transcript has the others. */
function completeReply(diagnostic: string, report: string): string {
  const code = /^([45]\d\d)-/.exec(diagnostic)?.[1];
  if (!code || diagnostic.includes(` ${code} `)) return diagnostic;
  const start = report.indexOf(`<<< ${diagnostic.slice(0, 30)}`);
  if (start < 0) return diagnostic;
  const lines = report.slice(start, start + 4000).split("\n");
  const end = lines.findIndex((line) => !line.startsWith(`<<< ${code}-`));
  return lines
    .slice(0, end < 0 ? lines.length : end + 1)
    .map((line) => line.slice(4))
    .join(" ");
}

/** The other server's own status counts for more than what the reporting server made of it, unless it says less. */
function chooseStatus(quoted: string | null, reported: string | null): string | null {
  if (quoted === null || reported === null) return quoted ?? reported;
  return /\.0\.0$/.test(quoted) ? reported : quoted;
}

function findNote(
  one: ReportedRecipient,
  all: readonly ReportedRecipient[],
  { report }: View,
  named: readonly NamedRecipient[],
): string {
  const wanted = one.addresses.map((address) => address.toLowerCase());
  const found = named.find(({ address }) => wanted.includes(address.toLowerCase()));
  return found?.text ?? (all.length === 1 ? report.slice(0, 8192) : "");
}

/** Reads bounces without a report: those who are named in the text, or in a header, failed. */
function judgeNamed(view: View, isDelay: boolean): ReturnedRecipient[] {
  const { fields } = view.mail;
  const failed = findAddresses(findField(fields, "x-failed-recipients") ?? "", MAX_RECIPIENTS);
  const own = ["to", "from", "delivered-to", "x-original-to"].flatMap((name) =>
    findAddresses(findField(fields, name) ?? "", 5),
  );
  const named = findNamed(view.report, new Set(own.map((one) => one.toLowerCase())), MAX_RECIPIENTS);
  const addresses = failed.length > 0 ? failed : named.map(({ address }) => address);
  const returnedTo = findAddresses(findField(view.returned, "to") ?? "", 1);
  const all = addresses.length > 0 ? addresses : returnedTo;
  return (all.length > 0 ? all : [null]).map((address) => {
    const found = named.find((one) => one.address.toLowerCase() === address?.toLowerCase());
    const note = found?.text ?? (all.length <= 1 ? view.report.slice(0, 8192) : "");
    const context = all.length <= 1 ? view.report : (found?.intro ?? "");
    const failure: Failure = {
      diagnostic: findQuotedReply(note) || findQuotedReply(all.length <= 1 ? context : ""),
      note,
      context,
      status: findStatus(note) ?? findStatus(context),
      replyCode: findReplyCode(note) ?? findReplyCode(context),
      stage: findStage(note) ?? findStage(context),
      isLocalProgram: false,
      hosts: domainOf(address ?? ""),
      category: "",
      isDelayed: isDelay,
    };
    return toRecipient(address, failure, isDelay);
  });
}

/** Returns the text from the first reply code to the end of its paragraph. */
function findQuotedReply(note: string): string {
  const start = note.search(/(?:^|[\s:>(])[45][0-5]\d[ -](?=\S)/m);
  if (start < 0) return "";
  return (note.slice(start, start + 2000).split(/\n\s*\n/, 1)[0] ?? "").trim();
}

function toRecipient(address: string | null, failure: Failure, isStillTried: boolean): ReturnedRecipient {
  const reason = findReason(failure);
  return {
    address,
    status: failure.status,
    replyCode: failure.replyCode,
    reason,
    class: classOf(reason, failure, isStillTried),
    diagnostic: failure.diagnostic.replace(/\s+/g, " ").trim().slice(0, MAX_DIAGNOSTIC_UNITS),
  };
}
