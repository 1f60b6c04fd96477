import assert from "node:assert/strict";
import { test } from "node:test";
import { cloneDatabase, emptyDatabase } from "../../test/support/database.ts";
import { systemClock } from "../platform/clock.ts";
import { loadConfig } from "../platform/config/load.ts";
import { sql } from "../platform/db/db.ts";
import { StartupError } from "../platform/startup-error.ts";
import { type DoctorOptions, runDoctor } from "./doctor.ts";
import { MIGRATIONS, openDb, openEnv } from "./support.fixture.ts";

const run = (openDatabase: DoctorOptions["openDatabase"]) =>
  runDoctor({
    loaded: loadConfig({ PORT: "1", DNS_SERVERS: "127.0.0.1:9" }, "no .env in tests"),
    clock: systemClock,
    migrations: MIGRATIONS,
    servesUnsubscribe: true,
    openDatabase,
  });

test("where the database can't be opened the rest is still looked at", async () => {
  const results = await run(async () => {
    throw new StartupError("the database can't be reached", "check that it runs");
  });
  assert.deepEqual(
    results.map(({ name }) => name),
    [
      "node",
      "disk",
      "secret key",
      "addresses",
      "public address",
      "relay",
      "bounces",
      "dns",
      "dmarc reports",
      "single sign-on",
      "database",
    ],
  );
  assert.deepEqual(results.at(-1), {
    name: "database",
    group: "database",
    status: "fail",
    finding: "the database can't be reached",
    remedy: "check that it runs",
  });
  assert.equal(results[0]?.status, "ok");
});

test("where there is no database yet it says so", async () => {
  const results = await run(async () => undefined);
  assert.equal(results.at(-1)?.status, "info");
});

test("every check of a database runs, and it is closed once", async (t) => {
  const { db } = await openEnv(t, cloneDatabase);
  let closed = 0;
  const results = await run(async () => ({ db, close: async () => void closed++ }));
  assert.equal(closed, 1);
  assert.equal(new Set(results.map(({ name }) => name)).size, results.length);
  assert.deepEqual(
    results.filter(({ finding }) => finding.startsWith("can't be looked at")),
    [],
  );
  assert.equal(results.find(({ name }) => name === "migrations")?.status, "ok");
});

test("a database that goes away meanwhile fails its checks and no others", async (t) => {
  const { url, drop } = await cloneDatabase();
  const db = openDb(t, url);
  await drop();
  const results = await run(async () => ({ db, close: async () => undefined }));
  assert.equal(results.find(({ name }) => name === "clock")?.status, "fail");
  assert.equal(results.find(({ name }) => name === "node")?.status, "ok");
});

test("an empty database is told as such, and stays empty", async (t) => {
  const { db } = await openEnv(t, emptyDatabase);
  const results = await run(async () => ({ db, close: async () => undefined }));
  const statusOf = (name: string) => results.find((result) => result.name === name)?.status;
  for (const name of ["migrations", "key fingerprint", "workers", "failed jobs", "partitions"]) {
    assert.equal(statusOf(name), "info", name);
  }
  const tables = sql`select tablename from pg_tables where schemaname not in ('pg_catalog', 'information_schema')`;
  assert.deepEqual(await db.many(tables), []);
});
