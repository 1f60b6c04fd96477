/** These tests make, edit and delete endpoints of webhooks through the API. What is posted to them is tested beside. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { sql } from "../../src/platform/db/db.ts";
import { createApp, type Reply, type TestApp } from "../support/app.ts";
import { type DnsServer, startDnsServer } from "../support/dns-server.ts";
import { addPerson } from "../support/people.ts";
import { eventsSince, type Json, uuidOf, walk } from "../support/subscribers.ts";
import { until } from "../support/until.ts";
import { makeWebhook } from "../support/webhooks.ts";

/** Nobody listens there. */
const URL_OF_NOBODY = "http://127.0.0.1:9/hooks";
const UNKNOWN = "whk_01k9zq4t3xe8k8y0v6d3m2n1pq";

let app: TestApp;
before(async () => {
  app = await createApp({ settings: { ROLES: "api,jobs", INTERNAL_HOSTS: "127.0.0.1,hooks.internal" } });
});
after(() => app.stop());

const post = (body: Json, key = app.key) => app.api("POST", "/v1/webhooks", { body, key });
const get = (id: string, key = app.key) => app.api("GET", `/v1/webhooks/${id}`, { key });
const patch = (id: string, body: Json, headers = {}) =>
  app.api("PATCH", `/v1/webhooks/${id}`, { body, headers });
const act = (id: string, action: string, body?: Json) =>
  app.api("POST", `/v1/webhooks/${id}/${action}`, body && { body });
const faultsOf = (reply: Reply) =>
  reply.body.errors.map((one: Json) => `${one["pointer"]} ${one["code"]}`).join(", ");

/** Makes an endpoint in an account of its own, which has room for it. */
async function makeIn(more: Json = {}): Promise<Json & { key: string }> {
  const { key } = await app.addAccount();
  return { ...(await makeWebhook(app, { url: URL_OF_NOBODY, events: ["list.*"], ...more }, key)), key };
}

