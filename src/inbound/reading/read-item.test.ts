import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { InboundItem, Report } from "../types.ts";
import { readItem } from "./read-item.ts";

const SOURCE = "01890a5d-ac96-774b-bcce-b302099a8057";
const CONTACT = "01890a5d-ac96-7ab2-80e2-4e1d2b6bf03a";
const TOKEN = `b${"0123456789abcdefghjkmnpqrstvwxyz".repeat(2).slice(0, 62)}`;

function item(raw: string, more: Partial<InboundItem> = {}): InboundItem {
  return {
    accountId: SOURCE,
    id: SOURCE,
    channel: "smtp",
    channelId: null,
    provider: null,
    envelopeFrom: "",
    addressed: { kind: "bounce", sourceId: SOURCE, contactId: CONTACT },
    session: null,
    raw: Buffer.from(raw.replaceAll("\n", "\r\n")),
    receivedAt: new Date(),
    ...more,
  };
}
const toUnsubscribe = { addressed: { kind: "unsubscribe" as const, sourceId: SOURCE, contactId: CONTACT } };
const read = (one: InboundItem) => readItem(one, () => assert.fail("this is no webhook"));

const dsn = (action: string, status: string, returned = "") => `From: MAILER-DAEMON@mx.example
Subject: Undelivered Mail Returned to Sender
Content-Type: multipart/report; report-type=delivery-status; boundary=b

--b

Sorry.
--b
Content-Type: message/delivery-status

Reporting-MTA: dns; mx.example

Final-Recipient: rfc822; ada@example.com
Action: ${action}
Status: ${status}
Diagnostic-Code: smtp; 550 ${status} No such user

--b
Content-Type: text/rfc822-headers

${returned}Message-ID: <1.2@example.org>
Subject: Hello

--b--
`;
const arf = (fields: string) => `From: fbl@isp.example
Subject: complaint
Content-Type: multipart/report; report-type=feedback-report; boundary=b

--b

A complaint.
--b
Content-Type: message/feedback-report

Feedback-Type: abuse
Version: 1
${fields}
--b
Content-Type: message/rfc822

Subject: Hello

Hi
--b--
`;
const letter = (headers: string, body: string) => `From: Ada <ada@example.com>
To: us@example.org
${headers}

${body}
`;

describe("reading an item", () => {
  const kinds: readonly [string, InboundItem, Report["kind"], Report["class"]][] = [
    ["a failure for good", item(dsn("failed", "5.1.1")), "bounce", "hard"],
    ["a delay", item(dsn("delayed", "4.4.1")), "delay", null],
    ["a success", item(dsn("delivered", "2.0.0")), "delivered", null],
    ["a complaint", item(arf("Original-Rcpt-To: ada@example.com\n")), "complaint", null],
    [
      "an absence",
      item(letter("Subject: Out of office\nAuto-Submitted: auto-replied", "Away.")),
      "auto_reply",
      null,
    ],
    ["a letter", item(letter("Subject: Hello", "How are you?")), "other", null],
    [
      "a letter to an unsubscribe address",
      item(letter("Subject: Hello", "No."), toUnsubscribe),
      "unsubscribe",
      null,
    ],
    [
      "an empty mail to an unsubscribe address",
      item("\n", { ...toUnsubscribe, envelopeFrom: "ada@example.com" }),
      "unsubscribe",
      null,
    ],
    [
      "an absence at an unsubscribe address",
      item(letter("Subject: Out of office\nAuto-Submitted: auto-replied", "Away."), toUnsubscribe),
      "auto_reply",
      null,
    ],
    [
      "a newsletter at an unsubscribe address",
      item(letter("Subject: Big sale!\nList-Id: <sale.example>\nPrecedence: bulk", "Buy."), toUnsubscribe),
      "other",
      null,
    ],
    [
      "a report on a domain at an unsubscribe address",
      item(
        letter("Subject: Report Domain: example.org Submitter: isp.example", "See within."),
        toUnsubscribe,
      ),
      "other",
      null,
    ],
    [
      "an answer to an invitation at an unsubscribe address",
      item(
        "From: a@example.com\nSubject: Accepted: Meeting\nContent-Type: text/calendar; method=REPLY\n\nBEGIN:VCALENDAR\n",
        toUnsubscribe,
      ),
      "other",
      null,
    ],
    [
      "what a mail program sends by itself to unsubscribe",
      item(letter("Subject: unsubscribe\nAuto-Submitted: auto-generated", ""), toUnsubscribe),
      "unsubscribe",
      null,
    ],
    ["a bounce at an unsubscribe address", item(dsn("failed", "5.1.1"), toUnsubscribe), "other", null],
    ["nothing at all, from somebody", item("", { envelopeFrom: "ada@example.com" }), "other", null],
  ];
  for (const [name, one, kind, bounceClass] of kinds) {
    test(`${name} is ${kind}`, () => {
      const [report, ...others] = read(one);
      assert.deepEqual([report?.kind, report?.class, others.length], [kind, bounceClass, 0]);
      assert.deepEqual(report?.clues.named, { sourceId: SOURCE, contactId: CONTACT });
    });
  }

  test("a bounce tells its reason, its status and whom it is about", () => {
    const [report] = read(item(dsn("failed", "5.1.1")));
    assert.deepEqual(
      [report?.reason, report?.status, report?.recipient],
      ["user_unknown", "5.1.1", "ada@example.com"],
    );
    assert.equal(report?.clues.messageId, "<1.2@example.org>");
  });

  test("a return path of ours is found in the returned headers, in any case", () => {
    const returned = `Return-Path: <${TOKEN.toUpperCase()}@bounces.example.net>\n`;
    const [report] = read(item(dsn("failed", "5.1.1", returned), { addressed: null }));
    assert.equal(report?.clues.token, TOKEN);
    assert.equal(report?.clues.named, null);
  });

  test("a complaint that hides the address is one report, by the envelope that it names", () => {
    const [report, ...others] = read(
      item(arf(`Original-Mail-From: <${TOKEN}@b.example>\n`), { addressed: null }),
    );
    assert.deepEqual([report?.kind, report?.recipient, others.length], ["complaint", null, 0]);
    assert.equal(report?.clues.token, TOKEN);
  });

  test("a webhook is read by who knows its provider", () => {
    const raw = Buffer.from("{}");
    const hook = item("", { channel: "webhook", provider: "ses", raw, addressed: null });
    const seen: unknown[] = [];
    readItem(hook, (provider, body) => {
      seen.push(provider, body);
      return [];
    });
    assert.deepEqual(seen, ["ses", raw]);
  });
});
