import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type DnsServer, startDnsServer } from "../../test/support/dns-server.ts";
import { askAtMost, askEachOnce, createDns, type Dns, isDnsName, reverseName } from "./dns.ts";

describe("a resolver with a real server", () => {
  let server: DnsServer;
  let dns: Dns;
  let impatient: Dns;

  before(async () => {
    server = await startDnsServer();
    dns = createDns({ servers: [server.address], timeoutMs: 10_000 });
    impatient = createDns({ servers: [server.address], timeoutMs: 250, tries: 1 });
  });
  after(() => server.close());

  test("joins the strings of a record, and keeps a key of 410 bytes whole", async () => {
    const key = `v=DKIM1; k=rsa; p=${"MIIB".repeat(98)}`;
    assert.equal(key.length, 410);
    server.set("one._domainkey.long.test", "TXT", [key]);
    server.set("two._domainkey.long.test", "TXT", [
      ["v=DKIM1; ", "k=rsa; p=", key.slice(18, 200), key.slice(200)],
    ]);
    assert.deepEqual(await dns.txt("one._domainkey.long.test"), { kind: "found", values: [key] });
    assert.deepEqual(await dns.txt("two._domainkey.long.test"), { kind: "found", values: [key] });
  });

  test("asks again over TCP where an answer was cut", async () => {
    server.set("cut.test", "TXT", ["whole"]);
    server.misbehave("cut.test", "truncate");
    assert.deepEqual(await dns.txt("cut.test"), { kind: "found", values: ["whole"] });
    assert.deepEqual(
      server.queries.filter(({ name }) => name === "cut.test").map(({ over }) => over),
      ["udp", "tcp"],
    );
  });

  test("reads 60 KB of text, and any bytes in it", async () => {
    const bytes = Buffer.from(Array.from({ length: 60_000 }, (_, at) => at % 256)).toString("latin1");
    server.set("large.test", "TXT", [bytes]);
    assert.deepEqual(await dns.txt("large.test"), { kind: "found", values: [bytes] });
  });

  test("tells a name without such a record from a name that isn't there", async () => {
    server.set("only-a.test", "A", ["192.0.2.1"]);
    assert.deepEqual(await dns.txt("only-a.test"), { kind: "none", nameExists: true });
    assert.deepEqual(await dns.txt("absent.test"), { kind: "none", nameExists: false });
  });

  test("asks nobody for a name that no DNS can hold", async () => {
    const before = server.queries.length;
    for (const name of [
      "",
      "a..test",
      `${"a".repeat(64)}.test`,
      `${"abcdefg.".repeat(32)}test`,
      "a b.test",
      "é.test",
    ])
      assert.deepEqual(await dns.txt(name), { kind: "none", nameExists: false }, name);
    assert.equal(server.queries.length, before);
  });

  test("asks for a name of 253 octets", async () => {
    const name = `${"a".repeat(63)}.${"b".repeat(63)}.${"c".repeat(63)}.${"d".repeat(61)}`;
    assert.equal(name.length, 253);
    server.set(name, "TXT", ["far"]);
    assert.deepEqual(await dns.txt(name), { kind: "found", values: ["far"] });
  });

  for (const [fault, detail] of [
    ["servfail", /SERVFAIL/],
    ["refused", /REFUSED/],
    ["silence", /no answer in time/],
    ["garbage", /malformed|no answer in time/],
    ["wrong_id", /no answer in time/],
    ["wrong_question", /no answer in time/],
    ["slow", /no answer in time/],
  ] as const)
    test(`says that it failed on ${fault}, and reads the record once that is over`, async () => {
      const name = `${fault.replace("_", "-")}.test`;
      server.set(name, "TXT", ["there"]);
      server.misbehave(name, fault);
      const failed = await impatient.txt(name);
      assert.equal(failed.kind, "failed");
      assert.match(failed.kind === "failed" ? failed.detail : "", detail);
      server.misbehave(name, null);
      assert.deepEqual(await dns.txt(name), { kind: "found", values: ["there"] });
    });

  test("says that it failed where nobody listens", async () => {
    const nobody = createDns({ servers: ["127.0.0.1:9"], timeoutMs: 250, tries: 1 });
    assert.equal((await nobody.a("any.test")).kind, "failed");
  });

  test("sees at once what has changed", async () => {
    assert.equal((await dns.txt("changing.test")).kind, "none");
    server.set("changing.test", "TXT", ["first"]);
    assert.deepEqual(await dns.txt("changing.test"), { kind: "found", values: ["first"] });
    server.set("changing.test", "TXT", ["second"]);
    assert.deepEqual(await dns.txt("changing.test"), { kind: "found", values: ["second"] });
    server.remove("changing.test");
    assert.equal((await dns.txt("changing.test")).kind, "none");
  });

  test("follows aliases across zones, and fails on a loop of them", async () => {
    server.set("s1._domainkey.shop.test", "CNAME", ["s1.keys.provider.test"]);
    server.set("s1.keys.provider.test", "CNAME", ["s1.pool.elsewhere.test"]);
    server.set("s1.pool.elsewhere.test", "TXT", ["v=DKIM1; p=AA"]);
    assert.deepEqual(await dns.txt("s1._domainkey.shop.test"), { kind: "found", values: ["v=DKIM1; p=AA"] });
    assert.deepEqual(await dns.cname("s1._domainkey.shop.test"), {
      kind: "found",
      values: ["s1.keys.provider.test"],
    });
    server.set("round.test", "CNAME", ["about.test"]);
    server.set("about.test", "CNAME", ["round.test"]);
    assert.equal((await dns.txt("round.test")).kind, "failed");
  });

  test("reads every type of record", async () => {
    server.set("all.test", "MX", [
      { exchange: "MX2.all.test", preference: 20 },
      { exchange: "mx1.all.test", preference: 10 },
    ]);
    server.set("all.test", "A", ["192.0.2.7"]);
    server.set("all.test", "AAAA", ["2001:db8::7"]);
    server.set("all.test", "NS", ["NS1.all.test"]);
    server.set("7.2.0.192.in-addr.arpa", "PTR", ["All.test"]);
    const mx = await dns.mx("all.test");
    assert.deepEqual(
      mx.kind === "found" && mx.values.toSorted((one, other) => one.preference - other.preference),
      [
        { exchange: "mx1.all.test", preference: 10 },
        { exchange: "mx2.all.test", preference: 20 },
      ],
    );
    assert.deepEqual(await dns.a("all.test"), { kind: "found", values: ["192.0.2.7"] });
    assert.deepEqual(await dns.aaaa("all.test"), { kind: "found", values: ["2001:db8::7"] });
    assert.deepEqual(await dns.ns("all.test"), { kind: "found", values: ["ns1.all.test"] });
    assert.deepEqual(await dns.ptr("192.0.2.7"), { kind: "found", values: ["all.test"] });
  });
});

