/** These tests let accounts want the same hosts below a domain, with and without having proved it, and ask for certificates. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { sql } from "../../src/platform/db/db.ts";
import { createDomainBench, type DomainBench, publishKeys } from "../support/domain-bench.ts";
import type { Json } from "../support/subscribers.ts";

const PATH = "/v1/domains";
let bench: DomainBench;
let { app, server, clock, other, freshName, make, makeProved, verify } = {} as DomainBench;
before(async () => {
  bench = await createDomainBench();
  ({ app, server, clock, other, freshName, make, makeProved, verify } = bench);
});
after(() => bench.stop());

const recordOf = ({ records }: Json, kind: string): Json =>
  records.find((record: Json) => record.kind === kind);
const hostsBelow = (name: string) => ({ name, return_path: `b.${name}`, tracking_host: `l.${name}` });

describe("a host below a domain", () => {
  it("is kept from nobody by whoever merely names it", async () => {
    const name = freshName();
    await make(hostsBelow(name), other.key);
    server.set(`b.${name}`, "CNAME", ["in.postrider.example"]);
    const proved = await makeProved(hostsBelow(name));
    assert.equal(proved.status, "verified");
    assert.equal(recordOf(proved, "return_path").status, "ok");
  });

  it("is taken once it is of a domain that is proved, and nobody hears whose", async () => {
    const name = freshName();
    const mine = await makeProved(hostsBelow(name));
    const refused = await app.api("POST", PATH, { body: hostsBelow(name), key: other.key });
    assert.deepEqual([refused.status, refused.body.code], [409, "host_taken"]);
    assert.ok(!refused.text.includes(mine.id));
    const later = await make({ name }, other.key);
    for (const body of [{ return_path: `b.${name}` }, { tracking_host: `l.${name}` }]) {
      const taken = await app.api("PATCH", `${PATH}/${later.id}`, { body, key: other.key });
      assert.deepEqual([taken.status, taken.body.code], [409, "host_taken"]);
    }
    const fine = await app.api("PATCH", `${PATH}/${later.id}`, { body: { ed25519: true }, key: other.key });
    assert.equal(fine.status, 200);
  });

  it("is one domain's alone within an account, proved or not", async () => {
    const name = freshName();
    await make({ name, tracking_host: `l.eu.${name}` });
    const second = await app.api("POST", PATH, {
      body: { name: `eu.${name}`, tracking_host: `l.eu.${name}` },
    });
    assert.deepEqual([second.status, second.body.code], [409, "host_taken"]);
  });

  it("is used by the first of two that both prove its domain, also when they are looked at at once", async () => {
    const name = freshName();
    server.set(`b.${name}`, "CNAME", ["in.postrider.example"]);
    const both = [await make(hostsBelow(name)), await make(hostsBelow(name), other.key)];
    for (const one of both) publishKeys(server, one, "active");
    clock.advance(10_000);
    const looked = await Promise.all(
      both.map(({ id }, at) =>
        app.api("POST", `${PATH}/${id}/verify`, { key: at === 0 ? app.key : other.key }),
      ),
    );
    assert.deepEqual(
      looked.map(({ body }) => body.status),
      ["verified", "verified"],
    );
    const statuses = looked.map(({ body }) => recordOf(body, "return_path").status);
    assert.deepEqual(statuses.toSorted(), ["ok", "wrong"]);
    const loser = looked.find(({ body }) => recordOf(body, "return_path").status === "wrong")?.body;
    assert.match(recordOf(loser, "return_path").advice, /Another domain here that is proved uses this host/);
    const used = await app.db.many(
      sql`select id from domains where return_path = ${`b.${name}`} and return_path_ok`,
    );
    assert.equal(used.length, 1);
    // The other's as soon as the first gives it up.
    const [winner, isMine] = loser.id === both[0]?.id ? [both[1], false] : [both[0], true];
    const [own, others] = isMine ? [app.key, other.key] : [other.key, app.key];
    assert.equal((await app.api("DELETE", `${PATH}/${winner?.id}`, { key: own })).status, 204);
    assert.equal(recordOf(await verify(loser.id, others), "return_path").status, "ok");
  });
});

describe("certificates", () => {
  const ask = (domain: string) => app.api("GET", `/tls-ask?domain=${domain}`, { key: null });

  it("are wanted for our own host and for tracking hosts of proved domains that lead here, and for nothing else", async () => {
    const name = freshName();
    const host = `links.${name}`;
    const domain = await make({ name, tracking_host: host });
    assert.equal((await ask("mail.postrider.example")).status, 200);
    assert.equal((await ask(host)).status, 404);
    server.set(host, "CNAME", ["mail.postrider.example"]);
    await verify(domain.id);
    assert.equal((await ask(host)).status, 404, "anybody may lead a name here and claim it");
    publishKeys(server, domain, "active");
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
    for (const bad of ["", "a".repeat(300), "%00", "localhost", "*", "a&domain=b", "192.0.2.1", name])
      assert.equal((await ask(bad)).status, 404, bad);
  });

  it("are wanted for hosts of ours however many others the web server asks for", async () => {
    const name = freshName();
    const host = `links.${name}`;
    server.set(host, "CNAME", ["mail.postrider.example"]);
    await makeProved({ name, tracking_host: host });
    clock.advance(60_000);
    for (let asked = 0; asked < 1_200; asked += 50) {
      const some = Array.from({ length: 50 }, (_, n) => ask(`made-up-${asked + n}.example`));
      assert.deepEqual(new Set((await Promise.all(some)).map(({ status }) => status)), new Set([404]));
    }
    assert.equal((await ask("one-more.example")).status, 429);
    assert.equal((await ask(host)).status, 200);
    assert.equal((await ask("mail.postrider.example")).status, 200);
  });
});
