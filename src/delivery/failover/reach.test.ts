import assert from "node:assert/strict";
import { test } from "node:test";
import type { Outcome } from "../transports/transports.ts";
import { createReach } from "./reach.ts";

const accepted: Outcome = { kind: "accepted", code: 250, text: "ok" };
const unreachable: Outcome = { kind: "unreachable", phase: "connect", text: "ECONNREFUSED" };
const lostInBody: Outcome = { kind: "unreachable", phase: "body", text: "closed" };
const signIn: Outcome = { kind: "rejected", phase: "auth", code: 535, enhanced: null, text: "no" };
const sender: Outcome = { kind: "rejected", phase: "mail", code: 550, enhanced: null, text: "no" };

/** Each step says when an attempt began, when it ended, how, and what follows from it. */
const table: Readonly<Record<string, readonly (readonly [number, number, Outcome, string | undefined])[]>> = {
  "two failures over five seconds": [
    [0, 10, unreachable, undefined],
    [500, 510, unreachable, undefined],
    [5_100, 5_110, unreachable, "unreachable"],
  ],
  "many that failed together are one": [
    [0, 10, unreachable, undefined],
    [0, 11, unreachable, undefined],
    [0, 12, unreachable, undefined],
  ],
  "one that ran into its time limit": [[0, 9_000, unreachable, "unreachable"]],
  "a success in between": [
    [0, 10, unreachable, undefined],
    [2_000, 2_010, accepted, undefined],
    [6_000, 6_010, unreachable, undefined],
  ],
  "a refused sign-in": [
    [0, 10, signIn, undefined],
    [6_000, 6_010, signIn, "refused"],
  ],
  "messages that were lost, or refused for their sender": [
    [0, 10, lostInBody, undefined],
    [6_000, 6_010, lostInBody, undefined],
    [20_000, 29_500, lostInBody, undefined],
    [30_000, 30_010, sender, undefined],
  ],
  "failures that lie far apart": [
    [0, 10, unreachable, undefined],
    [200_000, 200_010, unreachable, undefined],
  ],
  "what was said already, until some time has passed": [
    [0, 9_000, unreachable, "unreachable"],
    [9_500, 12_000, unreachable, undefined],
    [19_000, 19_100, unreachable, "unreachable"],
  ],
};

for (const [name, steps] of Object.entries(table)) {
  test(`whether a server is lost: ${name}`, () => {
    let nowMs = 0;
    const reach = createReach(() => nowMs);
    for (const [beganMs, endedMs, outcome, expected] of steps) {
      nowMs = endedMs;
      assert.equal(reach.heed(outcome, "one", beganMs), expected, `at ${endedMs} ms`);
    }
  });
}

test("a server that took another source's mail a moment ago refuses this one alone", () => {
  let nowMs = 0;
  const reach = createReach(() => nowMs);
  reach.heed(accepted, "one", 0);
  assert.deepEqual([reach.takesOthers("one"), reach.takesOthers("two")], [false, true]);
  reach.heed(accepted, "two", 0);
  assert.equal(reach.takesOthers("two"), true);
  nowMs = 61_000;
  assert.equal(reach.takesOthers("two"), false);
});

test("while the connection fails, nothing waits long for a place", () => {
  const reach = createReach(() => 0);
  assert.equal(reach.mostWaitMs(), Number.POSITIVE_INFINITY);
  reach.heed(unreachable, "one", 0);
  assert.equal(reach.mostWaitMs(), 5_000);
});
