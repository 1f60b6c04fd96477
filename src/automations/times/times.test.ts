import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { WEEKDAYS, type Weekday } from "../graph-types.ts";
import {
  addSpan,
  atLeastMs,
  isHour,
  momentOfDate,
  nextMoment,
  nextReturnOfDate,
  nextSendTime,
  readDuration,
} from "./times.ts";

const BERLIN = "Europe/Berlin";
const at = (text: string) => new Date(text);
const span = (text: string) => readDuration(text) as Temporal.Duration;
const NO_RULES = { window: undefined, quiet: undefined, weekdays: [] };

describe("a span", () => {
  test("is read as it is written", () => {
    assert.equal(atLeastMs(span("P2D")), 48 * 3_600_000);
    assert.equal(atLeastMs(span("P1W")), 7 * 24 * 3_600_000);
    assert.equal(atLeastMs(span("P1DT30M")), 24.5 * 3_600_000);
    assert.equal(atLeastMs(span("P366D")), 366 * 24 * 3_600_000);
  });

  for (const wrong of [
    "P0D",
    "P400D",
    "P367D",
    "P366DT1M",
    "P",
    "PT",
    "P1DT",
    "2D",
    "P-1D",
    "P1Y",
    "P1.5D",
    "p1d",
    " P1D",
    "PT99999H",
  ])
    test(`${wrong} is none`, () => {
      assert.ok("wrong" in readDuration(wrong));
    });

  test("of days keeps the hour of the clock, and one of hours doesn't", () => {
    // Clocks went forward in Berlin on 29 March 2026.
    const from = at("2026-03-28T09:00:00+01:00");
    assert.deepEqual(addSpan(from, span("P1D"), BERLIN), at("2026-03-29T09:00:00+02:00"));
    assert.deepEqual(addSpan(from, span("PT24H"), BERLIN), at("2026-03-29T10:00:00+02:00"));
  });
});

describe("an hour", () => {
  test("is today's unless it is over", () => {
    const nine = { at: "09:00", weekdays: [] };
    assert.deepEqual(nextMoment(at("2026-11-17T08:00:00Z"), "UTC", nine), at("2026-11-17T09:00:00Z"));
    assert.deepEqual(nextMoment(at("2026-11-17T09:00:00Z"), "UTC", nine), at("2026-11-17T09:00:00Z"));
    assert.deepEqual(nextMoment(at("2026-11-17T09:00:00Z"), "UTC", nine, true), at("2026-11-18T09:00:00Z"));
    assert.deepEqual(nextMoment(at("2026-11-17T09:00:01Z"), "UTC", nine), at("2026-11-18T09:00:00Z"));
  });

  test("may want a day of the week, and a day of the week keeps the hour", () => {
    const monday: readonly Weekday[] = ["mon"];
    // 17 November 2026 is a Tuesday.
    const from = at("2026-11-17T10:00:00Z");
    assert.deepEqual(nextMoment(from, "UTC", { at: "09:00", weekdays: monday }), at("2026-11-23T09:00:00Z"));
    assert.deepEqual(nextMoment(from, "UTC", { at: "09:00", weekdays: ["tue"] }), at("2026-11-24T09:00:00Z"));
    assert.deepEqual(
      nextMoment(from, "UTC", { at: undefined, weekdays: monday }),
      at("2026-11-23T10:00:00Z"),
    );
    assert.deepEqual(nextMoment(from, "UTC", { at: undefined, weekdays: ["tue"] }), from);
  });

  test("that is skipped goes forward, and of one that comes twice the first is taken", () => {
    const half = { at: "02:30", weekdays: [] };
    assert.deepEqual(nextMoment(at("2026-03-28T23:30:00Z"), BERLIN, half), at("2026-03-29T03:30:00+02:00"));
    assert.deepEqual(nextMoment(at("2026-10-24T23:30:00Z"), BERLIN, half), at("2026-10-25T02:30:00+02:00"));
  });

  test("has two digits on both sides", () => {
    for (const good of ["00:00", "09:30", "23:59"]) assert.ok(isHour(good));
    for (const bad of ["24:00", "9:00", "09:60", "09:00:00", "", 9, null]) assert.ok(!isHour(bad));
  });
});

describe("a date", () => {
  test("is so many days before or after, at an hour of the person's clock", () => {
    assert.deepEqual(momentOfDate("2026-12-24", -3, "08:00", "Asia/Tokyo"), at("2026-12-21T08:00:00+09:00"));
    assert.deepEqual(momentOfDate("2026-12-30", 3, "08:00", "UTC"), at("2027-01-02T08:00:00Z"));
  });

  test("returns each year, and 29 February is the 28th in other years", () => {
    const next = (from: string, offset = 0) =>
      nextReturnOfDate("2000-02-29", offset, "09:00", "UTC", at(from));
    assert.deepEqual(next("2026-01-01T00:00:00Z"), at("2026-02-28T09:00:00Z"));
    assert.deepEqual(next("2027-03-01T00:00:00Z"), at("2028-02-29T09:00:00Z"));
    assert.deepEqual(next("2026-02-28T09:00:00Z"), at("2026-02-28T09:00:00Z"));
    assert.deepEqual(next("2026-02-28T09:00:01Z"), at("2027-02-28T09:00:00Z"));
    assert.deepEqual(next("2026-02-22T00:00:00Z", -7), at("2027-02-21T09:00:00Z"));
  });

  test("with a long offset finds the return of the year beside", () => {
    assert.deepEqual(
      nextReturnOfDate("1990-12-31", 10, "09:00", "UTC", at("2026-01-05T00:00:00Z")),
      at("2026-01-10T09:00:00Z"),
    );
    assert.deepEqual(
      nextReturnOfDate("1990-01-02", -10, "09:00", "UTC", at("2026-12-20T00:00:00Z")),
      at("2026-12-23T09:00:00Z"),
    );
  });

  test("of the future doesn't return before it was", () => {
    assert.deepEqual(
      nextReturnOfDate("2030-05-01", 0, "09:00", "UTC", at("2026-01-01T00:00:00Z")),
      at("2030-05-01T09:00:00Z"),
    );
  });
});

