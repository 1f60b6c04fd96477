/** These tests make, prove, change, rotate and delete sender domains, against a real DNS server on loopback. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { findSenderDomain } from "../../src/domains/domains.ts";
import { sql } from "../../src/platform/db/db.ts";
import { createApp, type Reply, type TestApp } from "../support/app.ts";
import { makeCampaign } from "../support/campaigns.ts";
import { createTestClock } from "../support/clock.ts";
import { type DnsServer, startDnsServer } from "../support/dns-server.ts";
import { addSubscriber, eventsSince, type Json, makeList, uuidOf } from "../support/subscribers.ts";

const PATH = "/v1/domains";
const DAY_MS = 24 * 3_600_000;
const clock = createTestClock();
let app: TestApp;
let server: DnsServer;
let other: { accountId: string; key: string };
before(async () => {
  server = await startDnsServer();
  // No role looks by itself here: only who asks for a look gets one.
  app = await createApp({
    clock,
    settings: {
      ROLES: "api,public",
      DNS_SERVERS: server.address,
      PUBLIC_URL: "https://mail.postrider.example",
      INBOUND_DOMAIN: "in.postrider.example",
    },
  });
  other = await app.addAccount();
});
after(async () => {
  await app.stop();
  await server.close();
});

let count = 0;
const freshName = () => `shop${++count}.example`;

async function make(body: Json, key = app.key): Promise<Json> {
  const made = await app.api("POST", PATH, { body, key });
  assert.equal(made.status, 201, made.text);
  return made.body;
}

/** Looks again, once the ten seconds between two requests have passed. */
async function verify(id: string, key = app.key): Promise<Json> {
  clock.advance(10_000);
  const reply = await app.api("POST", `${PATH}/${id}/verify`, { key });
  assert.equal(reply.status, 200, reply.text);
  return reply.body;
}
const rotate = (id: string): Promise<Reply> => app.api("POST", `${PATH}/${id}/rotate_key`);

function publish({ records }: Json, ...states: string[]): void {
  for (const { kind, name, expected, details } of records)
    if (kind === "dkim" && states.includes(details.key_state)) server.set(name, "TXT", [expected]);
}
const selectorOf = ({ keys }: Json, state: string, algorithm = "rsa"): string =>
  keys.find((key: Json) => key.state === state && key.algorithm === algorithm)?.selector;

