import assert from "node:assert/strict";
import { test } from "node:test";
import { createComposeTime } from "./compose-time.ts";

function createTime() {
  let [wallMs, cpuMs] = [1_000, 0];
  const compute = (ms: number) => {
    wallMs += ms;
    cpuMs += ms;
  };
  const standStill = (ms: number) => {
    wallMs += ms;
  };
  const pace = createComposeTime({ monotonicMs: () => wallMs }, () => cpuMs);
  const compose = (howMany: number, ms: number, pass = compute) =>
    pace
      .each(Array.from({ length: howMany }), () => {
        pass(ms);
        return true;
      })
      .filter(Boolean).length;
  return { compose, standStill };
}

test("a plain source is composed here, however much of the thread's time it takes", () => {
  const { compose } = createTime();
  for (let chunk = 0; chunk < 2_000; chunk++) assert.equal(compose(50, 0.1), 50);
});

test("one whose single recipient takes long is composed elsewhere for a minute, and the rest of the chunk too", () => {
  const { compose, standStill } = createTime();
  assert.equal(compose(50, 21), 1);
  assert.equal(compose(50, 0.1), 0);
  standStill(60_001);
  assert.equal(compose(50, 0.1), 50);
});

test("one whose recipients take a few milliseconds each is composed elsewhere once they are many", () => {
  const { compose } = createTime();
  assert.equal(compose(30, 5), 30);
  assert.equal(compose(30, 5), 30);
  assert.equal(compose(30, 5), 0);
});

test("a few such recipients now and then stay", () => {
  const { compose, standStill } = createTime();
  for (let chunk = 0; chunk < 100; chunk++) {
    assert.equal(compose(10, 5), 10);
    standStill(1_000);
  }
});

test("a machine that stands still makes no source slow", () => {
  const { compose, standStill } = createTime();
  assert.equal(compose(50, 100, standStill), 50);
  assert.equal(compose(50, 0.1), 50);
});