describe("an endpoint", () => {
  it("is shown with its secret in the answer that makes it, and nowhere else", async () => {
    const { key, secret, ...rest } = await makeIn({ events: ["campaign.sent", "list.*"] });
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
    const { id, created_at, updated_by } = rest as Json;
    assert.deepEqual(rest, {
      object: "webhook",
      id,
      url: URL_OF_NOBODY,
      events: ["campaign.sent", "list.*"],
      description: "",
      include: [],
      ordered: false,
      batch_engagement: false,
      status: "enabled",
      disabled_reason: null,
      disabled_at: null,
      failing_since: null,
      last_delivered_at: null,
      previous_secret_until: null,
      replay: null,
      created_at,
      updated_at: created_at,
      updated_by,
    });
    const got = await get(id, key);
    assert.deepEqual([got.status, got.body], [200, rest]);
    const listed = await app.api("GET", "/v1/webhooks?include_total=true", { key });
    assert.deepEqual([listed.body.data, listed.body.total], [[rest], 1]);
    const stored = await app.db.one<{ row: string }>(
      sql`select encode(secret, 'escape') || w::text as row from webhooks w where id = ${uuidOf("whk", id)}`,
    );
    assert.ok(!stored.row.includes(secret.slice(6)), "the secret is stored as it is");
    assert.ok(!app.logs.join("").includes(secret.slice(6)), "the secret is in the log");
  });

  it("has its secret once also under an idempotency key", async () => {
    const headers = { "idempotency-key": "an endpoint" };
    const body = { url: URL_OF_NOBODY, events: ["*"], description: "Once" };
    const first = await app.api("POST", "/v1/webhooks", { body, headers });
    const again = await app.api("POST", "/v1/webhooks", { body, headers });
    assert.deepEqual([first.status, again.status], [201, 201]);
    assert.deepEqual(again.body, { ...first.body, secret: null });
    assert.equal(first.headers.get("location"), `${app.baseUrl}/v1/webhooks/${first.body.id}`);
  });

  it("is edited, and a stale If-Match is refused", async () => {
    const { id } = await makeWebhook(app, { url: URL_OF_NOBODY, events: ["list.*"] });
    const etag = String((await get(id)).headers.get("etag"));
    const change = { description: "Ours", events: ["*"], include: ["email"], ordered: true };
    const edited = await patch(id, { ...change, batch_engagement: true }, { "if-match": etag });
    assert.equal(edited.status, 200, edited.text);
    const { description, events, include, ordered, batch_engagement } = edited.body;
    assert.deepEqual({ description, events, include, ordered }, change);
    assert.equal(batch_engagement, true);
    assert.deepEqual((await get(id)).body, edited.body);
    assert.equal((await patch(id, { ordered: false }, { "if-match": etag })).status, 412);
    const fresh = String(edited.headers.get("etag"));
    assert.equal((await patch(id, { ordered: false }, { "if-match": fresh })).status, 200);
  });

  it("keeps its ETag through what isn't an edit", async () => {
    const { id } = await makeWebhook(app, { url: URL_OF_NOBODY, events: ["list.*"] });
    const etag = async () => (await get(id)).headers.get("etag");
    const before_ = await etag();
    assert.equal((await act(id, "rotate_secret")).status, 200);
    assert.equal((await act(id, "replay", { since: "2026-01-01T00:00:00Z" })).status, 202);
    assert.equal(await etag(), before_);
    await patch(id, { status: "disabled" });
    assert.notEqual(await etag(), before_);
  });

  it("records no event where an edit changes nothing", async () => {
    const { id } = await makeWebhook(app, { url: URL_OF_NOBODY, events: ["list.*"] });
    const { cursor } = await eventsSince(app);
    assert.equal((await patch(id, { events: ["list.*"], status: "enabled" })).status, 200);
    assert.deepEqual((await eventsSince(app, cursor)).events, []);
  });

  it("is disabled by hand with the reason, and enabled again", async () => {
    const { id } = await makeWebhook(app, { url: URL_OF_NOBODY, events: ["list.*"] });
    const { cursor } = await eventsSince(app);
    const { body: off } = await patch(id, { status: "disabled" });
    assert.deepEqual([off.status, off.disabled_reason], ["disabled", "by_user"]);
    assert.ok(off.disabled_at);
    const refused = await act(id, "replay", { since: "2026-01-01T00:00:00Z" });
    assert.deepEqual([refused.status, refused.body.code], [409, "webhook_disabled"]);
    const on = await act(id, "enable");
    assert.deepEqual([on.status, on.body.status, on.body.disabled_reason], [200, "enabled", null]);
    assert.equal((await act(id, "enable")).status, 200, "enabling twice is no fault");
    const { events } = await eventsSince(app, cursor);
    assert.deepEqual(
      events.map(({ type, data }) => [type, data]),
      [
        ["webhook.updated", { webhook_id: id, changed: ["status"] }],
        ["webhook.disabled", { webhook_id: id, reason: "by_user" }],
        ["webhook.enabled", { webhook_id: id }],
      ],
    );
  });

  it("is gone once it is deleted, with its log of deliveries", async () => {
    const { id, key } = await makeIn();
    const test = await app.api("POST", `/v1/webhooks/${id}/test`, { key });
    assert.equal(test.body.status, "failed", test.text);
    assert.equal((await app.api("DELETE", `/v1/webhooks/${id}`, { key })).status, 204);
    assert.equal((await get(id, key)).status, 404);
    for (const path of ["", "/deliveries", `/deliveries/${test.body.id}`])
      assert.equal((await app.api("GET", `/v1/webhooks/${id}${path}`, { key })).status, 404, path);
    assert.equal((await app.api("DELETE", `/v1/webhooks/${id}`, { key })).status, 404);
    await until(async () => {
      const { left } = await app.db.one<{ left: number }>(
        sql`select count(*) as left from webhook_deliveries where webhook_id = ${uuidOf("whk", id)}`,
      );
      return left === 0;
    });
  });

  it("is one of twenty at most", async () => {
    const { key } = await app.addAccount();
    const body = { url: URL_OF_NOBODY, events: ["list.*"] };
    const replies = await Promise.all(Array.from({ length: 22 }, () => post(body, key)));
    assert.equal(replies.filter(({ status }) => status === 201).length, 20);
    for (const { status, body } of replies.filter((reply) => reply.status !== 201))
      assert.deepEqual([status, body.code], [409, "too_many_webhooks"]);
    const { body: page } = await app.api("GET", "/v1/webhooks?limit=7", { key });
    assert.deepEqual([page.data.length, page.has_more], [7, true]);
    await app.api("DELETE", `/v1/webhooks/${page.data[0].id}`, { key });
    assert.equal((await post(body, key)).status, 201);
  });

  it("of another account is not found", async () => {
    const { id } = await makeIn();
    for (const [method, path, body] of [
      ["GET", ""],
      ["PATCH", "", {}],
      ["DELETE", ""],
      ["POST", "/rotate_secret"],
      ["POST", "/enable"],
      ["POST", "/test"],
      ["POST", "/replay", { since: "2026-01-01T00:00:00Z" }],
      ["GET", "/deliveries"],
    ] as const) {
      const reply = await app.api(method, `/v1/webhooks/${id}${path}`, body && { body });
      assert.deepEqual([reply.status, reply.body.code], [404, "not_found"], path);
    }
  });

  it("is read by every user, and changed by owners alone", async () => {
    const { id } = await makeWebhook(app, { url: URL_OF_NOBODY, events: ["list.*"] });
    const member = (await addPerson(app, "member@example.com", "marketer")).browser;
    const owner = (await addPerson(app, "owner@example.com", "owner")).browser;
    assert.equal((await member.send("GET", `/v1/webhooks/${id}`)).status, 200);
    const change = { description: "By hand" };
    assert.equal((await member.send("PATCH", `/v1/webhooks/${id}`, change)).status, 403);
    assert.equal((await owner.send("PATCH", `/v1/webhooks/${id}`, change)).status, 200);
  });
});