describe("a domain", () => {
  it("begins with an active and a standby key, and the records to publish, which nobody has looked for", async () => {
    const name = freshName();
    const made = await app.api("POST", PATH, {
      body: {
        name: name.toUpperCase(),
        return_path: `bounce.${name}`,
        tracking_host: `links.${name}`,
        ed25519: true,
      },
    });
    assert.equal(made.status, 201, made.text);
    assert.equal(made.headers.get("location"), `${app.baseUrl}${PATH}/${made.body.id}`);
    assert.equal(made.body.name, name);
    assert.equal(made.body.status, "pending");
    assert.deepEqual(made.body.keys.map((key: Json) => `${key.state} ${key.algorithm}`).sort(), [
      "active ed25519",
      "active rsa",
      "standby ed25519",
      "standby rsa",
    ]);
    const kinds = made.body.records.map((record: Json) => record.kind);
    assert.deepEqual([...new Set(kinds)].sort(), ["dkim", "dmarc", "return_path", "spf", "tracking"]);
    assert.ok(made.body.records.every((record: Json) => record.status === "unknown"));
    const read = await app.api("GET", `${PATH}/${made.body.id}`);
    assert.deepEqual(read.body, made.body);
    assert.equal(read.headers.get("etag"), made.headers.get("etag"));
  });

  it("is verified by this account's own key alone, and two accounts may both prove it", async () => {
    const name = freshName();
    const mine = await make({ name });
    const theirs = await make({ name }, other.key);
    publish(theirs, "active");
    assert.equal((await verify(mine.id)).status, "pending");
    assert.equal((await verify(theirs.id, other.key)).status, "verified");
    publish(mine, "active");
    const verified = await verify(mine.id);
    assert.equal(verified.status, "verified");
    assert.equal(verified.verified_at, clock.now().toISOString());
    assert.equal(
      verified.keys.find((key: Json) => key.state === "active").seen_at,
      clock.now().toISOString(),
    );
    assert.equal(verified.keys.find((key: Json) => key.state === "standby").seen_at, null);
  });

  it("stays as it is while the DNS fails or is silent, and fails when its key is gone", async () => {
    const domain = await make({ name: freshName() });
    publish(domain, "active");
    await verify(domain.id);
    const name = `${selectorOf(domain, "active")}._domainkey.${domain.name}`;
    for (const fault of ["servfail", "refused", "garbage", "silence"] as const) {
      server.misbehave(name, fault);
      const looked = await verify(domain.id);
      assert.equal(looked.status, "verified", fault);
      assert.notEqual(looked.keys[0].seen_at, null, fault);
    }
    server.misbehave(name, null);
    server.set(name, "TXT", ["v=DKIM1; k=rsa; p=AAAA"]);
    const failing = await verify(domain.id);
    assert.equal(failing.status, "failing");
    assert.equal(failing.keys[0].seen_at, null);
    assert.equal(Date.parse(failing.failing_until), Date.parse(failing.failing_since) + 3 * DAY_MS);
    const alerts = await app.api("GET", "/v1/deliverability/alerts?kind=domain_failing&status=open");
    assert.ok(
      alerts.body.data.some((alert: Json) => alert.data.domain_id === domain.id),
      alerts.text,
    );
    clock.advance(3 * DAY_MS);
    server.misbehave(name, "servfail");
    assert.equal((await verify(domain.id)).status, "failing");
    server.misbehave(name, null);
    assert.equal((await verify(domain.id)).status, "unverified");
    const later = await app.api("GET", "/v1/deliverability/alerts?kind=domain_unverified&status=open");
    assert.ok(
      later.body.data.some((alert: Json) => alert.data.domain_id === domain.id),
      later.text,
    );
    publish(domain, "active");
    assert.equal((await verify(domain.id)).status, "verified");
    for (const kind of ["domain_failing", "domain_unverified"]) {
      const open = await app.api("GET", `/v1/deliverability/alerts?kind=${kind}&status=open`);
      assert.ok(!open.body.data.some((alert: Json) => alert.data.domain_id === domain.id), open.text);
    }
    const { events } = await eventsSince(app);
    const types = events.filter(({ data }) => data.domain_id === domain.id).map(({ type }) => type);
    assert.deepEqual(types, [
      "domain.created",
      "domain.verified",
      "domain.failing",
      "domain.unverified",
      "domain.verified",
    ]);
  });

  it("gives its right to what is below it, and never to what is above", async () => {
    const name = freshName();
    const accountId = uuidOf("acc", app.accountId);
    const below = await make({ name: `news.${name}` });
    publish(below, "active");
    await verify(below.id);
    const find = (from: string) => findSenderDomain(app.db, accountId, from);
    assert.equal(await find(name), undefined);
    assert.equal((await find(`a.b.news.${name}`))?.name, `news.${name}`);
    const above = await make({ name });
    assert.equal((await find(name))?.status, "pending");
    assert.equal((await find(`news.${name}`))?.name, `news.${name}`);
    assert.equal(await find(`shop.${name}`), undefined);
    publish(above, "active");
    await verify(above.id);
    assert.equal((await find(`shop.${name}`))?.name, name);
    assert.equal(await findSenderDomain(app.db, other.accountId, name), undefined);
  });

  it("is refused where its name or hosts are no good", async () => {
    const name = freshName();
    const cases: [body: Json, pointer: string, code: string][] = [
      [{ name: "co.uk" }, "/name", "public_suffix"],
      [{ name: "localhost" }, "/name", "invalid_domain"],
      [{ name: "192.0.2.1" }, "/name", "invalid_domain"],
      [{ name: "*.example.com" }, "/name", "invalid_domain"],
      [{ name, return_path: "bounce.elsewhere.example" }, "/return_path", "invalid_domain"],
      [{ name, tracking_host: name }, "/tracking_host", "invalid_domain"],
    ];
    for (const [body, pointer, code] of cases) {
      const reply = await app.api("POST", PATH, { body });
      assert.equal(reply.status, 422, reply.text);
      assert.deepEqual([reply.body.errors[0].pointer, reply.body.errors[0].code], [pointer, code]);
    }
    const bad = await app.api("POST", PATH, { body: { name, private_key: "mine" } });
    assert.equal(bad.status, 422);
  });

  it("exists once in an account, also when two requests come at once", async () => {
    const name = freshName();
    const both = await Promise.all([1, 2].map(() => app.api("POST", PATH, { body: { name } })));
    assert.deepEqual(both.map(({ status }) => status).sort(), [201, 409]);
    const refused = both.find(({ status }) => status === 409);
    const made = both.find(({ status }) => status === 201);
    assert.equal(refused?.body.code, "domain_exists");
    assert.equal(refused?.body.domain_id, made?.body.id);
  });

  it("has hosts of its own: whoever wants them too hears only that they are taken, also at once", async () => {
    const name = freshName();
    const want = { name, return_path: `b.${name}`, tracking_host: `l.${name}` };
    const both = await Promise.all(
      [app.key, other.key].map((key) => app.api("POST", PATH, { body: want, key })),
    );
    assert.deepEqual(both.map(({ status }) => status).sort(), [201, 409]);
    const refused = both.find(({ status }) => status === 409);
    assert.equal(refused?.body.code, "host_taken");
    const made = both.find(({ status }) => status === 201);
    assert.ok(!refused?.text.includes(made?.body.id));
    const key = made === both[0] ? other.key : app.key;
    const later = await make({ name }, key);
    for (const body of [{ return_path: `b.${name}` }, { tracking_host: `l.${name}` }]) {
      const taken = await app.api("PATCH", `${PATH}/${later.id}`, { body, key });
      assert.deepEqual([taken.status, taken.body.code], [409, "host_taken"]);
    }
  });

  it("is changed under its ETag, and a new host isn't used before its record is right", async () => {
    const domain = await make({ name: freshName() });
    const { headers } = await app.api("GET", `${PATH}/${domain.id}`);
    const path = `${PATH}/${domain.id}`;
    const ifMatch = { "if-match": headers.get("etag") ?? "" };
    const host = `links.${domain.name}`;
    const changed = await app.api("PATCH", path, { body: { tracking_host: host }, headers: ifMatch });
    assert.equal(changed.status, 200, changed.text);
    assert.equal(changed.body.updated_by.kind, "api_key");
    const stale = await app.api("PATCH", path, { body: { ed25519: true }, headers: ifMatch });
    assert.equal(stale.status, 412);
    const on = await app.api("PATCH", path, { body: { ed25519: true } });
    assert.ok(selectorOf(on.body, "active", "ed25519") && selectorOf(on.body, "standby", "ed25519"));
    const off = await app.api("PATCH", path, { body: { ed25519: false } });
    assert.equal(selectorOf(off.body, "standby", "ed25519"), undefined);
    assert.equal(selectorOf(off.body, "retiring", "ed25519"), selectorOf(on.body, "active", "ed25519"));
    assert.equal(selectorOf(off.body, "active"), selectorOf(domain, "active"));
  });

  it("is looked at on request once in ten seconds", async () => {
    const domain = await make({ name: freshName() });
    await verify(domain.id);
    const again = await app.api("POST", `${PATH}/${domain.id}/verify`);
    assert.deepEqual([again.status, again.body.code], [429, "verified_lately"]);
    assert.equal(again.headers.get("retry-after"), "10");
  });

  it("shows its records as lines of a zone file, of which those of keys are cut into strings", async () => {
    const domain = await make({ name: freshName() });
    const zone = await app.api("GET", `${PATH}/${domain.id}/zone`);
    assert.match(zone.headers.get("content-type") ?? "", /^text\/plain/);
    for (const state of ["active", "standby"])
      assert.ok(zone.text.includes(`${selectorOf(domain, state)}._domainkey.${domain.name}.`), zone.text);
    for (const line of zone.text.split("\n"))
      for (const [, text = ""] of line.matchAll(/"([^"]*)"/g)) assert.ok(text.length <= 255);
  });

  it("isn't deleted while a campaign that isn't over is from it", async () => {
    const domain = await make({ name: freshName() });
    const listId = await makeList(app);
    await addSubscriber(app, listId, "ada@example.com");
    const campaign = await makeCampaign(app, listId, { from_email: `news@mail.${domain.name}` });
    const path = `${PATH}/${domain.id}`;
    const send_at = new Date(clock.now().getTime() + DAY_MS).toISOString();
    const scheduled = await app.api("POST", `/v1/campaigns/${campaign.id}/schedule`, { body: { send_at } });
    assert.ok(scheduled.status < 300, scheduled.text);
    const refused = await app.api("DELETE", path);
    assert.deepEqual(
      [refused.status, refused.body.code, refused.body.campaign_id],
      [409, "domain_in_use", campaign.id],
    );
    await app.api("POST", `/v1/campaigns/${campaign.id}/unschedule`);
    assert.equal((await app.api("DELETE", path)).status, 204);
    assert.equal((await app.api("GET", path)).status, 404);
    const keys = await app.db.many(
      sql`select from domain_keys where domain_id = ${uuidOf("dom", domain.id)}`,
    );
    assert.equal(keys.length, 0);
  });

  it("is nobody else's", async () => {
    const domain = await make({ name: freshName() });
    const path = `${PATH}/${domain.id}`;
    const { key } = other;
    const replies = await Promise.all([
      app.api("GET", path, { key }),
      app.api("GET", `${path}/zone`, { key }),
      app.api("PATCH", path, { key, body: { ed25519: true } }),
      app.api("POST", `${path}/verify`, { key }),
      app.api("POST", `${path}/rotate_key`, { key }),
      app.api("DELETE", path, { key }),
    ]);
    assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([404]));
  });
});

