/**
 * A transaction takes a connection when it first waits for an answer. Until then its statements are gathered, and a
 * transaction that never waits is sent in one round trip, so that nobody else is kept from the connection.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import type pg from "pg";
import sql, { type Sql } from "sql-template-tag";
import { DbError, toDbError } from "./errors.ts";
import { sendPipelined } from "./pipelined-transaction.ts";
import { queryable, type Writable } from "./queryable.ts";
import { ask, type QueryCallback, submit } from "./send.ts";

export type Tx = Writable & {
  /**
   * Sends a statement whose answer nobody needs, and doesn't wait for it: it travels with the next one or with the
   * commit, which saves a round trip. When it fails, so does the transaction.
   */
  send(statement: Sql): void;
  /** Runs `work` once the commit has returned, and never when the commit failed. */
  afterCommit(work: () => void): void;
};

export type Connections = {
  /** Returns a connection that belongs to this transaction alone until it is released. */
  own(): Promise<pg.PoolClient>;
  /** Lends a connection to a transaction that is sent in one go; others may use it before that transaction has ended. */
  use<T>(work: (client: pg.ClientBase) => Promise<T>): Promise<T>;
};

const BEGIN = sql`begin`;
const COMMIT = sql`commit`;
const ROLLBACK = sql`rollback`;

type OpenTransaction = { ended: boolean };
const open = new AsyncLocalStorage<OpenTransaction>();

export function refuseInsideTransaction(): void {
  const current = open.getStore();
  if (current && !current.ended) throw new Error("a query slipped out of its transaction: pass `tx` to it");
}

export async function runTransaction<T>(connections: Connections, work: (tx: Tx) => Promise<T>): Promise<T> {
  const state: OpenTransaction = { ended: false };
  const gathered = gatherStatements(connections, state);
  const whenCommitted: (() => void)[] = [];
  const tx: Tx = {
    ...queryable(gathered.ask),
    send: gathered.send,
    afterCommit: (callback) => whenCommitted.push(callback),
  };
  let result: T;
  try {
    result = await open.run(state, () => work(tx));
  } catch (thrown) {
    state.ended = true;
    throw await gathered.rollBack(thrown);
  }
  state.ended = true;
  await gathered.commit();
  for (const callback of whenCommitted) callback();
  return result;
}

type GatheredStatements = {
  ask(statement: Sql): Promise<pg.QueryResult>;
  send(statement: Sql): void;
  commit(): Promise<void>;
  /** Returns the error to throw. */
  rollBack(thrown: unknown): Promise<unknown>;
};

function gatherStatements(connections: Connections, state: OpenTransaction): GatheredStatements {
  let waiting: { statement: Sql; answered: QueryCallback }[] = [];
  let opening: Promise<void> | undefined;
  let client: pg.PoolClient | undefined;
  let failure: Error | undefined;
  /** No connection could be had. Whatever is asked from then on fails for that, because nobody else would answer it. */
  let unreachable: Error | undefined;
  const noteFailure = (error: Error | null) => {
    if (error) failure ??= toDbError(error);
  };
  const pass = (statement: Sql, answered: QueryCallback) => {
    if (state.ended) throw new Error("this transaction has ended: a query was not awaited inside it");
    if (unreachable) answered(unreachable);
    else if (client) submit(client, statement, answered);
    else waiting.push({ statement, answered });
  };
  const passAll = (to: pg.ClientBase) => {
    submit(to, BEGIN, noteFailure);
    for (const { statement, answered } of waiting) submit(to, statement, answered);
    waiting = [];
  };
  const takeConnection = async () => {
    try {
      client = await connections.own();
    } catch (error) {
      unreachable = error as Error;
      for (const { answered } of waiting) answered(unreachable);
      waiting = [];
      noteFailure(error as Error);
      return;
    }
    passAll(client);
  };
  const giveBack = (broken?: Error) => client?.release(broken);
  const end = async (on: pg.ClientBase) => {
    // A statement that the driver itself refuses fails at once, and the rest must not be committed without it.
    const ended = await ask(on, failure ? ROLLBACK : COMMIT);
    if (failure) throw failure;
    // PostgreSQL answers COMMIT with ROLLBACK when a statement had failed and its error was swallowed.
    if (ended.command !== "COMMIT") throw new Error("a failed statement was ignored: nothing was committed");
  };

  const sendAll = async () => {
    const statements = waiting.map(({ statement }) => statement);
    if (statements.length > 0) await connections.use((shared) => sendPipelined(shared, statements));
  };

  return {
    ask: (statement) =>
      new Promise((resolve, reject) => {
        pass(statement, (error, result) =>
          error ? reject(toDbError(error)) : resolve(result as pg.QueryResult),
        );
        opening ??= takeConnection();
      }),
    send: (statement) => pass(statement, noteFailure),
    async commit() {
      if (!opening) return sendAll();
      await opening;
      if (!client) throw failure;
      let broken: Error | undefined;
      try {
        await end(client);
      } catch (error) {
        if (isUnavailable(error)) broken = error;
        throw error;
      } finally {
        giveBack(broken);
      }
    },
    async rollBack(thrown) {
      await opening;
      // A statement that was sent without waiting failed earlier than anything that `work` could have noticed.
      const error = failure ?? thrown;
      if (client && isUnavailable(error)) giveBack(error);
      else if (client) await ask(client, ROLLBACK).then(() => giveBack(), giveBack);
      return error;
    },
  };
}

function isUnavailable(error: unknown): error is DbError {
  return error instanceof DbError && error.kind === "unavailable";
}
