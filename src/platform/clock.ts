/** Time is passed in, so that tests can move it and a log of a run can be replayed. */
export type Clock = {
  /** Returns wall-clock time, for what is stored and shown. It may jump in either direction. */
  now(): Date;
  /** Returns milliseconds that never go back, for durations and time-outs. */
  monotonicMs(): number;
};

export const systemClock: Clock = {
  now: () => new Date(),
  monotonicMs: () => performance.now(),
};
