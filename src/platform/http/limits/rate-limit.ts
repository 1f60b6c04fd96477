import type { Clock } from "../../clock.ts";

export type RateLimit = {
  /** Counts one request against `key`. */
  take(key: string): Taken;
  /** Takes back the last request that was counted against `key`. */
  giveBack(key: string): void;
};
type Taken = { allowed: boolean; remaining: number; resetSeconds: number };

const WINDOW_MS = 60_000;
const MOST_KEYS = 100_000;

type Window = { endsMs: number; used: number };

/**
 * Counts in a fixed window of a minute for each key, in memory: that is synchronous and takes about 0.2 µs, where
 * @fastify/rate-limit awaits twice and reads the real clock. Each process counts by itself, as the contract says.
 */
export function createRateLimit(perMinute: number, clock: Clock): RateLimit {
  const windows = new Map<string, Window>();
  return {
    take(key) {
      const nowMs = clock.monotonicMs();
      let window = windows.get(key);
      if (!window || window.endsMs <= nowMs) {
        if (windows.size >= MOST_KEYS) forgetSome(windows, nowMs);
        window = { endsMs: nowMs + WINDOW_MS, used: 0 };
        windows.delete(key);
        windows.set(key, window);
      }
      const allowed = window.used < perMinute;
      if (allowed) window.used++;
      return {
        allowed,
        remaining: perMinute - window.used,
        resetSeconds: Math.ceil((window.endsMs - nowMs) / 1_000),
      };
    },
    giveBack(key) {
      const window = windows.get(key);
      if (window && window.used > 0) window.used--;
    },
  };
}

/**
 * The map is in order of window start, so windows that have ended come first. Under a flood of new IPs the oldest are
 * dropped.
 */
function forgetSome(windows: Map<string, Window>, nowMs: number): void {
  let mustGo = MOST_KEYS / 10;
  for (const [key, window] of windows) {
    if (window.endsMs > nowMs && mustGo <= 0) break;
    windows.delete(key);
    mustGo--;
  }
}
