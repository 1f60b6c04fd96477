import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { classOf, findReason } from "./reasons.ts";
import { findReplyCode, findStatus } from "./replies.ts";
import type { BounceReason, Failure, SmtpStage } from "./vocabulary.ts";

/** Makes the failure that a quoted reply gives. */
function failureOf(reply: string, stage: SmtpStage | null = null): Failure {
  return {
    diagnostic: reply,
    note: "",
    context: "",
    status: findStatus(reply),
    replyCode: findReplyCode(reply),
    stage,
    isLocalProgram: false,
    hosts: "",
    category: "",
    isDelayed: false,
  };
}

const replies: readonly [reason: BounceReason, reply: string, stage?: SmtpStage][] = [
  [
    "user_unknown",
    "550 5.1.1 <ada@example.org>: Recipient address rejected: User unknown in virtual alias table",
  ],
  [
    "user_unknown",
    "550-5.1.1 The email account that you tried to reach does not exist. Please try 550 5.1.1 again",
  ],
  [
    "user_unknown",
    "550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient ada@example.org not found by SMTP address lookup",
  ],
  ["user_unknown", "550 5.4.1 Recipient address rejected: Access denied. AS(201806281)", "rcpt"],
  ["user_unknown", "550 Requested action not taken: mailbox unavailable", "rcpt"],
  ["user_unknown", "550 No such user here", "rcpt"],
  ["user_unknown", "511 sorry, no mailbox here by that name (#5.1.1 - chkuser)"],
  ["user_unknown", "550 #5.1.0 Address rejected."],
  ["user_unknown", "550 Invalid recipient <ada@example.org>", "rcpt"],
  ["user_unknown", "550 5.1.1 unknown or illegal alias: ada@example.org"],
  ["user_unknown", "554 delivery error: dd This user doesn't have a yahoo.example account (ada) [0]", "data"],
  ["user_unknown", "550 5.0.350 Remote server returned an error -> 550 5.1.1 User does not exist"],
  ["user_unknown", "550 5.1.1 : Destinatario desconocido", "rcpt"],
  ["user_unknown", "550 5.5.0 Requested action not taken: mailbox unavailable (S2017062302).", "rcpt"],
  [
    "user_unknown",
    "550 RCP-P1 https://provider.example/response_codes?ip=192.0.2.1#rcp Refused due to recipient preferences",
  ],
  ["recipient_filter", "550 Unknown user ada@example.org", "data"],
  ["recipient_filter", "550 5.2.1 <ada@example.org>... User Unknown"],
  [
    "domain_unknown",
    "Host or domain name not found. Name service error for name=example.test type=A: Host not found",
  ],
  [
    "domain_unknown",
    "550 5.1.2 <ada@nowhere.example>... Host unknown (Name server: nowhere.example: host not found)",
  ],
  ["domain_unknown", "Domain nowhere.example does not exist"],
  ["domain_unknown", "550 5.4.310 DNS domain nowhere.example does not exist"],
  ["network_error", "451 4.4.4 DNS lookup of nowhere.example responded with code NXDOMAIN"],
  ["network_error", "Name service error for domain example.org: Host not found, try again"],
  ["network_error", "connect to mx.example.org[192.0.2.7]:25: Connection refused"],
  ["network_error", "connect to mx.example.org[192.0.2.7]:25: No route to host"],
  ["network_error", "554 5.4.6 Hop count exceeded - possible mail loop"],
  ["network_error", "554 5.4.14 Hop count exceeded - possible mail loop ATTR34"],
  ["network_error", "mail for example.org loops back to myself"],
  ["expired", "connect to mx.example.org[192.0.2.7]:25: Connection timed out"],
  ["expired", "conversation with mx.example.org[192.0.2.7] timed out while sending end of data"],
  ["expired", "retry timeout exceeded"],
  ["expired", "550 4.4.7 QUEUE.Expired; message expired"],
  ["domain_takes_no_mail", "556 5.1.10 Recipient address has null MX"],
  ["domain_takes_no_mail", "Domain example.org does not accept mail (nullMX)"],
  ["address_moved", "551 5.1.6 The user has moved to ada@example.net"],
  ["mailbox_full", "552 5.2.2 <ada@example.org>: Recipient address rejected: Mailbox full"],
  ["mailbox_full", "552-5.2.2 The email account that you tried to reach is over quota."],
  ["mailbox_full", "452 4.2.2 The email account that you tried to reach is over quota"],
  ["mailbox_full", "552 Requested mail action aborted: exceeded storage allocation"],
  ["mailbox_full", "550 5.2.2 STOREDRV.Deliver; mailbox full. The recipient's mailbox is full"],
  ["mailbox_full", "554 5.2.2 mailbox full"],
  ["mailbox_full", "Quota exceeded (mailbox for user is full)"],
  ["mailbox_full", "522 5.7.1 user's inbox has exceeded its storage limit"],
  [
    "mailbox_full",
    "maildir delivery failed: Sorry, the user's maildir has overdrawn his diskspace quota, please try again later",
  ],
  ["mailbox_disabled", "550-5.2.1 The email account that you tried to reach is disabled."],
  ["mailbox_disabled", "550 5.2.1 This mailbox has been suspended"],
  [
    "mailbox_disabled",
    "554 30 Sorry, your message to ada@example.org cannot be delivered. This mailbox is disabled (554.30).",
  ],
  ["mailbox_disabled", "550 account inactive", "rcpt"],
  ["suppressed", "550 5.1.1 We did not send the message, because the address is on our suppression list"],
  ["message_over_limit", "552 5.2.3 Message length exceeds administrative limit"],
  ["message_too_large", "552 5.3.4 Message size exceeds fixed limit"],
  ["message_too_large", "552 5.3.4 Error: message file too big"],
  ["message_too_large", "message size 52428800 exceeds size limit 35882577 of server mx.example.org"],
  ["system_full", "452 4.3.1 Insufficient system storage"],
  ["system_error", "451 4.3.0 Temporary server error. Please try again later."],
  ["system_error", "451 4.3.5 Server configuration error"],
  ["delivery_program_failed", 'Command died with status 1: "/usr/bin/procmail"'],
  ["ip_blocked", "554 5.7.1 Service unavailable; Client host [192.0.2.1] blocked using zen.spamhaus.example"],
  ["ip_blocked", "550 5.7.606 Access denied, banned sending IP [192.0.2.1]"],
  [
    "ip_blocked",
    "550 5.7.1 Unfortunately, messages from [192.0.2.1] weren't sent. Part of their network is on our block list (S3150).",
  ],
  ["ip_blocked", "554 5.7.1 Your IP is blacklisted"],
  ["ip_blocked", "550 5.7.1 Access denied", "connect"],
  ["ip_blocked", "550 HELO command rejected: need fully-qualified hostname", "connect"],
  ["ip_blocked", "550 AUP#IPBL1000 - 192.0.2.1 is known to be blocked"],
  ["bad_reputation", "550-5.7.1 likely suspicious due to the very low reputation of the sending domain."],
  [
    "bad_reputation",
    "421 4.7.0 [TSS04] Messages from 192.0.2.1 temporarily deferred due to unexpected volume or user complaints",
  ],
  [
    "missing_ptr",
    "550 5.7.25 [192.0.2.1] The IP address sending this message does not have a PTR record setup",
  ],
  ["missing_ptr", "450 4.7.1 Client host rejected: cannot find your hostname, [192.0.2.1]"],
  ["missing_ptr", "554 5.7.1 Reverse DNS lookup failed for 192.0.2.1"],
  [
    "authentication_failed",
    "550 5.7.26 This mail has been blocked because the sender is unauthenticated. DKIM = did not pass SPF",
  ],
  [
    "authentication_failed",
    "550 5.7.509 Access denied, sending domain example.net does not pass DMARC verification",
  ],
  [
    "authentication_failed",
    "550 5.7.23 The message was rejected because of Sender Policy Framework violation",
  ],
  ["spam_detected", "550 5.7.1 Message rejected as spam by Content Filtering"],
  ["spam_detected", "554 5.7.1 This message has been identified as spam", "data"],
  ["spam_detected", "550 High probability of spam", "data"],
  ["spam_detected", "554 5.7.1 [P4] Message blocked due to spam content in the message.", "data"],
  ["virus_detected", "554 5.7.1 Message infected by virus (Eicar-Test-Signature)"],
  ["policy_refused", "554 5.7.9 Message not accepted for policy reasons."],
  [
    "policy_refused",
    "552-5.7.0 This message was blocked because its content presents a potential 552 5.7.0 security issue.",
  ],
  ["security_refused", "550 5.7.1 Delivery not authorized, message refused"],
  ["security_refused", "550 5.7.124 RESOLVER.RST.SenderNotInAllowedSendersList; sender isn't in the list"],
  [
    "not_compliant",
    "550-5.7.1 Messages missing a valid address in From: header, or having multiple addresses in From: header",
  ],
  ["not_compliant", "550 5.7.1 Duplicate header 'Date'"],
  ["relaying_denied", "554 5.7.1 <ada@example.org>: Relay access denied", "rcpt"],
  ["relaying_denied", "550 5.7.1 Unable to relay", "rcpt"],
  ["relaying_denied", "553 sorry, that domain isn't in my list of allowed rcpthosts (#5.7.1)"],
  ["sender_rejected", "550 5.1.8 <eve@example.net>: Sender address rejected: Domain not found", "rcpt"],
  ["sender_rejected", "553 5.1.7 <eve@>: sender rejected", "mail"],
  ["sender_rejected", "550 5.1.0 example.net does not exist", "mail"],
  [
    "rate_limited",
    "450 4.2.1 The user you are trying to contact is receiving mail at a rate that prevents additional messages",
  ],
  ["rate_limited", "421 4.7.28 Gmail has detected an unusual rate of unsolicited mail"],
  ["rate_limited", "451 4.7.1 sender exceeded the maximum number of messages per hour: rate limit"],
  ["too_many_at_once", "421 4.7.0 Too many concurrent SMTP connections; please try again later."],
  ["too_many_at_once", "452 4.5.3 Too many recipients"],
  ["tls_failed", "550 5.7.10 Encryption needed"],
  ["content_refused", "554 5.6.1 Media not supported", "data"],
  ["syntax_error", "501 5.5.4 Invalid arguments"],
  ["user_unknown", "User ada (ada@example.org) not listed in Domino Directory"],
  ["user_unknown", "User not listed in public Name & Address Book"],
  ["user_unknown", "The e-mail account does not exist at the organization this message was sent to."],
  ["user_unknown", "unrouteable address"],
  ["user_unknown", "#550 5.1.1 RESOLVER.ADR.ExRecipNotFound; not found ##"],
  ["user_unknown", "Message could not be delivered to mobile. Error: No valid recipients for this MM"],
  [
    "domain_unknown",
    "#550 5.4.4 SMTPSEND.DNS.NonExistentDomain; nonexistent domain ##rfc822;ada@nowhere.example",
  ],
  ["mailbox_full", "The number of messages in recipient's mailbox exceeded the local limit."],
  ["mailbox_full", "550 user has exceeded his/her disk space limit.", "rcpt"],
  ["mailbox_full", "552 5.1.1 Mailbox delivery failure policy error: maildir over quota"],
  ["mailbox_full", "550 5.7.1 RESOLVER.RST.MailboxQuota; mailbox quota exceeded"],
  ["mailbox_disabled", "550 5.1.1 <ada@example.org> Account temporarily suspended"],
  ["mailbox_disabled", "550 5.7.1 This user is not allowed to receive: mailbox is inactive", "rcpt"],
  ["network_error", "554 5.4.6 Too many hops 26 (25 max)"],
  ["tls_failed", "530 5.7.0 Must issue a STARTTLS command first", "mail"],
  ["relaying_denied", "550 relay not permitted", "rcpt"],
  ["relaying_denied", "550 5.7.64 TenantAttribution; Relay Access Denied"],
  ["sender_rejected", "550 Sender verify failed", "rcpt"],
  ["sender_rejected", "550 5.7.1 The sender address was rejected by the recipient's list"],
  ["sender_rejected", "553 5.5.4 <eve>... Domain name required for sender address eve", "mail"],
  ["ip_blocked", "554 mx.example.org ESMTP not accepting connections", "connect"],
  ["ip_blocked", "421 4.7.1 Connection refused: 192.0.2.1 listed at bl.example.net", "connect"],
  ["spam_detected", "554 Message refused. Your message looks like SPAM or has been reported as spam", "data"],
  ["spam_detected", "554 5.7.1 The message contains a URL listed in SURBL", "data"],
  [
    "policy_refused",
    "550 5.7.1 TRANSPORT.RULES.RejectMessage; the message was rejected by organization policy",
  ],
  ["policy_refused", "554 5.7.1 Attachment type not allowed", "data"],
  ["syntax_error", "500 5.5.1 Command unrecognized"],
  ["system_error", "451 Requested action aborted: local error in processing"],
  ["system_error", "421 4.3.2 Service not available"],
  ["user_unknown", "553 5.3.0 <ada@example.org>... Addressee unknown, relay=[192.0.2.1]", "rcpt"],
  [
    "mailbox_disabled",
    "554 Sorry, your message can't be delivered. This account has been disabled or discontinued",
    "rcpt",
  ],
  ["rate_limited", "550 5.4.5 Daily sending quota exceeded."],
  ["rate_limited", "550 Ip frequency limited", "rcpt"],
  ["too_many_at_once", "451 4.7.500 Server busy. Please try again later from [192.0.2.1].", "rcpt"],
  [
    "ip_blocked",
    "550 5.7.708 Service unavailable. Access denied, traffic not accepted from this IP.",
    "rcpt",
  ],
  ["ip_blocked", "554 5.7.1 Service unavailable; Helo command [x] blocked using dbl.example", "rcpt"],
  ["ip_blocked", "521 5.2.1 :  (CON:B1)  We will not accept delivery", "data"],
  ["spam_detected", "554 5.7.1 [1] Message rejected under suspicion of SPAM", "data"],
  ["policy_refused", "552 5.7.0 Our system detected an illegal attachment on your message", "data"],
  [
    "expired",
    "delivery temporarily suspended: connect to mx.example.org[192.0.2.7]:25: Connection timed out",
  ],
  ["network_error", "lowest numbered MX record points to local host"],
  ["domain_takes_no_mail", "an MX or SRV record indicated no SMTP service"],
  ["domain_unknown", "lookup failed: no A or MX records"],
  ["message_too_large", "cannot update mailbox for user ada. error writing message: File too large"],
  ["system_full", "maildir delivery failed: error writing message: No space left on device"],
  ["tls_failed", "Server certificate not trusted"],
  ["sender_rejected", "553 sorry, your envelope sender is in my badmailfrom list (#5.7.1)"],
  ["unclear", "550 5.0.0 <ada@example.org>... Access denied", "rcpt"],
  ["unclear", "550 Qapla'"],
  ["delivered", "250 2.1.5 Ok"],
];

