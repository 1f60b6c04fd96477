import assert from "node:assert/strict";
import { test } from "node:test";
import { afterOpeningMs, type Closed, closeAgain, placeAt, SLOW_START_MS } from "./closing-rules.ts";

const MINUTE = 60_000;
const start = new Date("2026-11-18T06:00:00.000Z");
const at = (minutes: number) => new Date(start.getTime() + minutes * MINUTE);
const minutesOf = (closed: Closed | undefined) =>
  closed && (closed.until.getTime() - closed.closedAt.getTime()) / MINUTE;

test("what closes again soon is closed for twice as long, and after six quiet hours as at first", () => {
  const first = closeAgain(undefined, 10 * MINUTE, at(0));
  assert.deepEqual([minutesOf(first), first?.times], [10, 1]);
  const second = closeAgain(first, 10 * MINUTE, at(12));
  assert.deepEqual([minutesOf(second), second?.times], [20, 2]);
  const third = closeAgain(second, 10 * MINUTE, at(60));
  assert.deepEqual([minutesOf(third), third?.times], [40, 3]);
  assert.equal(minutesOf(closeAgain(third, 10 * MINUTE, at(60 + 40 + 361))), 10);
});

test("nothing is closed for more than four hours by being repeated", () => {
  let known = closeAgain(undefined, 120 * MINUTE, at(0));
  for (let n = 0; n < 50; n++) known = closeAgain(known, 120 * MINUTE, known?.until ?? at(0));
  assert.equal(minutesOf(known), 240);
  assert.equal(minutesOf(closeAgain(undefined, 600 * MINUTE, at(0))), 600);
});

test("the same reply to what was on the wire changes nothing, and a graver one does", () => {
  const first = closeAgain(undefined, 10 * MINUTE, at(0));
  assert.equal(closeAgain(first, 10 * MINUTE, at(0.01)), undefined);
  const graver = closeAgain(first, 120 * MINUTE, at(0.01));
  assert.deepEqual([minutesOf(graver), graver?.times], [120, 1]);
});

test("what was opened by hand begins anew", () => {
  const opened = { closedAt: at(0), until: at(3), times: 0 };
  assert.equal(minutesOf(closeAgain(opened, 10 * MINUTE, at(4))), 10);
});

test("a clock that is set back a day closes nothing for a day", () => {
  const first = closeAgain(undefined, 10 * MINUTE, at(1_440));
  const next = closeAgain(first, 10 * MINUTE, at(0));
  assert.deepEqual([minutesOf(next), next?.times], [10, 1]);
});

test("a reply that only asks for less begins slowly, and goes on so while it is repeated", () => {
  const first = closeAgain(undefined, 0, at(0));
  assert.equal(minutesOf(first), 0);
  assert.equal(closeAgain(first, 0, at(2)), undefined);
});

test("20 are sent in the first minute after the opening, 40 in the second, and so on", () => {
  const within = (minutes: number) =>
    Array.from({ length: 10_000 }, (_, place) => afterOpeningMs(place)).filter(
      (ms) => ms < minutes * MINUTE + 1_000,
    ).length;
  assert.deepEqual([within(1), within(2), within(3)], [20, 60, 140]);
  assert.ok(afterOpeningMs(1_000_000) < 17 * MINUTE, "a million waits a quarter of an hour");
});

test("places whose time is over are not given to those who come later", () => {
  assert.equal(placeAt(0), 0);
  assert.equal(placeAt(2 * MINUTE + 1_000), 60);
  for (const ms of [5_000, 90_000, SLOW_START_MS])
    assert.ok(Math.abs(afterOpeningMs(placeAt(ms)) - ms) < 4_500);
});
