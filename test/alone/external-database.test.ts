import assert from "node:assert/strict";
import { createServer } from "node:net";
import { after, test } from "node:test";
import pg from "pg";
import { awaitDatabase } from "../../src/platform/db/connect.ts";
import { createLog } from "../../src/platform/log.ts";
import { StartupError } from "../../src/platform/startup-error.ts";
import { databaseUrl, emptyDatabase } from "../support/database.ts";
import { createDatabaseProxy } from "../support/database-proxy.ts";
import { assertOneLine, keyIn, makeInstallation, waitUntil } from "../support/process.ts";

const SECRET_KEY = "the same key of 32 characters or more everywhere";
const one = makeInstallation();
const other = makeInstallation();
const database = await emptyDatabase();
after(async () => {
  await Promise.all([one.clear(), other.clear()]);
  await database.drop();
});
const env = { DATABASE_URL: database.url, SECRET_KEY };

test("DATABASE_URL without SECRET_KEY is refused", async () => {
  const ended = await one.start({ via: "node", env: { ...env, SECRET_KEY: "" } }).ended;
  assert.equal(ended.code, 1);
  assertOneLine(ended, "the configuration has a fault: SECRET_KEY is required with DATABASE_URL");
});

test("a database that doesn't exist is named as the reason", async () => {
  const missing = { ...env, DATABASE_URL: databaseUrl("no_such_database") };
  const ended = await one.start({ via: "node", env: missing }).ended;
  assert.equal(ended.code, 1);
  assertOneLine(ended, "the database named in DATABASE_URL doesn't exist");
});

test("two processes that start at once on an empty database share one account and one key", async () => {
  const starts = [one.start({ via: "node", env }), other.start({ via: "node", env })] as const;
  const addresses = await Promise.all(starts.map((start) => start.ready()));
  const keys = () => starts.flatMap((start) => keyIn(start.stdout()) ?? []);
  await waitUntil("a key is printed", () => keys().length > 0);
  const answers = await Promise.all(
    addresses.map((address) =>
      fetch(`${address}/v1/account`, { headers: { authorization: `Bearer ${keys()[0]}` } }),
    ),
  );
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200],
  );
  assert.equal(await value("select count(*)::int from accounts"), 1);
  const ended = await Promise.all(starts.map((start) => start.stop()));
  assert.deepEqual(
    ended.map(({ code }) => code),
    [0, 0],
  );
  assert.equal(keys().length, 1);
});

test("a machine with another SECRET_KEY is turned away", async () => {
  const wrong = { ...env, SECRET_KEY: "another key of 32 characters or more by mistake" };
  const ended = await other.start({ via: "node", env: wrong }).ended;
  assert.equal(ended.code, 1);
  assertOneLine(ended, "SECRET_KEY is not the one this database was set up with");
});

test("SECRET_KEY=new,old rotates the key", async () => {
  const fresh = "a fresh key of 32 characters or more for everyone";
  const rotating = one.start({ via: "node", env: { ...env, SECRET_KEY: `${fresh},${SECRET_KEY}` } });
  await rotating.ready();
  assert.equal((await rotating.stop()).code, 0);
  const rotated = one.start({ via: "node", env: { ...env, SECRET_KEY: fresh } });
  await rotated.ready();
  assert.equal((await rotated.stop()).code, 0);
  env.SECRET_KEY = fresh;
});

test("the service waits for a database that is still starting", async () => {
  const proxy = await createDatabaseProxy(database.url);
  try {
    await proxy.cut();
    const service = one.start({ via: "node", env: { ...env, DATABASE_URL: proxy.url } });
    await waitUntil("it waits", () => service.stdout().includes("waiting for the database"));
    await proxy.restore();
    await service.ready();
    assert.equal((await service.stop()).code, 0);
  } finally {
    await proxy.close();
  }
});

test("a database that stays away is named as the reason, once the patience is over", async () => {
  const url = `postgres://postrider@127.0.0.1:${await freePort()}/postrider`;
  const log = createLog({ level: "silent", pretty: false });
  await assert.rejects(awaitDatabase(url, { log, patienceMs: 600 }), (error) => {
    assert.ok(error instanceof StartupError);
    assert.match(error.message, /^the database at 127\.0\.0\.1:\d+ can't be reached: .*ECONNREFUSED/);
    return true;
  });
});

test("a database that a newer Postrider has migrated is left alone", async () => {
  await value("insert into schema_migrations (version, name, checksum) values (9999, '9999_newer', '')");
  const ended = await one.start({ via: "node", env }).ended;
  assert.equal(ended.code, 1);
  assertOneLine(ended, "the database has migration 9999_newer, which this version of Postrider doesn't know");
});

/** Returns the first column of the first row. */
async function value(statement: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    const { rows } = await client.query<unknown[]>({ text: statement, rowMode: "array" });
    return rows[0]?.[0];
  } finally {
    await client.end();
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
