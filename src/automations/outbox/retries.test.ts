import assert from "node:assert/strict";
import { test } from "node:test";
import { pauseAfter, waitAfter } from "./retries.ts";

const HOUR = 3_600_000;

test("what failed is tried again over a day, and then no more", () => {
  const waits = Array.from({ length: 8 }, (_, at) => waitAfter(at + 1, undefined, 0));
  assert.equal(waits.at(-1), undefined);
  const all = waits.reduce<number>((sum, wait) => sum + (wait ?? 0), 0);
  assert.ok(all > 24 * HOUR && all < 25 * HOUR);
  assert.equal(waitAfter(1, HOUR, 0), HOUR);
  assert.equal(waitAfter(7, 1_000, 0), 12 * HOUR);
});

test("a receiver is left alone once it has failed eight times in a row, for a minute at most", () => {
  assert.deepEqual([7, 8, 9, 50].map(pauseAfter), [0, 5_000, 10_000, 60_000]);
});
