import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createPace } from "./pace.ts";

const PIECE = 64 * 1_024;

/** Reads pieces of 64 KB, each so long after the one before, and answers after how many seconds it is cut off; undefined if never. */
function cutOffAfter(eachMs: number, pace = createPace()): number | undefined {
  for (let ms = 0; ms < 3_600_000; ms += eachMs) {
    pace.took(PIECE);
    if (pace.isTooSlow(eachMs)) return (ms + eachMs) / 1_000;
    pace.waited(eachMs);
  }
  return undefined;
}

describe("a reader of an export", () => {
  it("is cut off within minutes where it takes less than 64 KB a second, and never otherwise", () => {
    const cases = [
      [1, undefined],
      [1_000, undefined],
      [2_000, 120],
      [30_000, 90],
      [59_000, 118],
      [61_000, 61],
    ] as const;
    for (const [eachMs, seconds] of cases) assert.equal(cutOffAfter(eachMs), seconds, String(eachMs));
  });

  it("gains nothing by having read fast before", () => {
    const pace = createPace();
    pace.took(1_000 * PIECE);
    assert.equal(cutOffAfter(59_000, pace), 118);
  });
});
