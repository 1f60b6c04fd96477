import assert from "node:assert/strict";
import { test } from "node:test";
import pg from "pg";
import { raw } from "sql-template-tag";
import { cloneDatabase, databaseUrl } from "../../../test/support/database.ts";
import { readOnly, type Status } from "../check.ts";
import { openDb, openEnv } from "../support.fixture.ts";
import {
  judgeDurability,
  judgeHousekeeping,
  judgeServer,
  readServerSettings,
  serverChecks,
} from "./server.ts";

const GOOD = {
  server_version: "18.4",
  server_version_num: "180004",
  server_encoding: "UTF8",
  TimeZone: "UTC",
  fsync: "on",
  full_page_writes: "on",
  synchronous_commit: "on",
  autovacuum: "on",
  track_counts: "on",
  idle_in_transaction_session_timeout: "60000",
};

test("the settings that the promise stands on are judged", () => {
  const server = (settings: typeof GOOD) => judgeServer(settings, false);
  const housekeeping = (settings: typeof GOOD) => judgeHousekeeping(settings, false);
  const embedded = (settings: typeof GOOD) => judgeHousekeeping(settings, true);
  const cases: [typeof server, Partial<typeof GOOD>, Status, RegExp][] = [
    [server, {}, "ok", /PostgreSQL 18\.4, by DATABASE_URL, UTF8, time zone UTC/],
    [
      server,
      { server_version: "14.2", server_version_num: "140002" },
      "fail",
      /14\.2, and Postrider needs 15/,
    ],
    [server, { server_version: "15.0", server_version_num: "150000" }, "ok", /15\.0/],
    [server, { server_encoding: "SQL_ASCII" }, "fail", /SQL_ASCII/],
    [server, { TimeZone: "Asia/Tokyo" }, "ok", /Asia\/Tokyo/],
    [judgeDurability, {}, "ok", /fsync is on/],
    [judgeDurability, { fsync: "off" }, "fail", /fsync is off[^;]*$/],
    [judgeDurability, { full_page_writes: "off" }, "warn", /full_page_writes is off/],
    [judgeDurability, { synchronous_commit: "off" }, "fail", /synchronous_commit is off/],
    [judgeDurability, { synchronous_commit: "remote_apply" }, "ok", /remote_apply/],
    [judgeDurability, { fsync: "off", full_page_writes: "off" }, "fail", /fsync.*full_page_writes/],
    [housekeeping, {}, "ok", /autovacuum works; idle transactions end after 60 s/],
    [housekeeping, { autovacuum: "off" }, "fail", /autovacuum is off/],
    [housekeeping, { autovacuum: "off", track_counts: "off" }, "fail", /autovacuum and track_counts are off/],
    [housekeeping, { idle_in_transaction_session_timeout: "0" }, "info", /forgotten in a transaction/],
    [housekeeping, { idle_in_transaction_session_timeout: "1000" }, "warn", /1000 ms/],
    [embedded, { idle_in_transaction_session_timeout: "0" }, "ok", /^autovacuum works$/],
  ];
  for (const [judge, change, status, finding] of cases) {
    const result = judge({ ...GOOD, ...change });
    assert.equal(result.status, status, JSON.stringify(change));
    assert.match(result.finding, finding);
    if (status === "fail" || status === "warn") assert.ok(result.remedy);
  }
});

test("a real server is read as our own sessions see it", async (t) => {
  const { db, look, url } = await openEnv(t, cloneDatabase);
  assert.deepEqual(Object.keys(await look(readServerSettings)).sort(), Object.keys(GOOD).sort());
  const name = new URL(url).pathname.slice(1);
  await db.execute(raw(`alter database ${name} set synchronous_commit = off`));
  await db.execute(raw(`alter database ${name} set track_counts = off`));
  await db.execute(raw(`alter database ${name} set idle_in_transaction_session_timeout = '2min'`));
  // A setting of a database holds only for sessions that begin afterwards.
  const settings = await readOnly(openDb(t, url))(readServerSettings);
  assert.equal(settings["idle_in_transaction_session_timeout"], "120000");
  assert.match(judgeDurability(settings).finding, /synchronous_commit is off/);
  assert.match(judgeHousekeeping(settings, false).finding, /track_counts is off/);
});

test("a database of another encoding is refused", async (t) => {
  const env = await openEnv(t, async () => {
    await asAdmin("drop database if exists test_doctor_latin1 with (force)");
    await asAdmin(
      "create database test_doctor_latin1 encoding 'LATIN1' locale_provider libc locale 'C' template template0",
    );
    const drop = () => asAdmin("drop database test_doctor_latin1 with (force)");
    return { url: databaseUrl("test_doctor_latin1"), drop };
  });
  const [database] = serverChecks;
  const result = await database?.run(env);
  assert.equal(result?.status, "fail");
  assert.match(result?.finding ?? "", /LATIN1/);
});

async function asAdmin(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl("postgres") });
  await client.connect();
  await client.query(statement).finally(() => client.end());
}
