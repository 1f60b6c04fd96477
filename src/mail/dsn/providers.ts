/** Codes and habits that single providers have published; they are consulted before any phrase. */
import type { BounceReason, SmtpStage } from "./vocabulary.ts";

type ProviderRule = {
  readonly reason: BounceReason;
  readonly pattern: RegExp;
  /** The rule applies only to these recipients' domains or servers; without it, the codes are unambiguous by themselves. */
  readonly hosts?: RegExp;
  readonly notStages?: readonly SmtpStage[];
};

export const providerRules: readonly ProviderRule[] = [
  // Cox lists these at https://www.cox.com/business/support/cox-postmaster-administration.html.
  { reason: "ip_blocked", pattern: /aup#(?:cxbl|cdrbl|cxrbl|ipbl\d*)/ },
  { reason: "missing_ptr", pattern: /aup#(?:cxdns|ptr)/ },
  { reason: "authentication_failed", pattern: /aup#cxsndr/ },
  { reason: "rate_limited", pattern: /aup#(?:cxmxrt|cxthrt|cxrate)/ },
  { reason: "too_many_at_once", pattern: /aup#cxcnct/ },
  // Facebook lists these on its postmaster page of response codes.
  { reason: "user_unknown", pattern: /\b(?:rcp-p1|int-p[134])\b/ },
  { reason: "recipient_filter", pattern: /\brcp-p2\b/ },
  { reason: "message_too_large", pattern: /\b(?:msg-p1|int-p2)\b/ },
  { reason: "sender_rejected", pattern: /\bdns-(?:p1|p2|t1)\b/ },
  { reason: "missing_ptr", pattern: /\bdns-(?:p3|t2)\b/ },
  { reason: "system_error", pattern: /\b(?:int-t\d{1,2}|rcp-t1)\b/ },
  // GoDaddy lists these on its help page on bounce errors.
  { reason: "ip_blocked", pattern: /\bib10[3-8]\b/ },
  { reason: "missing_ptr", pattern: /\bib11[0-2]\b/ },
  { reason: "spam_detected", pattern: /\bib212\b/ },
  { reason: "not_compliant", pattern: /\bib50[12]\b/ },
  { reason: "sender_rejected", pattern: /\bib506\b/ },
  { reason: "authentication_failed", pattern: /\bib5(?:08|10)\b/ },
  { reason: "rate_limited", pattern: /\bib607\b/ },
  // Outlook.com lists these on its postmaster page of error codes.
  { reason: "ip_blocked", pattern: /\b(?:sc-00\d|dy-00\d|ou-001)\b/ },
  { reason: "policy_refused", pattern: /\bou-002\b/ },
  { reason: "rate_limited", pattern: /\brp-00[12]\b/ },
  { reason: "too_many_at_once", pattern: /\brp-003\b/ },
  // An Exchange administrator wrote the rule that refused the mail.
  { reason: "policy_refused", pattern: /transport\.rules\.reject/ },
  // In Orange's codes the last three digits count, whatever server wrote them.
  { reason: "ip_blocked", pattern: /\b(?:ofr|lpn)\d*_10[23]\b/ },
  { reason: "too_many_at_once", pattern: /\b(?:ofr|lpn)\d*_104\b/ },
  { reason: "user_unknown", pattern: /\b(?:ofr|lpn)\d*_416\b/ },
  { reason: "mailbox_full", pattern: /\b(?:ofr|lpn)\d*_417\b/ },
  { reason: "spam_detected", pattern: /\b(?:ofr|lpn)\d*_5(?:06|13)\b/ },
  { reason: "sender_rejected", pattern: /\b(?:ofr|lpn)\d*_415\b/ },
  { reason: "mailbox_disabled", pattern: /\b(?:ofr|lpn)\d*_4(?:18|26)\b/ },
  // AOL used these before it was Yahoo's.
  { reason: "missing_ptr", pattern: /\(dns:nr\)/ },
  { reason: "rate_limited", pattern: /\bdyn:t\d\b/ },
  { reason: "ip_blocked", pattern: /\((?:rtr|con|dyn|rly):\w{1,4}\)/ },
  { reason: "spam_detected", pattern: /\(hvu:b\w\)/ },
  // NetEase lists these on its help page on refusals.
  { reason: "spam_detected", pattern: /\bdt:spm\b/ },
  { reason: "bad_reputation", pattern: /\bhl:rep\b/ },
  { reason: "ip_blocked", pattern: /\b(?:hl:(?:mep|ipb)|dt:rbl|wm:bli)\b/ },
  { reason: "too_many_at_once", pattern: /\b(?:hl:icc|mi:dmc|rp:drc)\b/ },
  { reason: "rate_limited", pattern: /\b(?:hl:ifc|mi:(?:sfq|stc|qsc)|rp:(?:qrc|trc))\b/ },
  { reason: "authentication_failed", pattern: /\bmi:spf\b/ },
  { reason: "sender_rejected", pattern: /\b(?:dt:sum|mi:spb|wm:blu)\b/ },
  // Amazon SES, SendGrid and Postmark refuse a sender's identity that they haven't verified yet.
  {
    reason: "sender_rejected",
    pattern: /email address is not verified\b|verified sender identity|not a sender signature/,
  },
  // Tencent says this where the recipient's own list refused the mail.
  { reason: "recipient_filter", pattern: /mail is rejected by recipients?/ },
  // Charter uses these for blocked hosts, and for Cloudmark's limits.
  { reason: "ip_blocked", pattern: /\baup#i-10\d0\b/ },
  { reason: "rate_limited", pattern: /\baup#(?:i-)?13[123]0\b/ },
  // Mimecast calls a detected signature a matter of security policies.
  { reason: "virus_detected", pattern: /rejected due to security policies/ },
  // Yahoo looks the user up when it has the text, and says it this way.
  { reason: "user_unknown", pattern: /doesn't have an? .{0,60}account/ },
  {
    reason: "user_unknown",
    pattern: /delivery error: dd .{0,100}(?:does not exist|doesn't exist|not found)/,
  },
  // KDDI says in a sentence of its own what the code hides.
  { reason: "mailbox_disabled", pattern: /user\(s\) account is (?:disabled|temporarily limited)/ },
  // KDDI refuses unknown users at RCPT TO; other Japanese carriers use the same words for a filter behind DATA.
  {
    reason: "user_unknown",
    pattern: /\buser unknown/,
    hosts: /\b(?:ezweb\.ne\.jp|au\.com)\b/,
    notStages: ["data"],
  },
];

/**
 * The categories of PowerMTA's bounces (its user's guide). PowerMTA derives them from the same reply, so our own rules come
 * first.
 */
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
