/**
 * These tests cover what a client may rely on whatever the route. Bodies, pages, idempotency and rate limits have
 * files of their own.
 */
import assert from "node:assert/strict";
import { after, before, describe, it, test } from "node:test";
import fastJson, { type Schema } from "fast-json-stringify";
import { createValidation } from "../../src/platform/http/bodies/validation.ts";
import { createApp, type Reply, type TestApp } from "../support/app.ts";
import { allRoutes } from "../support/routes.ts";

let app: TestApp;
before(async () => {
  app = await createApp();
});
after(() => app.stop());

function assertProblem(reply: Reply, status: number, code: string): void {
  assert.deepEqual([reply.status, reply.body?.code], [status, code], reply.text);
  assert.equal(reply.headers.get("content-type"), "application/problem+json; charset=utf-8");
}

describe("without a good key", () => {
  const LONG = `/v1/api_keys/${"k".repeat(300)}`;
  const bad: Record<string, Record<string, string>> = {
    "no key": {},
    "an empty header": { authorization: "" },
    "another scheme": { authorization: "Basic c29tZW9uZTpodW50ZXIy" },
    "no text after the scheme": { authorization: "Bearer " },
    "something else": { authorization: "Bearer hunter2" },
    "a key of the right form that nobody made": {
      authorization: "Bearer pr_000000000000000000000000000000000000000000000000000000",
    },
  };
  for (const [what, headers] of Object.entries(bad)) {
    it(`every path under /v1 answers 401 to ${what}`, async () => {
      for (const path of [
        "/v1/account",
        "/v1/nowhere",
        "/v1",
        "/v1/",
        "/v1?x=1",
        "/v1/api_keys/nonsense",
        LONG,
      ]) {
        for (const method of ["GET", "POST", "PROPFIND"]) {
          const reply = await app.api(method, path, { key: null, headers });
          assertProblem(reply, 401, "unauthorized");
          assert.match(String(reply.headers.get("www-authenticate")), /^Bearer realm="postrider"/);
        }
      }
    });
  }

  it("a path spelt with percent signs is no way around it", async () => {
    for (const path of ["/%76%31/account", "/v%31/account", "/%76%31/api_keys?limit=1"]) {
      assertProblem(await app.api("GET", path, { key: null }), 401, "unauthorized");
    }
    const body = { name: "Way in", scopes: ["full"] };
    assertProblem(await app.api("POST", "/%761/api_keys", { key: null, body }), 401, "unauthorized");
  });

  it("a mistyped key answers 401, and the word Bearer may be in any case", async () => {
    const mistyped = app.key.slice(0, -1) + (app.key.endsWith("A") ? "B" : "A");
    assertProblem(await app.api("GET", "/v1/account", { key: mistyped }), 401, "unauthorized");
    for (const scheme of ["bearer", "BEARER", "Bearer "]) {
      const headers = { authorization: `${scheme} ${app.key}` };
      assert.equal((await app.api("GET", "/v1/account", { key: null, headers })).status, 200, scheme);
    }
  });
});

describe("the order of checks", () => {
  // Each request has this fault and every later one; the first of them must be answered.
  const order = ["key", "path", "method", "scope", "media type", "size", "json", "query", "schema"] as const;
  const expected = [401, 404, 405, 403, 415, 413, 400, 400, 422];
  for (const [i, first] of order.entries()) {
    it(`puts a fault of ${first} before all that follow`, async () => {
      const has = (fault: (typeof order)[number]) => order.indexOf(fault) >= i;
      const path = has("path") ? "/v1/nowhere" : "/v1/api_keys";
      const text = `{"colour":"red"${has("json") ? "" : "}"}`;
      const key = has("key") ? null : has("scope") ? await app.addKey(["account:read"]) : app.key;
      const reply = await app.api(
        has("method") ? "PUT" : "POST",
        has("query") ? `${path}?colour=red` : path,
        {
          key,
          body: has("size") ? text.padEnd(2 * 1_024 * 1_024 + 1) : text,
          headers: { "content-type": has("media type") ? "text/plain" : "application/json" },
        },
      );
      assert.equal(reply.status, expected[i], reply.text);
    });
  }
});

test("an unknown path answers 404, and one outside /v1 does so without a key", async () => {
  for (const path of ["/v1/nowhere", "/v1/account/", "/v1//account", "/v1/api_keys/a/b", "/v1/ACCOUNT"]) {
    assertProblem(await app.api("GET", path), 404, "not_found");
  }
  for (const path of ["/nowhere", "/v2/account", "/v1x", "/V1/account", "/.env", "/index.php"]) {
    assertProblem(await app.api("GET", path, { key: null }), 404, "not_found");
  }
});

