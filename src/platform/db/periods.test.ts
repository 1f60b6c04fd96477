import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type Every, periodAfter, periodOf } from "./periods.ts";

const cases: readonly [Every, string, string, string, string][] = [
  ["day", "2026-11-15T23:59:59.999Z", "2026-11-15", "2026-11-16", "20261115"],
  ["day", "2028-02-29T00:00:00.000Z", "2028-02-29", "2028-03-01", "20280229"],
  ["week", "2026-11-15T23:59:59.999Z", "2026-11-09", "2026-11-16", "2026w46"],
  ["week", "2026-11-16T00:00:00.000Z", "2026-11-16", "2026-11-23", "2026w47"],
  ["week", "2027-01-01T12:00:00.000Z", "2026-12-28", "2027-01-04", "2026w53"],
  ["week", "2024-12-31T12:00:00.000Z", "2024-12-30", "2025-01-06", "2025w01"],
  ["month", "2026-12-31T23:59:59.999Z", "2026-12-01", "2027-01-01", "202612"],
];

for (const [every, at, from, to, label] of cases) {
  test(`the ${every} of ${at} is ${label}`, () => {
    const period = periodOf(every, new Date(at));
    assert.deepEqual(period, { from: new Date(from), to: new Date(to), label });
  });
}

test("every moment is inside its period, and the next one begins where it ends, under another label", () => {
  const moment = fc.date({ min: new Date("2000-01-01"), max: new Date("2100-01-01"), noInvalidDate: true });
  fc.assert(
    fc.property(fc.constantFrom<Every>("day", "week", "month"), moment, (every, at) => {
      const period = periodOf(every, at);
      const next = periodAfter(every, period);
      assert.ok(period.from <= at && at < period.to);
      assert.deepEqual(next.from, period.to);
      assert.ok(next.label > period.label);
    }),
  );
});
