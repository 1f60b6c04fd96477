/** These tests make, prove, change, rotate and delete sender domains, against a real DNS server on loopback. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { findSenderDomain } from "../../src/domains/domains.ts";
import { noteAsked } from "../../src/domains/store.ts";
import { sql } from "../../src/platform/db/db.ts";
import { toPublicId } from "../../src/platform/ids.ts";
import { LOCKED, untilBlocking } from "../support/blocked.ts";
import { makeCampaign } from "../support/campaigns.ts";
import { createDomainBench, type DomainBench, publishKeys, selectorOf } from "../support/domain-bench.ts";
import { addDomain } from "../support/domains.ts";
import { addSubscriber, eventsSince, type Json, makeList, uuidOf } from "../support/subscribers.ts";
import { until } from "../support/until.ts";

const PATH = "/v1/domains";
const DAY_MS = 24 * 3_600_000;
let bench: DomainBench;
let { app, server, clock, other, freshName, make, verify, rotate } = {} as DomainBench;
before(async () => {
  bench = await createDomainBench();
  ({ app, server, clock, other, freshName, make, verify, rotate } = bench);
});
after(() => bench.stop());

const publish = (domain: Json, ...states: string[]) => publishKeys(server, domain, ...states);

async function draftFrom(from_email: string): Promise<Json> {
  const listId = await makeList(app);
  await addSubscriber(app, listId, "ada@example.com");
  return makeCampaign(app, listId, { from_email });
}

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
      [{ name: "github.io" }, "/name", "public_suffix"],
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

  it("exists once in an account, also when two requests with the same hosts come at once", async () => {
    const name = freshName();
    const body = { name, return_path: `bounce.${name}`, tracking_host: `links.${name}` };
    const both = await Promise.all([1, 2].map(() => app.api("POST", PATH, { body })));
    assert.deepEqual(both.map(({ status }) => status).sort(), [201, 409]);
    const refused = both.find(({ status }) => status === 409);
    const made = both.find(({ status }) => status === 201);
    assert.equal(refused?.body.code, "domain_exists");
    assert.equal(refused?.body.domain_id, made?.body.id);
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
    assert.deepEqual(
      off.body.keys.map((key: Json) => key.algorithm),
      ["rsa", "rsa"],
      "keys that never stood in the DNS are gone",
    );
    const again = await app.api("PATCH", path, { body: { ed25519: true } });
    publish(again.body, "active");
    await verify(domain.id);
    const later = await app.api("PATCH", path, { body: { ed25519: false } });
    assert.equal(selectorOf(later.body, "standby", "ed25519"), undefined);
    assert.equal(selectorOf(later.body, "retiring", "ed25519"), selectorOf(again.body, "active", "ed25519"));
    assert.equal(selectorOf(later.body, "active"), selectorOf(domain, "active"));
  });

  it("is looked at on request once in ten seconds", async () => {
    const domain = await make({ name: freshName() });
    await verify(domain.id);
    const again = await app.api("POST", `${PATH}/${domain.id}/verify`);
    assert.deepEqual([again.status, again.body.code], [429, "verified_lately"]);
    assert.equal(again.headers.get("retry-after"), "10");
  });

  it("is looked at once for ten requests at once, whichever of them read the clock first", async () => {
    const domain = await make({ name: freshName() });
    clock.advance(10_000);
    const all = await Promise.all(
      Array.from({ length: 10 }, () => app.api("POST", `${PATH}/${domain.id}/verify`)),
    );
    assert.deepEqual(all.map(({ status }) => status).sort(), [200, ...Array(9).fill(429)]);
    clock.advance(10_000);
    const [accountId, id] = [uuidOf("acc", app.accountId), uuidOf("dom", domain.id)];
    const ask = (ms: number) => {
      const now = new Date(clock.now().getTime() + ms);
      return app.db.transaction((tx) => noteAsked(tx, accountId, id, { now, everyMs: 10_000, most: 10 }));
    };
    assert.deepEqual([await ask(5), await ask(0), await ask(9_999)], [true, false, false]);
    assert.equal(await ask(-3_600_000), true, "a clock that was an hour ahead keeps nobody waiting");
  });

  it("is one of ten that an account may have looked at within ten seconds", async () => {
    const { accountId, key } = await app.addAccount();
    const ids: string[] = [];
    for (let n = 0; n < 12; n++) ids.push(await addDomain(app.db, accountId, { name: freshName() }));
    const verifyAll = async () => {
      const paths = ids.map((id) => `${PATH}/${toPublicId("dom", id)}/verify`);
      return Promise.all(paths.map((path) => app.api("POST", path, { key })));
    };
    const replies = await verifyAll();
    const refused = replies.filter(({ status }) => status !== 200);
    assert.deepEqual(
      refused.map(({ status, body }) => [status, body.code]),
      Array(2).fill([429, "verified_lately"]),
    );
    assert.ok(refused.every(({ headers }) => Number(headers.get("retry-after")) >= 1));
    clock.advance(10_000);
    assert.equal((await verifyAll()).filter(({ status }) => status === 200).length, 10);
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
    const campaign = await draftFrom(`news@mail.${domain.name}`);
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

  it("isn't deleted by somebody who comes while a campaign from it is launched", async () => {
    const domain = await make({ name: freshName() });
    const campaign = await draftFrom(`news@${domain.name}`);
    const requests = await app.db.transaction(async (tx) => {
      // The launch waits here for its campaign, and the deletion for the launch.
      await tx.execute(sql`select from campaigns where id = ${uuidOf("cmp", campaign.id)} for update`);
      const sent = app.api("POST", `/v1/campaigns/${campaign.id}/send`, { body: {} });
      await untilBlocking(tx);
      const deleted = app.api("DELETE", `${PATH}/${domain.id}`);
      await until(async () => (await tx.many(LOCKED)).length > 1);
      return { sent, deleted };
    });
    const [sent, deleted] = await Promise.all([requests.sent, requests.deleted]);
    assert.ok(sent.status < 300, sent.text);
    assert.deepEqual([deleted.status, deleted.body.code], [409, "domain_in_use"]);
  });

  it("and deleted a moment before, no campaign from it is launched by what was examined with it", async () => {
    const domain = await make({ name: freshName() });
    const campaign = await draftFrom(`news@mail.${domain.name}`);
    const sent = await app.db.transaction(async (tx) => {
      await tx.execute(sql`delete from domains where id = ${uuidOf("dom", domain.id)}`);
      const request = app.api("POST", `/v1/campaigns/${campaign.id}/send`, { body: {} });
      await untilBlocking(tx);
      return { request };
    });
    assert.equal((await sent.request).status, 409);
    assert.equal((await app.api("GET", `/v1/campaigns/${campaign.id}`)).body.status, "draft");
    const again = await app.api("POST", `/v1/campaigns/${campaign.id}/send`, { body: {} });
    assert.ok(again.status < 300, again.text);
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

  it("of RSA rotate whether or not those of Ed25519 stand in the DNS, and prove the domain alone", async () => {
    const domain = await make({ name: freshName(), ed25519: true });
    for (const { kind, name, expected } of domain.records)
      if (kind === "dkim" && expected.includes("k=rsa")) server.set(name, "TXT", [expected]);
    const proved = await verify(domain.id);
    assert.equal(proved.status, "verified");
    // Nothing is left to be waited for, so it is looked at once a day.
    assert.equal(Date.parse(proved.next_check_at) - Date.parse(proved.checked_at), DAY_MS);
    const required = proved.records.filter((record: Json) => record.required && record.kind === "dkim");
    assert.ok(required.every(({ expected }: Json) => expected.includes("k=rsa")));
    const rotated = (await rotate(domain.id)).body;
    assert.equal(selectorOf(rotated, "active"), selectorOf(domain, "standby"));
    for (const state of ["active", "standby"])
      assert.equal(selectorOf(rotated, state, "ed25519"), selectorOf(domain, state, "ed25519"));
    publish(rotated, "active", "standby");
    const both = (await rotate(domain.id)).body;
    assert.equal(selectorOf(both, "active"), selectorOf(rotated, "standby"));
    assert.equal(selectorOf(both, "active", "ed25519"), selectorOf(domain, "standby", "ed25519"));
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

  it("are replaced at most twenty times in a week, because each is looked for until it is forgotten", async () => {
    const domain = await make({ name: freshName() });
    publish(domain, "active", "standby");
    await verify(domain.id);
    const id = uuidOf("dom", domain.id);
    const addFormer = (count: number) =>
      app.db.execute(sql`
        insert into domain_keys (account_id, domain_id, id, algorithm, selector, state, public_record, retiring_since, created_at)
        select account_id, domain_id, gen_random_uuid(), 'rsa', 'former' || gen_random_uuid(), 'retiring', public_record, now(), now()
        from domain_keys, generate_series(1, ${count}::int) where domain_id = ${id} and state = 'active'`);
    await addFormer(20);
    for (const refused of [
      await rotate(domain.id),
      await app.api("PATCH", `${PATH}/${domain.id}`, { body: { ed25519: true } }),
    ])
      assert.deepEqual([refused.status, refused.body.code], [409, "too_many_keys"], refused.text);
    const unchanged = (await app.api("GET", `${PATH}/${domain.id}`)).body;
    assert.equal(selectorOf(unchanged, "active"), selectorOf(domain, "active"));
    assert.equal(unchanged.ed25519, false);
    await app.db.execute(sql`
      delete from domain_keys where domain_id = ${id} and id = (
        select id from domain_keys where domain_id = ${id} and state = 'retiring' limit 1)`);
    assert.equal((await rotate(domain.id)).status, 200);
    assert.equal((await rotate(domain.id)).body.code, "too_many_keys");
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