describe("mail leaves", () => {
  const day = { from: "09:00", to: "18:00" };

  test("at once without rules", () => {
    const from = at("2026-11-17T03:00:00Z");
    assert.deepEqual(nextSendTime(from, "UTC", NO_RULES), from);
  });

  test("within the window alone, and not in quiet hours", () => {
    const rules = { ...NO_RULES, window: day, quiet: { from: "12:00", to: "13:00" } };
    assert.deepEqual(nextSendTime(at("2026-11-17T03:00:00Z"), "UTC", rules), at("2026-11-17T09:00:00Z"));
    assert.deepEqual(nextSendTime(at("2026-11-17T12:30:00Z"), "UTC", rules), at("2026-11-17T13:00:00Z"));
    assert.deepEqual(nextSendTime(at("2026-11-17T18:00:00Z"), "UTC", rules), at("2026-11-18T09:00:00Z"));
    assert.deepEqual(nextSendTime(at("2026-11-17T17:59:59Z"), "UTC", rules), at("2026-11-17T17:59:59Z"));
  });

  test("over midnight too, and on its weekdays", () => {
    const rules = { ...NO_RULES, quiet: { from: "20:00", to: "08:00" }, weekdays: ["mon", "fri"] as const };
    assert.deepEqual(nextSendTime(at("2026-11-17T21:00:00Z"), "UTC", rules), at("2026-11-20T08:00:00Z"));
    assert.deepEqual(nextSendTime(at("2026-11-20T20:00:00Z"), "UTC", rules), at("2026-11-23T08:00:00Z"));
  });

  test("never where a window lies within quiet hours", () => {
    const rules = {
      ...NO_RULES,
      window: { from: "10:00", to: "11:00" },
      quiet: { from: "09:00", to: "12:00" },
    };
    assert.equal(nextSendTime(at("2026-11-17T00:00:00Z"), "UTC", rules), undefined);
  });
});

describe("in every zone, at every change of clocks from 2020 to 2040", () => {
  const zones = Intl.supportedValuesOf("timeZone");

  test("a wait ends later than it began, at its hour unless that was skipped, and never a day late", () => {
    let changes = 0;
    for (const zone of zones) {
      let moment = Temporal.ZonedDateTime.from(`2020-01-01T00:00:00[${zone}]`);
      for (;;) {
        const change = moment.getTimeZoneTransition("next");
        if (!change || change.year > 2040) break;
        moment = change;
        changes++;
        checkAround(zone, change);
      }
    }
    assert.ok(changes > 2_000, `only ${changes} changes were looked at`);
  });
});

/** The hours just before, at and after a change, waited for from the evening before. */
function checkAround(zone: string, change: Temporal.ZonedDateTime): void {
  const from = new Date(change.subtract({ hours: 20 }).epochMilliseconds);
  for (const minutes of [-90, -30, 0, 30, 90]) {
    const wall = change.add({ minutes }).toPlainTime().toString({ smallestUnit: "minute" });
    const found = nextMoment(from, zone, { at: wall, weekdays: [] }, true);
    const where = `${zone} ${change.toString()} ${wall}`;
    const waited = found.getTime() - from.getTime();
    assert.ok(waited > 0 && waited <= 26 * 3_600_000, `${where}: waited ${waited / 3_600_000} h`);
    const here = Temporal.Instant.fromEpochMilliseconds(found.getTime()).toZonedDateTimeISO(zone);
    const shown = here.toPlainTime().toString({ smallestUnit: "minute" });
    if (shown === wall) {
      // Of an hour that comes twice the first is taken: the same wall time an offset's difference earlier would be another.
      const first = here.toPlainDateTime().toZonedDateTime(zone, { disambiguation: "earlier" });
      assert.equal(here.epochMilliseconds, first.epochMilliseconds, where);
    } else {
      const skipped = here.toPlainDate().toPlainDateTime(Temporal.PlainTime.from(wall));
      const later = skipped.toZonedDateTime(zone, { disambiguation: "later" });
      assert.equal(here.epochMilliseconds, later.epochMilliseconds, where);
    }
    const sent = nextSendTime(from, zone, {
      window: { from: wall, to: plusHour(wall) },
      quiet: undefined,
      weekdays: [...WEEKDAYS],
    });
    assert.ok(sent && sent.getTime() - from.getTime() <= 50 * 3_600_000, where);
  }
}

function plusHour(wall: string): string {
  return Temporal.PlainTime.from(wall).add({ hours: 1 }).toString({ smallestUnit: "minute" });
}
