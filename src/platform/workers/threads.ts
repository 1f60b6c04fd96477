/**
 * A thread that is there as long as the process: one that ended is started again, and one whose event loop stands still is
 * ended, since it would keep a core busy for ever and nobody else can. It counts up in memory that both share.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import type { Log } from "../log.ts";

export type KeptThread = {
  /** Tells it to stop, and ends it when it hasn't by then. */
  stop(message: unknown, withinMs: number): Promise<void>;
};

export type ThreadOptions = {
  readonly url: URL;
  readonly workerData: object;
  readonly log: Log;
  /** For the log. */
  readonly name: string;
  /** So long it may stand still. A peer takes over what a sender held after the same time. */
  readonly stillMs?: number;
};

const STILL_MS = 12_000;
const LOOKS = 12;
const RESTART_AFTER_MS = 1_000;
const COUNT_EVERY_MS = 250;

export function keepThread({ url, workerData, log, name, stillMs = STILL_MS }: ThreadOptions): KeptThread {
  let isStopping = false;
  let thread: Worker | undefined;

  function start(): void {
    if (isStopping) return;
    const counter = new SharedArrayBuffer(4);
    const started = new Worker(url, { workerData: { ...workerData, counter } });
    thread = started;
    const watch = watchCounter(new Int32Array(counter), stillMs, () => {
      log.error({ seconds: stillMs / 1_000 }, `${name} stood still and was ended`);
      void started.terminate();
    });
    started.on("error", (error) => log.error({ err: error }, `${name} failed`));
    started.once("exit", () => {
      clearInterval(watch);
      thread = undefined;
      if (!isStopping) setTimeout(start, RESTART_AFTER_MS).unref();
    });
  }
  start();

  return {
    async stop(message, withinMs) {
      isStopping = true;
      const stopped = thread;
      if (!stopped) return;
      const ended = new Promise<void>((resolve) => stopped.once("exit", () => resolve()));
      stopped.postMessage(message);
      await Promise.race([ended, sleep(withinMs, undefined, { ref: false })]);
      await stopped.terminate();
    },
  };
}

/** Counts looks and not time: while the whole process stood still, nobody looked either. */
function watchCounter(counter: Int32Array, stillMs: number, onStill: () => void): NodeJS.Timeout {
  let last = 0;
  let looks = 0;
  const timer = setInterval(() => {
    const now = Atomics.load(counter, 0);
    // Before the first count it is still being loaded.
    looks = now === last && now !== 0 ? looks + 1 : 0;
    last = now;
    if (looks < LOOKS) return;
    clearInterval(timer);
    onStill();
  }, stillMs / LOOKS);
  timer.unref();
  return timer;
}

/** Called by the thread itself. */
export function countUp(counter: SharedArrayBuffer): void {
  const shared = new Int32Array(counter);
  const count = () => void Atomics.add(shared, 0, 1);
  count();
  setInterval(count, COUNT_EVERY_MS).unref();
}
