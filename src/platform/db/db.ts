/**
 * All access to PostgreSQL goes through here. A statement is a tagged template (`sql`), a storage function takes its
 * connection first, and inside a transaction only the transaction's own connection may be used: a query on any other
 * throws.
 */
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import sql, { type Sql } from "sql-template-tag";
import type { Log } from "../log.ts";
import { DbError, toDbError } from "./errors.ts";
import { type Queryable, queryable, type Writable } from "./queryable.ts";
import { ask, queryConfig } from "./send.ts";
import { CONNECT_TIMEOUT_MS, createSharedConnection, type SharedConnection } from "./shared-connection.ts";
import { type Connections, refuseInsideTransaction, runTransaction, type Tx } from "./transaction.ts";

export type { Sql } from "sql-template-tag";
export { default as sql, join, raw } from "sql-template-tag";
export type { Queryable, Writable } from "./queryable.ts";
export { prepared, withTimeout } from "./send.ts";
export type { Tx } from "./transaction.ts";

export type Db = Writable & {
  /**
   * Runs `work` in one transaction. On a deadlock or a serialisation failure `work` runs again from the start, so it must
   * not touch anything but the database.
   */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /**
   * Runs short statements by key, pipelined with those of other requests over a few shared connections. It must never get
   * a statement that may take long: answers come in order, so a slow one delays all behind it.
   */
  readonly hot: Queryable;
  /**
   * Runs each statement in a read-only transaction of its own: PostgreSQL refuses a change, whatever the statement says.
   */
  readonly reading: Queryable;
  /** Counts the connections in use, idle and waited for, for /metrics. */
  counts(): { total: number; idle: number; waiting: number };
  close(): Promise<void>;
};

export type DbOptions = {
  connection: string | { host: string; port: number; user: string; database: string };
  /** The size must be at least 2: one connection for transactions and one that is shared. */
  poolSize: number;
  applicationName: string;
  log: Log;
  /** The server cancels a statement that takes longer. */
  statementTimeoutMs: number;
  /**
   * Plans each prepared statement once, for no values in particular: where all runs are alike, that saves a tenth of
   * their time. A table that was small at planning may have grown since, so an index is used wherever there is one.
   */
  plansOnce?: boolean;
};

const READ_CONNECTIONS = 2;
const WRITE_CONNECTIONS = 2;
/** In a smaller pool, callers who need a connection of their own would miss these. */
const WRITE_CONNECTIONS_FROM_POOL_SIZE = 8;
/**
 * On a slow disk two shared connections commit little. With this many uses under way on one, a free connection of the
 * pool is better.
 */
const MANY_UNDER_WAY = 8;
const CONFLICT_ATTEMPTS = 3;

// int8 is read as a number: our counts stay below 2^53, and a string that looks like a number invites mistakes.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

