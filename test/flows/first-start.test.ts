import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createApp, type TestApp } from "../support/app.ts";

let app: TestApp;
before(async () => {
  app = await createApp();
});
after(() => app.stop());

test("the first start makes an account and a key that opens it", async () => {
  const account = await app.api("GET", "/v1/account");
  assert.equal(account.status, 200);
  assert.equal(account.body.object, "account");
  const keys = await app.api("GET", "/v1/api_keys?include_total=true");
  assert.equal(keys.body.total, 1);
  assert.deepEqual(keys.body.data[0].scopes, ["full"]);
});

test("a key's life: made, used, renamed, revoked", async () => {
  const made = await app.api("POST", "/v1/api_keys", { body: { name: "Website", scopes: ["account:read"] } });
  assert.equal(made.status, 201);
  assert.equal(made.headers.get("location"), `${app.baseUrl}/v1/api_keys/${made.body.id}`);
  const { key, id } = made.body;
  assert.equal((await app.api("GET", "/v1/account", { key })).status, 200);
  const renamed = await app.api("PATCH", `/v1/api_keys/${id}`, { body: { name: "Old website" } });
  assert.equal(renamed.body.name, "Old website");
  assert.equal((await app.api("DELETE", `/v1/api_keys/${id}`)).status, 204);
  assert.equal((await app.api("GET", "/v1/account", { key })).status, 401);
  assert.equal((await app.api("GET", `/v1/api_keys/${id}`)).status, 404);
  assert.equal((await app.api("DELETE", `/v1/api_keys/${id}`)).status, 404);
});

test("the service is alive and ready, and its pages are there", async () => {
  for (const path of [
    "/healthz",
    "/readyz",
    "/openapi.json",
    "/docs/",
    "/docs/errors",
    "/docs/errors/not_found",
  ]) {
    assert.equal((await app.api("GET", path, { key: null })).status, 200, path);
  }
});
