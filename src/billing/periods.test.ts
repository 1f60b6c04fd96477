import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { afterDays, hourOf, INTERVALS, type Interval, periodAt, returnOf } from "./periods.ts";

const RETURNS: readonly [anchor: string, interval: Interval, timeZone: string, returns: readonly string[]][] =
  [
    [
      "2026-01-31T00:00:00Z",
      "month",
      "UTC",
      ["2026-02-28T00:00Z", "2026-03-31T00:00Z", "2026-04-30T00:00Z", "2026-05-31T00:00Z"],
    ],
    // 2028 is a leap year.
    ["2027-12-30T12:00:00Z", "month", "UTC", ["2028-01-30T12:00Z", "2028-02-29T12:00Z", "2028-03-30T12:00Z"]],
    [
      "2028-02-29T00:00:00Z",
      "year",
      "UTC",
      ["2029-02-28T00:00Z", "2030-02-28T00:00Z", "2031-02-28T00:00Z", "2032-02-29T00:00Z"],
    ],
    // Midnight in Berlin is 23:00 in winter and 22:00 in summer.
    ["2026-01-31T23:00:00Z", "month", "Europe/Berlin", ["2026-02-28T23:00Z", "2026-03-31T22:00Z"]],
    // On 29 March 2026 there is no 02:00 in Berlin, and the period before and the one after still meet.
    [
      "2026-01-29T01:00:00Z",
      "month",
      "Europe/Berlin",
      ["2026-02-28T01:00Z", "2026-03-29T01:00Z", "2026-04-29T00:00Z"],
    ],
    // On 1 November 2026 01:00 comes twice in New York, and the first is meant.
    ["2026-10-01T05:00:00Z", "month", "America/New_York", ["2026-11-01T05:00Z", "2026-12-01T06:00Z"]],
    // Whenever within an hour it is: periods meet where the hour began.
    ["2026-01-31T23:59:59.999Z", "month", "UTC", ["2026-02-28T23:00Z", "2026-03-31T23:00Z"]],
    // Kathmandu is off by 5:45, and its hours begin within those of UTC.
    ["2026-01-31T18:15:00Z", "month", "Asia/Kathmandu", ["2026-02-28T18:00Z", "2026-03-31T18:00Z"]],
    // On Lord Howe clocks change by half an hour, on 5 April and 4 October 2026.
    [
      "2026-03-20T13:00:00Z",
      "month",
      "Australia/Lord_Howe",
      ["2026-04-20T13:00Z", "2026-05-20T13:00Z", "2026-06-20T13:00Z", "2026-07-20T13:00Z"],
    ],
  ];

describe("the returns of an anchor", () => {
  for (const [anchor, interval, timeZone, returns] of RETURNS) {
    test(`of ${anchor} each ${interval} in ${timeZone}`, () => {
      const rhythm = { anchor: new Date(anchor), interval, timeZone };
      const found = returns.map((_, at) => returnOf(rhythm, at + 1).toISOString());
      assert.deepEqual(
        found,
        returns.map((one) => new Date(one).toISOString()),
      );
    });
  }
});

const ZONES = [
  "UTC",
  "Europe/Berlin",
  "America/New_York",
  "Pacific/Apia",
  "Australia/Lord_Howe",
  "Asia/Kathmandu",
];
const moments = fc.date({ min: new Date("2000-01-01"), max: new Date("2100-01-01"), noInvalidDate: true });
const rhythms = fc.record({
  anchor: moments.map(hourOf),
  interval: fc.constantFrom(...INTERVALS),
  timeZone: fc.constantFrom(...ZONES),
});

describe("periods", () => {
  test("have every moment in exactly one, and the next begins where one ends", () => {
    fc.assert(
      fc.property(rhythms, moments, (rhythm, at) => {
        const period = periodAt(rhythm, at);
        assert.ok(period.from <= at && at < period.to);
        assert.deepEqual([hourOf(period.from), hourOf(period.to)], [period.from, period.to]);
        assert.deepEqual(periodAt(rhythm, period.from), period);
        assert.deepEqual(periodAt(rhythm, new Date(period.to.getTime() - 1)), period);
        assert.deepEqual(periodAt(rhythm, period.to).from, period.to);
      }),
      { numRuns: 500 },
    );
  });

  test("begin with the anchor, and with none before it that reaches beyond it", () => {
    fc.assert(
      fc.property(rhythms, (rhythm) => {
        assert.deepEqual(periodAt(rhythm, rhythm.anchor).from, rhythm.anchor);
        assert.deepEqual(periodAt(rhythm, new Date(rhythm.anchor.getTime() - 1)).to, rhythm.anchor);
      }),
    );
  });

  test("are all there, one for each month, over twenty years", () => {
    const rhythm = {
      anchor: new Date("2026-01-31T08:00:00Z"),
      interval: "month",
      timeZone: "Europe/Berlin",
    } as const;
    let period = periodAt(rhythm, rhythm.anchor);
    for (let number = 0; number < 240; number++) {
      const day = Temporal.Instant.from(period.from.toISOString()).toZonedDateTimeISO(rhythm.timeZone);
      assert.equal(day.day, Math.min(31, day.daysInMonth));
      assert.deepEqual(period.from, returnOf(rhythm, number));
      period = periodAt(rhythm, period.to);
    }
  });
});

test("a trial ends at the hour at which it began, also over a change of clocks", () => {
  const ends = afterDays(new Date("2026-03-20T08:00:00Z"), 14, "Europe/Berlin");
  assert.equal(ends.toISOString(), "2026-04-03T07:00:00.000Z");
});
