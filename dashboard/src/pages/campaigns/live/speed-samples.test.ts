import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { byMinute, type Sample, speedOf, withSample } from "./speed-samples.ts";

const MINUTE_MS = 60_000;

describe("the speed of the last quarter of an hour", () => {
  test("is what was done between two samples", () => {
    const samples = [
      { at: 0, done: 0 },
      { at: 5_000, done: 500 },
      { at: 10_000, done: 550 },
    ];
    assert.deepEqual(speedOf(samples), [
      { at: 5_000, perSecond: 100 },
      { at: 10_000, perSecond: 10 },
    ]);
    assert.deepEqual(speedOf([]), []);
  });

  test("takes no sample too soon, forgets what is old, and never goes backwards", () => {
    const first = withSample([], { at: 0, done: 10 });
    assert.equal(withSample(first, { at: 1_000, done: 20 }), first);
    assert.equal(withSample(first, { at: 9_000, done: 5 }), first);
    const many = Array.from({ length: 40 }, (_, n) => n).reduce<readonly Sample[]>(
      (known, n) => withSample(known, { at: n * MINUTE_MS, done: n }),
      [],
    );
    assert.deepEqual([many[0]?.at, many.at(-1)?.at], [24 * MINUTE_MS, 39 * MINUTE_MS]);
  });

  test("by the minute is the mean of its points", () => {
    const points = [
      { at: 61_000, perSecond: 10 },
      { at: 66_000, perSecond: 20 },
      { at: 121_000, perSecond: 7 },
    ];
    assert.deepEqual(byMinute(points), [
      { at: 60_000, perSecond: 15 },
      { at: 120_000, perSecond: 7 },
    ]);
  });
});
