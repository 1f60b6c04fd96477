/** Keys that get another secret, and keys that are bound to networks. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../src/platform/db/db.ts";
import { createApp, type TestApp } from "../support/app.ts";
import { createTestClock, type TestClock } from "../support/clock.ts";
import { until } from "../support/until.ts";

const HOUR = 3_600_000;
let app: TestApp;
let clock: TestClock;
before(async () => {
  clock = createTestClock();
  app = await createApp({ clock, settings: { TRUST_PROXY: "1" } });
});
after(() => app.stop());

const make = (body: object, key = app.key) =>
  app.api("POST", "/v1/api_keys", { key, body: { name: "Key", scopes: ["account:read"], ...body } });
const rotate = (id: string, body?: object, key = app.key) =>
  app.api("POST", `/v1/api_keys/${id}/rotate`, { key, ...(body && { body }) });
const statusOf = async (key: string, from = "127.0.0.1") =>
  (await app.api("GET", "/v1/account", { key, headers: { "x-forwarded-for": from } })).status;
const codes = (reply: { body: { errors: { pointer: string; code: string }[] } }) =>
  reply.body.errors.map(({ pointer, code }) => `${pointer} ${code}`);

test("a rotated key has another secret, and the one before works for the time of grace", async () => {
  const { body: made } = await make({});
  const rotated = await rotate(made.id, { grace_hours: 2 });
  assert.equal(rotated.status, 200, rotated.text);
  assert.equal(rotated.body.id, made.id);
  assert.notEqual(rotated.body.key, made.key);
  assert.equal(rotated.body.hint, rotated.body.key.slice(-4));
  assert.deepEqual([await statusOf(made.key), await statusOf(rotated.body.key)], [200, 200]);
  assert.equal(rotated.body.previous_until, new Date(clock.now().getTime() + 2 * HOUR).toISOString());
  const read = await app.api("GET", `/v1/api_keys/${made.id}`);
  assert.ok(!("key" in read.body));
  clock.advance(2 * HOUR);
  assert.deepEqual([await statusOf(made.key), await statusOf(rotated.body.key)], [401, 200]);
  const stored = await app.db.many<{ row: string }>(sql`select api_keys::text as row from api_keys`);
  assert.ok(!stored.some(({ row }) => row.includes(rotated.body.key)));
});

test("the time of grace is a day unless it is said, none is none, and a third secret never works", async () => {
  const { body: made } = await make({});
  const first = await rotate(made.id);
  assert.equal(first.body.previous_until, new Date(clock.now().getTime() + 24 * HOUR).toISOString());
  const second = await rotate(made.id);
  const statuses = [made.key, first.body.key, second.body.key].map((key) => statusOf(key));
  assert.deepEqual(await Promise.all(statuses), [401, 200, 200]);
  const third = await rotate(made.id, { grace_hours: 0 });
  assert.deepEqual([await statusOf(second.body.key), await statusOf(third.body.key)], [401, 200]);
  for (const grace of [-1, 169, 1.5, "24", null]) {
    assert.equal((await rotate(made.id, { grace_hours: grace })).status, 422, String(grace));
  }
  assert.equal((await app.api("DELETE", `/v1/api_keys/${made.id}`)).status, 204);
  assert.equal(await statusOf(third.body.key), 401);
});

test("another process knows at once which secret works", async () => {
  const second = await createApp({ databaseUrl: app.databaseUrl, clock });
  try {
    const { body: made } = await make({});
    const there = async (key: string) => (await second.api("GET", "/v1/account", { key })).status;
    assert.equal(await there(made.key), 200);
    const rotated = await rotate(made.id, { grace_hours: 0 });
    assert.equal(await there(rotated.body.key), 200);
    const gone = async () => (await there(made.key)) === 401;
    await until(gone);
  } finally {
    await second.stop();
  }
});

test("a rotation under an idempotency key happens once, and its secret is shown once", async () => {
  const { body: made } = await make({});
  const headers = { "idempotency-key": "rotate once" };
  const path = `/v1/api_keys/${made.id}/rotate`;
  const first = await app.api("POST", path, { headers });
  const again = await app.api("POST", path, { headers });
  assert.deepEqual([again.status, again.body], [200, { ...first.body, key: null }]);
  assert.equal(await statusOf(made.key), 200, "the one before is still the one before");
});

test("nobody gets by a rotation what their own key can't do", async () => {
  const scopes = ["api_keys:write", "account:read"];
  const soon = new Date(clock.now().getTime() + HOUR).toISOString();
  const { body: forEver } = await make({ scopes });
  const { body: wide } = await make({ scopes: ["full"] });
  const { body: ending } = await make({ scopes, expires_at: soon });
  assert.equal((await rotate(wide.id, {}, forEver.key)).status, 403, "more scopes");
  assert.equal((await rotate(forEver.id, {}, ending.key)).status, 403, "it would outlive the caller");
  const { body: bound } = await make({ scopes, allowed_networks: ["127.0.0.0/8"] });
  assert.equal((await rotate(forEver.id, {}, bound.key)).status, 403, "it works elsewhere");
  assert.equal((await rotate(bound.id, {}, bound.key)).status, 200, "a key may rotate itself");
  const rotated = await rotate(forEver.id);
  const old = await rotate(forEver.id, {}, forEver.key);
  assert.equal(old.status, 403, "a secret in its time of grace gets no other");
  assert.equal((await rotate(forEver.id, {}, rotated.body.key)).status, 200);
});

test("a key that is bound to networks is refused from others", async () => {
  const { body: made } = await make({
    allowed_networks: ["203.0.113.0/24", "2001:DB8::/32", "198.51.100.7"],
  });
  assert.deepEqual(made.allowed_networks, ["203.0.113.0/24", "2001:db8::/32", "198.51.100.7/32"]);
  for (const from of ["203.0.113.9", "2001:db8::1", "198.51.100.7", "::ffff:203.0.113.9"]) {
    assert.equal(await statusOf(made.key, from), 200, from);
  }
  for (const from of ["203.0.114.1", "2001:db9::1", "198.51.100.8", "127.0.0.1"]) {
    assert.equal(await statusOf(made.key, from), 403, from);
  }
  const refused = await app.api("GET", "/v1/account", { key: made.key });
  assert.equal(refused.body.code, "network_not_allowed");
  const patch = { allowed_networks: [] };
  assert.equal((await app.api("PATCH", `/v1/api_keys/${made.id}`, { body: patch })).status, 200);
  assert.equal(await statusOf(made.key), 200);
});

test("a key that is bound frees neither itself nor another", async () => {
  const scopes = ["api_keys:write", "account:read"];
  const { body: bound } = await make({ scopes, allowed_networks: ["127.0.0.0/8"] });
  const patch = (body: object) => app.api("PATCH", `/v1/api_keys/${bound.id}`, { key: bound.key, body });
  for (const allowed_networks of [[], ["10.0.0.0/8"], ["126.0.0.0/7"], ["127.0.0.1", "10.0.0.1"]]) {
    assert.equal((await patch({ allowed_networks })).status, 403, allowed_networks.join());
    assert.equal((await make({ allowed_networks }, bound.key)).status, 403);
  }
  assert.equal((await make({}, bound.key)).status, 403);
  assert.equal((await make({ allowed_networks: ["127.0.0.1"] }, bound.key)).status, 201);
  assert.equal((await patch({ name: "Renamed" })).status, 200);
});

test("bad networks are named, every fault of them", async () => {
  const bad = ["0.0.0.0/0", "203.0.113.7/24", "10.0.0.0/8", "example.com", "::/0"];
  const reply = await make({ allowed_networks: bad });
  assert.equal(reply.status, 422);
  assert.deepEqual(codes(reply), [
    "/allowed_networks/0 network_too_wide",
    "/allowed_networks/1 host_bits_set",
    "/allowed_networks/3 invalid_network",
    "/allowed_networks/4 network_too_wide",
  ]);
  const many = Array.from({ length: 51 }, (_, i) => `10.0.${i}.0/24`);
  assert.deepEqual(codes(await make({ allowed_networks: many })), ["/allowed_networks too_many"]);
  assert.equal((await make({ allowed_networks: many.slice(1) })).status, 201);
  assert.equal((await make({ allowed_networks: null })).status, 422);
});