describe("the keys of a domain", () => {
  it("are rotated only when the standby's record stands in the DNS at that moment", async () => {
    const domain = await make({ name: freshName() });
    publish(domain, "active");
    await verify(domain.id);
    const early = await rotate(domain.id);
    assert.deepEqual([early.status, early.body.code], [409, "standby_not_published"]);
    assert.deepEqual(early.body.selectors, [selectorOf(domain, "standby")]);
    publish(domain, "standby");
    const standbyName = `${selectorOf(domain, "standby")}._domainkey.${domain.name}`;
    assert.notEqual((await verify(domain.id)).keys[1].seen_at, null);
    // It was seen, and is gone again since the last look.
    server.remove(standbyName);
    assert.equal((await rotate(domain.id)).status, 409);
    publish(domain, "standby");
    // Nobody answers now, and it was seen before.
    server.misbehave(standbyName, "servfail");
    const both = await Promise.all([rotate(domain.id), rotate(domain.id)]);
    server.misbehave(standbyName, null);
    assert.deepEqual(both.map(({ status }) => status).sort(), [200, 409]);
    const rotated = both.find(({ status }) => status === 200)?.body;
    assert.equal(selectorOf(rotated, "active"), selectorOf(domain, "standby"));
    assert.equal(selectorOf(rotated, "retiring"), selectorOf(domain, "active"));
    assert.ok(
      ![selectorOf(domain, "active"), selectorOf(domain, "standby")].includes(selectorOf(rotated, "standby")),
    );
    assert.equal((await verify(domain.id)).status, "verified");
  });

  it("retire after a week, without their private half, and are forgotten when their record is gone", async () => {
    const domain = await make({ name: freshName() });
    publish(domain, "active", "standby");
    await verify(domain.id);
    assert.equal((await rotate(domain.id)).status, 200);
    clock.advance(6 * DAY_MS);
    assert.equal(selectorOf(await verify(domain.id), "retiring"), selectorOf(domain, "active"));
    clock.advance(DAY_MS);
    assert.equal(selectorOf(await verify(domain.id), "retired"), selectorOf(domain, "active"));
    const sealed = await app.db.many<{ state: string; is_kept: boolean }>(sql`
      select state, private_key is not null as is_kept from domain_keys where domain_id = ${uuidOf("dom", domain.id)}`);
    assert.deepEqual(sealed.map(({ state, is_kept }) => `${state} ${is_kept}`).sort(), [
      "active true",
      "retired false",
      "standby true",
    ]);
    server.remove(`${selectorOf(domain, "active")}._domainkey.${domain.name}`);
    assert.equal((await verify(domain.id)).keys.length, 2);
  });

  it("never show their private half, neither in answers nor in logs", async () => {
    const domain = await make({ name: freshName(), ed25519: true });
    publish(domain, "active", "standby");
    const texts = [
      (await app.api("GET", `${PATH}/${domain.id}`)).text,
      (await app.api("GET", PATH)).text,
      (await app.api("GET", `${PATH}/${domain.id}/zone`)).text,
      (await rotate(domain.id)).text,
      JSON.stringify((await eventsSince(app)).events),
      app.logs.join(""),
    ];
    for (const text of texts) {
      assert.ok(!/private_key|PRIVATE KEY/.test(text));
      assert.ok(text.length > 0);
    }
  });

  it("make one domain under one idempotency key", async () => {
    const headers = { "idempotency-key": "one-domain" };
    const body = { name: freshName() };
    const first = await app.api("POST", PATH, { body, headers });
    const second = await app.api("POST", PATH, { body, headers });
    assert.deepEqual([first.status, second.status], [201, 201]);
    assert.equal(second.text, first.text);
    assert.equal(second.headers.get("idempotency-replayed"), "true");
  });
});

