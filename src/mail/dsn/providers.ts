/** Codes and habits that single providers have published, believed before any phrase. */
import type { BounceReason, SmtpStage } from "./vocabulary.ts";

type ProviderRule = {
  readonly reason: BounceReason;
  readonly pattern: RegExp;
  /** Only for these recipients' domains or servers; the codes are telling by themselves. */
  readonly hosts?: RegExp;
  readonly notStages?: readonly SmtpStage[];
};

export const providerRules: readonly ProviderRule[] = [
  // Cox: https://www.cox.com/business/support/cox-postmaster-administration.html
  { reason: "ip_blocked", pattern: /aup#(?:cxbl|cdrbl|cxrbl|ipbl\d*)/ },
  { reason: "missing_ptr", pattern: /aup#(?:cxdns|ptr)/ },
  { reason: "authentication_failed", pattern: /aup#cxsndr/ },
  { reason: "rate_limited", pattern: /aup#(?:cxmxrt|cxthrt|cxrate)/ },
  { reason: "too_many_at_once", pattern: /aup#cxcnct/ },
  // Facebook: its postmaster page of response codes
  { reason: "user_unknown", pattern: /\b(?:rcp-p1|int-p[134])\b/ },
  { reason: "recipient_filter", pattern: /\brcp-p2\b/ },
  { reason: "message_too_large", pattern: /\b(?:msg-p1|int-p2)\b/ },
  { reason: "sender_rejected", pattern: /\bdns-(?:p1|p2|t1)\b/ },
  { reason: "missing_ptr", pattern: /\bdns-(?:p3|t2)\b/ },
  { reason: "system_error", pattern: /\b(?:int-t\d{1,2}|rcp-t1)\b/ },
  // GoDaddy: its help page on bounce errors
  { reason: "ip_blocked", pattern: /\bib10[3-8]\b/ },
  { reason: "missing_ptr", pattern: /\bib11[0-2]\b/ },
  { reason: "spam_detected", pattern: /\bib212\b/ },
  { reason: "not_compliant", pattern: /\bib50[12]\b/ },
  { reason: "sender_rejected", pattern: /\bib506\b/ },
  { reason: "authentication_failed", pattern: /\bib5(?:08|10)\b/ },
  { reason: "rate_limited", pattern: /\bib607\b/ },
  // Orange: the last three digits are the code, whatever server wrote it
  { reason: "ip_blocked", pattern: /\bofr\d*_(?:102|103)\b/ },
  { reason: "too_many_at_once", pattern: /\bofr\d*_104\b/ },
  { reason: "user_unknown", pattern: /\bofr\d*_416\b/ },
  { reason: "mailbox_full", pattern: /\bofr\d*_417\b/ },
  { reason: "spam_detected", pattern: /\bofr\d*_(?:506|513)\b/ },
  // AOL, before it was Yahoo's
  { reason: "ip_blocked", pattern: /\((?:rtr|con|dyn|rly):\w{1,4}\)/ },
  { reason: "spam_detected", pattern: /\(hvu:b\w\)/ },
  // NetEase
  { reason: "spam_detected", pattern: /\bdt:spm\b/ },
  // Mimecast names a detected signature a matter of security policies
  { reason: "virus_detected", pattern: /rejected due to security policies/ },
  // Yahoo looks the user up when it has the text, and says it this way
  { reason: "user_unknown", pattern: /doesn't have an? .{0,60}account/ },
  // KDDI refuses unknown users at RCPT TO; other Japanese carriers use the same words for a filter behind DATA
  {
    reason: "user_unknown",
    pattern: /\buser unknown/,
    hosts: /\b(?:ezweb\.ne\.jp|au\.com)\b/,
    notStages: ["data"],
  },
];

/** The categories of PowerMTA's bounces (its user's guide). It found them in the same reply, so ours come first. */
export const powerMtaCategories: Readonly<Record<string, BounceReason>> = {
  "bad-mailbox": "user_unknown",
  "bad-domain": "domain_unknown",
  "inactive-mailbox": "mailbox_disabled",
  "quota-issues": "mailbox_full",
  "spam-related": "spam_detected",
  "virus-related": "virus_detected",
  "policy-related": "policy_refused",
  "content-related": "content_refused",
  "message-expired": "expired",
  "no-answer-from-host": "expired",
  "routing-errors": "network_error",
  "bad-connection": "network_error",
  "relaying-issues": "relaying_denied",
  "invalid-sender": "sender_rejected",
  "protocol-errors": "syntax_error",
};
