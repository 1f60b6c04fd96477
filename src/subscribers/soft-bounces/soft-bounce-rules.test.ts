import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { meetsSoftLimit } from "./soft-bounce-rules.ts";

const LIMITS = { soft_limit: 5, soft_days: 14, soft_half_life_days: 120 };
const day = (n: number) => new Date(Date.UTC(2026, 0, 1) + n * 86_400_000);
const every = (days: number, count: number) => Array.from({ length: count }, (_, n) => day(n * days));

describe("when soft bounces suppress", () => {
  const cases: readonly [string, readonly Date[], Date | null, boolean][] = [
    ["five in a day don't", every(0.2, 5), null, false],
    ["twenty within 13 days don't", every(0.65, 20), null, false],
    ["five over 14 days do", every(3.5, 5), null, true],
    ["four over 14 days don't", every(5, 4), null, false],
    ["five weekly ones do", every(7, 5), null, true],
    ["five monthly ones don't, because the first have faded", every(30, 5), null, false],
    ["eight monthly ones do", every(30, 8), null, true],
    ["one a year never does", every(365, 30), null, false],
    ["none doesn't", [], null, false],
    ["five before a mail arrived don't", every(7, 5), day(29), false],
    ["those after a mail arrived begin anew", every(7, 6), day(3), true],
    ["those after a mail arrived are counted without the earlier ones", every(7, 5), day(3), false],
    ["what met the limit once stays met, however long ago", [...every(7, 5), day(2_000)], null, true],
  ];
  for (const [name, times, reachedAt, expected] of cases)
    test(name, () => assert.equal(meetsSoftLimit(times, reachedAt, LIMITS), expected));

  test("the order in which they become known doesn't matter", () => {
    const times = every(7, 5);
    assert.equal(meetsSoftLimit(times.toReversed(), null, LIMITS), true);
  });

  test("the account's own limits count", () => {
    const two = { soft_limit: 2, soft_days: 1, soft_half_life_days: 7 };
    assert.equal(meetsSoftLimit(every(1, 2), null, two), true);
    assert.equal(meetsSoftLimit(every(0.9, 2), null, two), false);
    assert.equal(meetsSoftLimit(every(30, 2), null, two), false);
  });
});
