/** One connection that many callers share; each statement or whole transaction is sent behind the one before it. */
import pg from "pg";
import type { Log } from "../log.ts";
import { DbError, toDbError } from "./errors.ts";

export const CONNECT_TIMEOUT_MS = 5_000;

export type SharedConnection = {
  /** `work` must send everything that belongs together before it first waits. */
  use<T>(work: (client: pg.ClientBase) => Promise<T>): Promise<T>;
  /** Counts the uses that haven't ended yet. */
  underWay(): number;
  close(): Promise<void>;
};

/** The connection is opened at its first use, and again after it is lost. */
export function createSharedConnection(clientConfig: pg.ClientConfig, log: Log): SharedConnection {
  let current: { ready: Promise<pg.Client> } | undefined;
  let underWay = 0;
  const open = () => {
    const client = new pg.Client({ ...clientConfig, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
    const opened = { ready: connect(client) };
    const forget = () => {
      if (current === opened) current = undefined;
    };
    client.on("error", (error) => {
      log.warn({ reason: error.message }, "a shared database connection was lost");
      forget();
    });
    client.on("end", forget);
    opened.ready.catch(forget);
    return opened;
  };
  return {
    async use(work) {
      underWay++;
      current ??= open();
      const used = current;
      try {
        return await work(await used.ready);
      } catch (error) {
        // The driver reports a dead connection by an event that comes later; by then other statements would have been
        // sent on it.
        if (error instanceof DbError && error.kind === "unavailable" && current === used) {
          current = undefined;
          endConnection(used.ready);
        }
        throw error;
      } finally {
        underWay--;
      }
    },
    underWay: () => underWay,
    async close() {
      const ready = current?.ready;
      current = undefined;
      if (ready) await endConnection(ready);
    },
  };
}

async function endConnection(ready: Promise<pg.Client>): Promise<void> {
  const client = await ready.catch(() => undefined);
  await client?.end().catch(() => undefined);
}

async function connect(client: pg.Client): Promise<pg.Client> {
  try {
    await client.connect();
    return client;
  } catch (error) {
    throw toDbError(error);
  }
}
