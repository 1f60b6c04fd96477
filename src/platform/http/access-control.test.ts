/**
 * Tests the checks before a route, with keys that are words: `good…` is valid, `free…` is valid and unlimited, all others
 * are forged.
 */
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import { Type } from "typebox";
import { createTestClock } from "../../../test/support/clock.ts";
import { cloneDatabase } from "../../../test/support/database.ts";
import { createDb, type Db } from "../db/db.ts";
import { createLog } from "../log.ts";
import { createSecrets } from "../secrets.ts";
import { CHANGES_NOTHING } from "./audit.ts";
import { mountRoutes } from "./mount.ts";
import { type Route, readRoute, writeRoute } from "./route.ts";
import { PublicId, Strict } from "./schemas.ts";
import { createServer, type HttpServer } from "./server.ts";

const LIMIT = 5;
const clock = createTestClock();
const Empty = Type.Object({}, { title: "Nothing" });
const common = {
  scope: "things:read",
  tag: "Things",
  summary: "Does it",
  success: { status: 200, schema: Empty, description: "Nothing." },
} as const;
const nothing = async () => ({ status: 200, body: {} });
const params = Strict({ id: PublicId("key") });

const routes: Route[] = [
  readRoute({ ...common, path: "/v1/things/search", handler: nothing }),
  readRoute({ ...common, path: "/v1/things/:id", params, handler: nothing }),
  writeRoute({
    audit: CHANGES_NOTHING,
    ...common,
    method: "PATCH",
    path: "/v1/things/:id",
    params,
    handler: nothing,
  }),
  writeRoute({
    audit: CHANGES_NOTHING,
    ...common,
    method: "DELETE",
    path: "/v1/things/:id",
    params,
    scope: "things:write",
    handler: nothing,
  }),
  readRoute({ ...common, path: "/v1/open", scope: null, handler: nothing }),
];

let database: { url: string; drop(): Promise<void> };
let db: Db;
let server: HttpServer;
let address = "";
/** Counts how often a key was looked up, and holds what the look-up waits for. */
let lookups = 0;
const revoked = new Set<string>();
let gate: Promise<void> = Promise.resolve();
before(async () => {
  database = await cloneDatabase();
  const log = createLog({ level: "silent", pretty: false });
  const options = { poolSize: 4, applicationName: "access test", log, statementTimeoutMs: 5_000 };
  db = createDb({ connection: database.url, ...options });
  const baseUrl = () => "http://test";
  server = createServer({ log, clock, trustProxy: 1, baseUrl });
  mountRoutes({
    server,
    db,
    secrets: createSecrets(["a secret key for tests of 32 characters or more"]),
    clock,
    log,
    baseUrl,
    rateLimitPerMinute: LIMIT,
    recordAudit: () => undefined,
    async authenticate({ headers: { authorization = "" } }) {
      lookups++;
      await gate;
      const id = /^Bearer ((good|free)\w*)$/.exec(authorization)?.[1];
      if (!id || revoked.has(id)) return undefined;
      const unlimited = id.startsWith("free");
      return { accountId: "", actor: { kind: "api_key", id }, scopes: ["things:read"], unlimited };
    },
    routes,
  });
  address = await server.fastify.listen({ host: "127.0.0.1", port: 0 });
});
after(async () => {
  await server.stop(100);
  await db.close();
  await database.drop();
});
function startAfresh() {
  clock.advance(60_000);
  lookups = 0;
  gate = Promise.resolve();
}

let count = 0;
const unique = () => `x${++count}`;

async function ask(key: string | undefined, ip = "192.0.2.1", path = "/v1/things/search", method = "GET") {
  const authorization = key === undefined ? {} : { authorization: `Bearer ${key}` };
  const reply = await fetch(address + path, { method, headers: { "x-forwarded-for": ip, ...authorization } });
  await reply.arrayBuffer();
  return { status: reply.status, headers: reply.headers };
}

async function statuses(times: number, one: () => Promise<{ status: number }>): Promise<number[]> {
  const found: number[] = [];
  for (let i = 0; i < times; i++) found.push((await one()).status);
  return found;
}

const USED_UP = [...Array<number>(LIMIT).fill(401), 429, 429, 429];

