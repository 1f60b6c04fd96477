import assert from "node:assert/strict";
import { test } from "node:test";
import type { Outcome } from "../transports/transports.ts";
import { createReach } from "./reach.ts";

const accepted: Outcome = { kind: "accepted", code: 250, text: "ok" };
const unreachable: Outcome = { kind: "unreachable", phase: "connect", text: "ECONNREFUSED" };
const lostInBody: Outcome = { kind: "unreachable", phase: "body", text: "closed" };
const ambiguous: Outcome = { kind: "ambiguous", text: "closed" };
const unknownMailbox: Outcome = { kind: "rejected", phase: "rcpt", code: 550, enhanced: null, text: "no" };
const spam: Outcome = { kind: "rejected", phase: "dot", code: 554, enhanced: null, text: "no" };
const greyAtDot: Outcome = { kind: "deferred", phase: "dot", code: 451, enhanced: null, text: "later" };
const signIn: Outcome = { kind: "rejected", phase: "auth", code: 535, enhanced: null, text: "no" };
const busyAtMail: Outcome = { kind: "deferred", phase: "mail", code: 421, enhanced: "4.3.2", text: "busy" };
const laterAtMail: Outcome = { kind: "deferred", phase: "mail", code: 451, enhanced: "4.3.0", text: "later" };
const busy: Outcome = { kind: "deferred", phase: "greeting", code: 421, enhanced: null, text: "busy" };
const greylisted: Outcome = { kind: "deferred", phase: "rcpt", code: 451, enhanced: null, text: "later" };
const sender: Outcome = { kind: "rejected", phase: "mail", code: 550, enhanced: null, text: "no" };

type Step = readonly [
  beganMs: number,
  endedMs: number,
  Outcome,
  expected: string | undefined,
  contactId?: string,
];

const MINUTE_MS = 60_000;

