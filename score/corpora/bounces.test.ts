import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { otherMails } from "../../src/mail/dsn/fixtures/other-mails.ts";
import { anyOf } from "../../src/mail/dsn/phrases/phrase-set.ts";
import { percentFigure } from "../figures.ts";
import { familyOf, readLeftOut } from "./bounce-families.ts";
import { bounceScorer } from "./bounces.ts";

function bounced(status: string): string {
  return `From: MAILER-DAEMON@mx.example
Content-Type: message/delivery-status

Final-Recipient: rfc822; ada@example.org
Action: failed
Status: ${status}
`;
}

test("the scorer counts recipients and mails, and names what went another way", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "postrider-bounces-"));
  t.after(() => rmSync(folder, { recursive: true }));
  for (const name of ["eml", "not-bounces"]) mkdirSync(join(folder, name));
  writeFileSync(join(folder, "eml/a.eml"), bounced("5.1.1"));
  writeFileSync(join(folder, "eml/b.eml"), bounced("5.2.2"));
  writeFileSync(join(folder, "not-bounces/c.eml"), bounced("5.1.1"));
  const expected = {
    a: [{ reason: "userunknown", hard: true, feedback: "" }],
    b: [
      { reason: "mailboxfull", hard: false, feedback: "" },
      { reason: "userunknown", hard: true, feedback: "" },
    ],
  };
  writeFileSync(join(folder, "expected.json"), JSON.stringify(expected));

  const { figures, details } = await bounceScorer.score(folder);
  const ours = Object.fromEntries(figures.map((figure) => [figure.name, figure.ours]));
  const leftAlone = percentFigure("", otherMails.length, otherMails.length + 1, 100);
  assert.deepEqual(ours, {
    "bounces.hard_or_soft": 66.66,
    "bounces.reason": 66.66,
    "bounces.left_out_hard_or_soft": 66.66,
    "bounces.left_out_reason": 66.66,
    "bounces.mails_hard_or_soft": 50,
    "bounces.mails_reason": 50,
    "bounces.others_left_alone": leftAlone.ours,
  });
  assert.ok(details.includes("b: expected userunknown (hard), ours nothing"));
  assert.ok(details.includes("c.eml: taken for a bounce"));
});

test("a family is read without the phrases that only its own mails have", () => {
  const texts: Record<string, string> = {
    "exim-01": "unrouteable address",
    "exim-02": "user unknown",
    "qmail-01": "user unknown",
  };
  const phrases = anyOf("unrouteable address", "user unknown");
  const found = readLeftOut(Object.keys(texts), (name) => phrases.test(texts[name] ?? ""));
  assert.deepEqual(Object.fromEntries(found), { "exim-01": false, "exim-02": true, "qmail-01": true });
  assert.equal(phrases.test("unrouteable address"), true, "the set is whole again");
});

test("reports of one maker are one family", () => {
  assert.equal(familyOf("lhost-gmail-03"), familyOf("rhost-google-01"));
  assert.notEqual(familyOf("lhost-exim-01"), familyOf("lhost-postfix-01"));
});
