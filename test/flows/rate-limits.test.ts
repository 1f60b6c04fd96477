import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { createApiKey, getAccount } from "../../src/accounts/accounts.ts";
import { makeKey, makeToken } from "../../src/accounts/token-format.ts";
import { newId } from "../../src/platform/ids.ts";
import { createLog } from "../../src/platform/log.ts";
import { createApp, type Reply, type TestApp } from "../support/app.ts";
import { createTestClock, type TestClock } from "../support/clock.ts";
import { cookieOf } from "../support/people.ts";

const LIMIT = 5;
let clock: TestClock;
let app: TestApp;
beforeEach(async () => {
  clock = createTestClock();
  const settings = { RATE_LIMIT_PER_MINUTE: String(LIMIT), TRUST_PROXY: "1" };
  app = await createApp({ clock, settings });
  clock.advance(60_000);
});
afterEach(() => app.stop());

const ask = (key: string | null = app.key, ip = "192.0.2.1", path = "/v1/account"): Promise<Reply> =>
  app.api("GET", path, { key, headers: { "x-forwarded-for": ip } });

async function statuses(times: number, one: () => Promise<Reply>): Promise<number[]> {
  const found: number[] = [];
  for (let i = 0; i < times; i++) found.push((await one()).status);
  return found;
}

test("every answer under /v1 says what is left, whatever its status", async () => {
  const replies = [
    await ask(),
    await ask(app.key, "", "/v1/nowhere"),
    await app.api("PUT", "/v1/account"),
    await app.api("POST", "/v1/api_keys", { body: {} }),
    await app.api("PATCH", "/v1/account", { body: "{" }),
  ];
  const policy = `"default";q=${LIMIT};w=60`;
  for (const [i, { headers }] of replies.entries()) {
    assert.equal(headers.get("ratelimit-policy"), policy);
    assert.equal(headers.get("ratelimit"), `"default";r=${LIMIT - 1 - i};t=60`);
  }
  const withoutKey = await ask(null);
  assert.equal(withoutKey.headers.get("ratelimit"), `"default";r=${LIMIT - 1};t=60`);
});

test("over the limit the answer is 429 with the seconds to wait, and then all is well", async () => {
  assert.deepEqual(await statuses(LIMIT, ask), Array(LIMIT).fill(200));
  clock.advance(20_400);
  const refused = await ask();
  assert.deepEqual([refused.status, refused.body.code], [429, "rate_limited"]);
  assert.equal(refused.headers.get("retry-after"), "40");
  assert.equal(refused.headers.get("ratelimit"), '"default";r=0;t=40');
  clock.advance(40_000);
  assert.equal((await ask()).status, 200);
});

test("each key is counted by itself, whatever the address", async () => {
  const other = await app.addKey(["full"]);
  assert.deepEqual(await statuses(LIMIT + 1, ask), [...Array(LIMIT).fill(200), 429]);
  assert.equal((await ask(other)).status, 200);
  assert.equal((await ask(app.key, "192.0.2.9")).status, 429);
});

test("without a good key each address is counted by itself", async () => {
  const guess = (ip: string) => () => ask("pr_nonsense", ip);
  assert.deepEqual(await statuses(LIMIT + 1, guess("192.0.2.1")), [...Array(LIMIT).fill(401), 429]);
  assert.equal((await ask(null, "192.0.2.1")).status, 429);
  assert.equal((await guess("192.0.2.2")()).status, 401);
  assert.equal((await ask(app.key, "192.0.2.1")).status, 200);
});

test("forged keys of the right form are counted by address before they are looked up", async () => {
  const forged = () => ask(makeKey(newId(clock)));
  assert.deepEqual(await statuses(LIMIT + 2, forged), [...Array(LIMIT).fill(401), 429, 429]);
  assert.equal((await ask()).status, 200, "a key that this process knows is let in from there all the same");
});

test("forged sessions of the right form are counted by address before they are looked up", async () => {
  const forged = () =>
    app.api("GET", "/v1/account", {
      key: null,
      headers: { "x-forwarded-for": "192.0.2.1", cookie: cookieOf(makeToken("prs_", newId(clock))) },
    });
  assert.deepEqual(await statuses(LIMIT + 2, forged), [...Array(LIMIT).fill(401), 429, 429]);
});

test("a client can't give itself another address than the proxy saw", async () => {
  const lie = (i: number) => ask(null, `198.51.100.${i}, 192.0.2.1`);
  for (let i = 0; i < LIMIT; i++) await lie(i);
  assert.equal((await lie(99)).status, 429);
});

test("an unlimited key is never refused, and told so on every answer", async () => {
  const account = await getAccount(app.db, undefined);
  const log = createLog({ level: "silent", pretty: false });
  const actor = { kind: "system", id: null } as const;
  const { key } = await app.db.transaction((tx) =>
    createApiKey(
      { sql: tx, accountId: account?.account_id ?? "", actor, clock, log },
      { name: "Import", scopes: ["full"], expiresAt: null, unlimited: true },
    ),
  );
  assert.deepEqual(await statuses(LIMIT * 3, () => ask(key)), Array(LIMIT * 3).fill(200));
  for (const path of ["/v1/account", "/v1/nowhere"]) {
    const { headers } = await ask(key, "192.0.2.1", path);
    assert.equal(headers.get("ratelimit-policy"), '"unlimited";q=999999999999999;w=60');
    assert.equal(headers.get("ratelimit"), '"unlimited";r=999999999999999;t=60');
  }
});

test("what is outside /v1 has no limit", async () => {
  assert.deepEqual(
    await statuses(LIMIT * 3, () => ask(null, "192.0.2.1", "/healthz")),
    Array(LIMIT * 3).fill(200),
  );
});
