/**
 * Sends several statements as one transaction in one message. Between two Syncs of the extended protocol they are one
 * transaction (PostgreSQL manual, 54.2.4), without `begin` and `commit`. The driver would send a Sync after each, and the
 * server would flush and wake us as often: that takes 0.55 ms of its time, and this takes 0.4.
 */
import pg from "pg";
import { prepareValue } from "pg/lib/utils.js";
import type { Sql } from "sql-template-tag";
import { toDbError } from "./errors.ts";
import { holdWrites, type QueryCallback, queryConfig } from "./send.ts";

/** The part of the driver's internal connection object that this file calls. */
type DriverConnection = {
  parsedStatements: Record<string, string>;
  close(what: { type: "S"; name: string }): void;
  parse(statement: { name: string; text: string }): void;
  bind(portal: { statement: string; values: readonly unknown[] }): void;
  execute(): void;
  sync(): void;
};

type EncodedStatement = { name: string; text: string; values: readonly unknown[] };

/** Resolves when all statements have happened; rejects with the first error when none has. */
export function sendPipelined(client: pg.ClientBase, statements: readonly Sql[]): Promise<void> {
  // All values are encoded before anything is written, so that one that can't be encoded leaves no half-sent transaction.
  const encoded = statements.map(encode);
  const fresh = new Map<string, string>();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const answered: QueryCallback = (error) => (error ? reject(toDbError(error)) : resolve());
  const query = Object.assign(new pg.Query("", []), {
    submit(connection: DriverConnection) {
      for (const statement of encoded) write(connection, statement, fresh);
      connection.sync();
      return null;
    },
    handleDataRow: ignore,
    handleCommandComplete: ignore,
    handleReadyForQuery(connection: DriverConnection) {
      for (const [name, text] of fresh) connection.parsedStatements[name] = text;
      // The driver has wrapped `answered` in its own time-out and keeps the result as `callback`, so that one must be
      // called.
      (query as unknown as { callback: QueryCallback }).callback(null);
    },
  });
  holdWrites(client);
  (client as unknown as { query(query: pg.Query, answered: QueryCallback): void }).query(query, answered);
  return promise;
}

function encode(statement: Sql): EncodedStatement {
  const { name = "", text, values = [] } = queryConfig(statement);
  return { name, text, values: values.map((value) => prepareValue(value)) };
}

function write(
  connection: DriverConnection,
  { name, text, values }: EncodedStatement,
  fresh: Map<string, string>,
): void {
  if (name === "") connection.parse({ name, text });
  else if (connection.parsedStatements[name] === undefined && !fresh.has(name)) {
    // The statement may have been parsed by an earlier attempt that failed. Closing a name that doesn't exist is no
    // error.
    connection.close({ type: "S", name });
    connection.parse({ name, text });
    fresh.set(name, text);
  }
  connection.bind({ statement: name, values });
  connection.execute();
}

function ignore(): void {}
