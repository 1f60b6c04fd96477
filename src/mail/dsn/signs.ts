/** Tells bounces that follow no standard from all other mail. One sign alone is never enough. */
import { decodeWords, findField, type ParsedField } from "../reading/headers.ts";
import { isAutoReply } from "./auto-replies.ts";
import { findPairs } from "./concepts/concepts.ts";
import {
  delayed,
  failureSubject,
  failureText,
  givenUp,
  perhapsDaemon,
  smtpText,
  surelyDaemon,
  surelyFailure,
} from "./phrases/sign-phrases.ts";
import { findAddresses } from "./replies.ts";
import type { View } from "./view.ts";
import type { BounceReason } from "./vocabulary.ts";

export type BounceSigns = { readonly isBounce: boolean; readonly isDelay: boolean };

/** A null return path alone proves nothing, since automatic replies have it too (RFC 3834 §3.3). */
export function findBounceSigns(view: View): BounceSigns {
  const { subject, report, isFromNobody } = view;
  const { fields } = view.mail;
  const head = report.slice(0, 20_000).toLowerCase().replace(/\s+/g, " ");
  const rank = rankSender(fields);
  // It supports a sender that looks like a mail server, though.
  const from = rank > 0 && (isFromNobody || isAutomatic(fields)) ? rank + 1 : rank;
  const isAnswer = /^\s*(?:re|fwd?|aw|wg|tr|sv)\s*:/i.test(subject);
  const weight =
    from +
    (isAnswer ? 0 : rankSubject(subject.toLowerCase())) +
    (failureText.test(head) ? 1 : 0) +
    (smtpText.test(head) ? 1 : 0) +
    (findField(fields, "x-failed-recipients") !== undefined ? 2 : 0) +
    (returnsOwnMail(view) ? 1 : 0) +
    (isStatusReport(view) ? 2 : 0);
  const total = weight + (weight === 2 && from > 0 ? rankWords(view) : 0);
  const isBounce = total >= 3 && !isFromPerson(view) && !isOtherNotice(view);
  return { isBounce, isDelay: isDelayNotice(subject, head) };
}

/** Whoever is no mail server and has a sender, or answers for a person, or writes to a list, reports nothing. */
export function isFromPerson({ mail, subject, isFromNobody }: View): boolean {
  const { fields } = mail;
  if (rankSender(fields) > 0) return false;
  return isOfList(fields) || !(isFromNobody || isAutomatic(fields)) || isAutoReply(fields, subject);
}

/** The header promises a report for machines (RFC 6522 §3), which may have been cut off. */
function isStatusReport({ mail }: View): boolean {
  return (mail.parameters.get("report-type") ?? "").toLowerCase() === "delivery-status";
}

/** What is returned was sent by whom it is returned to: that is so in every language. */
function returnsOwnMail({ mail, returned }: View): boolean {
  const receivers = ["to", "delivered-to", "x-original-to"].flatMap((name) =>
    findAddresses(findField(mail.fields, name) ?? "", 5),
  );
  const senders = ["from", "sender", "return-path", "reply-to"].flatMap((name) =>
    findAddresses(findField(returned, name) ?? "", 2),
  );
  return senders.some((one) => receivers.some((other) => other.toLowerCase() === one.toLowerCase()));
}

/** Other mails of machines are no bounces, whatever they report: calendars, receipts, reports on DMARC and TLS. */
function isOtherNotice({ mail, subject }: View): boolean {
  const kind = (mail.parameters.get("report-type") ?? "").toLowerCase();
  if (kind !== "" && kind !== "delivery-status") return true;
  if (mail.parts.some(({ type }) => /^(?:text\/calendar|application\/(?:tlsrpt.*|ics))$/.test(type)))
    return true;
  return /^\s*(?:\[[^\]]{0,40}\] ?)?(?:dmarc\b|report[ -]?domain:|tls ?rpt\b)/i.test(subject);
}

/** In an unknown form, a line that quotes a reply and words that name a reason are signs each. */
function rankWords({ report }: View): number {
  const start = report.slice(0, 4000);
  const quoted = /^[ \t>]*([45][0-5]\d[ -].{4,300})$/m.exec(start)?.[1] ?? "";
  const said = (text: string) => findPairs(text.toLowerCase().replace(/\s+/g, " "), true);
  const isReply = quoted !== "" && said(quoted).length > 0;
  return (isReply ? 1 : 0) + (said(start).some((reason) => ofRecipient.has(reason)) ? 1 : 0);
}

const ofRecipient: ReadonlySet<BounceReason> = new Set([
  "user_unknown",
  "domain_unknown",
  "mailbox_full",
  "mailbox_disabled",
  "message_too_large",
]);

/** Returns 2 for a mail server, 1 for a sender that may be one. */
function rankSender(fields: readonly ParsedField[]): number {
  const from = (findField(fields, "from") ?? "").toLowerCase();
  if (from === "" || surelyDaemon.test(decodeWords(from).toLowerCase())) return 2;
  return perhapsDaemon.test(from) ? 1 : 0;
}

/** Returns 2 for subjects that mail servers have written for decades. */
function rankSubject(subject: string): number {
  if (surelyFailure.test(subject)) return 2;
  return failureSubject.test(subject) ? 1 : 0;
}

function isOfList(fields: readonly ParsedField[]): boolean {
  return fields.some(({ name }) => name === "list-id" || name === "list-unsubscribe");
}

function isAutomatic(fields: readonly ParsedField[]): boolean {
  if (isOfList(fields)) return false;
  const submitted = findField(fields, "auto-submitted") ?? "no";
  const isNull = /^(?:<>|<?mailer-daemon)/i.test(findField(fields, "return-path") ?? "");
  return isNull || !/^no\b/i.test(submitted);
}

function isDelayNotice(subject: string, report: string): boolean {
  const head = report.slice(0, 4000);
  if (/\b(?:delay(?:ed)?|warning|still trying|delivery incomplete)\b/i.test(subject) && delayed.test(head))
    return true;
  return delayed.test(head) && !givenUp.test(head);
}
