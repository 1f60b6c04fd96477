import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../src/platform/db/db.ts";
import { createApp, type Reply, type TestApp } from "../support/app.ts";
import { BLOCKED, untilBlocking } from "../support/blocked.ts";
import { createTestClock } from "../support/clock.ts";
import { cloneDatabase } from "../support/database.ts";
import { createDatabaseProxy, type DatabaseProxy } from "../support/database-proxy.ts";
import { until } from "../support/until.ts";

const clock = createTestClock();
let database: Awaited<ReturnType<typeof cloneDatabase>>;
let proxy: DatabaseProxy;
let app: TestApp;
before(async () => {
  database = await cloneDatabase();
  proxy = await createDatabaseProxy(database.url);
  // The service connects through the proxy, and the test to the database directly.
  app = await createApp({ clock, databaseUrl: database.url, settings: { DATABASE_URL: proxy.url } });
});
after(async () => {
  await app.stop();
  await proxy.close();
  await database.drop();
});

const readAccount = () => app.api("GET", "/v1/account");

function assertAway(reply: Reply): void {
  assert.deepEqual([reply.status, reply.body?.code], [503, "database_unavailable"], reply.text);
  assert.equal(reply.headers.get("content-type"), "application/problem+json; charset=utf-8");
  assert.match(String(reply.headers.get("retry-after")), /^[1-9]\d*$/);
  assert.doesNotMatch(reply.text, /ECONN|127\.0\.0\.1:(?!\d+\/docs)|Connection|socket/);
}

async function isBack(): Promise<boolean> {
  const [ready, account] = await Promise.all([app.api("GET", "/readyz"), readAccount()]);
  return ready.status === 200 && account.status === 200;
}

/** Restores the database afterwards, whatever happened. */
async function whileCut(work: () => Promise<void>): Promise<void> {
  await proxy.cut();
  try {
    await work();
  } finally {
    await proxy.restore();
    await until(isBack);
  }
}

const keysNamed = async (name: string) =>
  (await app.db.many(sql`select id from api_keys where name = ${name}`)).length;

const makeKey = (name: string, idempotencyKey?: string) =>
  app.api("POST", "/v1/api_keys", {
    body: { name, scopes: ["account:read"] },
    headers: idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey },
  });

test("without a database /v1 answers 503, the process is alive but not ready, and all comes back by itself", async () => {
  assert.equal((await readAccount()).status, 200);
  await whileCut(async () => {
    assertAway(await readAccount());
    assertAway(await makeKey("Never"));
    assertAway(await app.api("GET", "/v1/api_keys?include_total=true"));
    assertAway(await app.api("GET", "/readyz", { key: null }));
    assert.equal((await app.api("GET", "/healthz", { key: null })).status, 200);
    assert.equal((await app.api("GET", "/openapi.json", { key: null })).status, 200);
  });
  assert.equal(await keysNamed("Never"), 0);
});

test("a key that nobody could check answers 503, not 401, and is told the limit", async () => {
  await whileCut(async () => {
    clock.advance(5_000);
    const reply = await readAccount();
    assertAway(reply);
    assert.match(String(reply.headers.get("ratelimit-policy")), /^"default";q=\d+;w=60$/);
    assert.ok(reply.headers.has("ratelimit"));
  });
});

test("many requests at the moment of the cut are all answered, and the service lives on", async () => {
  const asking = Array.from({ length: 40 }, (_, i) =>
    i % 3 === 0 ? makeKey("At the cut") : i % 3 === 1 ? readAccount() : app.api("GET", "/v1/api_keys"),
  );
  await whileCut(async () => {
    for (const reply of await Promise.all(asking)) {
      if (reply.status >= 300) assertAway(reply);
    }
  });
});

test("a change that the cut interrupts is not half done", async () => {
  let reply: Promise<Reply> | undefined;
  await app.db.transaction(async (tx) => {
    const [before] = await tx.many(sql`select name, updated_at from accounts for update`);
    reply = app.api("PATCH", "/v1/account", { body: { name: "Half done" } });
    await untilBlocking(tx);
    await whileCut(async () => {
      assertAway((await reply) as Reply);
    });
    // The server notices the lost connection only when it wants to answer, so the orphan is ended here, as its own
    // timeout would end it.
    await tx.execute(sql`select pg_terminate_backend(pid) from (${BLOCKED}) as orphan`);
    assert.deepEqual(await tx.many(sql`select name, updated_at from accounts`), [before]);
  });
  assert.notEqual((await readAccount()).body.name, "Half done");
});

test("a COMMIT whose answer is lost takes effect once under an idempotency key", async () => {
  const lost = proxy.loseCommitAnswer("In doubt");
  assertAway(await makeKey("In doubt", "in-doubt"));
  await lost;
  await until(async () => (await keysNamed("In doubt")) === 1);
  const again = await makeKey("In doubt", "in-doubt");
  assert.deepEqual([again.status, again.headers.get("idempotency-replayed")], [201, "true"]);
  assert.equal(await keysNamed("In doubt"), 1);
});

test("a server that ends every connection is forgiven at once", async () => {
  for (let i = 0; i < 3; i++) {
    await app.db.execute(sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and application_name like 'postrider%'`);
    await until(isBack);
  }
});

test("what was away stands in the log once a request, without a stack of requests' contents", () => {
  const failed = app.logs.map((line) => JSON.parse(line)).filter((line) => line.message === "request failed");
  assert.ok(failed.length > 0);
  assert.ok(failed.every((line) => line.code === "database_unavailable" && line.level === "error"));
});
