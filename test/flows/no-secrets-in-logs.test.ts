/** Every route gets addresses and keys wherever a client can put them; none of them may be found in a log or a metric. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../src/platform/db/db.ts";
import type { Route } from "../../src/platform/http/route.ts";
import { createApp, type Reply, type TestApp } from "../support/app.ts";
import { cloneDatabase } from "../support/database.ts";
import { createDatabaseProxy, type DatabaseProxy } from "../support/database-proxy.ts";
import { makeFixture } from "../support/fixtures.ts";
import { allRoutes, bodyFor, exampleOf, fillPath, idsIn } from "../support/routes.ts";
import { until } from "../support/until.ts";

const METRICS_TOKEN = "zqxmetricstoken0123456789";
const ADDRESSES = ["zqxlocal.o'brien+tag@zqxhost.example", "zqxлокал@zqxhost.example"];
/** No part of any of these words may occur. */
const CANARIES = ["zqxlocal", "brien", "zqxлокал", "zqxhost", "zqxpassword", "zqxmetricstoken", "zqxagent"];
const PASSWORD = "zqxpassword horse battery staple";

let database: Awaited<ReturnType<typeof cloneDatabase>>;
let proxy: DatabaseProxy;
let app: TestApp;
const secrets = new Set<string>();
before(async () => {
  database = await cloneDatabase();
  proxy = await createDatabaseProxy(database.url);
  const settings = { DATABASE_URL: proxy.url, METRICS_TOKEN };
  app = await createApp({ databaseUrl: database.url, settings, logLevel: "trace" });
  secrets.add(app.key);
});
after(async () => {
  await app.stop();
  await proxy.close();
  await database.drop();
});

function noteSecrets(reply: Reply): void {
  for (const [found] of reply.text.matchAll(/\b(?:pr|prs|prl)_[0-9A-Za-z]{54}/g)) secrets.add(found);
  for (const cookie of reply.headers.getSetCookie()) {
    for (const [found] of cookie.matchAll(/prs_[0-9A-Za-z]{54}/g)) secrets.add(found);
  }
}

async function send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  const reply = await app.api(method, path, { ...(body !== undefined && { body }), headers });
  noteSecrets(reply);
  return reply;
}

/** Returns the example with every text in it replaced. */
function withCanary(value: unknown, canary: string): unknown {
  if (typeof value === "string") return canary;
  if (Array.isArray(value)) return value.map((item) => withCanary(item, canary));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withCanary(inner, canary)]));
}

async function ownPath(route: Route): Promise<string> {
  const made = new Map<string, string>();
  for (const [name, prefix] of idsIn(route.params)) made.set(name, await makeFixture(app, app.key, prefix));
  return fillPath(route, (name) => made.get(name) ?? "");
}

function hostileHeaders(canary: string): Record<string, string> {
  const ascii = Buffer.from(canary).toString("latin1");
  return {
    "x-request-id": ascii,
    "user-agent": `zqxagent ${ascii}`,
    "idempotency-key": encodeURIComponent(canary),
    "x-forwarded-for": ascii,
    referer: `https://zqxhost.example/?email=${encodeURIComponent(canary)}`,
    "if-match": ascii,
    "if-none-match": ascii,
    cookie: `__Host-postrider_session=${encodeURIComponent(canary)}`,
  };
}

test("refused requests of every route, with canaries everywhere, leave nothing in the log", async () => {
  for (const [i, route] of allRoutes().entries()) {
    const path = await ownPath(route);
    for (const canary of [ADDRESSES[i % ADDRESSES.length] ?? "", app.key]) {
      const encoded = encodeURIComponent(canary);
      const hostile = hostileHeaders(canary);
      const ask = (at: string, body: unknown, more: Record<string, string> = {}) => {
        const filled = bodyFor(route, route.method === "GET" ? undefined : body);
        return send(route.method, at, filled.body, { ...hostile, ...filled.headers, ...more });
      };
      const example = exampleOf(route) ?? {};
      await Promise.all([
        ask(
          fillPath(route, () => encoded),
          example,
        ),
        ask(`${path}?${encoded}=${encoded}&cursor=${encoded}`, example),
        ask(path, withCanary(example, canary)),
        ask(path, { [canary]: canary }),
        ask(path, `{"x": ${canary}`),
        ask(path, example, { authorization: `Bearer ${Buffer.from(canary).toString("latin1")}` }),
        send("PROPFIND", `${path}/${encoded}`, undefined, hostile),
      ]);
    }
  }
});

