import assert from "node:assert/strict";
import { test } from "node:test";
import { judgeMails, readStoredMail, type StoredMail, stoodInDns } from "./verdict.ts";

const AT = Date.parse("2026-11-17T04:00:10Z");
const history = [
  { selectors: ["old", "next"], beganMs: AT - 9_000, standsMs: AT - 8_900 },
  { selectors: ["next"], beganMs: AT + 5_000, standsMs: AT + 5_100 },
];
const mail: StoredMail = {
  to: "a@x.example",
  selectors: ["old"],
  receivedMs: AT,
  dkim: ["pass"],
  dmarc: ["pass"],
};

test("a stored mail is read with the verdicts of the receiving server alone", () => {
  const text = `Delivered-To: a@x.example
Authentication-Results: receiver.example; dmarc=pass (p=reject dis=none)
\theader.from=shop.example
Authentication-Results: receiver.example;
\tdkim=pass (2048-bit key; unprotected) header.d=shop.example header.s=old;
\tdkim=fail header.d=shop.example header.s=edold
Authentication-Results: elsewhere.example; dkim=pass
Received: from sender (localhost [127.0.0.1])
\tby receiver.example; Tue, 17 Nov 2026 04:00:10 +0000 (UTC)
DKIM-Signature: v=1; a=rsa-sha256; d=shop.example; s=old; bh=x; b=y
DKIM-Signature: v=1; a=ed25519-sha256; d=shop.example;
 s=edold; bh=x; b=y

dkim=pass
`;
  assert.deepEqual(readStoredMail(text), {
    to: "a@x.example",
    selectors: ["old", "edold"],
    receivedMs: AT,
    dkim: ["pass", "fail"],
    dmarc: ["pass"],
  });
});

test("a key stood in the DNS from its publication to its removal, whichever second the mail came in", () => {
  assert.equal(stoodInDns("old", AT, history), true);
  assert.equal(stoodInDns("next", AT + 60_000, history), true);
  assert.equal(stoodInDns("old", AT + 6_000, history), false);
  assert.equal(stoodInDns("old", AT - 60_000, history), false);
  assert.equal(stoodInDns("never", AT, history), false);
});

test("whatever differs from what is asked counts against the figure, and is named", () => {
  const judge = (mails: readonly StoredMail[], status = "sent") =>
    judgeMails(mails, new Map([["a@x.example", status]]), history, 1);
  const right = judge([mail]);
  assert.deepEqual(right, {
    dkimPassed: 1,
    dmarcPassed: 1,
    keyStood: 1,
    asLedger: 1,
    onceAtMost: 1,
    arrivedUnknown: 0,
    faults: [],
  });
  const cases: [keyof typeof right, ReturnType<typeof judge>][] = [
    ["dkimPassed", judge([{ ...mail, dkim: ["pass", "pass"] }])],
    ["dkimPassed", judge([{ ...mail, dkim: ["temperror"] }])],
    ["dmarcPassed", judge([{ ...mail, dmarc: [] }])],
    ["keyStood", judge([{ ...mail, selectors: ["never"] }])],
    ["keyStood", judge([{ ...mail, selectors: [] }])],
    ["asLedger", judge([mail], "failed")],
    ["asLedger", judge([])],
    ["onceAtMost", judge([mail, mail], "unknown")],
  ];
  for (const [name, verdict] of cases) {
    assert.equal(verdict[name], 0, name);
    assert.ok(verdict.faults.length > 0, name);
  }
  assert.equal(judge([{ ...mail, to: "b@x.example" }]).onceAtMost, 1);
  assert.match(judge([{ ...mail, to: "b@x.example" }]).faults.join(), /b@x\.example: 1 mails/);
  assert.equal(judge([], "unknown").asLedger, 1);
  assert.equal(judge([mail], "unknown").arrivedUnknown, 1);
});
