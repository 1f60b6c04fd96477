/**
 * Measures what composing takes of the thread that sends for everybody. Content that was thought to be cheap and isn't is left
 * to the threads that can be killed, for a minute.
 */
import type { Clock } from "../platform/clock.ts";

export type ComposeTime = {
  /** Answers undefined for those that aren't to be composed in this thread. */
  each<T, R>(all: readonly T[], compose: (one: T) => R | undefined): (R | undefined)[];
};

/** One recipient usually takes 0.03 ms, and the dearest content that is let in takes 5 ms. */
const LONGEST_MS = 20;
/** Content may take this much of a second where its mean is above that of plain mail; plain mail may take all of it. */
const MOST_OF_A_SECOND_MS = 250;
const PLAIN_MS = 1;
const AWAY_FOR_MS = 60_000;

/** `cpuMs` is the CPU time of this thread: a machine that stands still makes no content slow. */
export function createComposeTime(
  clock: Pick<Clock, "monotonicMs">,
  cpuMs: () => number = threadCpuMs,
): ComposeTime {
  let awayUntilMs = 0;
  let second = { fromMs: 0, tookMs: 0, composed: 0 };

  function note(nowMs: number, tookMs: number, longestMs: number, composed: number): void {
    if (nowMs - second.fromMs > 1_000) second = { fromMs: nowMs, tookMs: 0, composed: 0 };
    second.tookMs += tookMs;
    second.composed += composed;
    const isMuch = second.tookMs > MOST_OF_A_SECOND_MS && second.tookMs > PLAIN_MS * second.composed;
    if (isMuch || longestMs > LONGEST_MS) awayUntilMs = nowMs + AWAY_FOR_MS;
  }

  return {
    each(all, compose) {
      const startedMs = clock.monotonicMs();
      if (startedMs < awayUntilMs) return all.map(() => undefined);
      const startedCpuMs = cpuMs();
      let [lastMs, longestMs] = [startedMs, 0];
      const made = all.map((one) => {
        // Content that took too long for one recipient will for the next: nobody shall wait for fifty of them.
        if (longestMs > LONGEST_MS && cpuMs() - startedCpuMs > LONGEST_MS) return undefined;
        const composed = compose(one);
        const nowMs = clock.monotonicMs();
        longestMs = Math.max(longestMs, nowMs - lastMs);
        lastMs = nowMs;
        return composed;
      });
      const tookMs = cpuMs() - startedCpuMs;
      note(lastMs, tookMs, Math.min(longestMs, tookMs), all.length);
      return made;
    },
  };
}

function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
