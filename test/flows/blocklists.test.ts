/** Blocklists asked over a real DNS: right ones, lying ones, dead ones and silent ones, and the alerts that follow. */
import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import { checkAccount } from "../../src/deliverability/blocklists/check.ts";
import { configureBlocklists } from "../../src/deliverability/blocklists/configured-lists.ts";
import { blocklistJobs } from "../../src/deliverability/blocklists/jobs.ts";
import { createAddressLookUp } from "../../src/deliverability/blocklists/proofs.ts";
import { showBlocklists } from "../../src/deliverability/blocklists/show.ts";
import { systemCtx } from "../../src/platform/context.ts";
import { sql } from "../../src/platform/db/db.ts";
import { createDns } from "../../src/platform/dns.ts";
import { createLog } from "../../src/platform/log.ts";
import { createApp, type TestApp } from "../support/app.ts";
import { createTestClock, type TestClock } from "../support/clock.ts";
import { type DnsServer, startDnsServer } from "../support/dns-server.ts";
import { type Json, settled } from "../support/subscribers.ts";

const HOUR = 3_600_000;
const log = createLog({ level: "silent", pretty: false });
const FIRST = "11.22.33.44";
const FIRST_BACKWARDS = "44.33.22.11";
const SIX = "2a01:4f8::17";
const SIX_BACKWARDS = "7.1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.f.4.0.1.0.a.2";
const IPV6_TEST = "0.0.0.0.0.f.7.f.f.f.f.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0";

let app: TestApp;
let clock: TestClock;
let server: DnsServer;
before(async () => {
  clock = createTestClock();
  app = await createApp({ clock, settings: { ROLES: "api" } });
});
after(() => app.stop());
beforeEach(async () => {
  server = await startDnsServer();
});
afterEach(async () => {
  await server.close();
  await app.db.execute(sql`delete from blocklist_proofs`);
});

/** Serves a list whose test entries are as they should be. */
function serveList(zone: string): void {
  server.set(`2.0.0.127.${zone}`, "A", ["127.0.0.2"]);
  server.set(`2.${IPV6_TEST}.${zone}`, "A", ["127.0.0.2"]);
}

type Given = { addresses?: readonly string[]; domains?: readonly string[] };

/** An account, its addresses and domains, and the lists that are asked for them. */
async function setUp(named: readonly string[], { addresses = [FIRST], domains = [] }: Given = {}) {
  const { accountId, key } = await app.addAccount();
  const dns = createDns({ servers: [server.address], timeoutMs: 200, tries: 1 });
  const blocklists = configureBlocklists({ named, dnsServers: [server.address] });
  const tools = {
    dns,
    blocklists,
    listAddresses: async () => addresses.map((address) => ({ address, transportId: null })),
    listDomains: async () => domains,
  };
  const job = { db: app.db, clock, log, signal: new AbortController().signal, attempt: 1 };
  return {
    accountId,
    tools,
    job,
    key,
    dns,
    blocklists,
    check: () => checkAccount(job, tools, accountId),
    show: () => showBlocklists(systemCtx({ clock, log }, app.db, accountId), tools),
    /** What each list says of the first address or domain. */
    async statuses() {
      const { addresses: shown, domains: names } = await showBlocklists(
        systemCtx({ clock, log }, app.db, accountId),
        tools,
      );
      return [...shown, ...names][0]?.results.map(({ status }) => status);
    },
    async alerts(): Promise<Json[]> {
      const page = await app.api("GET", "/v1/deliverability/alerts?kind=blocklisted", { key });
      return page.body.data;
    },
    async events(): Promise<string[]> {
      await settled(app);
      const types = "type=alert.opened&type=alert.closed";
      const page = await app.api("GET", `/v1/events?sort=created_at&${types}`, { key });
      return page.body.data.map((one: Json) => one["type"]);
    },
  };
}

