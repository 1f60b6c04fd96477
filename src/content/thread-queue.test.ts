import assert from "node:assert/strict";
import { test } from "node:test";
import { createTurns } from "./thread-queue.ts";

function createClock() {
  let now = 0;
  const pass = (ms: number) => {
    now += ms;
  };
  return { nowMs: () => now, pass };
}

test("accounts take turns, whatever each has waiting", () => {
  const turns = createTurns<string>(2, () => 0);
  for (const one of ["a1", "a2", "a3", "b1", "b2", "c1"]) turns.add(one[0] ?? "", one);
  assert.deepEqual([turns.size(), turns.sizeOf("a")], [6, 3]);
  assert.deepEqual(
    Array.from({ length: 7 }, () => turns.take()),
    ["a1", "b1", "c1", "a2", "b2", "a3", undefined],
  );
});

test("who used the least time lately goes first, and what was used is forgotten", () => {
  const { nowMs, pass } = createClock();
  const turns = createTurns<string>(1, nowMs);
  for (const one of ["a1", "a2", "a3", "a4", "b1", "b2", "b3"]) turns.add(one[0] ?? "", one);
  assert.equal(turns.take(), "a1");
  turns.ended("a", 100);
  for (const one of ["b1", "b2"]) {
    assert.equal(turns.take(), one);
    turns.ended("b", 10);
  }
  assert.equal(turns.take(), "b3");
  turns.ended("b", 10);
  assert.equal(turns.take(), "a2");
  turns.ended("a", 0);
  pass(200_000);
  turns.add("b", "b4");
  assert.equal(turns.take(), "a3");
});

test("one that ran away leaves the last thread to others for a minute", () => {
  const { nowMs, pass } = createClock();
  const turns = createTurns<string>(2, nowMs);
  turns.ranAway("a");
  for (const one of ["a1", "a2", "a3", "a4"]) turns.add("a", one);
  assert.equal(turns.take(), "a1");
  assert.equal(turns.take(), undefined);
  turns.add("b", "b1");
  assert.equal(turns.take(), "b1");
  turns.ended("a", 0);
  assert.equal(turns.take(), "a2");
  assert.equal(turns.take(), undefined);
  pass(60_001);
  assert.equal(turns.take(), "a3");
});

test("where there is one thread only, one that ran away has its turn all the same", () => {
  const turns = createTurns<string>(1, () => 0);
  turns.ranAway("a");
  turns.add("a", "a1");
  turns.add("b", "b1");
  assert.deepEqual([turns.take(), turns.take()], ["a1", "b1"]);
});

test("what doesn't wait any longer is taken out, and by nobody else", () => {
  const turns = createTurns<string>(2, () => 0);
  turns.add("a", "a1");
  assert.equal(turns.remove("a", "a1"), true);
  assert.equal(turns.remove("a", "a1"), false);
  assert.equal(turns.take(), undefined);
  turns.add("a", "a2");
  assert.deepEqual(turns.clear(), ["a2"]);
  assert.equal(turns.size(), 0);
});
