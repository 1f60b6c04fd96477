/** Time as something passed in, so that tests can move it and a log of a run can be replayed. */
export type Clock = {
  /** Wall-clock time, for what is stored and shown. It may step. */
  now(): Date;
  /** Milliseconds that never go back, for durations and time-outs. */
  monotonicMs(): number;
};

export const systemClock: Clock = {
  now: () => new Date(),
  monotonicMs: () => performance.now(),
};
