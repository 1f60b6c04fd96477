import assert from "node:assert/strict";
import { test } from "node:test";
import type { Body } from "../test/support/sink/sink.ts";
import { judge, mostAtOnce, takeOversMs } from "./judge.ts";

const body = (to: string, begunMs: number, more: Partial<Body> = {}): Body => ({
  ...{ connection: 1, client: "a", to, rcptMs: begunMs - 1, begunMs, dotMs: begunMs + 1, cutMs: null },
  ...{ repliedMs: begunMs + 2, reply: "250 ok", taken: true, messageId: "<1>", hash: "x", bytes: 9 },
  ...more,
});
const logOf = (...bodies: Body[]) => ({ bodies, refusals: [], faults: [], connections: 1 });
const killed = { client: "a", atMs: 10_000 };

test("who has no copy is lost, also when a body began", () => {
  const log = logOf(body("ada", 1), body("bob", 2, { taken: false }));
  assert.deepEqual(judge(log, ["ada", "bob", "cleo"], []).lost, ["bob", "cleo"]);
});

test("a second copy is excused by a first that was on the wire when its sender was killed", () => {
  const log = logOf(body("ada", 9_999), body("ada", 22_000, { client: "b" }));
  const { duplicates, unexcused, onWire } = judge(log, ["ada"], [killed]);
  assert.deepEqual([duplicates, unexcused, onWire], [1, [], 1]);
});

test("a first copy that was replied to long before the kill excuses nothing, nor does another sender's kill", () => {
  const early = logOf(body("ada", 5_000), body("ada", 22_000, { client: "b" }));
  assert.equal(judge(early, ["ada"], [killed]).unexcused.length, 1);
  const other = logOf(body("ada", 9_999, { client: "c" }), body("ada", 22_000, { client: "b" }));
  assert.equal(judge(other, ["ada"], [killed]).unexcused.length, 1);
});

test("of a sender that lived on, what began after the cut excuses nothing", () => {
  const log = logOf(body("ada", 11_000), body("ada", 22_000));
  assert.equal(judge(log, ["ada"], [{ ...killed, upToMs: 10_200 }]).unexcused.length, 1);
});

test("while the machine stands still no time passes", () => {
  const log = logOf(body("ada", 5_000), body("ada", 22_000, { client: "b" }));
  const stalls = [{ fromMs: 5_010, untilMs: 9_950 }];
  assert.deepEqual(judge(log, ["ada"], [killed], { slack: 1, stalls }).unexcused, []);
});

test("a copy that never got a reply excuses the next", () => {
  const log = logOf(body("ada", 1, { repliedMs: null }), body("ada", 500));
  assert.deepEqual(judge(log, ["ada"], []).unexcused, []);
});

test("copies must be the same message", () => {
  const log = logOf(body("ada", 1), body("ada", 5, { messageId: "<2>" }), body("bob", 1), body("bob", 5));
  assert.deepEqual(judge(log, [], []).altered, ["ada"]);
});

test("a take-over lasts from the kill to the first that began anew elsewhere", () => {
  const log = logOf(body("ada", 9_999), body("ada", 23_000, { client: "b" }), body("bob", 12_000));
  assert.deepEqual(takeOversMs(log, [killed]), [13_000]);
});

test("those under way at once are counted from RCPT to the reply", () => {
  assert.equal(mostAtOnce([body("a", 1), body("b", 2), body("c", 3), body("d", 9)]), 3);
});