describe("what a server says is understood", () => {
  for (const [reason, reply, stage] of replies) {
    test(`${reason}: ${reply}`, () => assert.equal(findReason(failureOf(reply, stage)), reason));
  }
});

describe("what follows for the address", () => {
  const page = readFileSync(new URL("../../../docs/bounces.md", import.meta.url), "utf8");
  const rows = [...page.matchAll(/^\| `(\w+)` \| (hard|soft|block|none)/gm)];

  test("docs/bounces.md names every reason that a reply above has, and no other", () => {
    const tried = new Set(replies.map(([reason]) => reason as string));
    assert.deepEqual(
      rows.map(([, reason]) => reason).filter((reason = "") => !tried.has(reason)),
      ["unstated"],
    );
    assert.deepEqual(
      [...tried].filter((reason) => !rows.some(([, named]) => named === reason)),
      [],
    );
  });

  for (const [, reason, expected] of rows) {
    test(`${reason} is ${expected}`, () => {
      assert.equal(classOf(reason as BounceReason, failureOf("550 5.0.0 x"), false), expected);
    });
  }

  test("nothing is more than a delay while they still try", () => {
    assert.equal(classOf("user_unknown", failureOf("450 4.1.1 x"), true), "delay");
  });

  test("what is so for now is no reason to suppress", () => {
    assert.equal(classOf("domain_takes_no_mail", failureOf("421 4.3.2 x"), false), "soft");
    assert.equal(classOf("user_unknown", failureOf("450 mailbox unavailable"), false), "soft");
  });
});