describe("a URL", () => {
  const bad: Record<string, readonly [string, string]> = {
    "no URL": ["hooks", "invalid_url"],
    "one with a line break": ["https://example.com/\nhooks", "invalid_url"],
    "one without a host": ["https://", "invalid_url"],
    "one of 10 KB": [`https://example.com/${"a".repeat(10_240)}`, "too_long"],
    "plain http to a stranger": ["http://example.com/hooks", "url_not_allowed"],
    "another scheme": ["ftp://example.com/hooks", "url_not_allowed"],
    "a file": ["file:///etc/passwd", "invalid_url"],
    "a script": ["javascript:alert(1)", "invalid_url"],
    credentials: ["https://user:secret@example.com/hooks", "url_not_allowed"],
    "another address of this machine": ["https://127.0.0.2/hooks", "url_not_allowed"],
    "a decimal address": ["https://2130706434/hooks", "url_not_allowed"],
    "an octal address": ["https://0177.0.0.2/hooks", "url_not_allowed"],
    "a private network": ["https://10.0.0.1/hooks", "url_not_allowed"],
    "the metadata of a cloud": ["https://169.254.169.254/latest", "url_not_allowed"],
    "an IPv6-mapped address": ["https://[::ffff:10.0.0.1]/hooks", "url_not_allowed"],
    "a NAT64 address": ["https://[64:ff9b::10.0.0.1]/hooks", "url_not_allowed"],
    "IPv6 of this machine": ["https://[::1]/hooks", "url_not_allowed"],
    "a zone": ["https://[fe80::1%25eth0]/hooks", "invalid_url"],
    "one with three slashes": ["https:///example.com/hooks", "invalid_url"],
    "one without slashes": ["https:example.com/hooks", "invalid_url"],
    "empty credentials": ["https://:@example.com/hooks", "invalid_url"],
    "port 0": ["https://example.com:0/hooks", "invalid_url"],
    "a port that is none": ["https://example.com:65536/hooks", "invalid_url"],
    "one with a fragment": ["https://example.com/hooks#here", "invalid_url"],
    "a host with a dot at its end": ["https://example.com./hooks", "invalid_url"],
    "one with a tab in it": ["https://exam\tple.com/hooks", "invalid_url"],
    "one with a line break in its scheme": ["ht\r\ntps://example.com/hooks", "invalid_url"],
    "one with spaces around it": [" https://example.com/hooks ", "invalid_url"],
    "one with backslashes": ["https:\\\\example.com\\hooks", "invalid_url"],
    "a decimal address outside": ["https://134744072/hooks", "invalid_url"],
  };
  for (const [what, [url, code]] of Object.entries(bad)) {
    it(`that is ${what} is refused`, async () => {
      const made = await post({ url, events: ["list.*"] });
      assert.deepEqual([made.status, made.body.code], [422, "validation_failed"], made.text);
      assert.equal(faultsOf(made), `/url ${code}`);
    });
  }

  it("may be in capitals", async () => {
    const { url } = await makeIn({ url: "HTTP://HOOKS.INTERNAL:8080/In?A=b" });
    assert.equal(url, "HTTP://HOOKS.INTERNAL:8080/In?A=b");
  });

  it("is judged when it is edited, too", async () => {
    const { id } = await makeWebhook(app, { url: URL_OF_NOBODY, events: ["list.*"] });
    assert.equal(faultsOf(await patch(id, { url: "http:127.0.0.1:9" })), "/url invalid_url");
    assert.equal(faultsOf(await patch(id, { url: "https://10.0.0.1/" })), "/url url_not_allowed");
    assert.equal((await get(id)).body.url, URL_OF_NOBODY);
  });

  it("may have plain http where INTERNAL_HOSTS lists its host", async () => {
    const { url } = await makeWebhook(app, { url: "http://hooks.internal/in", events: ["list.*"] });
    assert.equal(url, "http://hooks.internal/in");
  });
});

