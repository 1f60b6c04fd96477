/** Says what an enhanced status means by itself, by RFC 3463, IANA's registry, and Microsoft's own numbers. */
import type { BounceReason, SmtpStage } from "./vocabulary.ts";

const byDetail: Readonly<Record<string, BounceReason>> = {
  "1.0": "user_unknown",
  "1.1": "user_unknown",
  "1.2": "domain_unknown",
  "1.3": "user_unknown",
  "1.4": "user_unknown",
  "1.6": "address_moved",
  "1.7": "sender_rejected",
  "1.8": "sender_rejected",
  "1.9": "system_error",
  "1.10": "domain_takes_no_mail", // RFC 7505 §4.2 defines it.
  "2.0": "recipient_filter",
  "2.1": "mailbox_disabled",
  "2.2": "mailbox_full",
  "2.3": "message_over_limit",
  "2.4": "recipient_filter",
  "3.0": "system_error",
  "3.1": "system_full",
  "3.2": "domain_takes_no_mail",
  "3.3": "system_error",
  "3.4": "message_too_large",
  "3.5": "system_error",
  "4.0": "network_error",
  "4.1": "expired",
  "4.2": "network_error",
  "4.3": "network_error",
  "4.4": "domain_unknown",
  "4.5": "expired",
  "4.6": "network_error",
  "4.7": "expired",
  "5.0": "syntax_error",
  "5.1": "syntax_error",
  "5.2": "syntax_error",
  "5.3": "too_many_at_once",
  "5.4": "syntax_error",
  "5.5": "syntax_error",
  "7.5": "tls_failed",
  "7.10": "tls_failed",
  "7.11": "tls_failed",
  "7.13": "mailbox_disabled",
  "7.17": "address_moved", // The mailbox has a new owner (RFC 7293).
  "7.20": "authentication_failed",
  "7.21": "authentication_failed",
  "7.22": "authentication_failed",
  "7.23": "authentication_failed",
  "7.24": "authentication_failed",
  "7.25": "missing_ptr",
  "7.26": "authentication_failed",
  "7.27": "domain_takes_no_mail", // The domain of the sender has a null MX (RFC 7505 §4.2).
  "7.28": "rate_limited",
  "7.29": "authentication_failed",
  "7.30": "tls_failed",
};

/** Microsoft numbers its refusals from 100 on: https://learn.microsoft.com lists them for Exchange Online. */
const byRange: readonly (readonly [prefix: string, from: number, to: number, reason: BounceReason])[] = [
  ["1", 20, 20, "not_compliant"],
  ["1", 90, 90, "rate_limited"],
  ["2", 121, 122, "rate_limited"],
  ["4", 310, 310, "domain_unknown"],
  ["4", 300, 399, "network_error"],
  ["7", 124, 136, "security_refused"],
  ["7", 509, 509, "authentication_failed"],
  ["7", 320, 324, "tls_failed"],
  ["7", 501, 503, "spam_detected"],
  ["7", 504, 508, "policy_refused"],
  ["7", 510, 513, "ip_blocked"],
  ["7", 515, 515, "authentication_failed"],
  ["7", 606, 649, "ip_blocked"],
  ["7", 650, 660, "bad_reputation"],
  ["7", 700, 799, "policy_refused"],
];

const bySubject: Readonly<Record<string, BounceReason>> = {
  "2": "recipient_filter",
  "3": "system_error",
  "4": "network_error",
  "5": "syntax_error",
  "6": "content_refused",
  "7": "security_refused",
};

/** Returns null for a status that says nothing, such as 5.0.0. */
export function reasonOfStatus(status: string | null, stage: SmtpStage | null): BounceReason | null {
  const [, subject = "", detail = ""] = /^[245]\.(\d{1,3})\.(\d{1,3})$/.exec(status ?? "") ?? [];
  if (subject === "" || subject === "0") return null;
  if (status === "4.2.0") return null; // Greylists and busy servers send it.
  // A syntax error is never temporary.
  if (subject === "5" && detail !== "3" && status?.startsWith("4")) return null;
  // A server that refuses MAIL FROM can't mean the recipient.
  if (stage === "mail" && subject === "1" && Number(detail) <= 4) return "sender_rejected";
  const ranged = byRange.find(
    ([prefix, from, to]) => prefix === subject && Number(detail) >= from && Number(detail) <= to,
  );
  return byDetail[`${subject}.${detail}`] ?? ranged?.[3] ?? bySubject[subject] ?? null;
}

/** RFC 7372, RFC 7489 and Microsoft (two numbers) define these, and no server sends them for another reason. */
export function isCertain(status: string | null): boolean {
  return /^[45]\.7\.(?:2[0-2456]|509|515)$/.test(status ?? "");
}

/**
 * Says whether a status says more than a phrase such as "not allowed" does. Servers write x.7.1, x.5.x and whatever ends in
 * 0 for anything, x.4.1 for whatever fails before the first reply, and x.3.2 while they are only busy.
 */
export function isTelling(status: string | null): boolean {
  const [, subject = "", detail = ""] = /^[45]\.(\d{1,3})\.(\d{1,3})$/.exec(status ?? "") ?? [];
  if (detail === "0" || status?.endsWith(".4.1") || (subject === "5" && detail !== "3") || status === "4.3.2")
    return false;
  const isListed = byDetail[`${subject}.${detail}`] !== undefined || subject === "6";
  return isListed || (subject === "7" && Number(detail) >= 100) || status === "5.7.2";
}
