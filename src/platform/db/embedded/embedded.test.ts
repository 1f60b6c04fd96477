import assert from "node:assert/strict";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { StartupError } from "../../startup-error.ts";
import { findRunningPostgres, startEmbeddedPostgres } from "./embedded.ts";
import { chooseServerUser } from "./server-user.ts";
import { chooseSocketDir, connectionTo, createDatabase } from "./socket.ts";
import { isRoot, makeDataDir, processesIn, query, quick, silent } from "./support.fixture.ts";

function start(dataDir: string, settings: Record<string, string> = {}) {
  return startEmbeddedPostgres({ dataDir, log: silent, settings: { ...quick, ...settings } });
}

async function refusal(dataDir: string, settings?: Record<string, string>): Promise<StartupError> {
  const outcome = await start(dataDir, settings).catch((error: unknown) => error);
  assert.ok(outcome instanceof StartupError, `expected a StartupError, got ${outcome}`);
  return outcome;
}

test("the first start makes a database, a later one finds its data, and nothing outlives a stop", async (t) => {
  const dataDir = await makeDataDir(t);
  mkdirSync(join(dataDir, "pg.new/half"), { recursive: true });
  assert.equal(await findRunningPostgres(dataDir), undefined);

  const first = await start(dataDir, { jit: "on" });
  assert.equal(first.adopted, false);
  assert.deepEqual(first.connection, {
    host: join(dataDir, "pg"),
    port: 5432,
    user: "postrider",
    database: "postrider",
  });
  assert.deepEqual(await findRunningPostgres(dataDir), first.connection);
  assert.deepEqual(await query(first.connection, "show jit"), ["on"]);
  assert.deepEqual(await query(first.connection, "show listen_addresses"), [""]);
  assert.deepEqual(await query(first.connection, "show synchronous_commit"), ["on"]);
  await query(first.connection, "create table kept as select 42 as answer");
  await Promise.all([first.stop(), first.stop()]);
  assert.deepEqual(processesIn(join(dataDir, "pg")), []);
  assert.equal(await findRunningPostgres(dataDir), undefined);

  const second = await start(dataDir);
  assert.deepEqual(await query(second.connection, "select answer from kept"), [42]);
  assert.deepEqual(await query(second.connection, "show jit"), ["off"]);
  await second.stop();
  assert.equal(existsSync(join(dataDir, "pg.new")), false);
});

test("statements, values and addresses stay out of postgres.log, which is bounded", async (t) => {
  const dataDir = await makeDataDir(t);
  writeFileSync(join(dataDir, "postgres.log"), "x".repeat(10 * 1024 * 1024 + 1));
  const server = await start(dataDir);
  const { connection } = server;
  await query(connection, "create table people (address text primary key)");
  await query(connection, "insert into people values ('jo@example.org')");
  await assert.rejects(query(connection, "insert into people values ('jo@example.org')"));
  await assert.rejects(query(connection, "select 'jo@example.org'::int"));
  await assert.rejects(query(connection, "select jo@example.org"));
  await server.stop();
  const log = readFileSync(join(dataDir, "postgres.log"), "utf8");
  assert.match(log, /database system is ready/);
  assert.doesNotMatch(log, /example|insert|people/);
  assert.ok(log.length < 100_000);
  assert.ok(existsSync(join(dataDir, "postgres.old.log")));
});

test("a server that refuses to start is explained in its own words, and its data stays", async (t) => {
  const dataDir = await makeDataDir(t);
  await (await start(dataDir)).stop();
  const pgDir = join(dataDir, "pg");

  const nonsense = await refusal(dataDir, { shared_buffers: "a lot" });
  assert.match(nonsense.message, /FATAL: .*shared_buffers/);
  chmodSync(pgDir, 0o777);
  assert.match((await refusal(dataDir)).message, /owner or mode/);
  chmodSync(pgDir, 0o700);
  const control = readFileSync(join(pgDir, "global/pg_control"));
  writeFileSync(join(pgDir, "global/pg_control"), Buffer.alloc(control.length));
  assert.match((await refusal(dataDir)).message, /damaged/);
  writeFileSync(join(pgDir, "global/pg_control"), control);

  assert.deepEqual(processesIn(pgDir), []);
  await (await start(dataDir)).stop();
});

test("a folder of another version, or without one, is refused and left as it is", async (t) => {
  const dataDir = await makeDataDir(t);
  const pgDir = join(dataDir, "pg");
  const user = chooseServerUser(pgDir);
  mkdirSync(pgDir);
  if (user) chownSync(pgDir, user.uid, user.gid);
  assert.match((await refusal(dataDir)).message, /isn't a complete PostgreSQL folder/);
  writeFileSync(join(pgDir, "PG_VERSION"), "15\n");
  const other = await refusal(dataDir);
  assert.match(other.message, /made by PostgreSQL 15, and this Postrider brings PostgreSQL 18/);
  assert.match(other.remedy, /pg_dump/);
  assert.deepEqual(readdirSync(pgDir), ["PG_VERSION"]);
});

test("a data directory under a folder that only its owner may enter works", async (t) => {
  const closed = join(await makeDataDir(t), "closed");
  mkdirSync(closed, { mode: 0o700 });
  const server = await start(join(closed, "it's “my”, data"));
  assert.deepEqual(await query(server.connection, "select 1"), [1]);
  assert.notEqual(statSync(server.connection.host).uid, 0);
  await server.stop();
});

test("a path too long for a socket uses a short private folder, and no planted one", async (t) => {
  const dataDir = join(await makeDataDir(t), "long".repeat(25));
  const server = await start(dataDir);
  const { host } = server.connection;
  assert.notEqual(host, join(dataDir, "pg"));
  assert.equal(statSync(host).mode & 0o777, 0o700);
  assert.deepEqual(await findRunningPostgres(dataDir), server.connection);
  assert.deepEqual(await query(server.connection, "select 1"), [1]);
  await server.stop();
  assert.equal(existsSync(host), false);

  assert.equal(chooseSocketDir(join(dataDir, "pg")), host);
  mkdirSync(host);
  t.after(() => rmSync(host, { recursive: true, force: true }));
  chmodSync(host, 0o777);
  assert.match((await refusal(dataDir)).message, /belongs to somebody else or is open to others/);
  chmodSync(host, 0o700);
  await (await start(dataDir)).stop();
  assert.equal(existsSync(host), false);
});

test("as root the server takes the owner of its folder, and never runs on root's", {
  skip: !isRoot,
}, async (t) => {
  const dataDir = await makeDataDir(t);
  const pgDir = join(dataDir, "pg");
  mkdirSync(pgDir);
  assert.match((await refusal(dataDir)).message, /belongs to root/);
  chownSync(pgDir, 4242, 4343);
  assert.deepEqual(chooseServerUser(pgDir), { name: "4242", uid: 4242, gid: 4343 });
  assert.notEqual(chooseServerUser(join(dirname(pgDir), "none"))?.uid, 0);
});

test("a server that lets us in and then stands still is given up in time", async (t) => {
  const folder = await makeDataDir(t);
  const welcome = Buffer.from(
    [..."R\0\0\0\b\0\0\0\0", ..."Z\0\0\0\x05I"].map((letter) => letter.charCodeAt(0)),
  );
  const server = createServer((socket) => socket.once("data", () => socket.write(welcome)));
  await new Promise<void>((listening) => server.listen(join(folder, ".s.PGSQL.5432"), listening));
  t.after(() => server.close());
  await assert.rejects(createDatabase(connectionTo(folder), 300), /timeout/i);
});
