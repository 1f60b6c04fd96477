import assert from "node:assert/strict";
import { test } from "node:test";
import { createThreadQueue } from "./thread-queue.ts";

function createClock() {
  let now = 0;
  const pass = (ms: number) => {
    now += ms;
  };
  return { nowMs: () => now, pass };
}

test("accounts take turns, whatever each has waiting", () => {
  const queue = createThreadQueue<string>(2, () => 0);
  for (const one of ["a1", "a2", "a3", "b1", "b2", "c1"]) queue.add(one[0] ?? "", one);
  assert.deepEqual([queue.size(), queue.sizeOf("a")], [6, 3]);
  assert.deepEqual(
    Array.from({ length: 7 }, () => queue.take()),
    ["a1", "b1", "c1", "a2", "b2", "a3", undefined],
  );
});

test("who used the least time lately goes first, and what was used is forgotten", () => {
  const { nowMs, pass } = createClock();
  const queue = createThreadQueue<string>(1, nowMs);
  for (const one of ["a1", "a2", "a3", "a4", "b1", "b2", "b3"]) queue.add(one[0] ?? "", one);
  assert.equal(queue.take(), "a1");
  queue.ended("a", 100);
  for (const one of ["b1", "b2"]) {
    assert.equal(queue.take(), one);
    queue.ended("b", 10);
  }
  assert.equal(queue.take(), "b3");
  queue.ended("b", 10);
  assert.equal(queue.take(), "a2");
  queue.ended("a", 0);
  pass(200_000);
  queue.add("b", "b4");
  assert.equal(queue.take(), "a3");
});

test("one that ran away leaves the last thread to others for a minute", () => {
  const { nowMs, pass } = createClock();
  const queue = createThreadQueue<string>(2, nowMs);
  queue.ranAway("a");
  for (const one of ["a1", "a2", "a3", "a4"]) queue.add("a", one);
  assert.equal(queue.take(), "a1");
  assert.equal(queue.take(), undefined);
  queue.add("b", "b1");
  assert.equal(queue.take(), "b1");
  queue.ended("a", 0);
  assert.equal(queue.take(), "a2");
  assert.equal(queue.take(), undefined);
  pass(60_001);
  assert.equal(queue.take(), "a3");
});

test("where there is one thread only, one that ran away has its turn all the same", () => {
  const queue = createThreadQueue<string>(1, () => 0);
  queue.ranAway("a");
  queue.add("a", "a1");
  queue.add("b", "b1");
  assert.deepEqual([queue.take(), queue.take()], ["a1", "b1"]);
});

test("what doesn't wait any longer is taken out, and by nobody else", () => {
  const queue = createThreadQueue<string>(2, () => 0);
  queue.add("a", "a1");
  assert.equal(queue.remove("a", "a1"), true);
  assert.equal(queue.remove("a", "a1"), false);
  assert.equal(queue.take(), undefined);
  queue.add("a", "a2");
  assert.deepEqual(queue.clear(), ["a2"]);
  assert.equal(queue.size(), 0);
});
