import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type DnsServer, startDnsServer } from "../../../test/support/dns-server.ts";
import { evaluateSpf, type SpfDns, type SpfEvaluation } from "./spf.ts";

describe("SPF with a real DNS server", () => {
  let server: DnsServer;
  let dns: SpfDns;

  before(async () => {
    server = await startDnsServer();
    dns = server.dns;
  });
  after(() => server.close());

  const evaluate = (domain: string, ip = "192.0.2.25"): Promise<SpfEvaluation> =>
    evaluateSpf(dns, { ip, sender: `news@${domain}`, helo: "mail.example.org" });

  const table: readonly [string, string, SpfEvaluation["result"], string | null][] = [
    ["v=spf1 ip4:192.0.2.0/24 -all", "192.0.2.25", "pass", "ip4:192.0.2.0/24"],
    ["v=spf1 ip4:192.0.2.0/25 -all", "192.0.2.200", "fail", "-all"],
    ["v=spf1 ip4:192.0.2.25 ~all", "::ffff:192.0.2.25", "pass", "ip4:192.0.2.25"],
    ["v=spf1 ip6:2001:db8::/32 ?all", "2001:db8:1::2", "pass", "ip6:2001:db8::/32"],
    ["v=spf1 ip6:2001:db8::/32 ?all", "2001:db9::2", "neutral", "?all"],
    ["v=spf1 include:_spf.provider.test ~all", "198.51.100.9", "pass", "include:_spf.provider.test"],
    ["v=spf1 include:_spf.provider.test ~all", "198.51.101.9", "softfail", "~all"],
    ["v=spf1 mx -all", "192.0.2.80", "pass", "mx"],
    ["v=spf1 a:hosts.provider.test/24 -all", "192.0.2.99", "pass", "a:hosts.provider.test/24"],
    ["v=spf1 ptr:provider.test -all", "192.0.2.80", "pass", "ptr:provider.test"],
    [
      "v=spf1 exists:%{ir}.allowed.provider.test -all",
      "192.0.2.25",
      "pass",
      "exists:%{ir}.allowed.provider.test",
    ],
    ["v=spf1 redirect=_spf.provider.test", "198.51.100.9", "pass", "ip4:198.51.100.0/24"],
    ["v=spf1 include:nothing.provider.test -all", "192.0.2.25", "permerror", null],
    ["v=spf1 ipv4:192.0.2.25 -all", "192.0.2.25", "permerror", null],
    ["v=spf1 include:loop.test -all", "192.0.2.25", "permerror", null],
    ["v=spf1 include:broken.provider.test -all", "192.0.2.25", "temperror", null],
    ["v=spf1 a:v1.absent.test a:v2.absent.test a:v3.absent.test -all", "192.0.2.25", "permerror", null],
    ["v=spf1", "192.0.2.25", "neutral", null],
  ];
  for (const [record, ip, result, term] of table)
    test(`${record} gives ${result} to ${ip}`, async () => {
      server.set("_spf.provider.test", "TXT", ["v=spf1 ip4:198.51.100.0/24 -all"]);
      server.set("hosts.provider.test", "A", ["192.0.2.1"]);
      server.set("mail.provider.test", "A", ["192.0.2.80"]);
      server.set("80.2.0.192.in-addr.arpa", "PTR", ["mail.provider.test"]);
      server.set("25.2.0.192.allowed.provider.test", "A", ["127.0.0.2"]);
      server.set("loop.test", "TXT", ["v=spf1 include:loop.test -all"]);
      server.misbehave("broken.provider.test", "servfail");
      server.set("shop.test", "MX", [{ exchange: "mail.provider.test", preference: 10 }]);
      server.set("shop.test", "TXT", ["google-site-verification=abc", record]);
      const found = await evaluate("shop.test", ip);
      assert.deepEqual({ result: found.result, term: found.term }, { result, term });
      if (result === "permerror" || result === "temperror") assert.notEqual(found.problem, null);
    });

  test("counts the look-ups of all records together", async () => {
    server.set("outer.test", "TXT", ["v=spf1 include:inner.test a mx -all"]);
    server.set("inner.test", "TXT", ["v=spf1 a:host.inner.test include:third.test ?all"]);
    server.set("third.test", "TXT", ["v=spf1 ip4:203.0.113.1 -all"]);
    server.set("host.inner.test", "A", ["203.0.113.7"]);
    const { lookups, voidLookups, result } = await evaluate("outer.test");
    assert.deepEqual({ lookups, voidLookups, result }, { lookups: 5, voidLookups: 2, result: "fail" });
  });

  test("takes two records for none that can be believed", async () => {
    server.set("double.test", "TXT", ["v=spf1 +all", "v=spf1 -all"]);
    const found = await evaluate("double.test");
    assert.equal(found.result, "permerror");
    assert.match(found.problem ?? "", /double\.test has 2 SPF records/);
  });

  test("survives 60 KB of terms, and bytes that are no text", async () => {
    server.set("huge.test", "TXT", [`v=spf1 ${"ip4:203.0.113.1 ".repeat(3_700)}-all`]);
    assert.equal((await evaluate("huge.test")).result, "fail");
    server.set("bytes.test", "TXT", [`v=spf1 a:\u00ff\u0000\u0080.test -all`]);
    assert.equal((await evaluate("bytes.test")).result, "permerror");
  });

  test("evaluates a record that isn't published yet", async () => {
    const found = await evaluateSpf(dns, {
      ip: "192.0.2.25",
      sender: "news@unpublished.test",
      helo: "mail.example.org",
      record: "v=spf1 ip4:192.0.2.25 -all",
    });
    assert.equal(found.result, "pass");
  });

  test("finds nothing for senders that have no domain", async () => {
    for (const sender of ["news@localhost", "news@", "a@b..test", `a@${"x".repeat(64)}.test`, "\ud800@b"])
      assert.equal((await evaluateSpf(dns, { ip: "192.0.2.25", sender, helo: "h" })).result, "none", sender);
    assert.equal(
      (await evaluateSpf(dns, { ip: "no address", sender: "a@b.test", helo: "h" })).result,
      "none",
    );
  });
});
