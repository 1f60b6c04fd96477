/** Tests notices in other languages, in JSON, inside others, and cut off: whatever is plainly a report in an unknown form. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { readReturnedMail } from "./dsn.ts";
import { bounce } from "./fixtures/mails.ts";
import { noticesByLanguage } from "./fixtures/notices-by-language.ts";

function listFound(mail: Buffer): string[] {
  return readReturnedMail(mail).recipients.map(
    ({ address, reason, class: kind }) => `${address} ${reason} ${kind}`,
  );
}

describe("a notice is understood in", () => {
  for (const { name, from, subject, text, found } of noticesByLanguage) {
    test(name, () => {
      const mail = bounce(text, {
        from,
        subject,
        headers: "Return-Path: <>\n",
        type: "text/plain; charset=utf-8",
      });
      assert.deepEqual(listFound(mail), [found]);
    });
  }
});

describe("a notice in JSON is understood", () => {
  const send = (text: string, from = "Hooks <hooks@relay.example>") =>
    bounce(text, { from, subject: "Notification" });
  const ses = {
    notificationType: "Bounce",
    bounce: {
      bounceType: "Permanent",
      bouncedRecipients: [
        { emailAddress: "ada@example.org", status: "5.1.1", diagnosticCode: "smtp; 550 5.1.1 user unknown" },
        { emailAddress: "bob@example.org", status: "5.2.2", diagnosticCode: "smtp; 552 5.2.2 over quota" },
      ],
    },
    mail: {
      destination: ["ada@example.org", "bob@example.org"],
      headers: [{ name: "To", value: "ada@example.org" }],
    },
  };
  const both = ["ada@example.org user_unknown hard", "bob@example.org mailbox_full soft"];
  const cases: readonly [name: string, text: string, found: readonly string[]][] = [
    ["SES, as it is", JSON.stringify(ses), both],
    ["SES, on many lines", JSON.stringify(ses, null, 2), both],
    ["SES, wrapped by SNS", JSON.stringify({ Type: "Notification", Message: JSON.stringify(ses) }), both],
    [
      "SES, cut off",
      JSON.stringify(ses).slice(0, JSON.stringify(ses).indexOf("bob@")),
      ["ada@example.org user_unknown hard"],
    ],
    [
      "Mailgun",
      JSON.stringify({
        signature: { token: "x" },
        "event-data": {
          event: "failed",
          severity: "permanent",
          recipient: "ada@example.org",
          "delivery-status": {
            code: 550,
            message: "5.1.1 The email account that you tried to reach does not exist",
          },
          message: { headers: { to: "eve@example.org" } },
        },
      }),
      ["ada@example.org user_unknown hard"],
    ],
    [
      "Postmark",
      JSON.stringify({
        RecordType: "Bounce",
        Type: "SoftBounce",
        Email: "ada@example.org",
        Details: "smtp;452 4.2.2 The email account that you tried to reach is over quota",
      }),
      ["ada@example.org mailbox_full soft"],
    ],
    [
      "SendGrid, several at once",
      JSON.stringify([
        { event: "bounce", email: "ada@example.org", reason: "550 5.1.1 no such user", status: "5.1.1" },
        { event: "deferred", email: "bob@example.org", response: "421 4.7.0 try again later" },
      ]),
      ["ada@example.org user_unknown hard", "bob@example.org system_error delay"],
    ],
    [
      "SparkPost",
      JSON.stringify([
        {
          msys: {
            message_event: {
              type: "bounce",
              rcpt_to: "ada@example.org",
              raw_reason: "550 5.7.1 blocked using zen.spamhaus.org",
            },
          },
        },
      ]),
      ["ada@example.org ip_blocked block"],
    ],
    ["of something else", JSON.stringify({ event: "opened", email: "ada@example.org" }), []],
    ["that is none", '{ "hello": [', []],
  ];
  for (const [name, text, found] of cases) test(name, () => assert.deepEqual(listFound(send(text)), found));

  test("a complaint", () => {
    const read = readReturnedMail(
      send(JSON.stringify({ RecordType: "SpamComplaint", Email: "ada@example.org" })),
    );
    assert.deepEqual([read.kind, read.recipients[0]?.address], ["complaint", "ada@example.org"]);
  });

  test("but what a person writes about one is a letter", () => {
    const mail = send(`Hello, we got this, what is it?\n\n${JSON.stringify(ses)}`, "Ada <ada@example.org>");
    assert.equal(readReturnedMail(mail).kind, "other");
  });
});

describe("a report is found", () => {
  const fields = `Content-Type: message/delivery-status

Reporting-MTA: dns; mx.example

Final-Recipient: rfc822; ada@example.org
Action: failed
Status: 5.1.1
Diagnostic-Code: smtp; 550 5.1.1 User unknown
`;
  const inner = `From: MAILER-DAEMON@mx.example
To: b+tok1@news.example
Subject: Undelivered Mail Returned to Sender
Content-Type: multipart/report; report-type=delivery-status; boundary=in

--in

Not delivered.
--in
${fields}
--in--
`;

  test("inside another, and inside that", () => {
    const wrapped = bounce("A message was returned.", { returned: inner }).toString();
    const again = bounce("A message was returned.", { returned: wrapped.replaceAll("outer", "middle") });
    assert.deepEqual(listFound(again), ["ada@example.org user_unknown hard"]);
  });

  test("that is in plain words inside another", () => {
    const words = bounce("<ada@example.org>: 552 5.2.2 mailbox is full\n").toString();
    const mail = bounce("Ihre Nachricht konnte nicht zugestellt werden.", { returned: words });
    assert.deepEqual(listFound(mail), ["ada@example.org mailbox_full soft"]);
  });

  test("though it was cut off before its fields for machines", () => {
    const cut = `From: Relay <relay@mx.example>
Return-Path: <>
Subject: Notification
Content-Type: multipart/report; report-type=delivery-status; boundary=in

--in

<ada@example.org>: host mx.example.org said: 550 5.1.1 no such us`;
    assert.deepEqual(listFound(Buffer.from(cut)), ["ada@example.org user_unknown hard"]);
  });

  test("in an unknown form that returns what its receiver sent", () => {
    const mail = bounce("Nešto nije u redu.\n\nada@example.org\n\n552 5.2.2 kvota\n", {
      from: "postmaster@mx.example",
      subject: "Obavijest",
      headers: "Return-Path: <>\n",
      returned: "From: News <b+tok1@news.example>\nTo: ada@example.org\nSubject: News\n\nHello",
    });
    assert.deepEqual(listFound(mail), ["ada@example.org mailbox_full soft"]);
  });
});
