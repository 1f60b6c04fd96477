/** These tests let the `jobs` role look into the DNS by itself: while somebody watches, in several processes at once, and after a crash. */
import assert from "node:assert/strict";
import { after, afterEach, before, describe, it } from "node:test";
import { startDomainWatching } from "../../src/domains/domains.ts";
import { claimOne } from "../../src/domains/looks/look-store.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { sql } from "../../src/platform/db/db.ts";
import { createDns, type Dns } from "../../src/platform/dns.ts";
import { createLog } from "../../src/platform/log.ts";
import { createSecrets } from "../../src/platform/secrets.ts";
import { domainTools } from "../../src/roles/domain-tools.ts";
import { createApp, TEST_SECRET_KEY, type TestApp } from "../support/app.ts";
import { type DnsServer, startDnsServer } from "../support/dns-server.ts";
import { addDomain } from "../support/domains.ts";
import { type Json, uuidOf } from "../support/subscribers.ts";
import { until } from "../support/until.ts";

const PATH = "/v1/domains";
let app: TestApp;
let server: DnsServer;
let watchers: { stop(): Promise<void> }[] = [];
before(async () => {
  server = await startDnsServer();
  // No role of the app looks: each test has watchers of its own.
  app = await createApp({ settings: { ROLES: "api", DNS_SERVERS: server.address } });
});
after(async () => {
  await app.stop();
  await server.close();
});
afterEach(async () => {
  await Promise.all(watchers.map((watcher) => watcher.stop()));
  watchers = [];
  await app.db.execute(sql`delete from domains`);
});

let count = 0;
async function make(): Promise<Json> {
  const made = await app.api("POST", PATH, { body: { name: `looked${++count}.example` } });
  assert.equal(made.status, 201, made.text);
  return made.body;
}
const read = async ({ id }: Json): Promise<Json> => (await app.api("GET", `${PATH}/${id}`)).body;

function keyNames({ records }: Json): string[] {
  return records.filter(({ kind }: Json) => kind === "dkim").map(({ name }: Json) => name);
}

function publish({ records }: Json): void {
  for (const { kind, name, expected } of records) if (kind === "dkim") server.set(name, "TXT", [expected]);
}

function watch(dns: Dns = createDns({ servers: [server.address] })): void {
  const parts = {
    db: app.db,
    clock: systemClock,
    log: createLog({ level: "silent", pretty: false }),
    secrets: createSecrets([TEST_SECRET_KEY]),
    relay: undefined,
    config: { inboundDomain: undefined, internalHosts: undefined },
  };
  watchers.push(startDomainWatching(domainTools({ ...parts, dns }, () => "https://mail.postrider.example")));
}

/** Counts the looks that are under way for each name, by the questions for its keys. */
function counting(): { dns: Dns; most(): number; asked: Map<string, number> } {
  const dns = createDns({ servers: [server.address] });
  const underWay = new Map<string, number>();
  const asked = new Map<string, number>();
  let most = 0;
  return {
    asked,
    most: () => most,
    dns: {
      ...dns,
      async txt(name) {
        if (!name.includes("._domainkey.")) return dns.txt(name);
        const now = (underWay.get(name) ?? 0) + 1;
        underWay.set(name, now);
        asked.set(name, (asked.get(name) ?? 0) + 1);
        most = Math.max(most, now);
        try {
          return await dns.txt(name);
        } finally {
          underWay.set(name, (underWay.get(name) ?? 1) - 1);
        }
      },
    },
  };
}

describe("a domain that somebody watches", () => {
  it("is verified soon after its record appears, and failing soon after the record is gone", async () => {
    const domain = await make();
    watch();
    await until(async () => (await read(domain)).checked_at !== null);
    assert.equal((await read(domain)).status, "pending");
    publish(domain);
    await until(async () => (await read(domain)).status === "verified");
    for (const name of keyNames(domain)) server.remove(name);
    await until(async () => (await read(domain)).status === "failing");
  });

  it("is looked at in five seconds, and in a minute when nobody watches any more", async () => {
    const domain = await make();
    const waitOf = ({ checked_at, next_check_at }: Json) =>
      Date.parse(next_check_at) - Date.parse(checked_at);
    await read(domain);
    watch();
    const stored = () =>
      app.db.one<{ checked_at: Date | null; next_check_at: Date }>(
        sql`select checked_at, next_check_at from domains where id = ${uuidOf("dom", domain.id)}`,
      );
    await until(async () => (await stored()).checked_at !== null);
    assert.equal(waitOf(JSON.parse(JSON.stringify(await stored()))), 5_000);
    await app.db.execute(sql`update domains set watched_until = null, next_check_at = now()`);
    await until(async () => waitOf(JSON.parse(JSON.stringify(await stored()))) === 60_000);
  });
});

