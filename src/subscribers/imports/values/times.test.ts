import assert from "node:assert/strict";
import { test } from "node:test";
import { isAmbiguous, orderOf, readDate, readTime } from "./times.ts";

const now = new Date("2026-11-16T12:00:00Z");
const read = (text: string, order: "dmy" | "mdy" = "dmy") =>
  readTime(text, order, now)?.toISOString() ?? String(readTime(text, order, now));

for (const [text, wanted] of [
  ["2018-10-11 09:55:14", "2018-10-11T09:55:14.000Z"],
  ["2018-10-11", "2018-10-11T00:00:00.000Z"],
  ["2018/1/2 3:04", "2018-01-02T03:04:00.000Z"],
  ["2026-11-14T09:30:00.123Z", "2026-11-14T09:30:00.123Z"],
  ["2026-11-14T09:30:00+05:30", "2026-11-14T04:00:00.000Z"],
  ["2023-01-02 15:04:05.999999 +0200 CEST", "2023-01-02T13:04:05.999Z"],
  ["12-04-2022 09:30", "2022-04-12T09:30:00.000Z"],
  ["06.05.2021", "2021-05-06T00:00:00.000Z"],
  ["04/13/2025 5:06 PM", "2025-04-13T17:06:00.000Z"],
  ["13/04/2025", "2025-04-13T00:00:00.000Z"],
  ["Mar 5, 2024 12:01 am", "2024-03-05T00:01:00.000Z"],
  ["Tuesday, March 5th, 2024", "2024-03-05T00:00:00.000Z"],
  ["5 March 2024", "2024-03-05T00:00:00.000Z"],
  ["Tue, 05 Mar 2024 10:00:00 -0100", "2024-03-05T11:00:00.000Z"],
  ["1700000000", "2023-11-14T22:13:20.000Z"],
  ["1700000000123", "2023-11-14T22:13:20.123Z"],
  ["0000-00-00 00:00:00", "null"],
] as const) {
  test(`${text} is read`, () => assert.equal(read(text), wanted));
}

for (const text of [
  "31/04/2025",
  "2024-02-30",
  "2024-13-01",
  "2024-01-01 25:00",
  "13:00 pm 2024-01-01",
  "2030-01-01",
  "1889-01-01",
  "yesterday",
  "12",
  "45000.5",
  "2024-01-01; drop table",
  "5 Foo 2024",
  "1".repeat(10_000),
]) {
  test(`${text.slice(0, 30)} is no time`, () => assert.equal(read(text), "undefined"));
}

test("three numbers are read in the order that was said, and by a cell that tells it", () => {
  assert.equal(read("03/04/2025", "dmy"), "2025-04-03T00:00:00.000Z");
  assert.equal(read("03/04/2025", "mdy"), "2025-03-04T00:00:00.000Z");
  assert.equal(orderOf(["", "03/04/2025", "03/14/2025"]), "mdy");
  assert.equal(orderOf(["03-04-2025", "14-03-2025"]), "dmy");
  assert.equal(orderOf(["03/04/2025"]), undefined);
  assert.equal(orderOf(["25.12.2024", "03/14/2025"]), "mdy");
  assert.deepEqual(["03/04/2025", "03/03/2025", "13/04/2025", "03.04.2025", "2025-03-04"].map(isAmbiguous), [
    true,
    false,
    false,
    false,
    false,
  ]);
});

test("a birthday may be of any year", () => {
  assert.equal(readDate("10/12/1815", "mdy")?.toISOString(), "1815-10-12T00:00:00.000Z");
});
