/** The types by which this folder describes failures. */

/** Says why a mail came back; docs/bounces.md explains each reason. */
export type BounceReason =
  // The address will never work.
  | "user_unknown"
  | "domain_unknown"
  | "address_moved"
  | "domain_takes_no_mail"
  // The mailbox is there, and did not take this mail.
  | "mailbox_full"
  | "mailbox_disabled"
  | "recipient_filter"
  | "message_over_limit"
  | "message_too_large"
  | "suppressed"
  // The receiving servers, or the route to them, failed.
  | "expired"
  | "network_error"
  | "system_error"
  | "system_full"
  | "delivery_program_failed"
  | "tls_failed"
  | "syntax_error"
  // The receiving servers refuse us, our content or our pace.
  | "sender_rejected"
  | "ip_blocked"
  | "bad_reputation"
  | "missing_ptr"
  | "authentication_failed"
  | "spam_detected"
  | "virus_detected"
  | "policy_refused"
  | "security_refused"
  | "content_refused"
  | "not_compliant"
  | "relaying_denied"
  | "too_many_at_once"
  | "rate_limited"
  // No rule knows the text; there is no text at all; the mail was delivered.
  | "unclear"
  | "unstated"
  | "delivered";

/** `hard` must suppress the address at once. `block` is about the sender, so it must never suppress. */
export type BounceClass = "hard" | "soft" | "block" | "delay" | "none";

/** Where in the SMTP session the mail was refused. */
export type SmtpStage = "connect" | "mail" | "rcpt" | "data";

/** What is known of one failed delivery. Whoever found a text has bounded its length. */
export type Failure = {
  /** The other server's reply, on one line. */
  readonly diagnostic: string;
  /** The reporting server's own words about this recipient. */
  readonly note: string;
  /** The rest of the report, where it is about this recipient alone. */
  readonly context: string;
  readonly status: string | null;
  readonly replyCode: number | null;
  readonly stage: SmtpStage | null;
  /** The last delivery step was a program on the reporting host, not SMTP (RFC 3464 §2.3.6, `x-unix`). */
  readonly isLocalProgram: boolean;
  /** The recipient's domain and the servers named, by which a provider is recognised. */
  readonly hosts: string;
  /** PowerMTA's own category, or "". */
  readonly category: string;
  /** The server is still trying, or gave up after having tried for long. */
  readonly isDelayed: boolean;
};
