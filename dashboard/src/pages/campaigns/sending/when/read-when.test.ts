import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { readClockTime, readWhen, type When } from "./read-when.ts";

/** Monday, 16 November 2026, 14:03 in London, where winter time is UTC. */
const NOW = new Date("2026-11-16T14:03:00Z");

type Place = { now?: Date; zone?: string };

function read(text: string, { now = NOW, zone = "Europe/London" }: Place = {}): When {
  return readWhen(text, { now, zone });
}

function at(text: string, place?: Place): string {
  const when = read(text, place);
  assert.equal(when.kind, "at", `${text}: ${JSON.stringify(when)}`);
  return when.kind === "at" ? when.at.toISOString().slice(0, 16) : "";
}

function choices(text: string, place?: Place): readonly string[] {
  const when = read(text, place);
  assert.equal(when.kind, "choose", `${text}: ${JSON.stringify(when)}`);
  return when.kind === "choose" ? when.choices.map((one) => one.toISOString().slice(0, 16)) : [];
}

const UNDERSTOOD: readonly (readonly [string, string])[] = [
  ["Friday 9:00", "2026-11-20T09:00"],
  ["friday at 9", "2026-11-20T09:00"],
  ["Fri 9am", "2026-11-20T09:00"],
  ["on Friday, 09:00", "2026-11-20T09:00"],
  ["9:00 on Friday", "2026-11-20T09:00"],
  ["thurs 17.30", "2026-11-19T17:30"],
  ["weds at 2 pm", "2026-11-18T14:00"],
  ["this Saturday at half past ten", "2026-11-21T10:30"],
  ["coming Sunday 20:15", "2026-11-22T20:15"],
  ["tomorrow at nine", "2026-11-17T09:00"],
  ["tomorrow nine thirty", "2026-11-17T09:30"],
  ["tomorrow 9 o'clock", "2026-11-17T09:00"],
  ["tomorrow morning at 9", "2026-11-17T09:00"],
  ["tomorrow at 8 in the evening", "2026-11-17T20:00"],
  ["tomorrow afternoon at 3", "2026-11-17T15:00"],
  ["tomorrow at noon", "2026-11-17T12:00"],
  ["tomorrow 12:30", "2026-11-17T12:30"],
  ["tomorrow 12am", "2026-11-17T00:00"],
  ["tomorrow 12pm", "2026-11-17T12:00"],
  ["tomorrow at quarter to ten", "2026-11-17T09:45"],
  ["tomorrow at quarter past 11", "2026-11-17T11:15"],
  ["day after tomorrow 10:00", "2026-11-18T10:00"],
  ["the day after tomorrow at 10 a.m.", "2026-11-18T10:00"],
  ["today 18:00", "2026-11-16T18:00"],
  ["today at 5pm", "2026-11-16T17:00"],
  ["tonight at 8", "2026-11-16T20:00"],
  ["18:00", "2026-11-16T18:00"],
  ["9:00", "2026-11-17T09:00"],
  ["9am", "2026-11-17T09:00"],
  ["05:30", "2026-11-17T05:30"],
  ["in 2 hours", "2026-11-16T16:03"],
  ["in two hours", "2026-11-16T16:03"],
  ["in an hour", "2026-11-16T15:03"],
  ["in an hour and a half", "2026-11-16T15:33"],
  ["in half an hour", "2026-11-16T14:33"],
  ["in 1.5 hours", "2026-11-16T15:33"],
  ["in 90 minutes", "2026-11-16T15:33"],
  ["in 1h 30m", "2026-11-16T15:33"],
  ["in 1 hour and 5 mins", "2026-11-16T15:08"],
  ["in 3 days", "2026-11-19T14:03"],
  ["in a week", "2026-11-23T14:03"],
  ["in 2 days at 9:00", "2026-11-18T09:00"],
  ["17 Nov 14:30", "2026-11-17T14:30"],
  ["17 November 2026 at 14:30", "2026-11-17T14:30"],
  ["17th of November 2:30 pm", "2026-11-17T14:30"],
  ["Nov 17 14:30", "2026-11-17T14:30"],
  ["November 17th, 2026, 9am", "2026-11-17T09:00"],
  ["1 Sept 10:00", "2027-09-01T09:00"],
  ["Friday 20 November 9:00", "2026-11-20T09:00"],
  ["3 Jan 9:00", "2027-01-03T09:00"],
  ["17.11. 9:00", "2026-11-17T09:00"],
  ["17.11 9:00", "2026-11-17T09:00"],
  ["17.11.2026 9:00", "2026-11-17T09:00"],
  ["17.11.26 9:00", "2026-11-17T09:00"],
  ["17/11 9:00", "2026-11-17T09:00"],
  ["11/17 9:00", "2026-11-17T09:00"],
  ["17/11/2026 09:00", "2026-11-17T09:00"],
  ["12/12 9:00", "2026-12-12T09:00"],
  ["2026-11-17 14:30", "2026-11-17T14:30"],
  ["2026-11-17T14:30", "2026-11-17T14:30"],
  ["2026-11-17T14:30+01:00", "2026-11-17T13:30"],
  ["2026-11-17T14:30:00Z", "2026-11-17T14:30"],
];

