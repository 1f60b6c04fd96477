/**
 * Keeps a thread running as long as the process: it is started again when it ends, and ended when its event loop stands
 * still, since it would keep a core busy for ever. The thread counts up in shared memory to show that it runs.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import type { Log } from "../log.ts";

export type KeptThread = {
  /** Tells the thread to stop, and ends it when it hasn't stopped within that time. */
  stop(message: unknown, withinMs: number): Promise<void>;
};

export type ThreadOptions = {
  readonly url: URL;
  readonly workerData: object;
  readonly log: Log;
  /** The name that log lines use. */
  readonly name: string;
  /** The longest time that the thread may stand still. After the same time a peer takes over what a sender held. */
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

/** Counts checks and not time: while the whole process stood still, nobody checked either. */
function watchCounter(counter: Int32Array, stillMs: number, onStill: () => void): NodeJS.Timeout {
  let last = 0;
  let looks = 0;
  const timer = setInterval(() => {
    const now = Atomics.load(counter, 0);
    // Before its first count the thread is still loading.
    looks = now === last && now !== 0 ? looks + 1 : 0;
    last = now;
    if (looks < LOOKS) return;
    clearInterval(timer);
    onStill();
  }, stillMs / LOOKS);
  timer.unref();
  return timer;
}

/** The thread itself calls this. */
export function countUp(counter: SharedArrayBuffer): void {
  const shared = new Int32Array(counter);
  const count = () => void Atomics.add(shared, 0, 1);
  count();
  setInterval(count, COUNT_EVERY_MS).unref();
}
