/**
 * Runs LISTEN on a connection of its own. A notification only says that it is time to look, and carries no news itself:
 * after a lost connection every listener is called once, since nobody knows which notifications were missed.
 */
import pg from "pg";
import type { Log } from "../log.ts";
import { clientConfigFor, type DbOptions, sql, type Tx } from "./db.ts";

export type Listener = {
  listen(channel: string, onHint: (payload: string) => void): void;
  stop(): Promise<void>;
};

const RECONNECT_AFTER_MS = 1_000;

export function createListener(
  connection: DbOptions["connection"],
  log: Log,
  /**
   * `doctor` counts processes by this name, so a thread that listens beside its process's own listener passes another
   * one.
   */
  applicationName = "postrider listen",
): Listener {
  const handlers = new Map<string, ((payload: string) => void)[]>();
  let client: pg.Client | undefined;
  let connecting: Promise<void> | undefined;
  let retry: NodeJS.Timeout | undefined;
  let isStopped = false;

  async function connect(): Promise<void> {
    const config = clientConfigFor({
      connection,
      applicationName,
      statementTimeoutMs: 0,
    });
    const opened = new pg.Client({ ...config, connectionTimeoutMillis: 5_000 });
    opened.on("error", () => undefined);
    opened.on("end", () => {
      if (client === opened) client = undefined;
      reconnect();
    });
    opened.on("notification", ({ channel, payload }) => {
      for (const handler of handlers.get(channel) ?? []) handler(payload ?? "");
    });
    try {
      await opened.connect();
      for (const channel of handlers.keys()) await opened.query(`listen ${opened.escapeIdentifier(channel)}`);
      client = opened;
      for (const ofChannel of handlers.values()) for (const handler of ofChannel) handler("");
    } catch (error) {
      log.warn({ reason: (error as Error).message }, "not listening for notifications; trying again");
      await opened.end().catch(() => undefined);
      reconnect();
    }
  }

  function reconnect(): void {
    if (isStopped || retry) return;
    retry = setTimeout(() => {
      retry = undefined;
      connecting = connect();
    }, RECONNECT_AFTER_MS);
  }

  return {
    listen(channel, onHint) {
      const known = handlers.get(channel);
      handlers.set(channel, [...(known ?? []), onHint]);
      if (!connecting) connecting = connect();
      else if (client && !known)
        client.query(`listen ${client.escapeIdentifier(channel)}`).catch(() => undefined);
    },
    async stop() {
      isStopped = true;
      clearTimeout(retry);
      await connecting;
      await client?.end().catch(() => undefined);
    },
  };
}

/** Sends a notification, which PostgreSQL delivers when the transaction commits; so nobody waits for its answer before. */
export async function notify(tx: Tx, channel: string, payload = ""): Promise<void> {
  tx.send(sql`select pg_notify(${channel}, ${payload})`);
}