describe("when something shall happen, as people write it", () => {
  for (const [text, expected] of UNDERSTOOD) test(text, () => assert.equal(at(text), expected));

  test("is meant by the clocks of the person's zone", () => {
    assert.equal(at("Friday 9:00", { zone: "America/New_York" }), "2026-11-20T14:00");
    assert.equal(at("Friday 9:00", { zone: "Asia/Kolkata" }), "2026-11-20T03:30");
    // In Auckland it is Tuesday already.
    assert.equal(at("tomorrow 9:00", { zone: "Pacific/Auckland" }), "2026-11-17T20:00");
  });

  test("in so many days is the same clock time, also where clocks are changed meanwhile", () => {
    const now = new Date("2026-10-24T10:00:00Z");
    assert.equal(at("in 2 days", { now }), "2026-10-26T11:00");
    assert.equal(at("in 48 hours", { now }), "2026-10-26T10:00");
  });
});

describe("what can be meant in two ways is asked", () => {
  const because = (text: string, place?: Place) => {
    const when = read(text, place);
    return when.kind === "choose" ? when.because : when.kind;
  };

  test("in which half of the day", () => {
    assert.deepEqual(choices("tomorrow at 5"), ["2026-11-17T05:00", "2026-11-17T17:00"]);
    assert.deepEqual(choices("tomorrow 5:30"), ["2026-11-17T05:30", "2026-11-17T17:30"]);
    assert.deepEqual(choices("at five"), ["2026-11-16T17:00", "2026-11-17T05:00"]);
    assert.equal(because("tomorrow at 5"), "half_of_day");
  });

  test("but not where one of the two has passed", () => {
    assert.equal(at("today at 5"), "2026-11-16T17:00");
  });

  test("in which week", () => {
    assert.deepEqual(choices("next Friday 9:00"), ["2026-11-20T09:00", "2026-11-27T09:00"]);
    assert.deepEqual(choices("Monday 18:00"), ["2026-11-16T18:00", "2026-11-23T18:00"]);
    assert.equal(because("next Friday 9:00"), "which_week");
    assert.equal(at("Monday 9:00"), "2026-11-23T09:00");
    assert.equal(at("next Monday 18:00"), "2026-11-23T18:00");
  });

  test("which is the day and which the month", () => {
    assert.deepEqual(choices("3/12 9:00"), ["2026-12-03T09:00", "2027-03-12T09:00"]);
    assert.equal(because("3/12 9:00"), "day_or_month");
  });

  test("at which end of the day midnight is", () => {
    assert.deepEqual(choices("Friday midnight"), ["2026-11-20T00:00", "2026-11-21T00:00"]);
    assert.equal(because("Friday midnight"), "which_midnight");
  });
});

describe("what can't be is told", () => {
  const kinds: readonly (readonly [string, When["kind"]])[] = [
    ["", "empty"],
    ["   ", "empty"],
    ["today 9:00", "past"],
    ["15 Nov 9:00", "past"],
    ["2020-01-01 10:00", "past"],
    ["2026-11-16T14:00Z", "past"],
    ["1 March 2031 9:00", "too_far"],
    ["in 60 weeks", "too_far"],
    ["Friday", "no_time"],
    ["tomorrow", "no_time"],
    ["17 November", "no_time"],
    ["Thursday 20 November 9:00", "wrong_weekday"],
    ["31 February 9:00", "impossible"],
    ["2026-13-40 9:00", "impossible"],
    ["tomorrow 25:00", "impossible"],
    ["in 99999999999 days", "impossible"],
    ["in 99999999999 weeks at 9:00", "impossible"],
    ["in 999999999999 minutes", "impossible"],
    ["tomorrow 9:75", "impossible"],
    ["tomorrow 13 am", "impossible"],
    ["whenever", "unclear"],
    ["now", "unclear"],
    ["Freitag 9:00", "unclear"],
    ["tomorrow at 9 or 10", "unclear"],
    ["in a while", "unclear"],
    ["in 2 fortnights", "unclear"],
    ["in", "unclear"],
    ["<script>alert(1)</script>", "unclear"],
    ["9".repeat(5_000), "unclear"],
  ];
  for (const [text, kind] of kinds)
    test(`${text.slice(0, 40) || "nothing"}: ${kind}`, () => assert.equal(read(text).kind, kind));

  test("and the words that weren't understood are named", () => {
    assert.deepEqual(read("Friday 9:00 sharp"), { kind: "unclear", words: "sharp" });
  });

  test("a time that the clock jumps over in spring", () => {
    const now = new Date("2027-03-27T10:00:00Z");
    const when = read("tomorrow 01:30", { now });
    assert.deepEqual(when, { kind: "gap", at: new Date("2027-03-28T01:30:00Z") });
    assert.deepEqual(readClockTime("2027-03-28T01:30", { now, zone: "Europe/London" }), when);
  });

  test("a time that the clock shows twice in autumn is the first one, and the second is told", () => {
    const now = new Date("2026-10-24T10:00:00Z");
    assert.deepEqual(read("tomorrow 01:30", { now }), {
      kind: "at",
      at: new Date("2026-10-25T00:30:00Z"),
      again: new Date("2026-10-25T01:30:00Z"),
    });
  });
});

describe("a time of the calendar", () => {
  const place = { now: NOW, zone: "Europe/Berlin" };
  test("is read by the clocks of the zone", () => {
    assert.deepEqual(readClockTime("2026-11-17T14:30", place), {
      kind: "at",
      at: new Date("2026-11-17T13:30:00Z"),
    });
  });
  test("is empty until it is whole, and told when it has passed", () => {
    assert.equal(readClockTime("", place).kind, "empty");
    assert.equal(readClockTime("2026-11-16T10:00", place).kind, "past");
  });
});
