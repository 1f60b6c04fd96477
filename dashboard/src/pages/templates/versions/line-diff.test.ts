import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { diffLines } from "./line-diff.ts";

const SIGNS = { same: " ", removed: "-", added: "+" };
const shown = (before: string, after: string) =>
  diffLines(before, after).map(({ kind, text }) => SIGNS[kind] + text);

/** Both texts must be there again, in their order and with their numbers. */
function assertWhole(before: string, after: string): void {
  const lines = diffLines(before, after);
  for (const [side, text] of [
    ["before", before],
    ["after", after],
  ] as const) {
    const own = lines.filter((line) => line[side] !== null);
    assert.equal(own.map((line) => line.text).join("\n"), text);
    assert.deepEqual(
      own.map((line) => line[side]),
      own.map((_, index) => index + 1),
    );
  }
}

describe("the difference of two texts, by lines", () => {
  test("says what went, what came and what stayed", () => {
    assert.deepEqual(shown("a\nb\nc\nd", "a\nc\nx\nd"), [" a", "-b", " c", "+x", " d"]);
    assert.deepEqual(shown("", "a\nb"), ["+a", "+b"]);
    assert.deepEqual(shown("a", ""), ["-a"]);
    assert.deepEqual(shown("a\n", "a\n"), [" a", " "]);
  });

  test("isn't misled by lines that stand in many places", () => {
    const before = "<tr>\none\n</tr>\n<tr>\ntwo\n</tr>";
    const after = "<tr>\none\n</tr>\n<tr>\nnew\n</tr>\n<tr>\ntwo\n</tr>";
    assert.deepEqual(
      shown(before, after)
        .filter((line) => !line.startsWith(" "))
        .toSorted(),
      ["+</tr>", "+<tr>", "+new"],
    );
    assert.deepEqual(shown("x\nx\ny\nx", "x\ny\nx\nx").filter((line) => line.startsWith(" ")).length, 3);
  });

  test("takes no line end of Windows for a change", () => {
    assert.deepEqual(shown("a\r\nb", "a\nb"), [" a", " b"]);
  });

  test("has both texts whole, whatever they are", () => {
    let seed = 7;
    const random = (below: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return seed % below;
    };
    for (let round = 0; round < 200; round++) {
      const text = () => Array.from({ length: 1 + random(30) }, () => `l${random(6)}`).join("\n");
      assertWhole(text(), text());
    }
  });

  test("of two texts of half a megabyte without a line in common or with few other lines is found too", () => {
    const blank = (count: number) => "\n".repeat(count);
    assert.equal(diffLines(blank(400_000), blank(400_001)).length, 400_002);
    const many = (word: string) => Array.from({ length: 50_000 }, (_, n) => `${word} ${n}`).join("\n");
    assertWhole(many("one"), many("two"));
    // No line stands once, so nothing holds the texts together.
    const repeated = (every: number) =>
      Array.from({ length: 60_000 }, (_, n) => (n % every === 0 ? "<br>" : "<td>")).join("\n");
    assertWhole(repeated(3), repeated(5));
    const long = "x".repeat(500_000);
    assert.deepEqual(
      diffLines(`a\n${long}`, `b\n${long}y`).map(({ kind }) => kind),
      ["removed", "removed", "added", "added"],
    );
  });
});
