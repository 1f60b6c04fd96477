import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { readEta } from "./progress.ts";

const now = new Date("2026-11-18T12:00:00Z");
const after = (seconds: number) => new Date(now.getTime() + seconds * 1_000);

describe("when a campaign is through", () => {
  const cases = [
    ["all leave at the rate of the moment", { remaining: 1_000, batched: 1_000, perSecond: 10 }, 100],
    [
      "those who aren't planned yet do too",
      { remaining: 900, unplanned: 600, batched: 300, perSecond: 9 },
      100,
    ],
    [
      "those who were put off leave when they are due, and not at the rate of a slow beginning",
      { remaining: 30_000, batched: 20, perSecond: 0.5, lastDueAt: after(630) },
      630,
    ],
    [
      "those who were put off for two hours leave later than all others",
      { remaining: 5_000, batched: 4_000, perSecond: 100, lastDueAt: after(7_200) },
      7_200,
    ],
    [
      "many others leave later than the last who was put off",
      { remaining: 90_000, batched: 89_000, perSecond: 10, lastDueAt: after(600) },
      8_900,
    ],
    [
      "where all were put off, the last of them says it",
      { remaining: 40, perSecond: 0, lastDueAt: after(60) },
      60,
    ],
    [
      "a batch whose mails have mostly left counts for no more than what is left",
      { remaining: 10, batched: 500, perSecond: 1 },
      10,
    ],
    ["whoever is due already leaves now", { remaining: 3, perSecond: 1, lastDueAt: after(-5) }, 0],
  ] as const;
  for (const [name, left, seconds] of cases)
    test(name, () => {
      const found = readEta({ unplanned: 0, batched: 0, lastDueAt: null, now, ...left });
      assert.deepEqual(found, after(seconds));
    });

  test("nobody knows while nothing leaves", () => {
    const left = { remaining: 10, unplanned: 0, perSecond: 0, now };
    assert.equal(readEta({ ...left, batched: 10, lastDueAt: null }), null);
    assert.equal(readEta({ ...left, batched: 5, lastDueAt: after(60) }), null);
    assert.equal(readEta({ ...left, batched: 0, lastDueAt: null }), null);
  });
});