describe("the access check", () => {
  beforeEach(startAfresh);

  it("asks about no more strangers of a network than its limit, each under another key", async () => {
    assert.deepEqual(await statuses(LIMIT + 3, () => ask(`forged${unique()}`)), USED_UP);
    assert.equal(lookups, LIMIT);
    assert.equal((await ask(`forged${unique()}`, "192.0.2.2")).status, 401);
  });

  it("asks about no more of them when they come at once", async () => {
    const replies = await Promise.all(Array.from({ length: 50 }, () => ask(`forged${unique()}`)));
    assert.equal(replies.filter(({ status }) => status === 401).length, LIMIT);
    assert.equal(lookups, LIMIT);
  });

  it("takes the many addresses of an IPv6 network for one", async () => {
    let host = 0;
    const forged = () => ask(`forged${unique()}`, `2001:db8:1:2::${(++host).toString(16)}`);
    assert.deepEqual(await statuses(LIMIT + 3, forged), USED_UP);
    assert.equal(lookups, LIMIT);
  });

  it("lets a key that was good lately in, whatever strangers on its network do", async () => {
    const key = `good${unique()}`;
    assert.equal((await ask(key)).status, 200);
    clock.advance(60_000);
    assert.deepEqual(await statuses(LIMIT + 3, () => ask("forged")), USED_UP);
    assert.equal((await ask(key)).status, 200);
    assert.equal((await ask(`good${unique()}`)).status, 429, "one that was never seen is a stranger");
  });

  it("counts a good key by its name alone: its network is none the poorer", async () => {
    for (let i = 0; i < LIMIT * 3; i++) {
      const { status, headers } = await ask(`good${unique()}`);
      assert.deepEqual([status, headers.get("ratelimit")], [200, `"default";r=${LIMIT - 1};t=60`]);
    }
    assert.equal((await ask(undefined)).headers.get("ratelimit"), `"default";r=${LIMIT - 1};t=60`);
  });

  it("counts a key that is good no longer as a stranger's from then on", async () => {
    const key = `good${unique()}`;
    assert.equal((await ask(key)).status, 200);
    revoked.add(key);
    assert.deepEqual(await statuses(LIMIT + 3, () => ask(key)), USED_UP);
    assert.equal(lookups, 1 + LIMIT);
  });

  it("counts what is open to anyone by network, whoever asks", async () => {
    const open = () => ask(`good${unique()}`, undefined, "/v1/open");
    assert.deepEqual(await statuses(LIMIT + 1, open), [...Array<number>(LIMIT).fill(200), 429]);
    assert.equal(lookups, 0);
  });

  it("lets many through that come at once under one key that it hasn't seen yet", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    gate = promise;
    const key = `free${unique()}`;
    const replies = Array.from({ length: LIMIT * 10 }, () => ask(key));
    while (lookups < LIMIT * 10) await new Promise((done) => setTimeout(done, 5));
    resolve();
    const found = await Promise.all(replies);
    assert.deepEqual(new Set(found.map(({ status }) => status)), new Set([200]));
  });

  it("tells an unlimited key so, in the headers that others get", async () => {
    const { headers } = await ask(`free${unique()}`);
    assert.equal(headers.get("ratelimit-policy"), '"unlimited";q=999999999999999;w=60');
    assert.equal(headers.get("ratelimit"), '"unlimited";r=999999999999999;t=60');
  });
});

describe("a fixed path beside one with an id", () => {
  beforeEach(startAfresh);

  for (const [method, path, status, allow] of [
    ["GET", "/v1/things/search", 200, null],
    ["HEAD", "/v1/things/search", 200, null],
    ["PATCH", "/v1/things/search", 405, "GET, HEAD"],
    ["DELETE", "/v1/things/search", 405, "GET, HEAD"],
    ["PATCH", "/v1/things/%73earch", 405, "GET, HEAD"],
    ["PUT", "/v1/things/search", 405, "GET, HEAD"],
    ["PATCH", "/v1/things/searches", 404, null],
    ["PUT", "/v1/things/searches", 405, "GET, HEAD, PATCH, DELETE"],
    ["PATCH", "/v1/things/search/more", 404, null],
  ] as const) {
    it(`answers ${status} to ${method} ${path}`, async () => {
      const reply = await ask(`free${unique()}`, undefined, path, method);
      assert.deepEqual([reply.status, reply.headers.get("allow")], [status, allow]);
    });
  }
});
