/** How a statement gets to the server: by way of the driver's query object, and many of them in one write. */
import { createHash } from "node:crypto";
import type { Duplex } from "node:stream";
import pg from "pg";
import type { Sql } from "sql-template-tag";
import { toDbError } from "./errors.ts";

const preparedNames = new WeakMap<Sql, true>();
const namesByText = new Map<string, string>();

/** Marks a statement of a hot path: parsed and planned once a connection. Only for texts that don't vary. */
export function prepared(statement: Sql): Sql {
  preparedNames.set(statement, true);
  return statement;
}

export function queryConfig(statement: Sql): pg.QueryConfig {
  const text = statement.text;
  if (!preparedNames.has(statement)) return { text, values: statement.values };
  let name = namesByText.get(text);
  if (!name) {
    name = `p_${createHash("sha256").update(text).digest("base64url").slice(0, 20)}`;
    namesByText.set(text, name);
  }
  return { name, text, values: statement.values };
}

type Driver = {
  connection: { stream: Duplex };
  query(query: pg.Query, answered: Answered): void;
};

export type Answered = (error: Error | null, result?: pg.QueryResult) => void;

/**
 * What is sent in one turn of the event loop leaves in one write: a write is a system call that wakes the server, and
 * costs more than a short statement does.
 */
export function holdWrites(client: pg.ClientBase): void {
  const { stream } = (client as unknown as Driver).connection;
  if (stream.writableCorked > 0) return;
  stream.cork();
  setImmediate(() => stream.uncork());
}

export function submit(client: pg.ClientBase, statement: Sql, answered: Answered): void {
  holdWrites(client);
  const { name, text, values } = queryConfig(statement);
  // Given `{ name, text, values }`, the driver copies it property by property: 3.6 µs, where this takes 0.2.
  const query = Object.assign(new pg.Query(text, values), name === undefined ? {} : { name, prepare });
  (client as unknown as Driver).query(query, answered);
}

type Named = {
  name: string;
  hasBeenParsed(connection: DriverConnection): boolean;
};
type DriverConnection = { close(what: { type: "S"; name: string }): void };

/**
 * What was sent whole and failed may have been parsed before, and the driver knows nothing of that. To close what isn't there
 * is no error; to parse what is there is one.
 */
function prepare(this: Named, connection: DriverConnection): void {
  if (!this.hasBeenParsed(connection)) connection.close({ type: "S", name: this.name });
  driverPrepare.call(this, connection);
}

const driverPrepare = (
  pg.Query.prototype as unknown as { prepare(this: Named, connection: DriverConnection): void }
).prepare;

export function ask(client: pg.ClientBase, statement: Sql): Promise<pg.QueryResult> {
  return new Promise((resolve, reject) => {
    submit(client, statement, (error, result) =>
      error ? reject(toDbError(error)) : resolve(result as pg.QueryResult),
    );
  });
}
