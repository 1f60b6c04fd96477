import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Outcome } from "../transports/transport.ts";
import { allowedBy, asksForLess, type Concurrency, fullConcurrency, slowDown, speedUp } from "./slow-down.ts";

describe("concurrency", () => {
  test("is halved by each reason for it, and those of one moment are one", () => {
    let concurrency = fullConcurrency(16);
    for (const atMs of [0, 10, 900]) concurrency = slowDown(concurrency, atMs);
    assert.equal(allowedBy(concurrency, 900), 8);
    assert.equal(allowedBy(slowDown(concurrency, 1_100), 1_100), 4);
  });

  test("grows by one with each full round, and never beyond the most", () => {
    const grow = (from: Concurrency, times: number) =>
      Array.from({ length: times }).reduce((concurrency: Concurrency) => speedUp(concurrency, 10), from);
    const slow = slowDown(slowDown(fullConcurrency(10), 0), 2_000);
    assert.equal(allowedBy(slow, 2_000), 2);
    assert.equal(allowedBy(grow(slow, 3), 2_000), 3);
    assert.equal(allowedBy(grow(slow, 500), 2_000), 10);
  });

  test("asked for less at one at a time, it waits, longer each time and a minute at most", () => {
    let concurrency = fullConcurrency(1);
    const waits: number[] = [];
    for (let nowMs = 0, times = 0; times < 9; times++) {
      concurrency = slowDown(concurrency, nowMs);
      assert.equal(allowedBy(concurrency, nowMs), 0);
      waits.push(concurrency.notBeforeMs - nowMs);
      nowMs = concurrency.notBeforeMs + 1;
      assert.equal(allowedBy(concurrency, nowMs), 1);
    }
    assert.deepEqual(waits.slice(0, 4), [1_000, 2_000, 4_000, 8_000]);
    assert.equal(waits.at(-1), 60_000);
    assert.equal(speedUp(concurrency, 1).waits, 0);
  });
});

describe("a reply that asks for less", () => {
  const refusal = { phase: "rcpt", code: 451, enhanced: "4.7.1", text: "451 later" } as const;
  const asking: readonly [string, Outcome, ReturnType<typeof asksForLess>][] = [
    ["421 at connect", { kind: "deferred", ...refusal, phase: "greeting", code: 421 }, "transport"],
    ["451 at MAIL", { kind: "deferred", ...refusal, phase: "mail" }, "transport"],
    ["451 at RCPT", { kind: "deferred", ...refusal }, "domain"],
    ["421 at RCPT", { kind: "deferred", ...refusal, code: 421 }, "both"],
    ["450 4.7.1 at the dot", { kind: "deferred", ...refusal, phase: "dot", code: 450 }, "domain"],
    ["452 4.2.2 at RCPT", { kind: "deferred", ...refusal, code: 452, enhanced: "4.2.2" }, undefined],
    ["an acceptance", { kind: "accepted", code: 250, text: "250 ok" }, undefined],
  ];
  for (const [name, outcome, whom] of asking) {
    test(`${name} asks for less of ${whom ?? "nobody"}`, () => assert.equal(asksForLess(outcome), whom));
  }
});
