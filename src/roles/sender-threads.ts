/** The threads that send mail start when there is something to send for the first time. */
import type { WorkerLimits } from "../content/content.ts";
import { hasWork, onReady } from "../delivery/delivery.ts";
import type { Config } from "../platform/config/settings.ts";
import type { DbOptions } from "../platform/db/db.ts";
import { type KeptThread, keepThread } from "../platform/workers/threads.ts";
import type { App, Role } from "./app.ts";

export type SenderThreadData = {
  readonly config: Config;
  readonly connection: DbOptions["connection"];
  readonly secretKeys: readonly string[];
  readonly linkKey: Uint8Array;
  readonly isLogPretty: boolean;
  readonly contentLimits: WorkerLimits;
};
export type StopMessage = { readonly graceMs: number };

/** A notification starts the threads. This timer looks as well, because a notification may get lost. */
const LOOK_EVERY_MS = 2_000;
/** After the grace a thread needs this long to close its connections. */
const CLOSING_MS = 1_000;

export async function startSenderThreads(app: App): Promise<Role> {
  const { config, connection, secretKeys, linkKey, isLogPretty, contentLimits, log } = app;
  const workerData: SenderThreadData = {
    config,
    connection,
    secretKeys,
    linkKey,
    isLogPretty,
    contentLimits,
  };
  const threads: KeptThread[] = [];
  let isStopping = false;
  let isStarted = false;

  function startAll(): void {
    if (isStarted || isStopping) return;
    isStarted = true;
    clearInterval(timer);
    const url = new URL("./sender-thread.ts", import.meta.url);
    for (let n = 0; n < config.senderThreads; n++) {
      threads.push(keepThread({ url, workerData, log, name: "a sender's thread" }));
    }
  }

  async function look(): Promise<void> {
    // While the database is away nothing can be sent, so the threads need not start.
    if (!isStarted && (await hasWork(app.db).catch(() => false))) startAll();
  }
  const timer = setInterval(look, LOOK_EVERY_MS);
  onReady(app.listener, (sourceId) => (sourceId === undefined ? void look() : startAll()));
  void look();

  return {
    async stop(graceMs) {
      isStopping = true;
      clearInterval(timer);
      const message: StopMessage = { graceMs };
      await Promise.all(threads.map((thread) => thread.stop(message, graceMs + CLOSING_MS)));
    },
  };
}
