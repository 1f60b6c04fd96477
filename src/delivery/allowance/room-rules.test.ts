import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  dayAround,
  describeQuota,
  type Limits,
  reachedThresholds,
  roomOf,
  type Taken,
} from "./room-rules.ts";

const limits: Limits = {
  from: new Date("2026-11-01T00:00:00Z"),
  to: new Date("2026-11-30T23:00:00Z"),
  timeZone: "Europe/Berlin",
  mails: 1_000,
  transactionalReserve: 0,
  day: null,
};
const none: Taken = {
  used: 0,
  usedTransactional: 0,
  usedToday: 0,
  reserved: 0,
  reservedTransactional: 0,
};

describe("what is left of an allowance", () => {
  test("is what was neither sent nor reserved, and negative where the limit is below that", () => {
    assert.deepEqual(roomOf(limits, { ...none, used: 600, reserved: 150 }, false), {
      left: 250,
      of: "period",
    });
    assert.equal(roomOf(limits, { ...none, used: 1_200 }, false).left, -200);
  });

  test("keeps the reserve for transactional mail, less what that has used of it", () => {
    const reserving = { ...limits, transactionalReserve: 200 };
    assert.equal(roomOf(reserving, none, false).left, 800);
    assert.equal(roomOf(reserving, none, true).left, 1_000);
    const taken = { ...none, used: 150, usedTransactional: 150, reserved: 30, reservedTransactional: 30 };
    assert.equal(roomOf(reserving, taken, false).left, 800);
    const more = { ...none, used: 300, usedTransactional: 300 };
    assert.equal(roomOf(reserving, more, false).left, 700);
  });

  test("is that of the day where it is less", () => {
    const day = { ...dayAround(new Date("2026-11-18T15:00:00Z"), "Europe/Berlin"), mails: 100 };
    assert.deepEqual(roomOf({ ...limits, day }, { ...none, used: 400, usedToday: 40, reserved: 10 }, false), {
      left: 50,
      of: "day",
    });
    assert.deepEqual(roomOf({ ...limits, mails: null, day }, none, false), { left: 100, of: "day" });
    assert.deepEqual(roomOf({ ...limits, day }, { ...none, used: 990, usedToday: 1 }, false), {
      left: 10,
      of: "period",
    });
  });
});

test("a day is one of the time zone, also where clocks change", () => {
  const { from, to } = dayAround(new Date("2026-10-25T12:00:00Z"), "Europe/Berlin");
  assert.deepEqual(
    [from.toISOString(), to.toISOString()],
    ["2026-10-24T22:00:00.000Z", "2026-10-25T23:00:00.000Z"],
  );
});

describe("days of zones that are off by a part of an hour", () => {
  const HOUR_MS = 3_600_000;
  const zones = [
    "Asia/Kolkata",
    "Asia/Kathmandu",
    "Australia/Adelaide",
    "Australia/Lord_Howe",
    "Europe/Berlin",
  ];
  /** Clocks change in each of these. */
  const spans = [
    [Date.UTC(2026, 2, 25), Date.UTC(2026, 3, 8)],
    [Date.UTC(2026, 9, 1), Date.UTC(2026, 9, 28)],
  ] as const;
  for (const zone of zones)
    test(`have every hour once, in ${zone}`, () => {
      for (const [begin, end] of spans) {
        let day = dayAround(new Date(begin), zone);
        for (let ms = begin; ms < end; ms += HOUR_MS) {
          if (ms >= day.to.getTime()) {
            const next = dayAround(new Date(ms), zone);
            assert.deepEqual(next.from, day.to, "a day begins where the one before ended");
            day = next;
          }
          assert.ok(day.from.getTime() % HOUR_MS === 0 && day.to.getTime() % HOUR_MS === 0);
          for (const minute of [0, 29, 30, 59])
            assert.deepEqual(dayAround(new Date(ms + minute * 60_000), zone), day);
        }
      }
    });

  test("count what is sent right after midnight for the day that begins", () => {
    const around = (at: string, zone: string) => {
      const { from, to } = dayAround(new Date(at), zone);
      return [from.toISOString(), to.toISOString()];
    };
    const day = ["2026-11-17T18:00:00.000Z", "2026-11-18T18:00:00.000Z"];
    assert.deepEqual(around("2026-11-17T18:45:00Z", "Asia/Kolkata"), day);
    assert.deepEqual(around("2026-11-18T17:59:59Z", "Asia/Kathmandu"), day);
    assert.deepEqual(around("2026-10-03T15:00:00Z", "Australia/Adelaide"), [
      "2026-10-03T14:00:00.000Z",
      "2026-10-04T13:00:00.000Z",
    ]);
    assert.deepEqual(around("2026-10-03T14:00:00Z", "Australia/Lord_Howe"), [
      "2026-10-03T13:00:00.000Z",
      "2026-10-04T13:00:00.000Z",
    ]);
  });
});

test("thresholds are reached at the very mail", () => {
  assert.deepEqual(reachedThresholds(1_000, 499), []);
  assert.deepEqual(reachedThresholds(1_000, 500), [50]);
  assert.deepEqual(reachedThresholds(1_000, 950), [50, 80, 90]);
  assert.deepEqual(reachedThresholds(3, 2), [50]);
  assert.deepEqual(reachedThresholds(0, 0), [50, 80, 90, 100]);
  assert.deepEqual(reachedThresholds(null, 10 ** 9), []);
});

test("what is used up is said in the days of the time zone", () => {
  assert.equal(describeQuota(limits), "the 1,000 mails until 1 December 2026 are used up");
});
