import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { spellDuration, spellSpan } from "./spell.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

describe("how long something takes", () => {
  const cases: readonly (readonly [number, string])[] = [
    [0, "1 second"],
    [40.6 * SECOND, "41 seconds"],
    [119 * SECOND, "119 seconds"],
    [2 * MINUTE, "2 minutes"],
    [90 * MINUTE, "90 minutes"],
    [3 * HOUR, "3 hours"],
    [50 * HOUR, "2 days"],
  ];
  for (const [ms, text] of cases) it(`is ${text}`, () => assert.equal(spellDuration(ms), text));
});

describe("how far a moment is away", () => {
  const cases: readonly (readonly [number, string])[] = [
    [1, "in 1 second"],
    [29.2 * SECOND, "in 30 seconds"],
    [MINUTE, "in 1 minute"],
    [12.4 * MINUTE, "in 12 minutes"],
    [5 * HOUR, "in 5 hours"],
    [72 * HOUR, "in 3 days"],
  ];
  for (const [ms, text] of cases) it(`is ${text}`, () => assert.equal(spellSpan(ms), text));
});
