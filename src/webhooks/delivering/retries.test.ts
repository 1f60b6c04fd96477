import assert from "node:assert/strict";
import { test } from "node:test";
import { readRetryAfter } from "../../platform/net/post-webhook.ts";
import { DOWN_AFTER, isGivenUp, pauseAfter, waitAfter } from "./retries.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const now = new Date("2026-11-16T12:00:00Z");

test("a delivery is tried again after 5 s, 5 m, 30 m, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h, and then no more", () => {
  const waits = Array.from({ length: 10 }, (_, at) => waitAfter(at + 1, undefined, 0));
  const hours = [2, 5, 10, 14, 20, 24].map((count) => count * HOUR);
  assert.deepEqual(waits, [5 * SECOND, 5 * MINUTE, 30 * MINUTE, ...hours, undefined]);
});

test("chance adds a tenth at most", () => {
  assert.equal(waitAfter(1, undefined, 0.5), 5_250);
  assert.equal(Math.round(waitAfter(9, undefined, 1) ?? 0), 26.4 * HOUR);
});

test("Retry-After lengthens a wait, and never shortens it", () => {
  assert.equal(waitAfter(1, HOUR, 0), HOUR);
  assert.equal(waitAfter(9, SECOND, 0), 24 * HOUR);
});

test("Retry-After is read as seconds or as a time, up to the longest wait, and as nothing where it is neither", () => {
  const cases: [string | undefined, number | undefined][] = [
    ["120", 120 * SECOND],
    ["0", 0],
    ["Mon, 16 Nov 2026 12:10:00 GMT", 10 * MINUTE],
    ["Mon, 16 Nov 2026 11:00:00 GMT", 0],
    ["86401", 24 * HOUR],
    ["1".repeat(20), 24 * HOUR],
    ["9".repeat(400), 24 * HOUR],
    ["Wed, 16 Nov 2033 12:10:00 GMT", 24 * HOUR],
    ["Fri, 31 Dec 9999 23:59:59 GMT", 24 * HOUR],
    ["Fri, 31 Dec 99999999 23:59:59 GMT", 24 * HOUR],
    ["soon", undefined],
    ["", undefined],
    ["-5", undefined],
    [undefined, undefined],
  ];
  for (const [value, expected] of cases) {
    const read = readRetryAfter(value, now);
    // `Date.parse` takes some numbers for years long ago, which is no wait either.
    assert.ok(read === expected || (expected === undefined && read === 0), `${value}: ${read}`);
  }
});

test("an endpoint is left alone once it has failed ten times in a row, for longer each time, up to a minute", () => {
  assert.equal(pauseAfter(DOWN_AFTER - 1), 0);
  const pauses = [0, 1, 2, 3, 4, 50].map((more) => pauseAfter(DOWN_AFTER + more));
  assert.deepEqual(
    pauses,
    [5, 10, 20, 40, 60, 60].map((seconds) => seconds * SECOND),
  );
});

test("an endpoint is given up after five days of failure", () => {
  const days = (count: number) => new Date(now.getTime() - count * 24 * HOUR);
  assert.equal(isGivenUp(null, now), false);
  assert.equal(isGivenUp(days(4.99), now), false);
  assert.equal(isGivenUp(days(5), now), true);
});