test("an id that is malformed, too long or unknown answers 404", async () => {
  const ids = [
    "x",
    "key_x",
    "%00",
    "%2e%2e",
    "key_01k9zq4t3xe8k8y0v6d3m2n1pq",
    "k".repeat(201),
    "k".repeat(5_000),
  ];
  for (const id of ids) {
    for (const method of ["GET", "DELETE"]) {
      assertProblem(await app.api(method, `/v1/api_keys/${id}`), 404, "not_found");
    }
  }
});

test("a wrong method answers 405 with the right ones in Allow", async () => {
  const cases: [string, string, string][] = [
    ["POST", "/v1/account", "GET, HEAD, PATCH"],
    ["OPTIONS", "/v1/account", "GET, HEAD, PATCH"],
    ["PROPFIND", "/v1/account", "GET, HEAD, PATCH"],
    ["DELETE", "/v1/api_keys", "GET, HEAD, POST"],
    ["PUT", "/v1/api_keys/key_01k9zq4t3xe8k8y0v6d3m2n1pq", "DELETE, GET, HEAD, PATCH"],
  ];
  for (const [method, path, allow] of cases) {
    const reply = await app.api(method, path);
    assertProblem(reply, 405, "method_not_allowed");
    assert.equal(reply.headers.get("allow")?.split(", ").toSorted().join(", "), allow);
  }
});

test("HEAD answers as GET does, without the body", async () => {
  for (const path of ["/v1/account", "/v1/api_keys", "/v1/nowhere", "/healthz", "/openapi.json"]) {
    const [head, get] = [await app.api("HEAD", path), await app.api("GET", path)];
    assert.deepEqual([head.status, head.text], [get.status, ""], path);
    for (const header of ["content-type", "content-length", "etag"]) {
      assert.equal(head.headers.get(header), get.headers.get(header), `${path} ${header}`);
    }
  }
});

test("a problem has its members, its request id and a type whose page is there", async () => {
  const replies = [
    await app.api("GET", "/v1/account", { key: null }),
    await app.api("GET", "/v1/nowhere"),
    await app.api("PUT", "/v1/account"),
    await app.api("GET", "/v1/api_keys?limit=0"),
    await app.api("GET", "/v1/api_keys?cursor=x"),
    await app.api("POST", "/v1/api_keys", { body: {} }),
  ];
  for (const { status, headers, body } of replies) {
    for (const member of ["type", "title", "detail", "code", "request_id"]) {
      assert.equal(typeof body[member], "string", member);
    }
    assert.deepEqual([body.status, body.request_id], [status, headers.get("x-request-id")]);
    assert.equal(body.type, `${app.baseUrl}/docs/errors/${body.code}`);
    const page = await app.api("GET", body.type.slice(app.baseUrl.length), { key: null });
    assert.equal(page.status, 200);
    assert.match(page.text, new RegExp(body.code));
  }
});

test("X-Request-Id is the client's where it is harmless, and ours elsewhere", async () => {
  const ask = async (given?: string) =>
    (
      await app.api("GET", "/healthz", { headers: given === undefined ? {} : { "x-request-id": given } })
    ).headers.get("x-request-id");
  for (const good of ["12345678", "0f8fad5b-d9cb-469f-a165-70867728950e", "A_b-".repeat(16)]) {
    assert.equal(await ask(good), good);
  }
  for (const bad of [
    undefined,
    "",
    "short",
    "x".repeat(65),
    "someone@example.com",
    "a b c d e f",
    "<script>alert</script>",
  ]) {
    assert.match(String(await ask(bad)), /^req_[0-9a-f]{24}$/);
  }
  assert.notEqual(await ask(), await ask());
});

test("an ETag spares a read and guards a change", async () => {
  const read = await app.api("GET", "/v1/account");
  const etag = String(read.headers.get("etag"));
  const unchanged = await app.api("GET", "/v1/account", { headers: { "if-none-match": `W/${etag}, "x"` } });
  assert.deepEqual([unchanged.status, unchanged.text, unchanged.headers.get("etag")], [304, "", etag]);
  const changed = await app.api("PATCH", "/v1/account", {
    body: { name: "New" },
    headers: { "if-match": etag },
  });
  assert.equal(changed.status, 200);
  assert.notEqual(changed.headers.get("etag"), etag);
  const stale = await app.api("PATCH", "/v1/account", {
    body: { name: "Lost" },
    headers: { "if-match": etag },
  });
  assertProblem(stale, 412, "precondition_failed");
  assert.equal(stale.headers.get("etag"), changed.headers.get("etag"));
  assert.equal(
    (await app.api("GET", "/v1/account", { headers: { "if-none-match": etag } })).body.name,
    "New",
  );
  const any = await app.api("PATCH", "/v1/account", { body: { name: "New" }, headers: { "if-match": "*" } });
  assert.equal(any.status, 200);
});

