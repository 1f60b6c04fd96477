import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { readReturnedMail } from "./dsn.ts";
import { serverForms } from "./fixtures/forms.ts";
import { bounce, report } from "./fixtures/mails.ts";
import { productForms } from "./fixtures/product-forms.ts";

function listFound(mail: Buffer): string[] {
  return readReturnedMail(mail).recipients.map(({ address, reason }) => `${address} ${reason}`);
}

describe("the recipients are found in the words of", () => {
  for (const { name, text, found, ...parts } of [...serverForms, ...productForms]) {
    test(name, () => assert.deepEqual(listFound(bounce(text, parts)), found));
  }
});

describe("the recipients are found", () => {
  test("in fields that are written oddly", () => {
    const mail = report(
      "Final-Recipient: RFC822; <ada@example.org> (Ada)\nAction: Failed\nStatus: 5.1.1 (bad mailbox)",
      'Final-Recipient: rfc822;"bob@example.com"\nAction: failed\nDiagnostic-Code: 552 mailbox full',
      "Final-Recipient: eve@example.net\nAction: failed\nStatus: 5.4.4",
      "Final-recipient: RFC822;\n IMCEAEX-_O=ORG+20X_CN=zoe@ex.example\nAction: failed\nStatus: 5.1.1",
    );
    assert.deepEqual(listFound(mail), [
      "ada@example.org user_unknown",
      "bob@example.com mailbox_full",
      "eve@example.net domain_unknown",
      "IMCEAEX-_O=ORG+20X_CN=zoe@ex.example user_unknown",
    ]);
  });

  test("in a report that is sent in base64, between boundaries with blanks", () => {
    const fields =
      "Reporting-MTA: dns; x\r\n\r\nFinal-Recipient: rfc822;ada@example.org\r\nStatus: 5.2.2\r\n";
    const mail = `From: MAILER-DAEMON@b.example
Subject: Undelivered Mail Returned to Sender
Content-Type: multipart/report; report-type=delivery-status; boundary="a b"

--a b
Content-Type: message/delivery-status
Content-Transfer-Encoding: base64

${Buffer.from(fields).toString("base64")}
--a b--
`;
    assert.deepEqual(listFound(Buffer.from(mail)), ["ada@example.org mailbox_full"]);
  });

  test("in Japanese, in the encoding of its mail", () => {
    const text = "\x1b$B%a!<%k\x1b(B\n\n<ada@jp.example>: mail box is full\n";
    const headers = "Return-Path: <>\n";
    const mail = bounce(text, {
      subject: "=?ISO-2022-JP?B?GyRCJSgbKEI=?=",
      headers,
      type: "text/plain; charset=ISO-2022-JP",
    });
    assert.deepEqual(listFound(mail), ["ada@jp.example mailbox_full"]);
  });
});
