/**
 * Reads why a server refuses a mail, in session or later, and whatever else comes back to a return path: notices of delay,
 * complaints, automatic replies, mails to an unsubscribe address. No sender is trusted: the token is the only link to what
 * we sent, and whoever uses it checks its signature.
 */
import { readFeedback } from "../arf/arf.ts";
import { findField } from "../reading/headers.ts";
import { readMail } from "../reading/reading.ts";
import { isAutoReply, isByMachine } from "./auto-replies.ts";
import { MAX_RECIPIENTS, type ReturnedRecipient, readFailures } from "./failures.ts";
import { readJsonNotice } from "./json-notices.ts";
import { findAddress } from "./replies.ts";
import { findLocalPart, findToken, findUnsubscribeToken, type TokenOptions } from "./tokens.ts";
import { findMessageId, type View, viewMail } from "./view.ts";

export { readReply } from "./session-replies.ts";
export type { SmtpStage } from "./vocabulary.ts";

export type ReturnedMail = {
  /**
   * `delivered` is a report of success. `other` is everything that needs no answer of ours: ordinary mail, and feedback
   * that is no complaint, which still carries its `feedbackType`.
   */
  readonly kind: "bounce" | "delay" | "delivered" | "complaint" | "auto_reply" | "unsubscribe" | "other";
  /** At most 100 recipients, in the order of the report. A complaint names who complained, as far as that is told. */
  readonly recipients: readonly ReturnedRecipient[];
  /** Our token, from the address that the mail came to or from the returned mail; it is unverified. */
  readonly token: string | null;
  /** The Message-ID of what was returned or answered, with its angle brackets. */
  readonly originalMessageId: string | null;
  /** The address in From, which anyone can write: it names who wants to unsubscribe, or is away. */
  readonly sender: string | null;
  /** The type, such as `abuse`, `not-spam` or `auth-failure`; null where the mail is no feedback report. */
  readonly feedbackType: string | null;
  /** Whether a machine wrote it and it doesn't ask to unsubscribe, whatever address it came to. */
  readonly isByMachine: boolean;
  /** The mail exceeds a limit, and a part of it was not read. */
  readonly isCut: boolean;
};

export type ReturnedMailOptions = TokenOptions & {
  /** The envelope sender (MAIL FROM), where the receiving server knows; "" for none, as bounces have it. */
  readonly envelopeFrom?: string | undefined;
};

/** Never throws, whatever the bytes are, and takes time linear in their number, up to 8 MB. */
export function readReturnedMail(raw: Buffer, options: ReturnedMailOptions = {}): ReturnedMail {
  const view = viewMail(readMail(raw), options.envelopeFrom?.trim() === "");
  const answer = {
    token: findToken(view.mail.fields, view.returned, options),
    originalMessageId: findMessageId(view),
    sender: findAddress(findField(view.mail.fields, "from") ?? ""),
    feedbackType: null,
    isByMachine: isByMachine(view.mail) && !asksToUnsubscribe(view),
    isCut: view.mail.isCut,
  };
  const feedback = readFeedback(view.mail, view.subject, view.returned);
  if (feedback) {
    const recipients = feedback.recipients.map((address) => toComplainant(address));
    const token = answer.token ?? findLocalPart(feedback.mailFrom);
    return { ...answer, token, kind: kindOfFeedback(feedback.type), recipients, feedbackType: feedback.type };
  }
  const notified = isJson(view) ? readJsonNotice(view.report, MAX_RECIPIENTS) : null;
  if (notified?.kind === "complaint") {
    const recipients = notified.addresses.map((address) => toComplainant(address));
    return { ...answer, kind: kindOfFeedback(notified.type), recipients, feedbackType: notified.type };
  }
  const failed = readFailures(view, notified?.recipients ?? []);
  if (failed.length > 0) return { ...answer, kind: kindOfFailures(failed), recipients: failed };
  if (isAutoReply(view.mail.fields, view.subject)) return { ...answer, kind: "auto_reply", recipients: [] };
  const unsubscribe = findUnsubscribeToken(view.mail.fields, options);
  if (unsubscribe !== null || asksToUnsubscribe(view))
    return { ...answer, kind: "unsubscribe", recipients: [], token: unsubscribe || answer.token };
  return { ...answer, kind: "other", recipients: [] };
}

/** A person who writes about such a notice writes something before it; SNS and webhooks that are passed on don't. */
function isJson({ mail, report }: View): boolean {
  const isFromSns = /@sns\.amazonaws\.com/i.test(findField(mail.fields, "from") ?? "");
  return isFromSns || /^\s*[[{]\s*["{]/.test(report.slice(0, 1000));
}

function toComplainant(address: string): ReturnedRecipient {
  return { address, status: null, replyCode: null, reason: "unstated", class: "none", diagnostic: "" };
}

function kindOfFailures(recipients: readonly ReturnedRecipient[]): ReturnedMail["kind"] {
  const failed = recipients.filter((one) => one.class !== "none");
  if (failed.length === 0) return "delivered";
  return failed.every((one) => one.class === "delay") ? "delay" : "bounce";
}

function kindOfFeedback(type: string): ReturnedMail["kind"] {
  if (type === "opt-out" || type === "opt-out-list") return "unsubscribe";
  return type === "not-spam" || type === "auth-failure" || type === "dmarc" ? "other" : "complaint";
}

/** Recognises a mail that a person, or a mail program on a person's behalf, wrote to unsubscribe. */
function asksToUnsubscribe({ subject, report }: View): boolean {
  const word =
    /^(?:re ?: ?)?(?:please )?(?:unsubscribe|remove me|opt[ -]?out|stop)(?: me)?(?: please)?[.!]?$/i;
  const firstLine = report.trimStart().split("\n", 1)[0] ?? "";
  return word.test(subject.trim()) || word.test(firstLine.slice(0, 100).trim());
}
