import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { AppError } from "../../platform/problems.ts";
import { forecastMonth } from "./forecast.ts";
import { dayIn, edgesOf, type GivenDays, type Interval, readDays, readSeriesDays, spanOf } from "./range.ts";

const today = Temporal.PlainDate.from("2026-11-18");
const days = (from: string, to: string) => ({
  from: Temporal.PlainDate.from(from),
  to: Temporal.PlainDate.from(to),
});
const written = ({ from, to }: ReturnType<typeof days>) => `${from} ${to}`;
const hoursOf = ({ from, to }: { from: Date; to: Date }) => (to.getTime() - from.getTime()) / 3_600_000;

describe("days of usage", () => {
  const CASES: readonly (readonly [given: GivenDays, expected: string])[] = [
    [{}, "2026-11-01 2026-11-30"],
    [{ from: "2026-10-05" }, "2026-10-05 2026-11-18"],
    [{ to: "2026-02-10" }, "2026-02-01 2026-02-10"],
    [{ from: "2024-02-29", to: "2024-02-29" }, "2024-02-29 2024-02-29"],
    [{ from: "2023-11-18", to: "2026-11-18" }, "2023-11-18 2026-11-18"],
  ];
  for (const [given, expected] of CASES)
    it(`are ${expected} for ${JSON.stringify(given)}`, () =>
      assert.equal(written(readDays(given, today)), expected));

  const REFUSED: readonly (readonly [given: GivenDays, interval: Interval, code: string])[] = [
    [{ from: "2026-02-31" }, "month", "invalid_day"],
    [{ to: "2025-02-29" }, "month", "invalid_day"],
    [{ from: "2026-11-19" }, "month", "invalid_range"],
    [{ from: "2026-11-02", to: "2026-11-01" }, "month", "invalid_range"],
    [{ from: "2020-01-01" }, "month", "invalid_range"],
    [{ from: "2025-01-01" }, "day", "invalid_range"],
    [{ from: "2026-10-01" }, "hour", "invalid_range"],
  ];
  for (const [given, interval, code] of REFUSED)
    it(`are refused: ${JSON.stringify(given)} by the ${interval}`, () => {
      const isRefused = (error: unknown) => error instanceof AppError && error.faults?.[0]?.code === code;
      assert.throws(() => readSeriesDays(given, interval, today), isRefused);
      if (interval === "month") assert.throws(() => readDays(given, today), isRefused);
    });

  it("have 23 and 25 hours where clocks change", () => {
    assert.equal(hoursOf(spanOf(days("2026-03-29", "2026-03-29"), "Europe/Berlin")), 23);
    assert.equal(hoursOf(spanOf(days("2026-10-25", "2026-10-25"), "Europe/Berlin")), 25);
    // In Cairo the clock goes from 23:59:59 to 1:00.
    const cairo = spanOf(days("2026-04-24", "2026-04-24"), "Africa/Cairo");
    assert.deepEqual([cairo.from.toISOString(), hoursOf(cairo)], ["2026-04-23T22:00:00.000Z", 23]);
  });

  it("are those of the account's zone", () => {
    const at = new Date("2026-10-31T23:30:00Z");
    assert.equal(String(dayIn("UTC", at)), "2026-10-31");
    assert.equal(String(dayIn("Europe/Berlin", at)), "2026-11-01");
    assert.equal(String(dayIn("America/Los_Angeles", at)), "2026-10-31");
  });
});

describe("intervals of usage", () => {
  for (const zone of ["UTC", "Europe/Berlin", "America/St_Johns", "Asia/Kolkata", "Africa/Cairo"])
    it(`follow each other without gap or overlap in ${zone}`, () => {
      const year = days("2026-01-01", "2026-12-31");
      const span = spanOf(year, zone);
      for (const [interval, count] of [
        ["day", 365],
        ["month", 12],
      ] as const) {
        const edges = edgesOf(year, interval, zone);
        assert.equal(edges.length, count + 1);
        assert.deepEqual([edges[0], edges.at(-1)], [span.from, span.to]);
        assert.ok(edges.every((edge, n) => n === 0 || edge > (edges[n - 1] as Date)));
      }
    });

  it("are as many hours as a day has, from the first that begins in it", () => {
    const edges = edgesOf(days("2026-10-25", "2026-10-25"), "hour", "Europe/Berlin");
    assert.equal(edges.length, 26);
    const kolkata = edgesOf(days("2026-10-25", "2026-10-25"), "hour", "Asia/Kolkata");
    assert.deepEqual([kolkata.length, kolkata[0]?.toISOString()], [25, "2026-10-24T19:00:00.000Z"]);
  });

  it("are cut where days begin and end within a month", () => {
    const edges = edgesOf(days("2026-01-31", "2026-03-02"), "month", "UTC");
    assert.deepEqual(
      edges.map((edge) => edge.toISOString().slice(0, 10)),
      ["2026-01-31", "2026-02-01", "2026-03-01", "2026-03-03"],
    );
  });
});

describe("the forecast of a month", () => {
  const base = { now: new Date("2026-11-16T00:00:00Z"), monthEnds: new Date("2026-12-01T00:00:00Z") };
  const old = new Date("2020-01-01T00:00:00Z");
  it("goes on as the last four weeks did", () =>
    assert.equal(forecastMonth({ ...base, month: 1_000, recent: 2_800, since: old }), 2_500));
  it("judges a new account by the days that it has been there", () =>
    assert.equal(
      forecastMonth({ ...base, month: 100, recent: 100, since: new Date("2026-11-14T00:00:00Z") }),
      850,
    ));
  it("takes an account of an hour for a day old", () =>
    assert.equal(forecastMonth({ ...base, month: 10, recent: 10, since: base.now }), 160));
  it("is what was sent where nothing was sent of late, and when the month is over", () => {
    assert.equal(forecastMonth({ ...base, month: 7, recent: 0, since: old }), 7);
    assert.equal(forecastMonth({ ...base, now: base.monthEnds, month: 7, recent: 70, since: old }), 7);
  });
});
