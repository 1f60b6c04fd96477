/** A key may do no more than whoever made it may do now, and ends when they leave; whoever rotates it takes it over. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../src/platform/db/db.ts";
import { createApp, type TestApp } from "../support/app.ts";
import { addPerson, type Person, setUpOwner } from "../support/people.ts";

import { type Json, settled } from "../support/subscribers.ts";
import { until } from "../support/until.ts";

let app: TestApp;
let owner: Awaited<ReturnType<typeof setUpOwner>>;
before(async () => {
  app = await createApp();
  owner = await setUpOwner(app);
});
after(() => app.stop());

type Made = { id: string; key: string };
async function make(by: Person["browser"], scopes: string[]): Promise<Made> {
  const made = await by.send("POST", "/v1/api_keys", { name: "Program", scopes });
  assert.equal(made.status, 201, made.text);
  return made.body;
}
const statusOf = async (path: string, key: string) => (await app.api("GET", path, { key })).status;
const becomes = (path: string, key: string, status: number) =>
  until(async () => (await statusOf(path, key)) === status);
async function setRole({ id }: Person, role: string): Promise<void> {
  const changed = await owner.send("PATCH", `/v1/users/${id}`, { role });
  assert.equal(changed.status, 200, changed.text);
}

test("a key loses what its maker loses, and has it again with them", async () => {
  const admin = await addPerson(app, "falls@example.com", "admin");
  const { key } = await make(admin.browser, ["webhooks:write", "subscribers:read", "audit:read"]);
  const child = await app.api("POST", "/v1/api_keys", { key, body: { name: "x", scopes: ["audit:read"] } });
  assert.equal(child.status, 403, "it has no api_keys:write");
  assert.equal(await statusOf("/v1/audit", key), 200);
  await setRole(admin, "marketer");
  await becomes("/v1/audit", key, 403);
  assert.equal(await statusOf("/v1/subscribers", key), 200, "a marketer reads subscribers");
  await setRole(admin, "admin");
  await becomes("/v1/audit", key, 200);
});

test("a key with every scope has those of its maker's role once they are no owner", async () => {
  const second = await addPerson(app, "second@example.com", "owner");
  const { key } = await make(second.browser, ["full"]);
  const made = await app.api("POST", "/v1/api_keys", { key, body: { name: "Child", scopes: ["full"] } });
  assert.equal(made.status, 201, made.text);
  await setRole(second, "viewer");
  for (const one of [key, made.body.key]) {
    await becomes("/v1/api_keys", one, 403);
    assert.equal(await statusOf("/v1/campaigns", one), 200);
  }
});

test("the keys of whoever leaves are revoked, with an event for each, and so are those that their keys made", async () => {
  const admin = await addPerson(app, "leaves@example.com", "admin");
  const first = await make(admin.browser, ["api_keys:write", "lists:read"]);
  const made = await app.api("POST", "/v1/api_keys", {
    key: first.key,
    body: { name: "Child", scopes: ["lists:read"] },
  });
  assert.equal(made.status, 201, made.text);
  const others = await make(owner, ["lists:read"]);
  const removed = await owner.send("DELETE", `/v1/users/${admin.id}`);
  assert.equal(removed.status, 204, removed.text);
  for (const { key } of [first, made.body]) await becomes("/v1/lists", key, 401);
  assert.equal(await statusOf("/v1/lists", others.key), 200);
  await settled(app);
  const { body } = await app.api("GET", "/v1/events?type=api_key.revoked");
  assert.deepEqual(
    body.data.map(({ data }: Json) => data.api_key_id).toSorted(),
    [first.id, made.body.id].toSorted(),
  );
});

test("a key that was never revoked opens nothing either once its maker is gone", async () => {
  const admin = await addPerson(app, "gone@example.com", "admin");
  const { key } = await make(admin.browser, ["lists:read"]);
  await app.db.execute(sql`update api_keys set made_by = gen_random_uuid() where hint = ${key.slice(-4)}`);
  await owner.send("POST", "/v1/api_keys", { name: "Any", scopes: ["lists:read"] });
  await until(async () => (await statusOf("/v1/lists", key)) === 401, 8_000);
});

test("whoever rotates a key takes it over, and what the one before knew ends with them", async () => {
  const admin = await addPerson(app, "hands-over@example.com", "admin");
  const { id, key: before } = await make(admin.browser, ["lists:read"]);
  const rotated = await owner.send("POST", `/v1/api_keys/${id}/rotate`, { grace_hours: 24 });
  assert.equal(rotated.status, 200, rotated.text);
  assert.equal(await statusOf("/v1/lists", before), 200, "in its time of grace");
  await owner.send("DELETE", `/v1/users/${admin.id}`);
  await becomes("/v1/lists", before, 401);
  assert.equal(await statusOf("/v1/lists", rotated.body.key), 200);
});

test("what a secret of before a rotation makes belongs to whoever knows it, and not to whoever took the key over", async () => {
  const admin = await addPerson(app, "knows-before@example.com", "admin");
  const { id, key: before } = await make(admin.browser, ["api_keys:write", "lists:read"]);
  await owner.send("POST", `/v1/api_keys/${id}/rotate`, { grace_hours: 24 });
  const expires_at = new Date(Date.now() + 3_600_000).toISOString();
  const body = { name: "Child", scopes: ["lists:read"], expires_at };
  const child = await app.api("POST", "/v1/api_keys", { key: before, body });
  assert.equal(child.status, 201, child.text);
  // A key that ends before its time of grace can be rotated by the secret of before, too.
  const short = await admin.browser.send("POST", "/v1/api_keys", {
    ...body,
    scopes: ["api_keys:write", "lists:read"],
  });
  await owner.send("POST", `/v1/api_keys/${short.body.id}/rotate`, { grace_hours: 24 });
  const taken = await app.api("POST", `/v1/api_keys/${short.body.id}/rotate`, { key: short.body.key });
  assert.equal(taken.status, 200, taken.text);
  await owner.send("DELETE", `/v1/users/${admin.id}`);
  await becomes("/v1/lists", before, 401);
  assert.deepEqual(
    [await statusOf("/v1/lists", child.body.key), await statusOf("/v1/lists", taken.body.key)],
    [401, 401],
  );
});

test("keys of the command line are nobody's, and go on whoever leaves", async () => {
  assert.equal(await statusOf("/v1/lists", app.key), 200);
  const { made_by } = await app.db.one<Json>(
    sql`select made_by from api_keys where hint = ${app.key.slice(-4)}`,
  );
  assert.equal(made_by, null);
});
