import assert from "node:assert/strict";
import { test } from "node:test";
import { lineChanges } from "./line-changes.ts";

test("only the lines between the ends that are the same differ", () => {
  for (const [one, other, expected] of [
    ["a\nb\nc", "a\nX\nc", { before: 1, one: ["b"], other: ["X"], after: 1 }],
    ["a\nb", "a\nb\nc", { before: 2, one: [], other: ["c"], after: 0 }],
    ["a\na", "a", { before: 1, one: ["a"], other: [], after: 0 }],
    ["", "a", { before: 0, one: [""], other: ["a"], after: 0 }],
    ["a\nb", "a\nb", { before: 2, one: [], other: [], after: 0 }],
  ] as const)
    assert.deepEqual(lineChanges(one, other), expected, `${one} and ${other}`);
});