describe("where INTERNAL_HOSTS lists nobody, a URL", () => {
  let closed: TestApp;
  let dns: DnsServer;
  before(async () => {
    dns = await startDnsServer();
    dns.set("outside.example", "A", ["8.8.8.8"]);
    dns.set("inside.example", "A", ["127.0.0.1"]);
    dns.set("inside.example", "AAAA", ["::ffff:127.0.0.1"]);
    closed = await createApp({ settings: { ROLES: "api", DNS_SERVERS: dns.address } });
  });
  after(async () => {
    await closed.stop();
    await dns.close();
  });
  const make = (url: string) =>
    closed.api("POST", "/v1/webhooks", { body: { url, events: ["list.*"] }, key: closed.key });

  const inside = [
    "localhost",
    "LOCALHOST:8443",
    "hooks.localhost",
    "127.0.0.1",
    "127.1",
    "0.0.0.0",
    "0",
    "[::]",
    "[::1]",
    "[::ffff:7f00:1]",
    "[::ffff:127.0.0.1]",
    "[::7f00:1]",
    "[64:ff9b::7f00:1]",
    "[64:ff9b:1::7f00:1]",
    "[2002:7f00:1::]",
    "[fd00::1]",
    "[fe80::1]",
    "inside.example",
  ];
  for (const host of inside) {
    it(`to ${host} is refused, when it is made and when it is edited`, async () => {
      const made = await make(`https://${host}/hooks`);
      assert.equal(made.status, 422, made.text);
      assert.equal(faultsOf(made), "/url url_not_allowed");
      const good = await make("https://outside.example/hooks");
      assert.equal(good.status, 201, good.text);
      const path = `/v1/webhooks/${good.body.id}`;
      const edited = await closed.api("PATCH", path, { body: { url: `https://${host}/` } });
      assert.equal(faultsOf(edited), "/url url_not_allowed");
      assert.equal((await closed.api("DELETE", path)).status, 204);
    });
  }
});

