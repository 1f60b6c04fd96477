import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { BY_API, BY_FORM, confirmationWaitMs } from "./confirmations.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

describe("how long to wait for another confirmation mail", () => {
  const now = 100 * HOUR;
  const cases: [string, number[], number][] = [
    ["after none, not at all", [], 0],
    ["after one a minute ago, the rest of five", [MINUTE], 4 * MINUTE],
    ["after one five minutes ago, not at all", [5 * MINUTE], 0],
    ["after four in an hour, not at all", [6, 20, 40, 60].map((one) => one * MINUTE), 0],
    ["after five, until the first is a day old", [1, 2, 3, 4, 5].map((one) => one * HOUR), 19 * HOUR],
    ["after seven, until the fifth last is a day old", [1, 2, 3, 4, 5, 6, 7].map((h) => h * HOUR), 19 * HOUR],
    [
      "after five, the last just now, the longer of both",
      [0, 20, 21, 22, 23.99].map((h) => h * HOUR),
      5 * MINUTE,
    ],
  ];
  for (const [what, agesMs, expected] of cases) {
    it(what, () => {
      const recent = agesMs.map((age) => now - age);
      assert.equal(confirmationWaitMs(recent, now, BY_API), expected);
    });
  }

  it("is longer for a form: ten minutes, and three a day", () => {
    const wait = (...agesMs: number[]) =>
      confirmationWaitMs(
        agesMs.map((age) => now - age),
        now,
        BY_FORM,
      );
    assert.equal(wait(6 * MINUTE), 4 * MINUTE);
    assert.equal(wait(HOUR, 2 * HOUR), 0);
    assert.equal(wait(HOUR, 2 * HOUR, 3 * HOUR), 21 * HOUR);
  });
});
