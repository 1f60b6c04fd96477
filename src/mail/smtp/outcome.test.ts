import assert from "node:assert/strict";
import { test } from "node:test";
import { judgeReply } from "./outcome.ts";

test("the enhanced code is taken off each line, if its class is the reply's", () => {
  const cases: readonly [code: number, lines: string[], enhanced: string | null, text: string][] = [
    [250, ["2.0.0 queued as 1"], "2.0.0", "queued as 1"],
    [550, ["5.7.1 one", "5.7.1 two"], "5.7.1", "one two"],
    [550, ["5.7.100"], "5.7.100", ""],
    [550, ["4.7.1 one"], null, "4.7.1 one"],
    [550, ["5.7.1000 one"], null, "5.7.1000 one"],
    [550, ["5.7.1:one"], null, "5.7.1:one"],
    [550, ["say 5.7.1"], null, "say 5.7.1"],
  ];
  for (const [code, lines, enhanced, text] of cases) {
    const result = judgeReply("rcpt", code, lines);
    assert.deepEqual([result.enhanced, result.text], [enhanced, text]);
  }
});

test("the text is one line without control characters, of at most 500 characters", () => {
  const { text } = judgeReply("rcpt", 550, ["\u001b[31mred\u0007\u202e", "a\u2028b\ttab  \0", "\ud83d"]);
  assert.equal(text, "[31mred a b tab");
  assert.equal(judgeReply("rcpt", 550, ["x".repeat(9_000)]).text, `${"x".repeat(499)}…`);
  assert.equal(judgeReply("rcpt", 550, [`${"x".repeat(498)}😀😀`]).text.isWellFormed(), true);
});
