import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { canonicalizeBody } from "./body.ts";

describe("the relaxed body", () => {
  const cases: readonly [given: string, relaxed: string][] = [
    ["", ""],
    ["\r\n", ""],
    ["\r\n\r\n\r\n", ""],
    [" \t\r\n\t\r\n ", ""],
    ["a", "a\r\n"],
    ["a ", "a\r\n"],
    ["a\r\n", "a\r\n"],
    ["a\r\n\r\n \r\n", "a\r\n"],
    [" a", " a\r\n"],
    ["\ta\t \tb \t\r\nc", " a b\r\nc\r\n"],
    ["\r\n\r\na\r\n\r\nb\r\n", "\r\n\r\na\r\n\r\nb\r\n"],
    ["a\0\f\x7f b\r\n", "a\0\f\x7f b\r\n"],
    ["ü\u00a0 \u3000x\r\n", "ü\u00a0 \u3000x\r\n"],
  ];
  for (const [given, relaxed] of cases) {
    test(`of ${JSON.stringify(given)} is ${JSON.stringify(relaxed)}`, () => {
      assert.equal(canonicalizeBody(Buffer.from(given))?.toString(), relaxed);
    });
  }

  for (const bare of [
    "\n",
    "\r",
    "a\nb\r\n",
    "a\rb\r\n",
    "a\r\n\n",
    "a\r\r\n",
    "  a\nb\r\n",
    "  a\rb",
    "  a\r",
  ]) {
    test(`isn't made of ${JSON.stringify(bare)}`, () =>
      assert.equal(canonicalizeBody(Buffer.from(bare)), null));
  }

  test("is what the rules of RFC 6376 §3.4.4 make of any text, one after the other", () => {
    const piece = fc.constantFrom(
      " ",
      "  ",
      "\t",
      "\r\n",
      "\r\n",
      "a",
      "é",
      "!",
      "word",
      "\x0e",
      "\x01",
      "\x80",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const text = pieces.join("");
        assert.equal(canonicalizeBody(Buffer.from(text))?.toString(), applyRules(text));
      }),
      { numRuns: 2_000 },
    );
  });

  test("of a large body is made as that of a small one", () => {
    const text = `${"A line \t of some  length \r\n".repeat(20_000)}\r\n`;
    assert.equal(canonicalizeBody(Buffer.from(text))?.toString(), applyRules(text));
  });
});

function applyRules(text: string): string {
  const lines = text.split("\r\n").map((line) => line.replace(/[ \t]+/g, " ").replace(/ $/, ""));
  while (lines.at(-1) === "") lines.pop();
  return lines.map((line) => `${line}\r\n`).join("");
}
