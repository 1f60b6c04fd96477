import { setTimeout as sleep } from "node:timers/promises";
import type { Log } from "../../log.ts";
import { StartupError } from "../../startup-error.ts";
import type { Server } from "./server.ts";

const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 10_000;
// A server that ran this long must have ended for a new reason, so the delays begin anew.
const STEADY_MS = 60_000;

export type Supervised = { readonly pid: number; stop(): Promise<void> };

/** Starts the server again whenever it ends by itself, until `stop`. Clients just reconnect. */
export function supervise(
  first: Server,
  launch: (signal: AbortSignal) => Promise<Server>,
  log: Log,
): Supervised {
  const stopping = new AbortController();
  const { signal } = stopping;
  let server = first;
  const watching = watch();
  return {
    get pid() {
      return server.pid;
    },
    async stop() {
      stopping.abort();
      await server.stop();
      await watching;
    },
  };

  async function watch(): Promise<void> {
    let delayMs = FIRST_DELAY_MS;
    for (;;) {
      const readyAt = performance.now();
      const problems = await server.ended;
      if (signal.aborted) return;
      if (performance.now() - readyAt > STEADY_MS) delayMs = FIRST_DELAY_MS;
      log.error({ problems, delayMs }, "PostgreSQL ended by itself and will be started again");
      let next: Server | undefined;
      while (!next) {
        await sleep(delayMs, undefined, { ref: false, signal }).catch(() => {});
        if (signal.aborted) return;
        delayMs = Math.min(delayMs * 2, LONGEST_DELAY_MS);
        next = await tryLaunch();
      }
      server = next;
      if (signal.aborted) return server.stop();
      log.info({ pid: server.pid }, "PostgreSQL is running again");
    }
  }

  async function tryLaunch(): Promise<Server | undefined> {
    try {
      return await launch(signal);
    } catch (err) {
      const details = err instanceof StartupError ? { problem: err.message, remedy: err.remedy } : { err };
      if (!signal.aborted)
        log.error(details, "PostgreSQL could not be started again; the next attempt follows");
      return undefined;
    }
  }
}
