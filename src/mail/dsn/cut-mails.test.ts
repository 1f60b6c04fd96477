/** Tests that no mail can be cut off anywhere, nested or blown up so that reading it fails. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { readReturnedMail } from "./dsn.ts";
import { bounce, report } from "./fixtures/mails.ts";
import { noticesByLanguage } from "./fixtures/notices-by-language.ts";

const kinds = new Set(["bounce", "delay", "delivered", "complaint", "auto_reply", "unsubscribe", "other"]);

const fields =
  "Final-Recipient: rfc822; ada@example.org\nAction: failed\nStatus: 5.1.1\nDiagnostic-Code: smtp; 550 5.1.1 User unknown";
const json = JSON.stringify({
  notificationType: "Bounce",
  bounce: { bouncedRecipients: [{ emailAddress: "ada@example.org", diagnosticCode: '550 5.1.1 "x"' }] },
});
const japanese = noticesByLanguage.find(({ name }) => name.startsWith("Japanese"))?.text ?? "";

const samples: readonly [name: string, mail: Buffer][] = [
  ["a report", report(fields)],
  ["a report inside another", bounce("Returned.", { returned: report(fields).toString() })],
  ["a notice in JSON", bounce(json, { from: "no-reply@sns.amazonaws.com" })],
  ["a notice in Japanese", bounce(japanese, { type: "text/plain; charset=utf-8" })],
];

describe("a mail that is cut off anywhere is read", () => {
  for (const [name, mail] of samples) {
    test(name, () => {
      for (let end = 0; end <= mail.length; end++) {
        const read = readReturnedMail(mail.subarray(0, end));
        assert.ok(kinds.has(read.kind), `at ${end}`);
        for (const { class: kind, status } of read.recipients)
          assert.ok(kind !== "hard" || !status?.startsWith("4"), `at ${end}`);
      }
    });
  }

  test("and who failed is known as soon as it was said", () => {
    const mail = report(fields);
    const said = mail.indexOf("User unknown") + "User unknown".length;
    for (let end = said; end <= mail.length; end++) {
      const [first] = readReturnedMail(mail.subarray(0, end)).recipients;
      assert.deepEqual([first?.address, first?.class], ["ada@example.org", "hard"], `at ${end}`);
    }
  });
});

describe("a mail of a hostile form is read", () => {
  const hostile: readonly [name: string, mail: () => Buffer][] = [
    [
      "50 MB behind the report",
      () =>
        Buffer.concat([report(fields), Buffer.alloc(50 * 1024 * 1024, "<ada@example.org>: mailbox full. ")]),
    ],
    [
      "MIME nested 1,000 deep",
      () => {
        const levels = Array.from({ length: 1000 }, (_, at) => at);
        const open = levels
          .map((at) => `Content-Type: multipart/mixed; boundary=b${at}\n\n--b${at}\n`)
          .join("");
        return Buffer.from(`From: MAILER-DAEMON@mx.example\n${open}\n<ada@example.org>: user unknown\n`);
      },
    ],
    [
      "messages inside messages, 1,000 deep",
      () => {
        const head =
          "From: MAILER-DAEMON@mx.example\nSubject: Undelivered Mail\nContent-Type: message/rfc822\n\n";
        return Buffer.from(`${head.repeat(1000)}<ada@example.org>: user unknown\n`);
      },
    ],
    [
      "entities that double forty times",
      () => {
        const entities = Array.from(
          { length: 40 },
          (_, at) => `<!ENTITY e${at + 1} "&e${at};&e${at};">`,
        ).join("");
        return bounce(`<!DOCTYPE x [<!ENTITY e0 "lol">${entities}]><x>&e40;</x>`, { type: "text/xml" });
      },
    ],
    [
      "JSON nested 100,000 deep",
      () => bounce(`{"a":${"[".repeat(100_000)}`, { from: "x@sns.amazonaws.com" }),
    ],
    ["JSON of 80,000 objects", () => bounce(`[${"{},".repeat(80_000)}{}]`, { from: "x@sns.amazonaws.com" })],
    [
      "keys in JSON that never end",
      () => bounce(`{${'"event":"bounce '.repeat(5000)}`, { from: "x@sns.amazonaws.com" }),
    ],
    [
      "words of every table, 1 MB of them",
      () => bounce("user quota full rejected unknown spam ".repeat(28_000)),
    ],
    ["sentences without words", () => bounce(". ".repeat(500_000))],
  ];
  for (const [name, mail] of hostile) test(name, () => assert.ok(kinds.has(readReturnedMail(mail()).kind)));
});
