import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createTestClock } from "../../../../test/support/clock.ts";
import { createRateLimit } from "./rate-limit.ts";

describe("the rate limit", () => {
  it("counts down, refuses what is over, and says when it resets", () => {
    const clock = createTestClock();
    const limit = createRateLimit(2, clock);
    assert.deepEqual(limit.take("a"), { allowed: true, remaining: 1, resetSeconds: 60 });
    clock.advance(10_500);
    assert.deepEqual(limit.take("a"), { allowed: true, remaining: 0, resetSeconds: 50 });
    assert.deepEqual(limit.take("a"), { allowed: false, remaining: 0, resetSeconds: 50 });
  });

  it("starts a new window a minute after the first request", () => {
    const clock = createTestClock();
    const limit = createRateLimit(1, clock);
    limit.take("a");
    clock.advance(59_999);
    assert.deepEqual(limit.take("a"), { allowed: false, remaining: 0, resetSeconds: 1 });
    clock.advance(1);
    assert.deepEqual(limit.take("a"), { allowed: true, remaining: 0, resetSeconds: 60 });
  });

  it("doesn't let refused requests prolong the wait", () => {
    const clock = createTestClock();
    const limit = createRateLimit(1, clock);
    for (let i = 0; i < 120; i++) {
      limit.take("a");
      clock.advance(500);
    }
    assert.equal(limit.take("a").allowed, true);
  });

  it("counts each key by itself", () => {
    const limit = createRateLimit(1, createTestClock());
    assert.equal(limit.take("a").allowed, true);
    assert.equal(limit.take("b").allowed, true);
    assert.equal(limit.take("a").allowed, false);
  });

  it("is not moved by a step of the wall clock", () => {
    const clock = createTestClock();
    const limit = createRateLimit(1, clock);
    limit.take("a");
    clock.step(3_600_000);
    assert.equal(limit.take("a").allowed, false);
    clock.step(-7_200_000);
    assert.equal(limit.take("a").resetSeconds, 60);
  });

  it("forgets the oldest under a flood of keys, and keeps the newest", () => {
    const limit = createRateLimit(1, createTestClock());
    limit.take("first");
    for (let i = 0; i < 100_000; i++) limit.take(`10.0.${i}`);
    assert.equal(limit.take("10.0.99999").allowed, false);
    assert.equal(limit.take("first").allowed, true);
  });
});
