import type { Clock } from "../../src/platform/clock.ts";

export type TestClock = Clock & {
  /** Moves both the wall clock and monotonic time. */
  advance(ms: number): void;
  /** Moves the wall clock alone, as an operator or a bad time server does. */
  step(ms: number): void;
};

/** Creates a clock that stands still unless it is moved. */
export function createTestClock(start = new Date()): TestClock {
  let wallMs = start.getTime();
  let monotonicMs = 0;
  return {
    now: () => new Date(wallMs),
    monotonicMs: () => monotonicMs,
    advance(ms) {
      wallMs += ms;
      monotonicMs += ms;
    },
    step(ms) {
      wallMs += ms;
    },
  };
}
