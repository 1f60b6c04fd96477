import assert from "node:assert/strict";
import { test } from "node:test";
import { dayOf, isClean, judgeStanding, limitOfDay, nextDayBegins } from "./standing-rules.ts";

const clean = (allowed: number) => ({ allowed, used: allowed, isWarned: false });

test("a new account begins with 200 mails a day, and each clean day doubles them until there is no limit", () => {
  const before: ReturnType<typeof clean>[] = [];
  const limits: number[] = [];
  for (let limit = limitOfDay(before); limit !== null; limit = limitOfDay(before)) {
    limits.push(limit);
    before.push(clean(limit));
  }
  assert.deepEqual(limits, [200, 400, 800, 1_600, 3_200, 6_400, 12_800, 25_600]);
});

test("a day is clean where a tenth of it was used and nobody was warned", () => {
  for (const [used, isWarned, expected] of [
    [0, false, false],
    [19, false, false],
    [20, false, true],
    [200, false, true],
    [200, true, false],
  ] as const)
    assert.equal(isClean({ allowed: 200, used, isWarned }), expected, `${used} of 200, warned: ${isWarned}`);
  assert.equal(limitOfDay([clean(200), { allowed: 400, used: 39, isWarned: false }, clean(400)]), 800);
});

test("days are those of UTC", () => {
  assert.equal(dayOf(new Date("2026-11-17T23:59:59.999Z")), "2026-11-17");
  assert.equal(nextDayBegins(new Date("2026-12-31T00:00:00Z")).toISOString(), "2027-01-01T00:00:00.000Z");
});

test("an account is warned and stopped exactly at the edges", () => {
  const standingOf = (sent: number, failed: number, hard: number, complaints: number) =>
    judgeStanding({ sent, failed, hard, complaints }).standing;
  for (const [sent, failed, hard, complaints, expected] of [
    // Fewer than 100 mails say nothing.
    [0, 0, 0, 0, "fine"],
    [9, 90, 90, 9, "fine"],
    [90, 9, 9, 0, "fine"],
    // Hard bounces are counted of all that were tried.
    [90, 10, 10, 0, "stopped"],
    [91, 9, 9, 0, "warned"],
    [95, 5, 5, 0, "warned"],
    [96, 4, 4, 0, "fine"],
    [901, 99, 99, 0, "warned"],
    [900, 100, 100, 0, "stopped"],
    [950, 50, 50, 0, "warned"],
    [951, 49, 49, 0, "fine"],
    // Complaints are counted of those who got it, from five on, or three for a warning.
    [100, 0, 0, 2, "fine"],
    [100, 0, 0, 3, "warned"],
    [100, 0, 0, 4, "warned"],
    [100, 0, 0, 5, "stopped"],
    [99, 1, 0, 5, "fine"],
    [2_000, 0, 0, 6, "stopped"],
    [2_001, 0, 0, 6, "warned"],
    [2_000, 0, 0, 3, "warned"],
    [2_001, 0, 0, 3, "fine"],
    [10_000, 0, 0, 30, "stopped"],
    [10_000, 0, 0, 29, "warned"],
    [10_000, 0, 0, 15, "warned"],
    [10_000, 0, 0, 14, "fine"],
  ] as const)
    assert.equal(standingOf(sent, failed, hard, complaints), expected, `${[sent, failed, hard, complaints]}`);
});

test("what stops is named before what only warns", () => {
  const verdict = judgeStanding({ sent: 1_000, failed: 60, hard: 60, complaints: 5 });
  assert.deepEqual(verdict, {
    standing: "stopped",
    reason: "complaints",
    detail: "5 of 1,000 recipients of the last seven days complained (0.5%); the limit is 0.3%",
  });
});