/** Each step says when an attempt began, when it ended, how, and what follows from it. Where no contact is named, each is another. */
const table: Readonly<Record<string, readonly Step[]>> = {
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
  "a server that puts each connection off": [
    [0, 10, busy, undefined],
    [2_000, 2_010, busy, undefined],
    [6_000, 6_010, busy, "put_off"],
  ],
  "one that puts off some connections and takes mail by others": [
    [0, 10, busy, undefined],
    [2_000, 2_010, accepted, undefined],
    [6_000, 6_010, busy, undefined],
  ],
  "a recipient who is put off": [
    [0, 10, greylisted, undefined],
    [6_000, 6_010, greylisted, undefined],
    [20_000, 29_500, greylisted, undefined],
  ],
  "a server that puts each mail off as it begins, and took none before": [
    [0, 10, busyAtMail, undefined],
    [1_000, 1_010, busyAtMail, undefined],
    [3_000, 3_010, busyAtMail, undefined],
    [6_000, 6_010, busyAtMail, undefined],
    [7_900, 7_990, busyAtMail, undefined],
    [8_500, 8_510, busyAtMail, "put_off"],
  ],
  "a server that took mail and then puts each off as it begins, for a minute": [
    [0, 10, accepted, undefined],
    [1_000, 1_010, busyAtMail, undefined],
    [20_000, 20_010, busyAtMail, undefined],
    [40_000, 40_010, busyAtMail, undefined],
    [60_000, 60_010, busyAtMail, undefined],
    [62_000, 62_010, busyAtMail, "put_off"],
  ],
  "one that puts mails off so rarely that nobody knows": [
    [0, 10, busyAtMail, undefined],
    [60_000, 60_010, busyAtMail, undefined],
    [180_000, 180_010, busyAtMail, undefined],
    [420_000, 420_010, busyAtMail, "put_off"],
  ],
  "one mail that is put off as it begins": [
    [0, 10, busyAtMail, undefined, "one"],
    [60_000, 60_010, busyAtMail, undefined, "one"],
    [120_000, 120_010, busyAtMail, undefined, "one"],
    [240_000, 240_010, busyAtMail, undefined, "one"],
    [480_000, 480_010, busyAtMail, undefined, "one"],
  ],
  "one that puts mails off and takes others meanwhile": [
    [0, 10, busyAtMail, undefined],
    [20_000, 20_010, busyAtMail, undefined],
    [40_000, 40_010, unknownMailbox, undefined],
    [50_000, 50_010, busyAtMail, undefined],
    [61_000, 61_010, busyAtMail, undefined],
    [70_000, 70_010, busyAtMail, undefined],
    [90_000, 90_010, accepted, undefined],
    [95_000, 95_010, busyAtMail, undefined],
    [111_000, 111_010, busyAtMail, undefined],
  ],
  "mails that are told otherwise to come later": [
    [0, 10, laterAtMail, undefined],
    [20_000, 20_010, laterAtMail, undefined],
    [40_000, 40_010, laterAtMail, undefined],
    [61_000, 61_010, laterAtMail, undefined],
    [80_000, 80_010, laterAtMail, undefined],
  ],
  "a refused sign-in": [
    [0, 10, signIn, undefined],
    [6_000, 6_010, signIn, "refused"],
  ],
  "messages that were refused for their sender": [
    [0, 10, sender, undefined],
    [6_000, 6_010, sender, undefined],
    [20_000, 29_500, sender, undefined],
    [30_000, 30_010, sender, undefined],
    [40_000, 40_010, sender, undefined],
  ],
  "four messages that were lost, before or after the dot": [
    [0, 10, lostInBody, undefined],
    [600, 610, ambiguous, undefined],
    [1_200, 1_210, lostInBody, undefined],
    [1_800, 1_810, ambiguous, "unreachable"],
  ],
  "many that were lost together are one": [
    [0, 10, ambiguous, undefined],
    [0, 20, ambiguous, undefined],
    [0, 30, ambiguous, undefined],
    [0, 40, ambiguous, undefined],
    [0, 50, ambiguous, undefined],
  ],
  "minutes apart, as they are tried again": [
    [0, 10, ambiguous, undefined],
    [MINUTE_MS, MINUTE_MS + 10, ambiguous, undefined],
    [3 * MINUTE_MS, 3 * MINUTE_MS + 10, ambiguous, undefined],
    [7 * MINUTE_MS, 7 * MINUTE_MS + 10, ambiguous, "unreachable"],
  ],
  "losses that lie hours apart": [
    [0, 10, ambiguous, undefined],
    [70 * MINUTE_MS, 70 * MINUTE_MS + 10, ambiguous, undefined],
    [140 * MINUTE_MS, 140 * MINUTE_MS + 10, ambiguous, undefined],
    [210 * MINUTE_MS, 210 * MINUTE_MS + 10, ambiguous, undefined],
  ],
  "one message that breaks every connection": [
    [0, 10, ambiguous, undefined, "bad"],
    [5_000, 5_010, lostInBody, undefined, "bad"],
    [10_000, 10_010, lostInBody, undefined, "bad"],
    [15_000, 15_010, lostInBody, undefined, "bad"],
    [20_000, 20_010, lostInBody, undefined, "bad"],
  ],
  "a server that answers for other messages": [
    [0, 10, ambiguous, undefined],
    [1_000, 1_010, ambiguous, undefined],
    [2_000, 2_010, accepted, undefined],
    [3_000, 3_010, ambiguous, undefined],
    [4_000, 4_010, ambiguous, undefined],
    [5_000, 5_010, spam, undefined],
    [6_000, 6_010, ambiguous, undefined],
    [7_000, 7_010, ambiguous, undefined],
    [8_000, 8_010, greyAtDot, undefined],
    [9_000, 9_010, ambiguous, undefined],
    [10_000, 10_010, ambiguous, undefined],
  ],
  "a server that knows mailboxes and takes no mail": [
    [0, 10, ambiguous, undefined],
    [1_000, 1_010, ambiguous, undefined],
    [2_000, 2_010, unknownMailbox, undefined],
    [3_000, 3_010, ambiguous, undefined],
    [3_500, 3_510, unknownMailbox, undefined],
    [4_000, 4_010, ambiguous, "unreachable"],
  ],
  "a server that is silent after the dot, on all connections": [
    [0, 10 * MINUTE_MS, ambiguous, undefined],
    [1, 10 * MINUTE_MS + 1, ambiguous, undefined],
    [2, 10 * MINUTE_MS + 2, ambiguous, undefined],
    [3, 10 * MINUTE_MS + 3, ambiguous, "unreachable"],
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
    for (const [at, [beganMs, endedMs, outcome, expected, contactId = `contact ${at}`]] of steps.entries()) {
      nowMs = endedMs;
      const tried = { sourceId: "one", contactId, beganMs };
      assert.equal(reach.heed(outcome, tried), expected, `at ${endedMs} ms`);
    }
  });
}

const by = (sourceId: string) => ({ sourceId, contactId: "somebody", beganMs: 0 });

test("a server that took another source's mail a moment ago refuses this one alone", () => {
  let nowMs = 0;
  const reach = createReach(() => nowMs);
  reach.heed(accepted, by("one"));
  assert.deepEqual([reach.takesOthers("one"), reach.takesOthers("two")], [false, true]);
  reach.heed(accepted, by("two"));
  assert.equal(reach.takesOthers("two"), true);
  nowMs = 61_000;
  assert.equal(reach.takesOthers("two"), false);
});

test("while the connection fails, nothing waits long for a place", () => {
  const reach = createReach(() => 0);
  assert.equal(reach.mostWaitMs(), Number.POSITIVE_INFINITY);
  reach.heed(unreachable, by("one"));
  assert.equal(reach.mostWaitMs(), 5_000);
});

test("while messages are lost, nothing waits long for a place, until one is taken", () => {
  const reach = createReach(() => 0);
  reach.heed(ambiguous, by("one"));
  assert.equal(reach.mostWaitMs(), 5_000);
  reach.heed(accepted, by("one"));
  assert.equal(reach.mostWaitMs(), Number.POSITIVE_INFINITY);
});
