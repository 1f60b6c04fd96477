/** Jobs look up the domains that senders wrote down, by a real DNS server, several processes at once. */
import assert from "node:assert/strict";
import { createServer } from "node:net";
import { after, before, beforeEach, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { systemClock } from "../../src/platform/clock.ts";
import { sql } from "../../src/platform/db/db.ts";
import { createDns } from "../../src/platform/dns.ts";
import { createLog } from "../../src/platform/log.ts";
import { lookUpDue } from "../../src/recipient-domains/looking-up.ts";
import { createProviderDirectory } from "../../src/recipient-domains/recipient-domains.ts";
import { wantDomains } from "../../src/recipient-domains/wanted-store.ts";
import { createApp, type TestApp } from "../support/app.ts";
import { type DnsServer, startDnsServer } from "../support/dns-server.ts";

const DAY_MS = 86_400_000;
const log = createLog({ level: "warn", pretty: false, destination: process.stderr });
let app: TestApp;
let dns: DnsServer;
let now = new Date();
const clock = { ...systemClock, now: () => now };

before(async () => {
  dns = await startDnsServer();
  dns.set("mx.relay.net", "A", ["93.184.216.34"]);
  dns.set("aspmx.l.google.com", "A", ["142.250.1.26"]);
  app = await createApp({ settings: { ROLES: "api", DNS_SERVERS: dns.address } });
});
after(async () => {
  await app.stop();
  await dns.close();
});
beforeEach(async () => {
  now = new Date();
  await app.db.execute(sql`delete from wanted_domains`);
  await app.db.execute(sql`delete from recipient_domains`);
});

const askOnce = () => createDns({ servers: [dns.address], timeoutMs: 500, tries: 1 });
const lookUp = (resolver = dns.dns) =>
  lookUpDue({ db: app.db, clock, log, dns: resolver }, new AbortController().signal);
const want = (...names: readonly string[]) => wantDomains(app.db, names, now);
const mailOf = (name: string, exchange = "mx.relay.net") =>
  dns.set(name, "MX", [{ exchange, preference: 10 }]);

async function known(): Promise<Record<string, string>> {
  const rows = await app.db.many<{ name: string; state: string }>(
    sql`select name, state from recipient_domains order by name`,
  );
  return Object.fromEntries(rows.map(({ name, state }) => [name, state]));
}

function wanted() {
  return app.db.many<{ name: string; attempts: number; nextAt: Date }>(
    sql`select name, attempts, next_at as "nextAt" from wanted_domains order by name`,
  );
}

describe("domains that are wanted", () => {
  it("are looked up, kept and no longer wanted", async () => {
    mailOf("good.net");
    await want("good.net", "nowhere.net");
    await lookUp();
    assert.deepEqual(await known(), { "good.net": "mx", "nowhere.net": "no_such_domain" });
    assert.deepEqual(await wanted(), []);
  });

  it("are looked up by the `jobs` role by itself", async () => {
    mailOf("by-itself.net");
    const jobs = await createApp({
      settings: { ROLES: "jobs", DNS_SERVERS: dns.address },
      databaseUrl: app.databaseUrl,
    });
    try {
      await want("by-itself.net");
      for (let tries = 0; (await wanted()).length > 0 && tries < 100; tries++) await sleep(50);
      assert.deepEqual(await known(), { "by-itself.net": "mx" });
    } finally {
      await jobs.stop();
    }
  });

  it("are each looked up once by four at once, at most 50 at a time by one", async () => {
    const names = Array.from({ length: 1_200 }, (_, at) => `crowd${at}.net`);
    for (const name of names) mailOf(name);
    await want(...names);
    const asked: string[] = [];
    let most = 0;
    const counting = () => {
      let underWay = 0;
      const mx = async (name: string) => {
        asked.push(name);
        most = Math.max(most, ++underWay);
        return dns.dns.mx(name).finally(() => underWay--);
      };
      return lookUp({ ...dns.dns, mx });
    };
    await Promise.all([counting(), counting(), counting(), counting()]);
    assert.equal(Object.keys(await known()).length, names.length);
    assert.deepEqual(asked.sort(), names.sort());
    assert.ok(most <= 50, String(most));
    assert.deepEqual(await wanted(), []);
  });

  it("hold up no others while one is slow, and are put off and given up where nobody answers", async () => {
    mailOf("quick.net");
    dns.misbehave("silent.net", "silence");
    dns.misbehave("fails.net", "servfail");
    await want("silent.net", "quick.net", "fails.net");
    await lookUp(askOnce());
    assert.deepEqual(await known(), { "quick.net": "mx" });
    const minutes = ({ nextAt }: { nextAt: Date }) => (nextAt.getTime() - now.getTime()) / 60_000;
    assert.deepEqual(
      (await wanted()).map((one) => [one.name, one.attempts, minutes(one)]),
      [
        ["fails.net", 1, 1],
        ["silent.net", 1, 1],
      ],
    );
    dns.misbehave("silent.net", "servfail");
    const before = dns.queries.length;
    await lookUp();
    assert.equal(dns.queries.length, before, "nobody is asked before the time");
    await want("fails.net");
    assert.equal((await wanted())[0]?.attempts, 1, "whoever wants it again changes nothing");
    const began = now.getTime();
    let delayed = 1;
    for (let [next] = await wanted(); next; [next] = await wanted()) {
      assert.ok(minutes(next) >= Math.min(delayed, 1_440), String(minutes(next)));
      delayed = minutes(next);
      now = next.nextAt;
      await lookUp();
    }
    const days = (now.getTime() - began) / DAY_MS;
    assert.ok(days > 2 && days < 7, `given up after ${days} days`);
    for (const name of ["silent.net", "fails.net"]) dns.misbehave(name, null);
  });

  it("are taken over from a process that died or was stopped", async () => {
    mailOf("left.net");
    dns.misbehave("left.net", "silence");
    await want("left.net");
    const stopping = new AbortController();
    const stopped = lookUpDue({ db: app.db, clock, log, dns: askOnce() }, stopping.signal);
    await sleep(100);
    stopping.abort();
    await stopped;
    dns.misbehave("left.net", null);
    assert.deepEqual(
      (await wanted()).map(({ name, attempts, nextAt }) => [name, attempts, nextAt]),
      [["left.net", 0, now]],
    );
    // A dead process leaves its claim behind, which ends by itself.
    await app.db.execute(sql`update wanted_domains set next_at = ${new Date(now.getTime() + 600_000)}`);
    await lookUp();
    assert.deepEqual(await known(), {});
    now = new Date(now.getTime() + 600_001);
    await lookUp();
    assert.deepEqual(await known(), { "left.net": "mx" });
  });

  it("whose records are hostile are judged or put off, and nothing is connected to", async () => {
    let connections = 0;
    const trap = createServer(() => connections++).unref();
    await new Promise<void>((resolve) =>
      trap.listen(25, "127.0.0.1", resolve).once("error", () => resolve()),
    );
    dns.set("alias.net", "CNAME", ["alias2.net"]);
    dns.set("alias2.net", "CNAME", ["alias.net"]);
    dns.set("self.net", "MX", [{ exchange: "self.net", preference: 0 }]);
    dns.set("to-alias.net", "MX", [{ exchange: "alias.net", preference: 0 }]);
    dns.set("inside.net", "MX", [{ exchange: "mx.inside.net", preference: 0 }]);
    dns.set("mx.inside.net", "A", ["127.0.0.1"]);
    dns.set("literal.net", "MX", [{ exchange: "127.0.0.1", preference: 0 }]);
    dns.set(
      "thousand.net",
      "MX",
      Array.from({ length: 1_000 }, (_, at) => ({ exchange: `m${at}.relay.net`, preference: at })),
    );
    const names = ["alias.net", "self.net", "to-alias.net", "inside.net", "literal.net", "thousand.net"];
    await want(...names);
    await lookUp(askOnce());
    const states = await known();
    assert.equal(states["self.net"], "no_mail_server");
    assert.equal(states["inside.net"], "internal_mail_server");
    assert.equal(states["thousand.net"], "mx");
    for (const name of ["literal.net", "alias.net"])
      assert.ok(!["mx", "no_mx"].includes(states[name] ?? ""), `${name} is ${states[name]}`);
    const [{ servers } = { servers: [] }] = await app.db.many<{ servers: string[] }>(
      sql`select servers from recipient_domains where name = 'thousand.net'`,
    );
    assert.equal(servers.length, 10);
    const ofThousand = dns.queries.filter(({ name }) => /^m\d+\.relay\.net$/.test(name));
    assert.ok(ofThousand.length <= 6, "few of a thousand servers are looked at");
    assert.equal(connections, 0);
    trap.close();
  });

  it("that are no domains are dropped without a question", async () => {
    mailOf("honest.net");
    const hostile = [
      "localhost",
      "127.0.0.1",
      "[::1]",
      "UPPER.net",
      "a b.net",
      "a..net",
      ".net",
      "someone@honest.net",
      "x".repeat(300),
      `${"y".repeat(64)}.net`,
      "😀.net",
      "\u202Etest.net",
      "'; drop table wanted_domains; --",
      "example.com",
      "printer.local",
    ];
    await want(...hostile, "honest.net");
    const before = dns.queries.length;
    await lookUp();
    assert.deepEqual(await known(), { "honest.net": "mx" });
    assert.deepEqual(await wanted(), []);
    assert.ok(dns.queries.slice(before).every(({ name }) => ["honest.net", "mx.relay.net"].includes(name)));
  });

  it("that move to another provider are known there once what was known isn't fresh any more", async () => {
    mailOf("mover.net");
    const directory = () => createProviderDirectory(app.db, clock);
    const provider = async () => {
      const fresh = directory();
      await fresh.load(["mover.net"]);
      return fresh.of("mover.net");
    };
    assert.equal(await provider(), "other");
    await lookUp();
    mailOf("mover.net", "aspmx.l.google.com");
    assert.equal(await provider(), "other");
    assert.deepEqual(await wanted(), [], "what is fresh isn't asked again");
    now = new Date(now.getTime() + 8 * DAY_MS);
    assert.equal(await provider(), "other");
    await lookUp();
    assert.equal(await provider(), "google");
  });
});