test("what succeeds leaves nothing in the log either", async () => {
  const [email = ""] = ADDRESSES;
  const list = await send("POST", "/v1/lists", { name: email, from_name: email });
  assert.equal(list.status, 201, list.text);
  const body = { email, list_id: list.body.id, first_name: email };
  const made = await send("POST", "/v1/subscribers", body, { "idempotency-key": email });
  assert.equal(made.status, 201, made.text);
  assert.equal(
    (await send("GET", `/v1/subscribers/search?email=${encodeURIComponent(email)}`, undefined)).status,
    200,
  );
  const key = await send("POST", "/v1/api_keys", { name: email, scopes: ["full"] });
  assert.equal(key.status, 201, key.text);
  const user = await send("POST", "/v1/invitations", { email: "zqxlocal@zqxhost.example", name: email });
  assert.equal(user.status, 201, user.text);
  await send("POST", "/v1/session", { email: "zqxlocal@zqxhost.example", password: PASSWORD });
  assert.ok(secrets.size > 2);
});

test("bugs and a database that quotes its input leave nothing in the log", async () => {
  const before = app.logs.length;
  await app.db.execute(sql`create function quote_it() returns trigger language plpgsql as $$
    begin raise exception E'bad row:\n%', new.name using detail = new.name, errcode = 'P0001'; end $$`);
  await app.db.execute(
    sql`create trigger quote_it before insert on api_keys for each row execute function quote_it()`,
  );
  for (const canary of [...ADDRESSES, app.key, `x:${app.key}:y`]) {
    const reply = await send("POST", "/v1/api_keys", { name: canary, scopes: ["full"] });
    assert.deepEqual([reply.status, reply.body.code], [500, "internal_error"]);
    assert.doesNotMatch(reply.text, /bad row|zqx/);
  }
  const told = app.logs.slice(before).join("");
  assert.match(told, /bad row:\\n\[address\]/);
  assert.match(told, /bad row:\\n\[key\]/);
  await app.db.execute(sql`drop function quote_it cascade`);
});

test("a database that is away leaves nothing in the log", async () => {
  const locked = sql`select id from graphile_worker.jobs where locked_at is not null`;
  await until(async () => (await app.db.many(locked)).length === 0);
  await proxy.cut();
  for (const canary of ADDRESSES) {
    const body = { name: canary, scopes: ["full"] };
    assert.equal((await send("POST", "/v1/api_keys", body, hostileHeaders(canary))).status, 503);
  }
  await proxy.restore();
});

test("nothing of all this is in the log or the metrics, and every line is JSON", async () => {
  const metrics = await app.api("GET", "/metrics", { key: METRICS_TOKEN });
  assert.equal(metrics.status, 200);
  assert.match(metrics.text, /postrider_http_answers_total{[^}]*route="\/v1\/api_keys\/:id"/);
  assert.ok(app.logs.length > 500, `${app.logs.length} lines`);
  const parsed = app.logs.map((line) => JSON.stringify(JSON.parse(line)));
  for (const canary of [...CANARIES, ...secrets, ...[...secrets].map((secret) => secret.slice(4, 40))]) {
    const line = parsed.find((one) => one.toLowerCase().includes(canary.toLowerCase()));
    assert.equal(line, undefined, canary);
    assert.ok(!metrics.text.includes(canary), `${canary} in /metrics`);
  }
});
