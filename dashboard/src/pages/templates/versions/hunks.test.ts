import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { cutLine, hunksOf, partners } from "./hunks.ts";
import { diffLines } from "./line-diff.ts";

const numbered = (count: number, change: Record<number, string> = {}) =>
  Array.from({ length: count }, (_, n) => change[n + 1] ?? `line ${n + 1}`).join("\n");

describe("what of a difference is shown", () => {
  test("three lines around each change, and how many lie between", () => {
    const { hunks, rest } = hunksOf(diffLines(numbered(40), numbered(40, { 10: "x", 14: "y", 30: "z" })));
    assert.deepEqual(
      hunks.map(({ skipped, lines }) => [skipped, lines[0]?.before, lines.at(-1)?.after]),
      [
        [6, 7, 17],
        [9, 27, 33],
      ],
    );
    assert.equal(rest, 7);
    assert.deepEqual(hunksOf(diffLines("a", "a")), { hunks: [], rest: 1 });
  });

  test("of a long line where it differs", () => {
    const [before, after] = [
      `${"a".repeat(500)}red${"b".repeat(500)}`,
      `${"a".repeat(500)}blue${"b".repeat(500)}`,
    ];
    const { start, changed, end } = cutLine(after, before);
    assert.deepEqual([start.length, changed, end.length], [81, "blue", 81]);
    assert.deepEqual(cutLine("new", undefined), { start: "", changed: "new", end: "" });
    assert.equal(cutLine("x".repeat(5_000), undefined).changed.length, 601);
  });

  test("each removed line stands against the added one in its place", () => {
    const lines = diffLines("a\nb\nc", "a\nB\nC\nD");
    const against = partners(lines);
    assert.deepEqual(
      lines.filter(({ kind }) => kind === "removed").map((line) => against.get(line)?.text),
      ["B", "C"],
    );
  });
});
