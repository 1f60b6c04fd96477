/**
 * src/platform/db/ relies on parts of `pg` that its documents don't promise. When an upgrade of `pg` changes one of them, a
 * test here fails and names the file that has to follow.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:net";
import type { Duplex } from "node:stream";
import { after, afterEach, before, describe, it } from "node:test";
import { setImmediate } from "node:timers/promises";
import pg from "pg";
import { prepareValue } from "pg/lib/utils.js";
import { emptyDatabase } from "../../../test/support/database.ts";
import { clientConfigFor } from "./db.ts";
import { DbError, toDbError } from "./errors.ts";

type Callback = (
  error: (Error & { code?: string; constraint?: string }) | null,
  result?: pg.QueryResult,
) => void;
type Connection = {
  stream: Duplex;
  parsedStatements: Record<string, string>;
  close(what: { type: "S"; name: string }): void;
  parse(statement: { name: string; text: string }): void;
  bind(portal: { statement: string; values: readonly unknown[] }): void;
  execute(): void;
  sync(): void;
};
type Query = {
  text: string;
  values: unknown[];
  name: string | undefined;
  query_timeout?: number;
  callback: Callback | undefined;
  submit(connection: Connection): Error | null;
  prepare(connection: Connection): void;
  hasBeenParsed(connection: Connection): boolean | undefined;
};
type Client = pg.Client & { connection: Connection; query(query: Query, callback: Callback): void };

let database: { url: string; drop(): Promise<void> };
const opened: (pg.Client | pg.Pool)[] = [];
before(async () => {
  database = await emptyDatabase();
});
async function endClients(): Promise<void> {
  for (const client of opened.splice(0)) await client.end().catch(() => undefined);
}
after(() => database.drop());

function configFor(statementTimeoutMs = 10_000, plansOnce = false) {
  const applicationName = "driver contract";
  return clientConfigFor({ connection: database.url, applicationName, statementTimeoutMs, plansOnce });
}

async function connect(config: pg.ClientConfig = configFor()): Promise<Client> {
  const client = new pg.Client(config) as Client;
  opened.push(client);
  client.on("error", () => undefined);
  await client.connect();
  return client;
}

function newQuery(text: string, values: unknown[] = [], more: Partial<Query> = {}): Query {
  return Object.assign(new pg.Query(text, values) as unknown as Query, more);
}

function ask(client: Client, query: Query): Promise<pg.QueryResult> {
  return new Promise((resolve, reject) => {
    client.query(query, (error, result) => (error ? reject(error) : resolve(result as pg.QueryResult)));
  });
}

const isUnavailable = (error: unknown) => {
  const known = toDbError(error);
  assert.ok(known instanceof DbError, `errors.ts doesn't know "${known.message}"`);
  return known.kind === "unavailable";
};

describe("send.ts leans on the driver:", { timeout: 10_000 }, () => {
  afterEach(endClients);

  it("a Query of a text and its values has both, and neither a name nor a callback", () => {
    const { text, values, name, callback } = newQuery("select $1", [7]);
    assert.deepEqual([text, values, name, callback], ["select $1", [7], undefined, undefined]);
  });

  it("Query.prototype.prepare sends a statement, and submit calls the `prepare` that a query has of its own", async () => {
    const driverPrepare = (pg.Query.prototype as unknown as Query).prepare;
    assert.equal(typeof driverPrepare, "function", "Query.prototype.prepare");
    const client = await connect();
    const given: Connection[] = [];
    function prepare(this: Query, connection: Connection): void {
      given.push(connection);
      driverPrepare.call(this, connection);
    }
    const { rows } = await ask(client, newQuery("select $1::int as n", [7], { name: "a", prepare }));
    assert.deepEqual(rows, [{ n: 7 }]);
    assert.deepEqual([given.length, given[0] === client.connection], [1, true], "Query.submit → prepare");
  });

  it("a named query is parsed from when it is submitted, and no more once its statement has failed", async () => {
    const client = await connect();
    const named = () => newQuery("select $1::int as n", [7], { name: "a" });
    const isParsed = () => Boolean(named().hasBeenParsed(client.connection));
    assert.equal(isParsed(), false, "Query.hasBeenParsed before");
    const asked = ask(client, named());
    assert.equal(isParsed(), true, "Query.hasBeenParsed while it is on the wire");
    await asked;
    assert.equal(isParsed(), true, "Query.hasBeenParsed after");
    const wrong = () => newQuery("select wrong from nowhere", [], { name: "b" });
    await assert.rejects(ask(client, wrong()), { code: "42P01" });
    assert.equal(
      Boolean(wrong().hasBeenParsed(client.connection)),
      false,
      "Query.hasBeenParsed of a failed one",
    );
  });

  it("what is asked while connection.stream is corked leaves when it is uncorked", async () => {
    const client = await connect();
    const { stream } = client.connection;
    stream.cork();
    assert.equal(stream.writableCorked, 1, "connection.stream.writableCorked");
    const asked = [1, 2].map((n) => ask(client, newQuery("select $1::int as n", [n], { name: `c${n}` })));
    assert.equal(stream.writableCorked, 1, "the driver takes off its own cork alone");
    assert.ok(stream.writableLength > 2 * "select $1::int as n".length, "both are held in the stream");
    stream.uncork();
    await setImmediate();
    assert.equal(stream.writableLength, 0, "both have left");
    assert.deepEqual(
      (await Promise.all(asked)).map(({ rows }) => rows[0].n),
      [1, 2],
    );
  });

  it("a client that pipelines submits a query at once, and each gets its own answer, whatever failed between", async () => {
    const client = await connect();
    const submitted: number[] = [];
    const query = (n: number) => {
      const one = newQuery("select 6 / $1::int as n", [n]);
      const { submit } = one;
      return Object.assign(one, {
        submit(connection: Connection) {
          submitted.push(n);
          return submit.call(one, connection);
        },
      });
    };
    const asked = [3, 0, 2].map((n) => ask(client, query(n)));
    assert.deepEqual(submitted, [3, 0, 2], "ClientConfig.pipeline");
    const [first, failed, last] = await Promise.allSettled(asked);
    assert.deepEqual(first?.status === "fulfilled" && first.value.rows, [{ n: 2 }]);
    assert.equal(failed?.status === "rejected" && failed.reason.code, "22012");
    assert.deepEqual(last?.status === "fulfilled" && last.value.rows, [{ n: 3 }]);
  });
});

describe("pipelined-transaction.ts leans on the driver:", { timeout: 10_000 }, () => {
  afterEach(endClients);

  it("each method of the connection writes its message of the protocol (PostgreSQL manual, 54.7)", async () => {
    const { connection } = await connect();
    const written: Buffer[] = [];
    const { stream } = connection;
    const write = stream.write;
    stream.write = ((bytes: Buffer) => written.push(Buffer.from(bytes)) > 0) as Duplex["write"];
    connection.close({ type: "S", name: "a" });
    connection.parse({ name: "a", text: "select $1" });
    connection.bind({ statement: "a", values: ["xy", null, Buffer.from([1])] });
    connection.execute();
    connection.sync();
    stream.write = write;
    const values = "\0\x03\0\0\0\x02xy\xff\xff\xff\xff\0\0\0\x01\x01";
    const [close, parse, bind, execute, sync] = written.map((bytes) => bytes.toString("latin1"));
    assert.equal(close, "C\0\0\0\x07Sa\0", "connection.close");
    assert.equal(parse, "P\0\0\0\x12a\0select $1\0\0\0", "connection.parse");
    assert.equal(bind, `B\0\0\0\x24\0a\0\0\x03\0\0\0\0\0\x01${values}\0\x01\0\0`, "connection.bind");
    assert.equal(execute, "E\0\0\0\x09\0\0\0\0\0", "connection.execute");
    assert.equal(sync, "S\0\0\0\x04", "connection.sync");
  });

  it("a Query with a `submit` and handlers of its own is called by them, and answered once", async () => {
    const client = await connect();
    const heard: string[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    const query = newQuery("", [], {
      submit(connection: Connection) {
        heard.push(connection === client.connection ? "submit" : "submit without the connection");
        for (const n of [1, 2]) {
          connection.parse({ name: `d${n}`, text: "select 1 from generate_series(1, 2)" });
          connection.bind({ statement: `d${n}`, values: [] });
          connection.execute();
        }
        connection.sync();
        return null;
      },
      ...{
        handleDataRow: () => heard.push("row"),
        handleCommandComplete: () => heard.push("complete"),
        handleReadyForQuery(connection: Connection) {
          heard.push(connection === client.connection ? "ready" : "ready without the connection");
          query.callback?.(null);
        },
      },
    });
    client.query(query, () => resolve());
    await promise;
    const statement = ["row", "row", "complete"];
    assert.deepEqual(heard, ["submit", ...statement, ...statement, "ready"]);
    assert.deepEqual(
      client.connection.parsedStatements,
      {},
      "without a name the driver notes none as parsed",
    );
  });

  it("its callback has the driver's time-out around it, and gets the error in place of handleReadyForQuery", async () => {
    const client = await connect();
    let isReady = false;
    const query = newQuery("", [], {
      submit(connection: Connection) {
        connection.parse({ name: "", text: "select 1 / 0" });
        connection.bind({ statement: "", values: [] });
        connection.execute();
        connection.sync();
        return null;
      },
      ...{ handleReadyForQuery: () => (isReady = true) },
    });
    const { promise, resolve } = Promise.withResolvers<Parameters<Callback>[0]>();
    const answered: Callback = (error) => resolve(error);
    client.query(query, answered);
    assert.ok(query.callback && query.callback !== answered, "query_timeout wraps Query.callback");
    assert.equal((await promise)?.code, "22012", "Query.handleError → callback");
    assert.deepEqual((await client.query("select 1 as n")).rows, [{ n: 1 }], "the next query");
    assert.equal(isReady, false, "handleReadyForQuery after an error");
  });

  it("connection.parsedStatements says what the server has parsed, and is believed", async () => {
    const client = await connect();
    const text = "select $1::int as n";
    await ask(client, newQuery(text, [1], { name: "e" }));
    assert.deepEqual(client.connection.parsedStatements, { e: text }, "connection.parsedStatements");
    await client.query("prepare f as select $1::int as n");
    Object.assign(client.connection.parsedStatements, { f: text });
    const { rows } = await ask(client, newQuery(text, [2], { name: "f" }));
    assert.deepEqual(rows, [{ n: 2 }], "what stands in parsedStatements isn't parsed again");
  });

  it("prepareValue makes of a value what bind takes", () => {
    const time = new Date("2026-11-15T12:00:00.123Z");
    const bytes = Buffer.from([1, 2]);
    for (const [value, expected] of [
      [null, null],
      [undefined, null],
      ["text", "text"],
      [7, "7"],
      [true, "true"],
      [bytes, bytes],
      [{ a: 1 }, '{"a":1}'],
      [["x", null], '{"x",NULL}'],
    ] as const) {
      assert.deepEqual(
        prepareValue(value),
        expected,
        `pg/lib/utils.js prepareValue(${JSON.stringify(value)})`,
      );
    }
    assert.equal(new Date(String(prepareValue(time))).getTime(), time.getTime(), "prepareValue of a Date");
  });
});

describe("db.ts leans on the driver:", { timeout: 10_000 }, () => {
  afterEach(endClients);

  it("the server has each setting of the configuration", async () => {
    const client = await connect(configFor(1_234, true));
    const { rows } = await client.query(`select current_setting('application_name') as name,
      current_setting('statement_timeout') as ms, current_setting('plan_cache_mode') as plan`);
    assert.deepEqual(rows, [{ name: "driver contract", ms: "1234ms", plan: "force_generic_plan" }]);
  });

  it("pg.types.setTypeParser holds for every client", async () => {
    const { rows } = await (await connect()).query("select 7::bigint as n");
    assert.deepEqual(rows, [{ n: 7 }], "pg.types.builtins.INT8");
  });

  it("a pool counts its connections, and drops the one that is released with an error", async () => {
    const pool = new pg.Pool({ ...configFor(), max: 1 });
    opened.push(pool);
    const counts = () => [pool.totalCount, pool.idleCount, pool.waitingCount];
    const client = await pool.connect();
    const waiting = pool.connect();
    assert.deepEqual(counts(), [1, 0, 1], "Pool.totalCount, idleCount, waitingCount");
    client.release();
    (await waiting).release();
    assert.deepEqual(counts(), [1, 1, 0], "PoolClient.release");
    (await pool.connect()).release(new Error("broken"));
    assert.deepEqual(counts(), [0, 0, 0], "PoolClient.release(error)");
    await pool.end();
    await assert.rejects(pool.query("select 1"), isUnavailable);
  });

  it("query_timeout ends a query that gets no answer, and those behind it", async () => {
    const client = await connect({ ...configFor(0), query_timeout: 50 });
    const [first, second] = ["select pg_sleep(5)", "select 1"].map((text) => ask(client, newQuery(text)));
    await assert.rejects(first as Promise<unknown>, isUnavailable);
    await assert.rejects(second as Promise<unknown>, isUnavailable);
  });

  it("a query may have a query_timeout of its own, which is longer than the connection's", async () => {
    const client = await connect({ ...configFor(0), query_timeout: 50 });
    const patient = newQuery("select pg_sleep(0.2)", [], { query_timeout: 5_000 });
    assert.equal((await ask(client, patient)).rowCount, 1);
  });
});

describe("transaction.ts leans on the driver:", { timeout: 10_000 }, () => {
  afterEach(endClients);

  it("a result has its rows, how many were touched, and the command that the server says it was", async () => {
    const client = await connect();
    await client.query("create temporary table things (n int constraint things_key unique)");
    const inserted = await ask(client, newQuery("insert into things select generate_series(1, 3)"));
    assert.deepEqual([inserted.rowCount, inserted.rows], [3, []], "QueryResult.rowCount");
    await client.query("begin");
    await assert.rejects(client.query("insert into things values (1)"), {
      code: "23505",
      constraint: "things_key",
    });
    assert.equal((await ask(client, newQuery("commit"))).command, "ROLLBACK", "QueryResult.command");
  });
});

describe("shared-connection.ts and listen.ts lean on the driver:", { timeout: 10_000 }, () => {
  afterEach(endClients);

  it("a client whose connection is lost emits `error` and `end`, and its query fails as lost", async () => {
    const client = await connect();
    const heard = ["error", "end"].map((name) => new Promise((resolve) => client.once(name, resolve)));
    const { rows } = await client.query("select pg_backend_pid() as pid");
    const other = await connect();
    const sleeping = assert.rejects(ask(client, newQuery("select pg_sleep(5)")), isUnavailable);
    await other.query("select pg_terminate_backend($1)", [rows[0].pid]);
    await sleeping;
    await Promise.all(heard);
    await assert.rejects(ask(client, newQuery("select 1")), isUnavailable);
  });

  it("a notification has its channel and its payload", async () => {
    const client = await connect();
    const heard = once(client, "notification");
    await client.query(`listen ${client.escapeIdentifier('a "b"')}`);
    await client.query("select pg_notify($1, $2)", ['a "b"', "news"]);
    const [{ channel, payload }] = await heard;
    assert.deepEqual([channel, payload], ['a "b"', "news"]);
  });

  it("a connection that isn't made in time fails as one that is away", async () => {
    const silent = createServer().listen(0, "127.0.0.1");
    await once(silent, "listening");
    const { port } = silent.address() as { port: number };
    const client = new pg.Client({ host: "127.0.0.1", port, user: "x", connectionTimeoutMillis: 50 });
    client.on("error", () => undefined);
    await assert.rejects(client.connect(), isUnavailable);
    silent.close();
  });
});
