/**
 * These tests cover what a client may send: media types, sizes, JSON, queries and fields, and how each fault is
 * named.
 */
import assert from "node:assert/strict";
import { after, before, describe, it, test } from "node:test";
import { createApp, type Reply, type TestApp } from "../support/app.ts";

let app: TestApp;
before(async () => {
  app = await createApp();
});
after(() => app.stop());

function assertProblem(reply: Reply, status: number, code: string): void {
  assert.deepEqual([reply.status, reply.body?.code], [status, code], reply.text);
  assert.equal(reply.headers.get("content-type"), "application/problem+json; charset=utf-8");
}

const faults = (reply: Reply): string[] =>
  reply.body.errors
    .map((fault: Record<string, string>) => `${fault["pointer"] ?? fault["parameter"]} ${fault["code"]}`)
    .toSorted();

describe("the media type of a body", () => {
  const body = '{"name":"Acme"}';
  const cases: [string, string | undefined, number][] = [
    ["PATCH", "application/json", 200],
    ["PATCH", "application/json; charset=utf-8", 200],
    ["PATCH", 'application/json;charset="UTF-8"', 200],
    ["PATCH", "Application/JSON", 200],
    ["PATCH", "application/merge-patch+json", 200],
    ["PATCH", "application/merge-patch+json; charset=utf-8", 200],
    ["PATCH", "application/json; charset=latin1", 415],
    ["PATCH", "application/json; charset=utf-16", 415],
    ["PATCH", "application/json-patch+json", 415],
    ["PATCH", "application/jsonx", 415],
    ["PATCH", "application/vnd.api+json", 415],
    ["PATCH", "text/plain", 415],
    ["PATCH", "application/x-www-form-urlencoded", 415],
    ["PATCH", "multipart/form-data; boundary=x", 415],
    ["PATCH", "nonsense", 415],
    ["PATCH", "", 415],
    ["POST", "application/merge-patch+json", 415],
    ["POST", "Application/Merge-Patch+JSON", 415],
  ];
  for (const [method, type, status] of cases) {
    it(`${type || "missing"} on ${method} gives ${status}`, async () => {
      const path = method === "PATCH" ? "/v1/account" : "/v1/api_keys";
      const reply = await app.api(method, path, { body, headers: { "content-type": type ?? "" } });
      assert.equal(reply.status, status, reply.text);
      if (status === 415) assertProblem(reply, 415, "unsupported_media_type");
    });
  }

  it("is judged before its size", async () => {
    const large = body.padEnd(2 * 1_024 * 1_024 + 1);
    for (const type of ["application/merge-patch+json", "application/json; charset=latin1"]) {
      const reply = await app.api("POST", "/v1/api_keys", { body: large, headers: { "content-type": type } });
      assertProblem(reply, 415, "unsupported_media_type");
    }
  });
});

test("a body of 2 MiB is read, and a byte more answers 413", async () => {
  const limit = 2 * 1_024 * 1_024;
  const fits = await app.api("PATCH", "/v1/account", { body: '{"name":"Acme"}'.padEnd(limit) });
  assert.equal(fits.status, 200);
  const tooLarge = await app.api("PATCH", "/v1/account", { body: '{"name":"Acme"}'.padEnd(limit + 1) });
  assertProblem(tooLarge, 413, "body_too_large");
});

test("malformed JSON answers 400", async () => {
  for (const body of ["{", "", "'", '{"name":"a"}}', `{"name":"${"[".repeat(100)}`, "[".repeat(100_000)]) {
    if (body) assertProblem(await app.api("PATCH", "/v1/account", { body }), 400, "malformed_json");
  }
});

test("a query fault answers 400 and names each parameter", async () => {
  const cases: [string, string[]][] = [
    ["colour=red&size=1", ["colour unknown_parameter", "size unknown_parameter"]],
    ["limit=0", ["limit out_of_range"]],
    ["limit=201", ["limit out_of_range"]],
    ["limit=-1", ["limit out_of_range"]],
    ["limit=abc", ["limit invalid_type"]],
    ["limit=1.5", ["limit invalid_type"]],
    ["limit=Infinity", ["limit invalid_type"]],
    ["limit=", ["limit invalid_type"]],
    ["limit=1&limit=2", ["limit invalid_type"]],
    [
      "limit=0&include_total=maybe&x=1",
      ["include_total invalid_type", "limit out_of_range", "x unknown_parameter"],
    ],
  ];
  for (const [query, expected] of cases) {
    const reply = await app.api("GET", `/v1/api_keys?${query}`);
    assertProblem(reply, 400, "invalid_query");
    assert.deepEqual(faults(reply), expected, query);
  }
  assertProblem(await app.api("GET", "/v1/account?verbose=1"), 400, "invalid_query");
});

test("field faults answer 422 and are named all at once", async () => {
  const body = {
    name: "",
    scopes: ["full", "sudo", "full"],
    expires_at: "soon",
    unlimited: true,
    "a/b~c": 1,
  };
  const reply = await app.api("POST", "/v1/api_keys", { body });
  assertProblem(reply, 422, "validation_failed");
  assert.deepEqual(faults(reply), [
    "/a~1b~0c unknown_field",
    "/expires_at invalid_format",
    "/name required",
    "/scopes duplicate",
    "/scopes/1 invalid_value",
    "/unlimited unknown_field",
  ]);
  const account = await app.api("PATCH", "/v1/account", { body: { name: "", time_zone: "Nowhere/Land" } });
  assert.deepEqual(faults(account), ["/name required", "/time_zone invalid_time_zone"]);
});

test("a body that is missing, or no object, answers 422", async () => {
  for (const body of [undefined, "null", "[]", '"x"', "1"]) {
    const reply = await app.api("POST", "/v1/api_keys", { ...(body && { body }) });
    assertProblem(reply, 422, "validation_failed");
  }
});

test("an action or a deletion takes no body, `{}`, or answers 422 to unknown fields", async () => {
  const path = "/v1/api_keys/key_01k9zq4t3xe8k8y0v6d3m2n1pq";
  for (const body of [undefined, {}]) {
    assertProblem(await app.api("DELETE", path, { ...(body && { body }) }), 404, "not_found");
  }
  const reply = await app.api("DELETE", path, { body: { force: true } });
  assertProblem(reply, 422, "validation_failed");
  assert.deepEqual(faults(reply), ["/force unknown_field"]);
});

test("text that PostgreSQL can't store, and times it can't hold, answer 422", async () => {
  for (const body of ['{"name":"a\\u0000b"}', '{"name":"\\ud800"}', '{"__proto__":{"name":"x"}}']) {
    assertProblem(await app.api("PATCH", "/v1/account", { body }), 422, "validation_failed");
  }
  for (const expires_at of ["2030-12-31T23:59:60Z", "9999-12-31T23:59:59-23:00", "2020-01-01T00:00:00Z"]) {
    const reply = await app.api("POST", "/v1/api_keys", {
      body: { name: "x", scopes: ["full"], expires_at },
    });
    assertProblem(reply, 422, "validation_failed");
  }
});
