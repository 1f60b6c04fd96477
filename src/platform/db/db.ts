/**
 * The way to PostgreSQL. A statement is a tagged template (`sql`), a storage function takes its connection first,
 * and inside a transaction only the transaction's own connection may be used: a query that slips out throws.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import sql, { type Sql } from "sql-template-tag";
import type { Log } from "../log.ts";
import { DbError, toDbError } from "./errors.ts";
import { queryConfig, send } from "./send.ts";

export type { Sql } from "sql-template-tag";
export { default as sql, join } from "sql-template-tag";
export { prepared } from "./send.ts";

type Row = Record<string, unknown>;

export type Queryable = {
  many<T extends Row>(statement: Sql): Promise<T[]>;
  /** The only row; no row or several is a bug. */
  one<T extends Row>(statement: Sql): Promise<T>;
  maybeOne<T extends Row>(statement: Sql): Promise<T | undefined>;
  /** How many rows were touched. */
  execute(statement: Sql): Promise<number>;
};

export type Tx = Queryable & {
  /**
   * Sends a statement whose answer nobody needs, and doesn't wait for it: it travels with the next one or with the
   * commit, which saves a round trip. When it fails, so does the transaction.
   */
  send(statement: Sql): void;
  /** Runs once the commit has returned; not at all when it didn't. */
  afterCommit(work: () => void): void;
};

export type Db = Queryable & {
  /**
   * Runs `work` in one transaction. On a deadlock or a serialisation failure it runs again from the start, so it
   * must not touch anything but the database.
   */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /**
   * Short statements by key, pipelined with other requests' over a few shared connections. Never for anything that
   * may take long: the answers come in order, so a slow one holds up the rest.
   */
  readonly hot: Queryable;
  /** Connections in use, idle and asked for, for /metrics. */
  counts(): { total: number; idle: number; waiting: number };
  close(): Promise<void>;
};

export type DbOptions = {
  connection: string | { host: string; port: number; user: string; database: string };
  /** At least 2: one for transactions and one shared. */
  poolSize: number;
  applicationName: string;
  log: Log;
  /** A statement that takes longer is cancelled by the server. */
  statementTimeoutMs: number;
};

const LANES = 2;
const CONNECT_TIMEOUT_MS = 5_000;
const CONFLICT_ATTEMPTS = 3;
const IN_FAILED_TRANSACTION = "25P02";
const BEGIN = sql`begin`;
const COMMIT = sql`commit`;

type OpenTransaction = { ended: boolean };
const openTransaction = new AsyncLocalStorage<OpenTransaction>();

// int8 as number: our counts stay below 2^53, and a string that looks like a number is a trap.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

