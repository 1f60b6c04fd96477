import assert from "node:assert/strict";
import { test } from "node:test";
import { dayAfter, daysOfMonth, monthsBetween } from "./months.ts";
import { readUsageSearch } from "./search.ts";

test("a month has its first and its last day, also in leap years and in December", () => {
  assert.deepEqual(daysOfMonth("2026-11"), { from: "2026-11-01", to: "2026-11-30" });
  assert.deepEqual(daysOfMonth("2028-02"), { from: "2028-02-01", to: "2028-02-29" });
  assert.deepEqual(daysOfMonth("2026-12"), { from: "2026-12-01", to: "2026-12-31" });
});

test("days follow each other over the end of a month and over a change of the clock", () => {
  assert.deepEqual(
    [0, 1, 30].map((count) => dayAfter("2026-03-28", count)),
    ["2026-03-28", "2026-03-29", "2026-04-27"],
  );
});

test("the months to choose from go back to the first, newest first, and three years at most", () => {
  assert.deepEqual(monthsBetween("2025-11", "2026-02"), ["2026-02", "2026-01", "2025-12", "2025-11"]);
  assert.deepEqual(monthsBetween("2026-03", "2026-02"), ["2026-02"]);
  assert.equal(monthsBetween("2001-01", "2026-02").length, 36);
});

test("an address with anything but a month says none", () => {
  assert.deepEqual(readUsageSearch({ month: "2026-11" }), { month: "2026-11", cursor: undefined });
  for (const month of ["2026-13", "2026-1", "1999-01", 202611, "x"])
    assert.equal(readUsageSearch({ month }).month, undefined);
});
