import assert from "node:assert/strict";
import { test } from "node:test";
import pg from "pg";
import { raw } from "sql-template-tag";
import { cloneDatabase } from "../../../test/support/database.ts";
import type { RoleName } from "../../platform/config/settings.ts";
import type { Status } from "../check.ts";
import { openEnv } from "../support.fixture.ts";
import {
  connectionsOfOne,
  judgeConnections,
  judgeTransactions,
  readConnections,
  readForgotten,
  sessionsChecks,
} from "./sessions.ts";

test("connections must suffice for every process", () => {
  const cases: [allowed: number, used: number, processes: number, ofOne: number, Status, RegExp][] = [
    [97, 9, 1, 24, "ok", /a process may want 24; 9 of 97/],
    [97, 0, 0, 24, "ok", /a process may want 24/],
    [97, 40, 4, 24, "ok", /4 processes may want 96/],
    [97, 40, 5, 24, "warn", /5 processes.*may want 120/],
    [97, 90, 1, 24, "warn", /90 of 97 are in use/],
    [20, 0, 0, 24, "fail", /may want 24.*allows 20/],
  ];
  for (const [allowed, used, processes, ofOne, status, finding] of cases) {
    const result = judgeConnections({ allowed, used, processes }, ofOne);
    assert.equal(result.status, status, JSON.stringify([allowed, used, processes]));
    assert.match(result.finding, finding);
  }
});

test("what a process may hold follows from its roles", () => {
  const roles = (...names: RoleName[]) => ({
    databasePoolSize: 10,
    jobConcurrency: 20,
    senderThreads: 2,
    roles: names,
  });
  assert.equal(connectionsOfOne(roles("api")), 11);
  assert.equal(connectionsOfOne(roles("api", "jobs")), 34);
  assert.equal(connectionsOfOne(roles("sender")), 25);
});

test("a forgotten transaction is told with the way to end it", () => {
  assert.equal(judgeTransactions([]).status, "ok");
  const result = judgeTransactions([
    { pid: 7, name: "psql", idleSeconds: 185 },
    { pid: 8, name: "", idleSeconds: 70 },
  ]);
  assert.equal(result.status, "warn");
  assert.match(result.finding, /session 7 \(psql\).*3 min, and 1 more/);
  assert.match(result.remedy ?? "", /pg_terminate_backend\(7\)/);
});

test("a real server's limits and sessions are read", async (t) => {
  const { db, look, url } = await openEnv(t, cloneDatabase);
  const before = await look(readConnections);
  assert.ok(before.allowed > 10 && before.used > 0 && before.used <= before.allowed, JSON.stringify(before));
  await withSession(url, "postrider listen", async () => {
    assert.equal((await look(readConnections)).processes, 1);
  });
  await db.execute(raw(`alter database ${new URL(url).pathname.slice(1)} connection limit 7`));
  assert.equal((await look(readConnections)).allowed, 7);
});

test("a session that idles in a transaction is found", async (t) => {
  const env = await openEnv(t, cloneDatabase);
  await withSession(env.url, "forgotten here", async (session) => {
    await session.query("begin");
    await new Promise((resolve) => setTimeout(resolve, 100));
    const found = await env.look((tx) => readForgotten(tx, 0.05));
    assert.ok(found.some(({ name, idleSeconds }) => name === "forgotten here" && idleSeconds < 60));
  });
  for (const check of sessionsChecks) assert.notEqual((await check.run(env)).status, "fail");
});

async function withSession(
  url: string,
  name: string,
  work: (session: pg.Client) => Promise<void>,
): Promise<void> {
  const session = new pg.Client({ connectionString: url, application_name: name });
  await session.connect();
  await work(session).finally(() => session.end());
}
