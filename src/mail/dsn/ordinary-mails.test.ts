/** Tests mail that speaks of failed deliveries and is none, or that a machine sent for another reason. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { readReturnedMail } from "./dsn.ts";
import { bounce } from "./fixtures/mails.ts";
import { mailsOfMachines, otherMails } from "./fixtures/other-mails.ts";

type Ordinary = readonly [name: string, from: string, subject: string, headers: string, text: string];

const list =
  "List-Id: <ops.lists.example>\nList-Unsubscribe: <mailto:leave@lists.example>\nPrecedence: list\n";
const automatic = "Auto-Submitted: auto-generated\n";
const quoted = `> This is the mail system at host mx.example.
> <ada@example.org>: host mx.example.org[192.0.2.9] said: 550 5.1.1 User unknown (in reply to RCPT TO command)`;

const others: readonly Ordinary[] = [
  [
    "a newsletter about bounces",
    "Mail Weekly <weekly@press.example>",
    "Delivery failure: why your mail could not be delivered",
    list,
    "Seven reasons for 550 5.1.1 user unknown, and why messages are returned to sender. Mail ads@press.example.",
  ],
  [
    "a parcel that wasn't delivered",
    "Parcels <noreply@parcel.example>",
    "Delivery failed: your parcel could not be delivered",
    automatic,
    "We were unable to deliver parcel 550 5512 to your address. Questions: help@parcel.example",
  ],
  [
    "an order's confirmation",
    "Shop <orders@shop.example>",
    "Order 5511 confirmed",
    automatic,
    "Undelivered items are returned to sender after 14 days. We write to bob@example.org when it is on its way.",
  ],
  [
    "a post to a list that quotes a bounce",
    "Bob <bob@example.com>",
    "Re: [ops] Undelivered Mail Returned to Sender",
    list,
    `Has anybody seen this?\n\n${quoted}`,
  ],
  [
    "a question that quotes a bounce",
    "Bob <bob@example.com>",
    "Undelivered Mail Returned to Sender?",
    "",
    `I got this when I wrote to you:\n\n${quoted}`,
  ],
  [
    "a bounce that a person forwards",
    "Bob <bob@example.com>",
    "Fwd: Delivery Status Notification (Failure)",
    "",
    "---------- Forwarded message ---------\nFrom: Mail Delivery Subsystem\nAddress not found: ada@example.org",
  ],
  [
    "a payment that failed",
    "Bank <alerts@bank.example>",
    "Your payment failed and was returned",
    automatic,
    "The transfer of 550 euros could not be delivered to the recipient's account: account closed.",
  ],
  [
    "a ticket's receipt",
    "Support <support@desk.example>",
    "[#4521] Mail delivery failed for our customers",
    automatic,
    "We have received your request. You wrote: our mail to ada@example.org fails with 550 5.7.1.",
  ],
  [
    "a server's monitoring",
    "Monitor <monitor@ops.example>",
    "ALERT: mail queue, 12 messages undelivered",
    automatic,
    "mx1: deferred 12, oldest: ada@example.org, connection timed out",
  ],
  [
    "a log digest",
    "root <root@host.example>",
    "Logwatch for host.example",
    automatic,
    "postfix: 550 5.1.1 user unknown: 3 times. <ada@example.org>: 2 <bob@example.org>: 1",
  ],
  [
    "a DMARC report",
    "DMARC <noreply-dmarc@provider.example>",
    "Report Domain: news.example Submitter: provider.example Report-ID: 42",
    automatic,
    "This is an aggregate report of messages that failed DMARC.",
  ],
  [
    "a TLS report",
    "TLS reports <tls@provider.example>",
    "Report Domain: news.example Submitter: provider.example",
    "TLS-Report-Domain: news.example\n",
    '{"organization-name":"Provider","policies":[{"summary":{"total-failure-session-count":0}}]}',
  ],
  [
    "a request to change a password",
    "Accounts <no-reply@app.example>",
    "Your address could not be verified",
    automatic,
    "We could not verify ada@example.org: the mailbox may be full. Try again later.",
  ],
  [
    "a list's moderator",
    "Bob <bob@example.com>",
    "Your message to the list was rejected",
    "",
    "Hello, I have not let your message through: attachments are not allowed here. Write to bob@example.com.",
  ],
  [
    "a calendar's invitation",
    "Bob <bob@example.com>",
    "Declined: Mail delivery failure review @ Monday 5:50",
    "",
    "bob@example.com has declined this invitation.",
  ],
  [
    "an invoice of the postmaster's firm",
    "Postmaster Ltd <billing@postmaster.example>",
    "Invoice 550 returned",
    "",
    "Your cheque was returned by the bank. Write to billing@postmaster.example.",
  ],
  [
    "a postmaster who writes himself",
    "Postmaster <postmaster@example.org>",
    "Maintenance on Sunday",
    "",
    "Our mail server mx.example.org is down from 4 to 5. Questions to ada@example.org.",
  ],
  [
    "the welcome of a list",
    "ops-request@lists.example",
    "Welcome to the ops mailing list",
    automatic,
    "To leave, write to ops-leave@lists.example. Members whose mail bounces are removed.",
  ],
  ["nothing at all", "Bob <bob@example.com>", "", "", ""],
  [
    "a digest of quarantined mail",
    "Quarantine <quarantine@filter.example>",
    "5 messages blocked",
    automatic,
    "These messages were held as spam: eve@example.net: Win a prize",
  ],
];

describe("what is no bounce isn't taken for one", () => {
  for (const [name, from, subject, headers, text] of others) {
    test(name, () => {
      const read = readReturnedMail(bounce(text, { from, subject, headers }));
      assert.doesNotMatch(read.kind, /bounce|delay/);
      assert.deepEqual(read.recipients, []);
    });
  }

  test("a receipt that the mail was read (RFC 8098)", () => {
    const mail = Buffer.from(`From: Ada <ada@example.org>
To: b+tok1@news.example
Subject: Not read: News
Content-Type: multipart/report; report-type=disposition-notification; boundary=e

--e

Your message to ada@example.org was deleted without being read.
--e
Content-Type: message/disposition-notification

Final-Recipient: rfc822;ada@example.org
Original-Message-ID: <sent-1@news.example>
Disposition: automatic-action/MDN-sent-automatically; deleted
--e--
`);
    assert.doesNotMatch(readReturnedMail(mail).kind, /bounce|delay/);
  });

  test("an answer to an invitation", () => {
    const mail = Buffer.from(`From: Ada <ada@example.org>
To: b+tok1@news.example
Subject: Accepted: News
Content-Type: multipart/alternative; boundary=e

--e

ada@example.org has accepted.
--e
Content-Type: text/calendar; method=REPLY

BEGIN:VCALENDAR
METHOD:REPLY
END:VCALENDAR
--e--
`);
    assert.equal(readReturnedMail(mail).kind, "other");
  });

  const absences: readonly [subject: string, text: string][] = [
    ["Out of office", "I left the company; ada@example.org is no longer valid. Write to bob@example.org."],
    ["Abwesenheitsnotiz", "Ich bin nicht im Büro, Ihre Nachricht wird nicht zugestellt: ada@example.org."],
    ["Réponse automatique", "Votre message n'a pas pu être lu. Écrivez à bob@example.org."],
    ["Respuesta automática", "No se ha podido entregar a ada@example.org, estoy de vacaciones."],
    ["自動返信", "このアドレスは存在しません。bob@example.org まで。"],
    ["Автоответ", "Ваше письмо не доставлено, пишите bob@example.org."],
  ];
  for (const [subject, text] of absences) {
    test(`an absence: ${subject}`, () => {
      const headers = "Return-Path: <>\nAuto-Submitted: auto-replied\n";
      const mail = bounce(text, { from: "Ada <ada@example.org>", subject, headers });
      assert.equal(readReturnedMail(mail).kind, "auto_reply");
    });
  }
});

describe("nothing is suppressed for", () => {
  const leaveAlone = (raw: string, envelopeFrom?: string) => {
    const read = readReturnedMail(Buffer.from(raw), { envelopeFrom });
    assert.doesNotMatch(read.kind, /bounce|delay|complaint/);
    assert.deepEqual(read.recipients, []);
  };
  for (const { name, raw } of otherMails) test(name, () => leaveAlone(raw));
  for (const { name, raw } of mailsOfMachines) test(`${name}, from nobody`, () => leaveAlone(raw, ""));
});
