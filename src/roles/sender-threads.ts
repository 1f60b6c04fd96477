/** Starts the threads that send when there is first something to send, and starts one again that died. */
import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import type { WorkerLimits } from "../content/content.ts";
import { hasWork, onReady } from "../delivery/delivery.ts";
import type { Config } from "../platform/config/settings.ts";
import type { DbOptions } from "../platform/db/db.ts";
import type { App, Role } from "./app.ts";

export type SenderThreadData = {
  readonly config: Config;
  readonly connection: DbOptions["connection"];
  readonly secretKeys: readonly string[];
  readonly isLogPretty: boolean;
  readonly contentLimits: WorkerLimits;
};
export type StopMessage = { readonly graceMs: number };

/** Hints start them; this is for one that got lost. */
const LOOK_EVERY_MS = 2_000;
const RESTART_AFTER_MS = 1_000;
/** What a thread needs beyond the grace to let go of everything. */
const LETTING_GO_MS = 1_000;

export async function startSenderThreads(app: App): Promise<Role> {
  const { config, connection, secretKeys, isLogPretty, contentLimits, log } = app;
  const workerData: SenderThreadData = { config, connection, secretKeys, isLogPretty, contentLimits };
  const threads = new Set<Worker>();
  let isStopping = false;
  let isStarted = false;

  function startOne(): void {
    if (isStopping) return;
    const thread = new Worker(new URL("./sender-thread.ts", import.meta.url), { workerData });
    threads.add(thread);
    thread.on("error", (error) => log.error({ err: error }, "a sender's thread failed"));
    thread.once("exit", () => {
      threads.delete(thread);
      if (!isStopping) setTimeout(startOne, RESTART_AFTER_MS).unref();
    });
  }

  function startAll(): void {
    if (isStarted) return;
    isStarted = true;
    clearInterval(timer);
    for (let n = 0; n < config.senderThreads; n++) startOne();
  }

  async function look(): Promise<void> {
    // The database may be away: then there is nothing to send either.
    if (!isStarted && (await hasWork(app.db).catch(() => false))) startAll();
  }
  const timer = setInterval(look, LOOK_EVERY_MS);
  onReady(app.listener, (sourceId) => (sourceId === undefined ? void look() : startAll()));
  void look();

  return {
    async stop(graceMs) {
      isStopping = true;
      clearInterval(timer);
      await Promise.all([...threads].map((thread) => stopThread(thread, graceMs)));
    },
  };
}

async function stopThread(thread: Worker, graceMs: number): Promise<void> {
  const ended = new Promise<void>((resolve) => thread.once("exit", () => resolve()));
  thread.postMessage({ graceMs } satisfies StopMessage);
  await Promise.race([ended, sleep(graceMs + LETTING_GO_MS, undefined, { ref: false })]);
  await thread.terminate();
}
