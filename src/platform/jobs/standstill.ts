/** Notices a queue that takes no more jobs though it could: it was seen once, after a start on a crowded machine. */
import type { WorkerEvents } from "graphile-worker";

/** A queue with room asks for jobs every second. */
const LONGEST_MS = 30_000;
const LOOK_EVERY_MS = 5_000;

export type StandstillWatch = { stop(): void };

/** Calls `onStandstill` once, when nothing was asked for in half a minute while fewer jobs ran than may. */
export function watchForStandstill(
  events: Pick<WorkerEvents, "on">,
  concurrency: number,
  onStandstill: () => void,
  { longestMs = LONGEST_MS, lookEveryMs = LOOK_EVERY_MS } = {},
): StandstillWatch {
  let running = 0;
  /** Looks are counted and not time, since a process that was stopped has asked for nothing either. */
  let looksWithoutFetch = 0;
  events.on("localQueue:getJobs:complete", () => {
    looksWithoutFetch = 0;
  });
  events.on("job:start", () => {
    running++;
  });
  events.on("job:complete", () => {
    running--;
    looksWithoutFetch = 0;
  });
  const timer = setInterval(() => {
    if (running >= concurrency) looksWithoutFetch = 0;
    else looksWithoutFetch++;
    if (looksWithoutFetch * lookEveryMs < longestMs) return;
    clearInterval(timer);
    onStandstill();
  }, lookEveryMs);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}