describe("the list of domains", () => {
  it("is paged, newest first, and by status", async () => {
    const { key } = await app.addAccount();
    const names: string[] = [];
    for (let n = 0; n < 3; n++) {
      clock.advance(1_000);
      names.unshift((await make({ name: freshName() }, key)).name);
    }
    const first = await app.api("GET", `${PATH}?limit=2&include_total=true`, { key });
    assert.deepEqual([first.body.total, first.body.has_more], [3, true]);
    const rest = await app.api("GET", `${PATH}?limit=2&cursor=${first.body.next_cursor}`, { key });
    assert.deepEqual(
      [...first.body.data, ...rest.body.data].map(({ name }: Json) => name),
      names,
    );
    assert.equal(rest.body.data[0].keys.length, 2);
    const verified = await app.api("GET", `${PATH}?status=verified`, { key });
    assert.deepEqual(verified.body.data, []);
  });
});

describe("certificates", () => {
  const ask = (domain: string) => app.api("GET", `/tls-ask?domain=${domain}`, { key: null });

  it("are wanted for our own host and for tracking hosts that lead here, and for nothing else", async () => {
    const name = freshName();
    const host = `links.${name}`;
    const domain = await make({ name, tracking_host: host });
    assert.equal((await ask("mail.postrider.example")).status, 200);
    assert.equal((await ask(host)).status, 404);
    server.set(host, "CNAME", ["mail.postrider.example"]);
    await verify(domain.id);
    assert.equal((await ask(host)).status, 200);
    assert.equal((await ask(`${host.toUpperCase()}.`)).status, 200);
    server.misbehave(host, "servfail");
    await verify(domain.id);
    assert.equal((await ask(host)).status, 200);
    server.misbehave(host, null);
    server.set(host, "CNAME", ["elsewhere.example"]);
    await verify(domain.id);
    assert.equal((await ask(host)).status, 404);
    for (const bad of ["", "a".repeat(300), "%00", "localhost", "*", "a&domain=b", name])
      assert.equal((await ask(bad)).status, 404, bad);
  });
});