test("of two changes under the same If-Match one wins", async () => {
  const etag = String((await app.api("GET", "/v1/account")).headers.get("etag"));
  const change = (name: string) =>
    app.api("PATCH", "/v1/account", { body: { name }, headers: { "if-match": etag } });
  const statuses = (await Promise.all(["a", "b", "c", "d"].map(change))).map((reply) => reply.status);
  assert.deepEqual(statuses.toSorted(), [200, 412, 412, 412]);
});

test("every answer is marked as data that nothing may frame, sniff, run or keep", async () => {
  const paths = [
    "/v1/account",
    "/v1/nowhere",
    "/healthz",
    "/nowhere",
    "/openapi.json",
    "/docs/errors",
    "/docs/",
  ];
  for (const path of paths) {
    const { headers } = await app.api("GET", path);
    assert.equal(headers.get("x-content-type-options"), "nosniff", path);
    assert.equal(headers.get("x-frame-options"), "DENY", path);
    assert.equal(headers.get("referrer-policy"), "no-referrer", path);
    assert.match(
      String(headers.get("content-security-policy")),
      /default-src 'none'.*frame-ancestors 'none'/,
      path,
    );
    assert.match(String(headers.get("x-request-id")), /^req_/, path);
    assert.equal(headers.get("x-powered-by"), null);
    assert.equal(headers.get("server"), null);
    if (path.startsWith("/v1")) assert.equal(headers.get("cache-control"), "no-store");
  }
});

/** These are answers to a question rather than objects with an id that a client could fetch again. */
const VALUES = new Set(
  (
    "campaign_audience campaign_checks campaign_preview campaign_test subscriber_counts subscriber_topics " +
    "list batch billing_link segment_preview transport_test mailbox_test campaign_version campaign_stats " +
    "import_preview campaign_domains campaign_timeseries campaign_links recipient_segment " +
    "suppressions_undone sending growth sending_stats sample_data instance instance_health instance_summary branding_preview " +
    "campaign_counts starters starter merge_names blocks_mjml campaign_comparison campaign_resend " +
    "campaign_errors template_version template_rendering email_content password_reset page_words page_locale " +
    "form_snippet form_preview dmarc_numbers dmarc_upload blocklists blocklist_check sender_checklist complaint_rate " +
    "pending_sign_in recovery_codes passkey_options sign_in_methods sso_start single_sign_on simulation " +
    "sign_up sign_up_link automation_publication automation_version automation_stats address_checks mailbox_providers " +
    "automation_webhook_secret automation_test warmup provider_counts transport_pool billing " +
    "usage usage_timeseries campaign_usage statement_proof statement_source sunset_policy sunset_preview"
  ).split(" "),
);

test("every object has object, id, created_at and updated_at, unless it is a value", () => {
  const seen = new Set<string>();
  const lacking = allRoutes().flatMap(({ path, success: { schema } }) =>
    objectsIn(schema).flatMap(({ name, properties }) => {
      seen.add(name);
      const missing = ["id", "created_at", "updated_at"].filter((field) => !(field in properties));
      return VALUES.has(name) || missing.length === 0 ? [] : [`${path}: ${name} lacks ${missing.join(", ")}`];
    }),
  );
  assert.deepEqual([...new Set(lacking)], []);
  for (const name of ["account", "subscriber", "campaign", "erasure"]) assert.ok(seen.has(name), name);
});

type Found = { name: string; properties: Record<string, unknown> };

/** Finds every schema that names its object, however deeply it is nested. */
function objectsIn(schema: unknown): Found[] {
  if (typeof schema !== "object" || schema === null) return [];
  const { properties } = schema as { properties?: Record<string, { const?: unknown }> };
  const name = properties?.["object"]?.const;
  const own = properties && typeof name === "string" ? [{ name, properties }] : [];
  return [...own, ...Object.values(schema).flatMap(objectsIn)];
}

test("a path of the API that there isn't is refused to a browser too, which gets pages elsewhere", async () => {
  const headers = { accept: "text/html" };
  const reply = await app.api("GET", "/v1/zebra", { headers });
  assert.deepEqual([reply.status, reply.body.code], [404, "not_found"], reply.text);
});

test("times are RFC 3339 in UTC, and every object says what it is", async () => {
  const { body } = await app.api("GET", "/v1/account");
  assert.equal(body.object, "account");
  for (const time of [body.created_at, body.updated_at]) {
    assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  }
});

test("every schema compiles, though only when it is first used", () => {
  const validation = createValidation();
  for (const route of allRoutes()) {
    validation.params(route.params)({});
    validation.query(route.query)({});
    if (route.body) validation.body(route.body)({});
    if (route.success.schema) fastJson(route.success.schema as Schema);
  }
});
