import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { readReturnedMail } from "../dsn/dsn.ts";
import { readMail } from "../reading/reading.ts";
import { readFeedback } from "./arf.ts";

function feedback(
  fields: string,
  returned = "To: Ada <ada@example.org>\nMessage-ID: <m1@news.example>",
  gap = "\n\n",
): Buffer {
  return Buffer.from(`From: fbl@provider.example
Subject: FW: News
Content-Type: multipart/report; report-type=feedback-report; boundary=edge

--edge

This is an abuse report.
--edge
Content-Type: message/feedback-report${gap}${fields}

--edge
Content-Type: message/rfc822

${returned}

hello
--edge--
`);
}

describe("a complaint (RFC 5965)", () => {
  test("names who complained, where the provider does", () => {
    const fields =
      "Feedback-Type: abuse\nUser-Agent: P/1\nVersion: 1\nOriginal-Rcpt-To: <ada@example.org>\nOriginal-Rcpt-To: bob@example.org\nSource-IP: 192.0.2.1";
    const read = readReturnedMail(feedback(fields));
    assert.deepEqual(
      [read.kind, read.feedbackType, read.originalMessageId],
      ["complaint", "abuse", "<m1@news.example>"],
    );
    assert.deepEqual(
      read.recipients.map((one) => [one.address, one.class]),
      [
        ["ada@example.org", "none"],
        ["bob@example.org", "none"],
      ],
    );
    const mail = readMail(feedback(fields));
    assert.deepEqual(
      [readFeedback(mail, "", [])?.userAgent, readFeedback(mail, "", [])?.sourceIp],
      ["P/1", "192.0.2.1"],
    );
  });

  test("falls back on whom the mail was for", () => {
    assert.equal(
      readReturnedMail(feedback("Feedback-Type: abuse")).recipients[0]?.address,
      "ada@example.org",
    );
    assert.deepEqual(readReturnedMail(feedback("Feedback-Type: abuse", "To: redacted")).recipients, []);
  });

  test("is read though the empty line before its fields is missing", () => {
    assert.equal(readReturnedMail(feedback("Feedback-Type: fraud", undefined, "\n")).feedbackType, "fraud");
  });

  const kinds = {
    abuse: "complaint",
    fraud: "complaint",
    other: "complaint",
    "not-spam": "other",
    "auth-failure": "other",
    "opt-out": "unsubscribe",
  };
  for (const [type, kind] of Object.entries(kinds)) {
    test(`${type} is of the kind ${kind}`, () => {
      const read = readReturnedMail(feedback(`Feedback-Type: ${type}`));
      assert.deepEqual([read.kind, read.feedbackType], [kind, type]);
    });
  }
});

describe("a complaint without a report", () => {
  const own = (from: string, subject: string) =>
    Buffer.from(`From: ${from}
Subject: ${subject}
Content-Type: multipart/mixed; boundary=edge

--edge
Content-Type: message/rfc822

X-HmXmrOriginalRecipient: ada@example.org
To: somebody@else.example
Message-ID: <m1@news.example>

hello
--edge--
`);

  test("as Outlook.com sends it", () => {
    const read = readReturnedMail(own("staff@hotmail.com", "complaint about message from 192.0.2.1"));
    assert.deepEqual([read.kind, read.recipients[0]?.address], ["complaint", "ada@example.org"]);
  });

  test("is none when a person forwards a mail", () => {
    assert.equal(readReturnedMail(own("Ada <ada@example.org>", "Abuse report")).kind, "other");
  });
});
