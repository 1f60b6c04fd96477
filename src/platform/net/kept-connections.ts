/** The connections of a session, kept open between its requests. Each serves the host and port alone that it was opened for. */
import type { Connection } from "./http-connection.ts";

export type KeptConnections = {
  /** Takes one that is open and idle, or opens one. */
  take(origin: string, open: () => Connection): Connection;
  /** Says that the request on it is over. It is kept where it may serve another one. */
  giveBack(connection: Connection): void;
  isClosed(): boolean;
  close(): void;
};

type KeepingMs = {
  /** An idle connection is closed by us before most servers close it. */
  readonly idle: number;
  /** After so long a connection is made anew, so that a name that leads elsewhere by now is followed and judged again. */
  readonly kept: number;
  readonly sweepEvery: number;
};
const KEEPING_MS: KeepingMs = { idle: 4_000, kept: 60_000, sweepEvery: 1_000 };

type Kept = {
  readonly connection: Connection;
  readonly origin: string;
  readonly openedMs: number;
  idleMs: number;
};

/** `most` is how many of one host and port are kept while they are idle. */
export function keepConnections(most: number, limitsMs: KeepingMs = KEEPING_MS): KeptConnections {
  const busy = new Map<Connection, Kept>();
  /** The one that was used last is used first, so that others become idle for long and are closed. */
  let idle: Kept[] = [];
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;

  function isGood({ connection, openedMs, idleMs }: Kept, nowMs: number): boolean {
    return connection.isFree() && nowMs - openedMs < limitsMs.kept && nowMs - idleMs < limitsMs.idle;
  }

  function sweep(): void {
    const nowMs = performance.now();
    for (const kept of idle) if (!isGood(kept, nowMs)) kept.connection.close();
    idle = idle.filter((kept) => isGood(kept, nowMs));
    if (idle.length > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  function dropIdle(kept: Kept | undefined): void {
    idle = idle.filter((one) => one !== kept);
    kept?.connection.close();
  }

  function takeIdle(origin: string, nowMs: number): Kept | undefined {
    const at = idle.findLastIndex((kept) => kept.origin === origin && isGood(kept, nowMs));
    return at < 0 ? undefined : idle.splice(at, 1)[0];
  }

  return {
    take(origin, open) {
      const nowMs = performance.now();
      const kept = takeIdle(origin, nowMs) ?? { connection: open(), origin, openedMs: nowMs, idleMs: nowMs };
      busy.set(kept.connection, kept);
      return kept.connection;
    },
    giveBack(connection) {
      const kept = busy.get(connection);
      busy.delete(connection);
      if (!kept || isClosed || !connection.isFree()) {
        connection.close();
        return;
      }
      const others = idle.filter(({ origin }) => origin === kept.origin);
      if (others.length >= most) dropIdle(others[0]);
      kept.idleMs = performance.now();
      idle.push(kept);
      timer ??= setInterval(sweep, limitsMs.sweepEvery).unref();
    },
    isClosed: () => isClosed,
    close() {
      isClosed = true;
      clearInterval(timer);
      for (const { connection } of [...idle, ...busy.values()]) connection.close();
      idle = [];
    },
  };
}
