import assert from "node:assert/strict";
import { test } from "node:test";
import { nextAttempt } from "./freshness.ts";

test("a domain of which nobody answers is put off for longer each time, at most a day, and given up after some days", () => {
  const now = new Date("2026-11-18T06:00:00Z");
  const minutes: number[] = [];
  for (let attempts = 1; nextAttempt(attempts, now); attempts++)
    minutes.push(((nextAttempt(attempts, now) as Date).getTime() - now.getTime()) / 60_000);
  assert.deepEqual(minutes, [1, 4, 16, 64, 256, 1_024, 1_440, 1_440, 1_440]);
});