describe("looks of many", () => {
  /** Answers nothing about names that begin so, and says how many such domains are being looked at. */
  function holding(prefix: string) {
    const answers = createDns({ servers: [server.address] });
    const held = new Set<string>();
    const hold = Promise.withResolvers<void>();
    const dns: Dns = {
      ...answers,
      async ns(name) {
        if (name.startsWith(prefix)) {
          held.add(name);
          await hold.promise;
        }
        return answers.ns(name);
      },
    };
    return { dns, held, end: hold.resolve };
  }

  async function addWatched(accountId: string, names: readonly string[]): Promise<void> {
    for (const name of names) await addDomain(app.db, accountId, { name });
    await app.db.execute(sql`
      update domains set next_check_at = now() - interval '1 hour', watched_until = now() + interval '1 hour'
      where name = any(${names}::text[])`);
  }

  it("of one account take a few places, whoever else has to wait", async () => {
    const { accountId } = await app.addAccount();
    await addWatched(
      accountId,
      Array.from({ length: 60 }, (_, n) => `greedy${n}.example`),
    );
    const mine = await make();
    publish(mine);
    const { dns, held, end } = holding("greedy");
    watch(dns);
    watch(dns);
    await until(async () => (await app.api("GET", `${PATH}?status=verified`)).body.data[0]?.id === mine.id);
    await until(() => held.size >= 4);
    // Two processes that claim at the same moment may both take an account's places.
    assert.ok(held.size <= 8, `${held.size}`);
    end();
  });

  it("leave places for those that nobody watches, however many are watched", async () => {
    for (let account = 0; account < 12; account++) {
      const { accountId } = await app.addAccount();
      await addWatched(
        accountId,
        [1, 2, 3, 4].map((n) => `held${account}-${n}.example`),
      );
    }
    const due = await make();
    publish(due);
    await app.db.execute(
      sql`update domains set next_check_at = now() + interval '1 hour' where watched_until is null`,
    );
    const { dns, held, end } = holding("held");
    watch(dns);
    await until(() => held.size === 30);
    await app.db.execute(sql`update domains set next_check_at = now() where id = ${uuidOf("dom", due.id)}`);
    await until(async () => (await app.api("GET", `${PATH}?status=verified`)).body.data[0]?.id === due.id);
    assert.equal(held.size, 30);
    end();
  });
});

describe("several processes", () => {
  it("look at each domain once, and never two of them at the same one", async () => {
    const domains = await Promise.all(Array.from({ length: 8 }, make));
    for (const domain of domains) publish(domain);
    const counted = counting();
    for (let n = 0; n < 4; n++) watch(counted.dns);
    await until(async () => {
      const page = await app.api("GET", `${PATH}?status=verified`);
      return page.body.data.length === domains.length;
    });
    assert.equal(counted.most(), 1);
    for (const name of domains.flatMap(keyNames)) assert.equal(counted.asked.get(name), 1, name);
  });

  it("take over what a dead one has left, when its lease has run out", async () => {
    const domain = await make();
    publish(domain);
    const { account_id, id } = await app.db.one<{ account_id: string; id: string }>(
      sql`select account_id, id from domains`,
    );
    assert.ok(await claimOne(app.db, account_id, id));
    assert.equal(await claimOne(app.db, account_id, id), undefined);
    await app.db.execute(sql`update domains set leased_until = now() - interval '1 second'`);
    watch();
    await until(async () => (await read(domain)).status === "verified");
  });

  it("write nothing of a look whose lease was lost, or whose domain was changed meanwhile", async () => {
    const domain = await make();
    publish(domain);
    const answers = createDns({ servers: [server.address] });
    const begun = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    let isHeld = true;
    watch({
      ...answers,
      async ns(name) {
        if (isHeld) {
          begun.resolve();
          await goOn.promise;
        }
        return answers.ns(name);
      },
    });
    await begun.promise;
    const patched = await app.api("PATCH", `${PATH}/${domain.id}`, { body: { ed25519: true } });
    assert.equal(patched.status, 200, patched.text);
    isHeld = false;
    goOn.resolve();
    // The next look is of the keys that it now has, of which Ed25519's aren't published.
    await until(async () => (await read(domain)).status === "verified");
    const { keys } = await read(domain);
    const seen = keys.filter((key: Json) => key.seen_at !== null).map((key: Json) => key.algorithm);
    assert.deepEqual(seen, ["rsa", "rsa"]);
    const { version, leased_by } = await app.db.one<{ version: number; leased_by: string | null }>(
      sql`select version, leased_by from domains`,
    );
    assert.deepEqual([version, leased_by], [2, null]);
  });
});
