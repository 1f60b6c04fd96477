/**
 * Says whether the reader of an export is too slow: a process has few at once, so whoever takes a little now and then would keep the others out.
 * Only the time that is spent waiting for the reader counts, and not that of the database.
 */
export const LEAST_BYTES_PER_SECOND = 64 * 1_024;
/** So far a reader may fall behind that rate. What was read quicker before gives no credit, or one could read fast and then stop. */
const MOST_BEHIND_MS = 60_000;

export type Pace = {
  took(bytes: number): void;
  /** The reader was waited for so long. */
  waited(ms: number): void;
  /** `ms` is how long the reader is being waited for right now. */
  isTooSlow(ms: number): boolean;
};

export function createPace(): Pace {
  let behindMs = 0;
  return {
    took(bytes) {
      behindMs = Math.max(0, behindMs - (bytes / LEAST_BYTES_PER_SECOND) * 1_000);
    },
    waited(ms) {
      behindMs += ms;
    },
    isTooSlow: (ms) => behindMs + ms > MOST_BEHIND_MS,
  };
}
