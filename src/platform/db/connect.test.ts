import assert from "node:assert/strict";
import { createServer, type Server } from "node:net";
import { after, before, describe, it, type TestContext } from "node:test";
import { emptyDatabase } from "../../../test/support/database.ts";
import { createDatabaseProxy } from "../../../test/support/database-proxy.ts";
import { createLog } from "../log.ts";
import { StartupError } from "../startup-error.ts";
import { awaitDatabase, persevere } from "./connect.ts";
import { createDb, sql } from "./db.ts";

const silent = createLog({ level: "silent", pretty: false });

/**
 * Starts a server that answers with these messages, one a packet. The tests' real server trusts everybody, so it can't
 * refuse.
 */
async function fakeServer(test: TestContext, ...messages: Buffer[]): Promise<Server> {
  const server = createServer((socket) => {
    const left = [...messages];
    socket
      .on("error", () => undefined)
      .on("data", () => {
        const message = left.shift();
        if (message) socket.write(message);
      });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  test.after(() => server.close());
  return server;
}

function abortable(): { signal: AbortSignal; abort: () => void } {
  const stopping = new AbortController();
  return { signal: stopping.signal, abort: () => stopping.abort() };
}

function message(type: string, content: string): Buffer {
  const bytes = Buffer.from(`${type}1234${content}`);
  bytes.writeInt32BE(bytes.length - 1, 1);
  return bytes;
}

const refusalOf = (test: TestContext, state: string) =>
  fakeServer(test, message("E", `SFATAL\0VFATAL\0C${state}\0Mthe server's words about "someone"\0\0`));

function urlOf(server: Server, user = "someone:hunter2"): string {
  return `postgres://${user}@127.0.0.1:${(server.address() as { port: number }).port}/mail`;
}

async function refusal(connection: string, patienceMs: number): Promise<StartupError> {
  const error = await awaitDatabase(connection, { log: silent, patienceMs }).then(
    () => assert.fail("it was accepted"),
    (thrown) => thrown,
  );
  assert.ok(error instanceof StartupError, String(error));
  assert.doesNotMatch(`${error.message} ${error.remedy}`, /hunter2/);
  return error;
}

describe("waiting for the database", () => {
  let database: { url: string; drop(): Promise<void> };
  before(async () => {
    database = await emptyDatabase();
  });
  after(() => database.drop());

  it("ends as soon as it answers", async () => {
    await awaitDatabase(database.url, { log: silent, patienceMs: 0 });
  });

  const refused: [string, RegExp][] = [
    ["28P01", /refused the user or the password/],
    ["28000", /refused the user or the password/],
    ["3D000", /doesn't exist/],
    ["42501", /may not use that database/],
  ];
  for (const [state, told] of refused) {
    it(`ends at once, and says what to mend, when the server refuses with ${state}`, async (test) => {
      const server = await refusalOf(test, state);
      const started = performance.now();
      assert.match((await refusal(urlOf(server), 30_000)).message, told);
      assert.ok(performance.now() - started < 1_000);
    });
  }

  it("ends at once when a real server has no such database", async () => {
    const url = new URL(database.url);
    url.pathname = "/no_such_database";
    assert.match((await refusal(url.href, 30_000)).message, /doesn't exist/);
  });

  it("ends at once when a password is wanted and there is none", async (test) => {
    const begin = message("R", "\0\0\0\x0aSCRAM-SHA-256\0\0");
    const goOn = message("R", "\0\0\0\x0br=nonce,s=c2FsdA==,i=4096");
    const server = await fakeServer(test, begin, goOn);
    assert.match((await refusal(urlOf(server, "someone"), 30_000)).message, /wants a password/);
  });

  it("goes on while the server is away, and warns once", async () => {
    const proxy = await createDatabaseProxy(database.url);
    await proxy.cut();
    const lines: string[] = [];
    const log = createLog({
      level: "info",
      pretty: false,
      destination: { write: (line) => void lines.push(line) },
    });
    const waiting = awaitDatabase(proxy.url, { log, patienceMs: 30_000 });
    setTimeout(() => proxy.restore(), 700);
    await waiting;
    assert.equal(lines.length, 1);
    const { host } = new URL(proxy.url);
    assert.match(
      String(lines[0]),
      new RegExp(`"database":"${host}".*ECONNREFUSED.*waiting for the database`),
    );
    await proxy.close();
  });

  it("outlasts the patience while the server says that it recovers", async (test) => {
    const recovering = message("E", "SFATAL\0VFATAL\0C57P03\0Mthe database system is starting up\0\0");
    const server = await fakeServer(test, recovering);
    const { signal, abort } = abortable();
    setTimeout(abort, 2_000);
    await assert.rejects(awaitDatabase(urlOf(server), { log: silent, patienceMs: 600, signal }), {
      name: "AbortError",
    });
    await assert.rejects(awaitDatabase(urlOf(server), { log: silent, patienceMs: 0 }), /can't be reached/);
  });

  it("runs a step again after the connection was lost under it, and leaves a bug a bug", async (test) => {
    const proxy = await createDatabaseProxy(database.url);
    const db = createDb({
      connection: proxy.url,
      poolSize: 2,
      applicationName: "step",
      log: silent,
      statementTimeoutMs: 1_000,
    });
    test.after(() => db.close().then(proxy.close));
    let attempts = 0;
    const step = async () => {
      attempts++;
      if (attempts === 1) await proxy.cut();
      if (attempts === 2) await proxy.restore();
      // The server cancels the second attempt for taking too long, as may happen to any attempt on a machine under load.
      return db.one(sql`select 42 as answer from pg_sleep(${attempts === 2 ? 5 : 0})`);
    };
    const patience = { log: silent, patienceMs: 30_000 };
    assert.deepEqual(await persevere(proxy.url, patience, step), { answer: 42 });
    assert.equal(attempts, 3);
    const bug = () => db.one(sql`select no_such_column`);
    await assert.rejects(persevere(proxy.url, patience, bug), { sqlState: "42703" });
  });

  it("goes on while the server says that it is starting, until patience ends", async (test) => {
    const server = await refusalOf(test, "57P03");
    const started = performance.now();
    assert.match((await refusal(urlOf(server), 600)).message, /can't be reached/);
    assert.ok(performance.now() - started >= 600);
  });

  it("names no password when nothing is there", async (test) => {
    const server = await refusalOf(test, "57P03");
    const url = urlOf(server);
    await new Promise((resolve) => server.close(resolve));
    assert.match((await refusal(url, 0)).message, /can't be reached: database unreachable \(ECONNREFUSED\)/);
  });
});
