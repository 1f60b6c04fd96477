import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../src/platform/db/db.ts";
import { createApp, type TestApp } from "../support/app.ts";
import { createTestClock } from "../support/clock.ts";
import { until } from "../support/until.ts";

const HOUR_MS = 3_600_000;
const clock = createTestClock();
let app: TestApp;
before(async () => {
  app = await createApp({ clock });
});
after(() => app.stop());

async function makeKey(more: object = {}): Promise<{ id: string; key: string }> {
  const made = await app.api("POST", "/v1/api_keys", {
    body: { name: "Website", scopes: ["account:read", "api_keys:write"], ...more },
  });
  assert.equal(made.status, 201, made.text);
  return made.body;
}

const statusOf = async (key: string, of: TestApp = app) =>
  (await of.api("GET", "/v1/account", { key })).status;

async function withSecondApp(work: (second: TestApp) => Promise<void>): Promise<void> {
  const second = await createApp({ clock, databaseUrl: app.databaseUrl });
  try {
    await work(second);
  } finally {
    await second.stop();
  }
}

test("a key opens until the moment it expires", async () => {
  const { key } = await makeKey({ expires_at: new Date(clock.now().getTime() + HOUR_MS).toISOString() });
  assert.equal(await statusOf(key), 200);
  clock.advance(HOUR_MS - 1);
  assert.equal(await statusOf(key), 200);
  clock.advance(1);
  assert.equal(await statusOf(key), 401);
});

test("a key that is made to expire sooner, or never, does so at once", async () => {
  const { id, key } = await makeKey({ expires_at: new Date(clock.now().getTime() + HOUR_MS).toISOString() });
  assert.equal(await statusOf(key), 200);
  const sooner = new Date(clock.now().getTime() + 1_000).toISOString();
  assert.equal((await app.api("PATCH", `/v1/api_keys/${id}`, { body: { expires_at: sooner } })).status, 200);
  clock.advance(1_000);
  assert.equal(await statusOf(key), 401);
  assert.equal((await app.api("PATCH", `/v1/api_keys/${id}`, { body: { expires_at: null } })).status, 200);
  assert.equal(await statusOf(key), 200);
});

test("a key that ends can neither prolong itself nor make one that outlives it", async () => {
  const ends = new Date(clock.now().getTime() + HOUR_MS).toISOString();
  const later = new Date(clock.now().getTime() + 2 * HOUR_MS).toISOString();
  const { id, key } = await makeKey({ expires_at: ends });
  const prolong = (expires_at: string | null) =>
    app.api("PATCH", `/v1/api_keys/${id}`, { key, body: { expires_at } });
  const make = (expires_at: string | null) =>
    app.api("POST", "/v1/api_keys", { key, body: { name: "x", scopes: ["account:read"], expires_at } });
  for (const at of [null, later]) {
    assert.equal((await prolong(at)).status, 403);
    assert.equal((await make(at)).status, 403);
  }
  assert.equal((await make(ends)).status, 201);
  assert.equal((await app.api("PATCH", `/v1/api_keys/${id}`, { key, body: { name: "y" } })).status, 200);
});

test("a key may revoke itself, and then opens nothing", async () => {
  const { id, key } = await makeKey();
  assert.equal((await app.api("DELETE", `/v1/api_keys/${id}`, { key })).status, 204);
  assert.equal((await app.api("DELETE", `/v1/api_keys/${id}`, { key })).status, 401);
});

test("a key can't hand out a scope that it lacks", async () => {
  const { key } = await makeKey();
  for (const scopes of [["full"], ["account:read", "account:write"]]) {
    const reply = await app.api("POST", "/v1/api_keys", { key, body: { name: "Wider", scopes } });
    assert.deepEqual([reply.status, reply.body.code], [403, "missing_scope"]);
    assert.equal(reply.body.required_scope, scopes.at(-1));
  }
});

test("a key can't prolong, rename or revoke one that has a scope it lacks", async () => {
  const wide = await makeKey({
    scopes: ["full"],
    expires_at: new Date(clock.now().getTime() + HOUR_MS).toISOString(),
  });
  const { key } = await makeKey();
  for (const [method, body] of [
    ["PATCH", { expires_at: null }],
    ["PATCH", { name: "Mine" }],
    ["DELETE", undefined],
  ] as const) {
    const reply = await app.api(method, `/v1/api_keys/${wide.id}`, { key, ...(body && { body }) });
    assert.deepEqual([reply.status, reply.body.required_scope], [403, "full"], reply.text);
  }
  assert.equal(await statusOf(wide.key), 200);
  const equal = await makeKey();
  assert.equal(
    (await app.api("PATCH", `/v1/api_keys/${equal.id}`, { key, body: { name: "Ours" } })).status,
    200,
  );
  assert.equal((await app.api("DELETE", `/v1/api_keys/${equal.id}`, { key })).status, 204);
});

test("a key revoked in one process is refused by another within moments", async () => {
  await withSecondApp(async (second) => {
    const { id, key } = await makeKey();
    assert.equal(await statusOf(key, second), 200);
    assert.equal((await app.api("DELETE", `/v1/api_keys/${id}`)).status, 204);
    assert.equal(await statusOf(key), 401);
    await until(async () => (await statusOf(key, second)) === 401);
  });
});

test("a key revoked without a word is refused after 5 seconds at most", async () => {
  const { key } = await makeKey();
  assert.equal(await statusOf(key), 200);
  await app.db.execute(sql`update api_keys set revoked_at = ${clock.now()} where name = 'Website'`);
  clock.advance(4_999);
  assert.equal(await statusOf(key), 200);
  clock.advance(1);
  assert.equal(await statusOf(key), 401);
});

test("a key that was unknown a moment ago works once it is made", async () => {
  await withSecondApp(async (second) => {
    const { id, key } = await makeKey();
    await app.db.execute(sql`update api_keys set revoked_at = ${clock.now()} where hint = ${key.slice(-4)}`);
    assert.equal(await statusOf(key, second), 401);
    await app.db.execute(sql`update api_keys set revoked_at = null where hint = ${key.slice(-4)}`);
    clock.advance(5_000);
    assert.equal(await statusOf(key, second), 200, id);
  });
});

test("when a key was last used is written down, at the latest when the process stops", async () => {
  const { id, key } = await makeKey();
  const lastUsed = async () => (await app.api("GET", `/v1/api_keys/${id}`)).body.last_used_at;
  assert.equal(await lastUsed(), null);
  const usedAt = clock.now().toISOString();
  await withSecondApp(async (second) => {
    assert.equal(await statusOf(key, second), 200);
  });
  assert.equal(await lastUsed(), usedAt);
});

test("of two processes that note a use, the later one stands", async () => {
  const { id, key } = await makeKey();
  let later = "";
  await withSecondApp(async (second) => {
    assert.equal(await statusOf(key, second), 200);
    clock.advance(60_000);
    later = clock.now().toISOString();
    await withSecondApp(async (third) => {
      assert.equal(await statusOf(key, third), 200);
    });
  });
  assert.equal((await app.api("GET", `/v1/api_keys/${id}`)).body.last_used_at, later);
});
