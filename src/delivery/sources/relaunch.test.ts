import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { chooseLedger, type LedgerChoice } from "./relaunch.ts";

/** Each case says what is launched after a failure, compared with before, whether mail had left, and what is chosen. */
const table: readonly [string, Parameters<typeof chooseLedger>[0], hasLeft: boolean, LedgerChoice][] = [
  ["the same audience, nothing left", { ...same(), hadNobody: false }, false, "go_on"],
  ["the same audience, mail left", { ...same(), hadNobody: false }, true, "go_on"],
  [
    "the same audience, other content, nothing left",
    { ...reworded(), hadNobody: false },
    false,
    "start_empty",
  ],
  ["the same audience, other content, mail left", { ...reworded(), hadNobody: false }, true, "take_over"],
  [
    "a segment edited since, other content, mail left",
    { ...edited(), isSameRevision: false, hadNobody: false },
    true,
    "take_over",
  ],
  [
    "another list, other content, mail left",
    { ...other(), isSameRevision: false, hadNobody: false },
    true,
    "refuse",
  ],
  [
    "the same audience, nobody of which could be mailed",
    { ...same(), hadNobody: true },
    false,
    "start_empty",
  ],
  ["another list or segment, nothing left", { ...other(), hadNobody: false }, false, "start_empty"],
  ["another list or segment, mail left", { ...other(), hadNobody: false }, true, "refuse"],
  ["another list, after nobody could be mailed", { ...other(), hadNobody: true }, false, "start_empty"],
  ["a segment edited since, nothing left", { ...edited(), hadNobody: false }, false, "start_empty"],
  ["a segment edited since, mail left", { ...edited(), hadNobody: false }, true, "go_on"],
  ["another segment of the same rules, nothing left", { ...alike(), hadNobody: false }, false, "go_on"],
  ["another segment of the same rules, mail left", { ...alike(), hadNobody: false }, true, "refuse"],
];

function same() {
  return { isSameAudience: true, isSameChoice: true, isSameRevision: true };
}
function reworded() {
  return { ...same(), isSameRevision: false };
}
function other() {
  return { isSameAudience: false, isSameChoice: false, isSameRevision: true };
}
function edited() {
  return { isSameAudience: false, isSameChoice: true, isSameRevision: true };
}
function alike() {
  return { isSameAudience: true, isSameChoice: false, isSameRevision: true };
}

describe("launched again after a failure", () => {
  for (const [name, former, hasLeft, expected] of table) {
    it(`${name}: ${expected}`, () => assert.equal(chooseLedger(former, hasLeft), expected));
  }
});