describe("addresses", () => {
  const lacks = async (reply: Promise<Reply>, scope: string) => {
    const { status, body } = await reply;
    assert.deepEqual([status, body.code, body.required_scope], [403, "missing_scope", scope], body.detail);
    assert.match(body.detail, /`include`/);
  };

  it("are posted only by who may read them, and to where they say", async () => {
    const { key: owner, accountId } = await app.addAccount();
    const [blind, reader, both] = await Promise.all(
      [[], ["subscribers:read"], ["subscribers:read", "emails:read"]].map((more) =>
        app.addKey(["webhooks:read", "webhooks:write", ...more], accountId),
      ),
    );
    const body = { url: URL_OF_NOBODY, events: ["subscriber.*"], include: ["email"] };
    await lacks(post(body, blind), "subscribers:read");
    await lacks(post({ ...body, events: ["*"] }, reader), "emails:read");
    assert.equal((await post({ ...body, include: [] }, blind)).status, 201);
    assert.equal((await post({ ...body, events: ["*"] }, both)).status, 201);
    const { id } = await makeWebhook(app, body, owner);
    const edit = (change: Json, key: string | undefined) =>
      app.api("PATCH", `/v1/webhooks/${id}`, { body: change, ...(key && { key }) });
    const elsewhere = "http://127.0.0.1:10/hooks";
    for (const change of [{ url: elsewhere }, { include: ["email"] }, { events: ["subscriber.created"] }])
      await lacks(edit(change, blind), "subscribers:read");
    await lacks(edit({ events: ["email.sent"] }, reader), "emails:read");
    assert.equal((await get(id, owner)).body.url, URL_OF_NOBODY);
    // What hands no address to anybody stays free.
    for (const change of [{ description: "Ours" }, { status: "disabled" }, { url: URL_OF_NOBODY }])
      assert.equal((await edit(change, blind)).status, 200);
    assert.equal((await edit({ url: elsewhere, events: ["subscriber.created"] }, reader)).status, 200);
    assert.equal((await edit({ url: URL_OF_NOBODY, include: [] }, blind)).status, 200);
  });
});

describe("types of event", () => {
  it("that don't exist are refused, each by its pointer", async () => {
    const events = ["campaign.sent", "campaign.exploded", "email.*", "emails.*", "*.sent", "email.", "**"];
    const made = await post({ url: URL_OF_NOBODY, events });
    assert.equal(made.status, 422);
    assert.equal(faultsOf(made), [1, 3, 4, 5, 6].map((at) => `/events/${at} unknown_event_type`).join(", "));
    const { id } = await makeWebhook(app, { url: URL_OF_NOBODY, events: ["list.*"] });
    assert.equal(faultsOf(await patch(id, { events: ["list"] })), "/events/0 unknown_event_type");
    assert.equal(faultsOf(await act(id, "test", { type: "list.*" })), "/type unknown_event_type");
    const replay = await act(id, "replay", { since: "2026-01-01T00:00:00Z", types: ["list.*", "x"] });
    assert.equal(faultsOf(replay), "/types/1 unknown_event_type");
  });

  it("are one at least", async () => {
    assert.equal((await post({ url: URL_OF_NOBODY, events: [] })).status, 422);
  });
});

describe("a secret", () => {
  it("is replaced, and the former one is good for a day, or as long as was asked for", async () => {
    const made = await makeWebhook(app, { url: URL_OF_NOBODY, events: ["list.*"] });
    const rotated = await act(made["id"], "rotate_secret");
    assert.equal(rotated.status, 200, rotated.text);
    assert.notEqual(rotated.body.secret, made["secret"]);
    const hours = (Date.parse(rotated.body.previous_secret_until) - Date.now()) / 3_600_000;
    assert.ok(hours > 23.9 && hours <= 24, String(hours));
    const atOnce = await act(made["id"], "rotate_secret", { grace_seconds: 0 });
    assert.equal(atOnce.body.previous_secret_until, null);
    for (const grace_seconds of [-1, 604_801, 1.5, "1"])
      assert.equal((await act(made["id"], "rotate_secret", { grace_seconds })).status, 422);
    assert.equal((await act(UNKNOWN, "rotate_secret")).status, 404);
  });
});

it("lists endpoints newest first, page by page", async () => {
  const all = await walk(app, "/v1/webhooks?limit=3");
  const ids = all.map(({ id }) => id);
  assert.deepEqual(ids, [...new Set(ids)]);
  const times = all.map(({ created_at }) => created_at);
  assert.deepEqual(times, times.toSorted().toReversed());
});
