/** Codes and habits that single providers have published; they are consulted before any phrase. */
import { anyOf, type PhraseSet } from "./phrases/phrase-set.ts";
import type { BounceReason, SmtpStage } from "./vocabulary.ts";

type ProviderRule = {
  readonly reason: BounceReason;
  readonly pattern: PhraseSet;
  /** The rule applies only to these recipients' domains or servers; without it, the codes are unambiguous by themselves. */
  readonly hosts?: RegExp;
  readonly notStages?: readonly SmtpStage[];
};

export const providerRules: readonly ProviderRule[] = [
  // Cox lists these at https://www.cox.com/business/support/cox-postmaster-administration.html.
  { reason: "ip_blocked", pattern: anyOf(String.raw`aup#(?:cxbl|cdrbl|cxrbl|ipbl\d*)`) },
  { reason: "missing_ptr", pattern: anyOf("aup#(?:cxdns|ptr)") },
  { reason: "authentication_failed", pattern: anyOf("aup#cxsndr") },
  { reason: "rate_limited", pattern: anyOf("aup#(?:cxmxrt|cxthrt|cxrate)") },
  { reason: "too_many_at_once", pattern: anyOf("aup#cxcnct") },
  // Facebook lists these on its postmaster page of response codes.
  { reason: "user_unknown", pattern: anyOf(String.raw`\b(?:rcp-p1|int-p[134])\b`) },
  { reason: "recipient_filter", pattern: anyOf(String.raw`\brcp-p2\b`) },
  { reason: "message_too_large", pattern: anyOf(String.raw`\b(?:msg-p1|int-p2)\b`) },
  { reason: "sender_rejected", pattern: anyOf(String.raw`\bdns-(?:p1|p2|t1)\b`) },
  { reason: "missing_ptr", pattern: anyOf(String.raw`\bdns-(?:p3|t2)\b`) },
  { reason: "system_error", pattern: anyOf(String.raw`\b(?:int-t\d{1,2}|rcp-t1)\b`) },
  // GoDaddy lists these on its help page on bounce errors.
  { reason: "ip_blocked", pattern: anyOf(String.raw`\bib10[3-8]\b`) },
  { reason: "missing_ptr", pattern: anyOf(String.raw`\bib11[0-2]\b`) },
  { reason: "spam_detected", pattern: anyOf(String.raw`\bib212\b`) },
  { reason: "not_compliant", pattern: anyOf(String.raw`\bib50[12]\b`) },
  { reason: "sender_rejected", pattern: anyOf(String.raw`\bib506\b`) },
  { reason: "authentication_failed", pattern: anyOf(String.raw`\bib5(?:08|10)\b`) },
  { reason: "rate_limited", pattern: anyOf(String.raw`\bib607\b`) },
  // Outlook.com lists these on its postmaster page of error codes.
  { reason: "ip_blocked", pattern: anyOf(String.raw`\b(?:sc-00\d|dy-00\d|ou-001)\b`) },
  { reason: "policy_refused", pattern: anyOf(String.raw`\bou-002\b`) },
  { reason: "rate_limited", pattern: anyOf(String.raw`\brp-00[12]\b`) },
  { reason: "too_many_at_once", pattern: anyOf(String.raw`\brp-003\b`) },
  // An Exchange administrator wrote the rule that refused the mail.
  { reason: "policy_refused", pattern: anyOf(String.raw`transport\.rules\.reject`) },
  // In Orange's codes the last three digits count, whatever server wrote them.
  { reason: "ip_blocked", pattern: anyOf(String.raw`\b(?:ofr|lpn)\d*_10[23]\b`) },
  { reason: "too_many_at_once", pattern: anyOf(String.raw`\b(?:ofr|lpn)\d*_104\b`) },
  { reason: "user_unknown", pattern: anyOf(String.raw`\b(?:ofr|lpn)\d*_416\b`) },
  { reason: "mailbox_full", pattern: anyOf(String.raw`\b(?:ofr|lpn)\d*_417\b`) },
  { reason: "spam_detected", pattern: anyOf(String.raw`\b(?:ofr|lpn)\d*_5(?:06|13)\b`) },
  { reason: "sender_rejected", pattern: anyOf(String.raw`\b(?:ofr|lpn)\d*_415\b`) },
  { reason: "mailbox_disabled", pattern: anyOf(String.raw`\b(?:ofr|lpn)\d*_4(?:18|26)\b`) },
  // AOL used these before it was Yahoo's.
  { reason: "missing_ptr", pattern: anyOf(String.raw`\(dns:nr\)`) },
  { reason: "rate_limited", pattern: anyOf(String.raw`\bdyn:t\d\b`) },
  { reason: "ip_blocked", pattern: anyOf(String.raw`\((?:rtr|con|dyn|rly):\w{1,4}\)`) },
  { reason: "spam_detected", pattern: anyOf(String.raw`\(hvu:b\w\)`) },
  // NetEase lists these on its help page on refusals.
  { reason: "spam_detected", pattern: anyOf(String.raw`\bdt:spm\b`) },
  { reason: "bad_reputation", pattern: anyOf(String.raw`\bhl:rep\b`) },
  { reason: "ip_blocked", pattern: anyOf(String.raw`\b(?:hl:(?:mep|ipb)|dt:rbl|wm:bli)\b`) },
  { reason: "too_many_at_once", pattern: anyOf(String.raw`\b(?:hl:icc|mi:dmc|rp:drc)\b`) },
  { reason: "rate_limited", pattern: anyOf(String.raw`\b(?:hl:ifc|mi:(?:sfq|stc|qsc)|rp:(?:qrc|trc))\b`) },
  { reason: "authentication_failed", pattern: anyOf(String.raw`\bmi:spf\b`) },
  { reason: "sender_rejected", pattern: anyOf(String.raw`\b(?:dt:sum|mi:spb|wm:blu)\b`) },
  // Amazon SES, SendGrid and Postmark refuse a sender's identity that they haven't verified yet.
  {
    reason: "sender_rejected",
    pattern: anyOf(
      String.raw`email address is not verified\b|verified sender identity|not a sender signature`,
    ),
  },
  // Tencent says this where the recipient's own list refused the mail.
  { reason: "recipient_filter", pattern: anyOf("mail is rejected by recipients?") },
  // Charter uses these for blocked hosts, and for Cloudmark's limits.
  { reason: "ip_blocked", pattern: anyOf(String.raw`\baup#i-10\d0\b`) },
  { reason: "rate_limited", pattern: anyOf(String.raw`\baup#(?:i-)?13[123]0\b`) },
  // Mimecast calls a detected signature a matter of security policies.
  { reason: "virus_detected", pattern: anyOf("rejected due to security policies") },
  // Mimecast lists this on its page of SMTP codes, for a fault in the account of its own customer.
  { reason: "system_error", pattern: anyOf("account outbounds disabled") },
  // Yahoo looks the user up when it has the text, and says it this way.
  { reason: "user_unknown", pattern: anyOf("doesn't have an? .{0,60}account") },
  {
    reason: "user_unknown",
    pattern: anyOf("delivery error: dd .{0,100}(?:does not exist|doesn't exist|not found)"),
  },
  // KDDI says in a sentence of its own what the code hides.
  {
    reason: "mailbox_disabled",
    pattern: anyOf(String.raw`user\(s\) account is (?:disabled|temporarily limited)`),
  },
  // KDDI refuses unknown users at RCPT TO; other Japanese carriers use the same words for a filter behind DATA.
  {
    reason: "user_unknown",
    pattern: anyOf(String.raw`\buser unknown`),
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