test("answers no more questions than are allowed, and says that the others are unanswered", async () => {
  const asked: string[] = [];
  const found = async (name: string) => {
    asked.push(name);
    return { kind: "found", values: [] } as const;
  };
  const all = { txt: found, mx: found, cname: found, a: found, aaaa: found, ns: found, ptr: found };
  const few = askEachOnce(askAtMost(all, 2));
  assert.equal((await few.txt("one.test")).kind, "found");
  assert.equal((await few.txt("one.test")).kind, "found");
  assert.equal((await few.a("two.test")).kind, "found");
  assert.equal((await few.mx("three.test")).kind, "failed");
  assert.equal((await few.txt("one.test")).kind, "found");
  assert.deepEqual(asked, ["one.test", "two.test"]);
});

test("writes the name of an address backwards", () => {
  assert.equal(reverseName("192.0.2.1"), "1.2.0.192.in-addr.arpa");
  const nibbles = "8.b.d.0.1.0.0.2.ip6.arpa";
  assert.equal(reverseName("2001:db8::1"), `1.${"0.".repeat(23)}${nibbles}`);
  assert.equal(reverseName("::ffff:192.0.2.1"), `1.0.2.0.0.0.0.c.f.f.f.f.${"0.".repeat(20)}ip6.arpa`);
  assert.equal(reverseName("no address"), "");
});

test("takes underscores and stars for names, and no dots at the ends", () => {
  for (const name of ["_dmarc.example.org", "*._report._dmarc.example.org", "xn--bcher-kva.example", "org"])
    assert.ok(isDnsName(name), name);
  for (const name of ["example.org.", ".example.org", "a\\.b", "a\nb"]) assert.ok(!isDnsName(name), name);
});
