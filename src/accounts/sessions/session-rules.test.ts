import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { expiryOf, judgeToken } from "./session-rules.ts";

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const DAY = 24 * HOUR;
const start = Date.parse("2026-11-14T09:30:00.000Z");
const current = Buffer.from("current");
const previous = Buffer.from("previous");
const session = {
  token_hash: current,
  previous_hash: previous,
  rotated_at: new Date(start),
  expires_at: new Date(start + 14 * DAY),
  is_token_used: true,
};

describe("a session's token", () => {
  for (const [token, afterMs, verdict] of [
    [current, 0, "good"],
    [current, HOUR, "good"],
    [current, HOUR + 1, "due"],
    [current, 14 * DAY - 1, "due"],
    [current, 14 * DAY, "expired"],
    [current, -5 * SECOND, "good"],
    [previous, 0, "superseded"],
    [previous, 60 * SECOND, "superseded"],
    [previous, 60 * SECOND + 1, "stolen"],
    [previous, 13 * DAY, "stolen"],
    [previous, 14 * DAY, "expired"],
  ] as const) {
    const which = token === current ? "current" : "previous";
    it(`when ${which} and ${afterMs / SECOND} s after the last rotation is ${verdict}`, () =>
      assert.equal(judgeToken(session, token, new Date(start + afterMs)), verdict));
  }
});

describe("a token that a confirmation gave", () => {
  const confirmed = { ...session, is_token_used: false };
  for (const [token, afterMs, verdict] of [
    [current, 0, "first"],
    [current, 2 * HOUR, "first"],
    [previous, 60 * SECOND, "superseded"],
    [previous, 61 * SECOND, "lost"],
    [previous, 14 * DAY, "expired"],
  ] as const) {
    it(`is ${verdict} for the ${token} one after ${afterMs / SECOND} s`, () =>
      assert.equal(judgeToken(confirmed, token, new Date(start + afterMs)), verdict));
  }
});

describe("a session's end", () => {
  for (const [seenDay, endDay] of [
    [0, 14],
    [30, 44],
    [76, 90],
    [80, 90],
  ] as const) {
    it(`when last seen on day ${seenDay} is on day ${endDay}`, () => {
      const end = expiryOf(new Date(start), new Date(start + seenDay * DAY));
      assert.equal(end.getTime(), start + endDay * DAY);
    });
  }
});
