import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { beginningsOf, type Piece, piecesOf } from "./spans.ts";

const DAY_MS = 24 * 3_600_000;
const dayAt = (number: number) => new Date(number * DAY_MS).toISOString().slice(0, 10);

test("a year that begins and ends within months is quarters, months, thirds and days", () => {
  const written = piecesOf({ from: "2025-11-09", to: "2027-01-12" });
  assert.deepEqual(written, [
    { span: "day", from: "2025-11-09", to: "2025-11-10" },
    { span: "third", from: "2025-11-11", to: "2025-11-30" },
    { span: "month", from: "2025-12-01", to: "2025-12-31" },
    { span: "quarter", from: "2026-01-01", to: "2026-12-31" },
    { span: "third", from: "2027-01-01", to: "2027-01-10" },
    { span: "day", from: "2027-01-11", to: "2027-01-12" },
  ] satisfies Piece[]);
  assert.deepEqual(piecesOf({ from: "2026-02-21", to: "2026-02-28" }), [
    { span: "third", from: "2026-02-21", to: "2026-02-28" },
  ]);
});

test("what is added up over the pieces of a range has each of its days once, and no other", () => {
  const first = Date.UTC(2024, 0, 1) / DAY_MS;
  fc.assert(
    fc.property(fc.nat(500), fc.nat(450), (start, length) => {
      const from = first + start;
      const to = from + length;
      const pieces = piecesOf({ from: dayAt(from), to: dayAt(to) });
      for (let day = from - 40; day <= to + 40; day++) {
        const counted = beginningsOf(dayAt(day)).flatMap(({ span, begins }) =>
          pieces.filter((one) => one.span === span && one.from <= begins && begins <= one.to),
        );
        assert.equal(counted.length, day >= from && day <= to ? 1 : 0, dayAt(day));
      }
    }),
  );
});