describe("an address", () => {
  test("that is listed is told once, and again when it is over", async () => {
    serveList("one.example");
    serveList("two.example");
    const account = await setUp(["one.example", "two.example"]);
    await account.check();
    assert.deepEqual(await account.statuses(), ["clear", "clear"]);
    assert.deepEqual(await account.alerts(), []);

    server.set(`${FIRST_BACKWARDS}.one.example`, "A", ["127.0.0.3"]);
    await account.check();
    await account.check();
    assert.deepEqual(await account.statuses(), ["listed", "clear"]);
    const [alert, ...others] = await account.alerts();
    assert.deepEqual([alert?.["subject"], alert?.["status"], others.length], [FIRST, "open", 0]);
    assert.equal(JSON.stringify(alert?.["data"]), JSON.stringify({ urls: [], zones: ["one.example"] }));
    assert.deepEqual(await account.events(), ["alert.opened"]);

    server.set(`${FIRST_BACKWARDS}.two.example`, "A", ["127.0.0.2"]);
    await account.check();
    assert.deepEqual(await account.events(), ["alert.opened", "alert.opened"]);

    server.remove(`${FIRST_BACKWARDS}.one.example`);
    server.remove(`${FIRST_BACKWARDS}.two.example`);
    await account.check();
    assert.deepEqual(
      (await account.alerts()).map((one) => one["status"]),
      ["closed"],
    );
    assert.deepEqual(await account.events(), ["alert.opened", "alert.opened", "alert.closed"]);
  });

  test("stays as it was found while the resolver fails or is silent", async () => {
    for (const zone of ["one.example", "two.example", "three.example"]) serveList(zone);
    const account = await setUp(["one.example", "two.example", "three.example"]);
    server.set(`${FIRST_BACKWARDS}.one.example`, "A", ["127.0.0.2"]);
    await account.check();
    const before = await account.show();
    server.misbehave(`${FIRST_BACKWARDS}.one.example`, "servfail");
    server.misbehave(`${FIRST_BACKWARDS}.two.example`, "silence");
    server.misbehave(`${FIRST_BACKWARDS}.three.example`, "garbage");
    clock.advance(HOUR);
    await account.check();
    assert.deepEqual((await account.show()).addresses, before.addresses);
    assert.deepEqual(await account.events(), ["alert.opened"]);
  });

  test("keeps its listing, and its alert, while the answer is an error or comes from elsewhere", async () => {
    serveList("one.example");
    const account = await setUp(["one.example"]);
    server.set(`${FIRST_BACKWARDS}.one.example`, "A", ["127.0.0.2"]);
    await account.check();
    for (const answer of ["127.255.255.254", "203.0.113.80"]) {
      server.set(`${FIRST_BACKWARDS}.one.example`, "A", [answer]);
      await account.check();
      assert.deepEqual(await account.statuses(), ["unknown"], answer);
    }
    assert.deepEqual(await account.events(), ["alert.opened"]);
    server.remove(`${FIRST_BACKWARDS}.one.example`);
    await account.check();
    assert.deepEqual(await account.events(), ["alert.opened", "alert.closed"]);
  });

  test("that no list can know is not asked for", async () => {
    serveList("one.example");
    const account = await setUp(["one.example"], { addresses: ["127.0.0.2"] });
    await account.check();
    assert.deepEqual(await account.statuses(), ["unknown"]);
    assert.deepEqual(await account.alerts(), []);
  });

  test("of IPv6 is asked for by nibbles, of lists that are proved for it", async () => {
    serveList("six.example");
    server.set("2.0.0.127.four.example", "A", ["127.0.0.2"]);
    for (const zone of ["six.example", "four.example"])
      server.set(`${SIX_BACKWARDS}.${zone}`, "A", ["127.0.0.4"]);
    const account = await setUp(["six.example", "four.example"], { addresses: [SIX] });
    await account.check();
    assert.deepEqual(await account.statuses(), ["listed", "unknown"]);
  });

  test("that is no longer used is no longer told of", async () => {
    serveList("one.example");
    server.set(`${FIRST_BACKWARDS}.one.example`, "A", ["127.0.0.2"]);
    const addresses = [FIRST];
    const account = await setUp(["one.example"], { addresses });
    await account.check();
    addresses.pop();
    await account.check();
    assert.deepEqual(await account.events(), ["alert.opened", "alert.closed"]);
    assert.deepEqual((await account.show()).addresses, []);
  });
});

test("alerts end, and listings are forgotten, once no list is asked any more", async () => {
  serveList("one.example");
  server.set(`${FIRST_BACKWARDS}.one.example`, "A", ["127.0.0.2"]);
  const account = await setUp(["one.example"]);
  await account.check();
  const off = { ...account.tools, blocklists: configureBlocklists({ named: [], dnsServers: [] }) };
  const { planning, jobs } = blocklistJobs(off);
  await planning.run(account.job, {});
  const planned = await app.db.many<{ payload: { account_id: string } }>(sql`
    select payload from graphile_worker._private_jobs where key = ${`blocklists ${account.accountId}`}`);
  assert.deepEqual(
    planned.map(({ payload }) => payload.account_id),
    [account.accountId],
  );
  for (const { payload } of planned)
    await jobs.find(({ name }) => name === "check_blocklists")?.run(account.job, payload);
  assert.deepEqual(await account.events(), ["alert.opened", "alert.closed"]);
  server.remove(`${FIRST_BACKWARDS}.one.example`);
  server.misbehave(`${FIRST_BACKWARDS}.one.example`, "servfail");
  await account.check();
  assert.deepEqual(await account.events(), ["alert.opened", "alert.closed"]);
});

