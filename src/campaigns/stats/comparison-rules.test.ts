import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { compare, type Earlier, type Standing } from "./comparison-rules.ts";

const day = (n: number) => new Date(Date.UTC(2026, 9, n));
/** The newest is first. */
const earlier = (...values: number[]): Earlier[] => values.map((value, at) => ({ value, at: day(20 - at) }));
const TEN = earlier(0.45, 0.46, 0.44, 0.47, 0.43, 0.48, 0.42, 0.6, 0.41, 0.3);

/** A rate beside those ten, whether opens may still come, what is said of it, and since when. */
const cases: readonly [number, boolean, Standing, Date | null][] = [
  [0.45, true, "usual", null],
  [0.4, true, "usual", null],
  [0.49, true, "usual", null],
  [0.5, true, "higher", day(13)],
  [0.6, true, "higher", day(13)],
  [0.61, true, "higher", null],
  [0.35, true, "lower", day(11)],
  [0.2, true, "lower", null],
  [0.2, false, "early", null],
  [0.45, false, "early", null],
  [0.61, false, "higher", null],
];

describe("a rate beside those of ten earlier campaigns", () => {
  for (const [value, isSettled, standing, since] of cases) {
    it(`of ${value} is ${standing}${isSettled ? "" : ", in the first days"}`, () => {
      const found = compare(value, TEN, { isSettled });
      assert.deepEqual([found?.standing, found?.since], [standing, since]);
    });
  }

  it("has a band that the outermost don't widen", () => {
    const found = compare(0.45, TEN, { isSettled: true });
    assert.ok(found && Math.abs(found.band.from - 0.399) < 1e-9 && Math.abs(found.band.to - 0.492) < 1e-9);
    assert.deepEqual([found.lowest, found.highest], [0.3, 0.6]);
    assert.ok(Math.abs(found.average - 0.446) < 1e-9);
  });

  it("is usual within a tenth of the average where they hardly differ", () => {
    const alike = earlier(0.5, 0.5, 0.5, 0.5);
    const found = [0.44, 0.46, 0.54, 0.56].map(
      (value) => compare(value, alike, { isSettled: true })?.standing,
    );
    assert.deepEqual(found, ["lower", "usual", "usual", "higher"]);
  });

  it("is not compared with fewer than three", () => {
    assert.equal(compare(0.5, earlier(0.4, 0.5), { isSettled: true }), undefined);
    assert.equal(compare(0.5, earlier(0.5, 0.5, 0.5), { isSettled: true })?.standing, "usual");
    assert.equal(compare(0, earlier(0, 0, 0), { isSettled: true })?.standing, "usual");
  });
});
