import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { bucketStarts, type Interval } from "./buckets.ts";

const hoursOf = (starts: readonly Date[]) =>
  starts.slice(1).map((start, at) => (start.getTime() - (starts[at] as Date).getTime()) / 3_600_000);

/** Interval, zone, from, to; where the first begins; and how many hours each has. */
const cases: readonly [Interval, string, string, string, string, readonly number[]][] = [
  ["day", "UTC", "2026-11-14T09:30Z", "2026-11-16T00:00Z", "2026-11-14T00:00Z", [24, 24, 24]],
  ["day", "UTC", "2026-11-14T00:00Z", "2026-11-14T00:00Z", "2026-11-14T00:00Z", [24]],
  // Clocks go back on the 25th, and forward on 28 March.
  ["day", "Europe/London", "2026-10-24T12:00Z", "2026-10-26T12:00Z", "2026-10-23T23:00Z", [24, 25, 24]],
  ["day", "Europe/London", "2027-03-27T12:00Z", "2027-03-29T12:00Z", "2027-03-27T00:00Z", [24, 23, 24]],
  ["day", "America/New_York", "2026-11-01T03:00Z", "2026-11-01T12:00Z", "2026-10-31T04:00Z", [24, 25]],
  ["day", "Asia/Kathmandu", "2026-11-14T18:14Z", "2026-11-14T18:15Z", "2026-11-13T18:15Z", [24, 24]],
  ["day", "Pacific/Chatham", "2026-11-14T10:14Z", "2026-11-14T10:15Z", "2026-11-13T10:15Z", [24, 24]],
  // At midnight clocks go forward: the day begins at one.
  ["day", "Africa/Cairo", "2026-04-22T22:30Z", "2026-04-24T21:30Z", "2026-04-22T22:00Z", [24, 23, 24]],
  // The 30th was left out there.
  ["day", "Pacific/Apia", "2011-12-29T12:00Z", "2011-12-30T12:00Z", "2011-12-29T10:00Z", [24, 24]],
  ["hour", "UTC", "2026-11-14T09:30Z", "2026-11-14T11:59Z", "2026-11-14T09:00Z", [1, 1, 1]],
  ["hour", "Asia/Kathmandu", "2026-11-14T09:10Z", "2026-11-14T10:15Z", "2026-11-14T08:15Z", [1, 1, 1]],
  // Both hours from one to two are there, each by itself.
  ["hour", "Europe/London", "2026-10-25T00:30Z", "2026-10-25T01:30Z", "2026-10-25T00:00Z", [1, 1]],
  ["hour", "Europe/London", "2027-03-28T00:30Z", "2027-03-28T01:30Z", "2027-03-28T00:00Z", [1, 1]],
  // Clocks are put back by half an hour at two: half past one comes twice, within one hour.
  ["hour", "Australia/Lord_Howe", "2026-04-04T14:00Z", "2026-04-04T16:00Z", "2026-04-04T14:00Z", [1.5, 1]],
  ["hour", "Australia/Lord_Howe", "2026-10-03T15:00Z", "2026-10-03T16:00Z", "2026-10-03T14:30Z", [1, 0.5, 1]],
];

describe("buckets", () => {
  for (const [interval, timeZone, from, to, first, hours] of cases) {
    it(`of a ${interval} in ${timeZone} from ${from} to ${to}`, () => {
      const range = { from: new Date(from), to: new Date(to) };
      const starts = bucketStarts(interval, timeZone, range);
      assert.equal(starts[0]?.toISOString(), new Date(first).toISOString());
      assert.deepEqual(hoursOf(starts), hours);
      assert.ok((starts.at(-2) as Date) <= range.to && range.to < (starts.at(-1) as Date));
    });
  }

  it("are no more than is said", () => {
    const range = { from: new Date("2026-01-01"), to: new Date("2030-01-01") };
    assert.equal(bucketStarts("day", "UTC", range, 5).length, 6);
    assert.equal(bucketStarts("hour", "Europe/London", range).length, 1_001);
  });
});