export function createDb(options: DbOptions): Db {
  const clientConfig = clientConfigFor(options);
  const readingConnections = Math.min(READ_CONNECTIONS, options.poolSize - 1);
  const writingConnections = options.poolSize < WRITE_CONNECTIONS_FROM_POOL_SIZE ? 0 : WRITE_CONNECTIONS;
  const most = options.poolSize - readingConnections - writingConnections;
  const pool = new pg.Pool({
    ...clientConfig,
    max: most,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    idleTimeoutMillis: 30_000,
  });
  // A connection that dies emits an event, and without a listener that would end the process. The pool listens to idle ones alone, and one
  // that is ended as it opens is lent out by then: its greeting and its end may come in one packet.
  pool.on("connect", (client) => void client.on("error", ignore));
  // An idle connection that dies is replaced at the next use.
  let isClosing = false;
  pool.on("error", (error) => {
    if (!isClosing) options.log.warn({ reason: error.message }, "an idle database connection was lost");
  });
  const createSharedConnections = (length: number) =>
    Array.from({ length }, () => createSharedConnection(clientConfig, options.log));
  const [reading, writing] = [
    createSharedConnections(readingConnections),
    createSharedConnections(writingConnections),
  ];
  const connections: Connections = {
    own: () => pool.connect(),
    async use(work) {
      const shared = leastBusy(writing);
      const isOneFree = pool.idleCount > 0 || pool.totalCount < most;
      return shared && (shared.underWay() < MANY_UNDER_WAY || !isOneFree)
        ? shared.use(work)
        : useOwn(pool, work);
    },
  };

  return {
    ...queryable(async (statement) => {
      refuseInsideTransaction();
      return pool.query(queryConfig(statement)).catch((error) => {
        throw toDbError(error);
      });
    }),
    hot: queryable(async (statement) => {
      refuseInsideTransaction();
      return (leastBusy(reading) as SharedConnection).use((client) => ask(client, statement));
    }),
    reading: queryable(async (statement) => {
      refuseInsideTransaction();
      return useOwn(pool, (client) => askReadOnly(client, statement));
    }),
    async transaction(work) {
      refuseInsideTransaction();
      for (let attempt = 1; ; attempt++) {
        try {
          return await runTransaction(connections, work);
        } catch (error) {
          const again = error instanceof DbError && error.kind === "conflict" && attempt < CONFLICT_ATTEMPTS;
          if (!again) throw error;
          // The transaction waits a random time, since a retry at once would collide with the same other transaction
          // again.
          await sleep(10 * attempt * (1 + Math.random()));
        }
      }
    },
    counts: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    async close() {
      isClosing = true;
      await Promise.all([pool.end(), ...[...reading, ...writing].map((one) => one.close())]);
    },
  };
}

export function clientConfigFor(
  options: Omit<DbOptions, "poolSize" | "log">,
): pg.ClientConfig & { pipeline: true } {
  const { connection } = options;
  return {
    // The embedded server's socket takes no TLS, whatever PGSSLMODE in the environment says.
    ...(typeof connection === "string" ? { connectionString: connection } : { ...connection, ssl: false }),
    application_name: options.applicationName,
    statement_timeout: options.statementTimeoutMs,
    // Up to PostgreSQL 17, switching sequential scans off only adds such a cost to them that the plan would be compiled
    // (jit).
    ...(options.plansOnce && {
      options: "-c plan_cache_mode=force_generic_plan -c enable_seqscan=off -c jit=off",
    }),
    // A server that vanished can't report its own time-out, so the client has one too.
    ...(options.statementTimeoutMs > 0 && { query_timeout: options.statementTimeoutMs + 5_000 }),
    keepAlive: true,
    pipeline: true,
  };
}

const BEGIN_READ_ONLY = sql`begin read only`;
const COMMIT = sql`commit`;
const READ_ONLY_TRANSACTION = "25006";

/** Sends all three statements in one round trip. After a statement that failed, the commit rolls back. */
async function askReadOnly(client: pg.ClientBase, statement: Sql): Promise<pg.QueryResult> {
  const [, asked] = await Promise.allSettled([
    ask(client, BEGIN_READ_ONLY),
    ask(client, statement),
    ask(client, COMMIT),
  ]);
  if (asked.status === "fulfilled") return asked.value;
  // Elsewhere this error says that the server has become a standby; here it is a bug of ours.
  const { reason } = asked;
  const isWrite = reason instanceof DbError && reason.sqlState === READ_ONLY_TRANSACTION;
  throw isWrite
    ? new Error("a statement that should only read would have written", { cause: reason })
    : reason;
}

async function useOwn<T>(pool: pg.Pool, work: (client: pg.ClientBase) => Promise<T>): Promise<T> {
  const client = await pool.connect().catch((error) => {
    throw toDbError(error);
  });
  let broken: Error | undefined;
  try {
    return await work(client);
  } catch (error) {
    if (error instanceof DbError && error.kind === "unavailable") broken = error;
    throw error;
  } finally {
    client.release(broken);
  }
}

function ignore(): void {}

function leastBusy(connections: readonly SharedConnection[]): SharedConnection | undefined {
  return connections.reduce<SharedConnection | undefined>(
    (least, one) => (least && least.underWay() <= one.underWay() ? least : one),
    undefined,
  );
}