describe("less than a sentence is enough where that is all there is", () => {
  const statuses: readonly [status: string | null, stage: SmtpStage | null, reason: BounceReason][] = [
    ["5.1.1", null, "user_unknown"],
    ["5.1.1", "mail", "sender_rejected"],
    ["5.2.2", null, "mailbox_full"],
    ["5.7.26", null, "authentication_failed"],
    ["5.7.650", null, "bad_reputation"],
    ["5.6.9", null, "content_refused"],
    ["4.5.0", null, "unstated"],
    ["5.0.0", null, "unstated"],
    [null, null, "unstated"],
    [null, "connect", "ip_blocked"],
  ];
  for (const [status, stage, reason] of statuses) {
    test(`${status} at ${stage}: ${reason}`, () =>
      assert.equal(findReason({ ...failureOf("", stage), status }), reason));
  }

  test("a status that says something beats words that fit any refusal, and none that name a reason", () => {
    assert.equal(findReason(failureOf("550 5.6.2 this is prohibited", "data")), "content_refused");
    assert.equal(findReason(failureOf("550 5.7.1 this is prohibited", "data")), "policy_refused");
    assert.equal(findReason(failureOf("550 5.6.2 mailbox full", "data")), "mailbox_full");
    assert.equal(
      findReason(failureOf("550 5.7.26 to protect users from spam", "data")),
      "authentication_failed",
    );
  });

  test("whatever is said to MAIL FROM is about the sender", () => {
    assert.equal(findReason(failureOf("550 no such user here", "mail")), "sender_rejected");
    assert.equal(findReason(failureOf("553 host unknown", "mail")), "sender_rejected");
    assert.equal(findReason(failureOf("550 no such user here", "rcpt")), "user_unknown");
  });

  test("the line with which sendmail closes every refusal says nothing", () => {
    assert.equal(findReason(failureOf("550 Qapla' 554 5.0.0 Service unavailable")), "unclear");
  });

  test("an address is never taken for what is said of it", () => {
    assert.equal(findReason(failureOf("550 5.2.2 user-unknown.spam@mailbox-full.example")), "mailbox_full");
    assert.equal(findReason(failureOf("550 user.unknown@spam.example")), "unclear");
  });

  test("a program on the reporting host is what failed, unless it says why", () => {
    const local = { ...failureOf("temporary failure"), isLocalProgram: true };
    assert.equal(findReason(local), "delivery_program_failed");
    assert.equal(findReason({ ...local, diagnostic: "disk quota exceeded" }), "mailbox_full");
  });

  test("PowerMTA's category counts where the reply says nothing", () => {
    assert.equal(findReason({ ...failureOf(""), category: "quota-issues" }), "mailbox_full");
  });

  test("the same words mean another thing at another carrier", () => {
    const reply = failureOf("550 <ada@example.jp>: User unknown");
    assert.equal(findReason(reply), "recipient_filter");
    assert.equal(findReason({ ...reply, hosts: "ezweb.ne.jp" }), "user_unknown");
  });
});
