import assert from "node:assert/strict";
import { createServer } from "node:net";
import { after, before, test } from "node:test";
import { sql } from "../../src/platform/db/db.ts";
import { createApp, type TestApp } from "../support/app.ts";
import { until } from "../support/until.ts";

const TOKEN = "a-token-of-sixteen-or-more";
let app: TestApp;
let metricsUrl: string;
before(async () => {
  const port = await freePort();
  metricsUrl = `http://127.0.0.1:${port}`;
  app = await createApp({ settings: { METRICS_TOKEN: TOKEN, METRICS_PORT: String(port) } });
});
after(() => app.stop());

function freePort(): Promise<number> {
  const server = createServer();
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

const metrics = async () => (await app.api("GET", "/metrics", { key: TOKEN })).text;

test("the metrics are shown to who has the token and to nobody else", async () => {
  const shown = await app.api("GET", "/metrics", { key: TOKEN });
  assert.equal(shown.status, 200);
  assert.match(String(shown.headers.get("content-type")), /^text\/plain; version=0\.0\.4/);
  for (const key of [null, app.key, `${TOKEN}x`, TOKEN.slice(1), ""]) {
    const refused = await app.api("GET", "/metrics", { key });
    assert.deepEqual([refused.status, refused.body.code], [401, "unauthorized"]);
    assert.match(String(refused.headers.get("www-authenticate")), /^Bearer /);
  }
});

test("a port of their own shows the metrics without a token, and nothing else", async () => {
  const shown = await fetch(`${metricsUrl}/metrics`);
  assert.equal(shown.status, 200);
  assert.match(await shown.text(), /^postrider_http_request_seconds_bucket/m);
  for (const path of ["/", "/v1/account", "/healthz", "/metricsx"]) {
    assert.equal((await fetch(metricsUrl + path)).status, 404, path);
  }
});

test("answers are counted and timed by route, never by path", async () => {
  await app.api("GET", "/v1/api_keys/key_01k9zq4t3xe8k8y0v6d3m2n1pq");
  await app.api("GET", "/v1/zebra/crossing");
  await app.api("GET", "/zebra", { key: null });
  const counted = /^postrider_http_answers_total{method="GET",route="\/v1\/api_keys\/:id",status="404"} 1$/m;
  await until(async () => counted.test(await metrics()));
  const text = await metrics();
  assert.match(text, /^postrider_http_answers_total{method="GET",route="\/\*",status="404"} 2$/m);
  assert.doesNotMatch(text, /zebra|key_01/);
  assert.match(text, /^postrider_http_request_seconds_count{method="GET",route="\/v1\/api_keys\/:id"} 1$/m);
  assert.match(text, /^postrider_database_connections{state="idle"} \d+$/m);
});

test("without a token or a port of their own the metrics are closed", async () => {
  const closed = await createApp();
  const reply = await closed.api("GET", "/metrics", { key: "undefined" });
  assert.equal(reply.status, 404);
  await closed.stop();
});

test("the service is not ready on a schema older than it needs", async () => {
  assert.equal((await app.api("GET", "/readyz", { key: null })).status, 200);
  const [newest] = await app.db.many<{ version: number; name: string; checksum: string }>(
    sql`delete from schema_migrations where version = (select max(version) from schema_migrations)
        returning version, name, checksum`,
  );
  assert.ok(newest);
  const reply = await app.api("GET", "/readyz", { key: null });
  assert.equal(reply.status, 503);
  assert.match(reply.body.detail, new RegExp(`${newest.version} is needed`));
  assert.equal((await app.api("GET", "/healthz", { key: null })).status, 200);
  await app.db.execute(sql`insert into schema_migrations (version, name, checksum)
    values (${newest.version}, ${newest.name}, ${newest.checksum})`);
  assert.equal((await app.api("GET", "/readyz", { key: null })).status, 200);
});

test("a request is logged with its route, status and time, at the level debug", async () => {
  const before = app.logs.length;
  await app.api("GET", "/v1/api_keys/key_01k9zq4t3xe8k8y0v6d3m2n1pq?x=1");
  const lines = () => app.logs.slice(before).map((line) => JSON.parse(line));
  await until(() => lines().some((line) => line.message === "answered"));
  const { level, method, route, status, durationMs } = lines().find((line) => line.message === "answered");
  assert.deepEqual([level, method, route, status], ["debug", "GET", "/v1/api_keys/:id", 400]);
  assert.ok(durationMs > 0);
});