export function createDb(options: DbOptions): Db {
  const clientConfig = clientConfigFor(options);
  const laneCount = Math.min(LANES, options.poolSize - 1);
  const pool = new pg.Pool({
    ...clientConfig,
    max: options.poolSize - laneCount,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    idleTimeoutMillis: 30_000,
  });
  // An idle connection that dies is replaced at the next use; without a listener it would end the process.
  let isClosing = false;
  pool.on("error", (error) => {
    if (!isClosing) options.log.warn({ reason: error.message }, "an idle database connection was lost");
  });
  const lanes = Array.from({ length: laneCount }, () => createLane(clientConfig, options.log));
  let turn = 0;

  return {
    ...queryable(async (statement) => {
      refuseInsideTransaction();
      return pool.query(queryConfig(statement));
    }),
    hot: queryable(async (statement) => {
      refuseInsideTransaction();
      turn = (turn + 1) % laneCount;
      return send(await (lanes[turn] as Lane).client(), statement);
    }),
    async transaction(work) {
      refuseInsideTransaction();
      for (let attempt = 1; ; attempt++) {
        try {
          return await runTransaction(pool, work);
        } catch (error) {
          const again = error instanceof DbError && error.kind === "conflict" && attempt < CONFLICT_ATTEMPTS;
          if (!again) throw error;
          // Apart from the one it collided with, which at once it would meet again.
          await sleep(10 * attempt * (1 + Math.random()));
        }
      }
    },
    counts: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    async close() {
      isClosing = true;
      await Promise.all([pool.end(), ...lanes.map((lane) => lane.close())]);
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
    // For a server that vanished without a word: its own time-out can't be heard then.
    ...(options.statementTimeoutMs > 0 && { query_timeout: options.statementTimeoutMs + 5_000 }),
    keepAlive: true,
    pipeline: true,
  };
}

async function runTransaction<T>(pool: pg.Pool, work: (tx: Tx) => Promise<T>): Promise<T> {
  const client = await asDbError(pool.connect());
  // A connection that dies while it is lent out says so by an event as well, which would end the process unheard.
  client.on("error", ignore);
  const state: OpenTransaction = { ended: false };
  const sent: Promise<unknown>[] = [];
  let sentFailure: unknown;
  const whenCommitted: (() => void)[] = [];
  const run: Run = async (statement) => {
    if (state.ended) throw new Error("this transaction has ended: a query was not awaited inside it");
    return send(client, statement);
  };
  const tx: Tx = {
    ...queryable(run),
    send(statement) {
      const answer = asDbError(run(statement));
      answer.catch((error) => {
        sentFailure ??= error;
      });
      sent.push(answer);
    },
    afterCommit: (callback) => whenCommitted.push(callback),
  };
  let broken: Error | undefined;
  try {
    // Not awaited: it travels with the first statement, which saves a round trip.
    const began = asDbError(send(client, BEGIN));
    began.catch(ignore);
    const result = await openTransaction.run(state, () => work(tx));
    state.ended = true;
    const [ended] = await Promise.all([asDbError(send(client, COMMIT)), began, ...sent]);
    // PostgreSQL answers COMMIT with ROLLBACK when a statement had failed and its error was swallowed.
    if (ended.command !== "COMMIT") throw new Error("a failed statement was ignored: nothing was committed");
    for (const callback of whenCommitted) callback();
    return result;
  } catch (thrown) {
    state.ended = true;
    // After a failed statement every other one fails too, and says no more than that.
    const isEcho = thrown instanceof DbError && thrown.sqlState === IN_FAILED_TRANSACTION;
    const error = isEcho ? (sentFailure ?? thrown) : thrown;
    if (error instanceof DbError && error.kind === "unavailable") broken = error;
    else await client.query("rollback").catch((failure) => (broken = failure));
    throw error;
  } finally {
    if (!broken) client.off("error", ignore);
    client.release(broken);
  }
}

/** Only what the driver throws: an error of the work itself, such as a missing file, is none of the database's. */
async function asDbError<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw toDbError(error);
  }
}

function ignore(): void {}

type Run = (statement: Sql) => Promise<pg.QueryResult>;

function queryable(run: Run): Queryable {
  const ask: Run = (statement) => asDbError(run(statement));
  const many = async <T extends Row>(statement: Sql) => (await ask(statement)).rows as T[];
  return {
    many,
    async one<T extends Row>(statement: Sql) {
      const rows = await many<T>(statement);
      if (rows.length !== 1) throw new Error(`one row was expected, ${rows.length} came`);
      return rows[0] as T;
    },
    async maybeOne<T extends Row>(statement: Sql) {
      const rows = await many<T>(statement);
      if (rows.length > 1) throw new Error(`at most one row was expected, ${rows.length} came`);
      return rows[0];
    },
    execute: async (statement) => (await ask(statement)).rowCount ?? 0,
  };
}

function refuseInsideTransaction(): void {
  const open = openTransaction.getStore();
  if (open && !open.ended) throw new Error("a query slipped out of its transaction: pass `tx` to it");
}

type Lane = { client(): Promise<pg.Client>; close(): Promise<void> };

/** One shared connection that is made at first use and again after it is lost. */
function createLane(clientConfig: pg.ClientConfig, log: Log): Lane {
  let current: { ready: Promise<pg.Client> } | undefined;
  const open = () => {
    const client = new pg.Client({ ...clientConfig, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
    const opened = { ready: client.connect().then(() => client) };
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
    client() {
      current ??= open();
      return current.ready;
    },
    async close() {
      const client = await current?.ready.catch(() => undefined);
      current = undefined;
      await client?.end().catch(() => undefined);
    },
  };
}
