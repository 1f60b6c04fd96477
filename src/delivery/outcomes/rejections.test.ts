import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Phase } from "../../mail/smtp/smtp.ts";
import { readRejection } from "./rejections.ts";
import { sampleRejections } from "./sample-rejections.fixture.ts";

/** Reads a reply as the SMTP client does: the status where it stands behind the code, and the text with both. */
function parseRow(line: string) {
  const [meaning = "", reply = ""] = line.split(" | ");
  const [kind, about, phase] = meaning.split(" ");
  const [, code, enhanced] = /^(\d{3})(?:[ -](5\.\d{1,3}\.\d{1,3})(?= |$))?/.exec(reply) ?? [];
  const rejection = {
    phase: phase as Phase,
    code: Number(code),
    enhanced: enhanced ?? null,
    text: reply.replaceAll(/(?<=^| )(\d{3})-/g, "$1 "),
  };
  return { reply, expected: `${kind} ${about} ${phase}`, rejection };
}

const all = Object.entries(sampleRejections).map(([who, table]) => ({
  who,
  rows: table.trim().split("\n").map(parseRow),
}));

describe("what a server refuses, and whom", () => {
  for (const { who, rows } of all) {
    test(who, () => {
      const read = rows.map(({ rejection, reply }) => {
        const { kind, about } = readRejection(rejection);
        return `${kind} ${about} ${rejection.phase} | ${reply}`;
      });
      assert.deepEqual(
        read,
        rows.map(({ expected, reply }) => `${expected} | ${reply}`),
      );
    });
  }

  test("there are replies of many servers, with and without a status", () => {
    const replies = all.flatMap(({ rows }) => rows);
    const without = replies.filter(({ rejection }) => rejection.enhanced === null);
    assert.ok(replies.length >= 200 && without.length >= 90, `${replies.length}, ${without.length} without`);
  });

  const statuses: readonly [phase: Phase, enhanced: string | null, meaning: string][] = [
    ["rcpt", "5.1.1", "hard message"],
    ["rcpt", "5.1.10", "hard message"],
    ["dot", "5.1.1", "hard message"],
    ["rcpt", "5.1.7", "block either"],
    ["rcpt", "5.1.8", "block either"],
    ["mail", "5.1.1", "block us"],
    ["rcpt", "5.2.1", "soft message"],
    ["rcpt", "5.2.2", "soft message"],
    ["rcpt", "5.4.7", "soft either"],
    ["rcpt", "5.7.1", "block either"],
    ["dot", "5.7.26", "block either"],
    ["rcpt", null, "block either"],
    ["rcpt", "5.0.0", "block either"],
    ["dot", null, "block either"],
    ["auth", "5.7.8", "block us"],
  ];
  for (const [phase, enhanced, meaning] of statuses) {
    test(`${enhanced ?? "no status"} at ${phase}, without a word: ${meaning}`, () => {
      const text = ["550", enhanced].filter(Boolean).join(" ");
      const { kind, about } = readRejection({ phase, code: 550, enhanced, text });
      assert.equal(`${kind} ${about}`, meaning);
    });
  }

  test("what the client refuses on the server's behalf is the message's, but its size may be everybody's", () => {
    const own = (enhanced: string, text: string) =>
      readRejection({ phase: "mail", code: null, enhanced, text });
    const encoding = own("5.6.7", "5.6.7 the server offers no SMTPUTF8, which this address needs");
    assert.deepEqual(encoding, { kind: "block", about: "message", isRelaying: false });
    const size = own("5.3.4", "5.3.4 the message has 30000000 bytes, and the server takes 20000000");
    assert.deepEqual(size, { kind: "soft", about: "either", isRelaying: false });
  });
});