describe("a domain", () => {
  test("is asked for by its name, of lists that test and invalid prove", async () => {
    server.set("test.dbl.example", "A", ["127.0.1.2"]);
    server.set("shop.example.dbl.example", "A", ["127.0.1.2"]);
    const given = {
      addresses: [],
      domains: ["shop.example", `${"a".repeat(63)}.`.repeat(3) + "a".repeat(60)],
    };
    const account = await setUp(["domain:dbl.example"], given);
    await account.check();
    const { domains } = await account.show();
    assert.deepEqual(
      domains.map(({ results }) => results[0]?.status),
      ["listed", "unknown"],
    );
    assert.deepEqual(
      (await account.alerts()).map((one) => one["subject"]),
      ["shop.example"],
    );
  });
});

describe("a list", () => {
  for (const [what, spoil] of [
    ["that lists everything", () => server.set("*.list.example", "A", ["127.0.0.2"])],
    ["whose zone was sold", () => server.set("*.list.example", "A", ["203.0.113.80"])],
    ["that refuses this resolver", () => server.set("*.list.example", "A", ["127.255.255.254"])],
    ["that lists nothing, not even its test entry", () => server.remove("2.0.0.127.list.example")],
  ] as const) {
    test(`${what} is not believed`, async () => {
      server.set(`${FIRST_BACKWARDS}.list.example`, "A", ["127.0.0.2"]);
      spoil();
      const account = await setUp(["list.example"]);
      await account.check();
      const { lists } = await account.show();
      assert.deepEqual(
        lists.map((list) => list.is_proved),
        [false],
      );
      assert.ok(lists[0]?.detail);
      assert.deepEqual(await account.statuses(), ["unknown"]);
      assert.deepEqual(await account.alerts(), []);
    });
  }

  test("is proved once a day, and stays so for another day without an answer", async () => {
    serveList("list.example");
    const account = await setUp(["list.example"]);
    const proofs = () => server.queries.filter(({ name }) => name === "2.0.0.127.list.example").length;
    await account.check();
    clock.advance(23 * HOUR);
    await account.check();
    assert.equal(proofs(), 1);
    for (const name of ["2.0.0.127.list.example", "1.0.0.127.list.example"])
      server.misbehave(name, "servfail");
    clock.advance(2 * HOUR);
    await account.check();
    assert.equal((await account.show()).lists[0]?.is_proved, true);
    clock.advance(24 * HOUR);
    const before = await account.show();
    await account.check();
    const { lists, addresses } = await account.show();
    assert.equal(lists[0]?.is_proved, false);
    assert.deepEqual(addresses, before.addresses, "a resolver that fails changes no result");
  });

  test("that never answers costs a few questions, whatever the number of addresses", async () => {
    serveList("list.example");
    const addresses = Array.from({ length: 40 }, (_, at) => `11.22.33.${at}`);
    for (let at = 0; at < 40; at++) server.misbehave(`${at}.33.22.11.list.example`, "servfail");
    const account = await setUp(["list.example"], { addresses });
    await account.check();
    const asked = new Set(server.queries.map(({ name }) => name).filter((name) => /33\.22\.11/.test(name)));
    assert.equal(asked.size, 3);
  });

  test("is not asked at all where there is nothing to ask for, or where lists are off", async () => {
    serveList("list.example");
    const idle = await setUp(["list.example"], { addresses: [] });
    await idle.check();
    const off = await setUp([]);
    await off.check();
    assert.deepEqual(server.queries, []);
    const { is_on, why_off } = await off.show();
    assert.deepEqual([is_on, why_off], [false, "BLOCKLISTS=off"]);
  });

  test("says of one address what a mail test wants to know", async () => {
    serveList("list.example");
    server.set(`${FIRST_BACKWARDS}.list.example`, "A", ["127.0.0.2"]);
    const { dns, blocklists } = await setUp(["list.example"]);
    const lookUp = createAddressLookUp({ db: app.db, clock, dns, blocklists });
    const [found] = await lookUp(`::ffff:${FIRST}`);
    assert.deepEqual([found?.zone, found?.status], ["list.example", "listed"]);
  });
});

describe("a look that somebody asks for", () => {
  test("is added once in ten minutes, by who may", async () => {
    const path = "/v1/deliverability/blocklists/check";
    const { key } = await app.addAccount();
    const reader = await app.addKey(["deliverability:read"]);
    assert.equal((await app.api("POST", path, { key: reader })).status, 403);
    const [one, other] = await Promise.all([1, 2].map(() => app.api("POST", path, { key })));
    assert.deepEqual([one?.status, other?.status].sort(), [202, 429]);
    const refused = one?.status === 429 ? one : other;
    assert.equal(refused?.headers.get("retry-after"), "600");
    clock.advance(601_000);
    assert.equal((await app.api("POST", path, { key })).status, 202);
    const { body } = await app.api("GET", "/v1/deliverability/blocklists", { key });
    assert.deepEqual([body.is_on, body.addresses, body.lists.length], [true, [], 2]);
  });
});
