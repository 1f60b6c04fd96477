import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type DnsServer, startDnsServer } from "../../../test/support/dns-server.ts";
import { alignmentOf, discoverPolicy, reportConsent, walkedDomains, walkTree } from "./dmarc.ts";

test("walks from the domain to its last label, in eight steps at most", () => {
  assert.deepEqual(walkedDomains("a.Mail.example.com"), [
    "a.mail.example.com",
    "mail.example.com",
    "example.com",
    "com",
  ]);
  const many = walkedDomains("a.b.c.d.e.f.g.h.i.j.mail.example.com");
  assert.deepEqual(many.slice(0, 3), [
    "a.b.c.d.e.f.g.h.i.j.mail.example.com",
    "g.h.i.j.mail.example.com",
    "h.i.j.mail.example.com",
  ]);
  assert.equal(many.length, 8);
  assert.deepEqual(walkedDomains("example.com"), ["example.com", "com"]);
});

describe("DMARC with a real DNS server", () => {
  let server: DnsServer;
  before(async () => {
    server = await startDnsServer();
  });
  after(() => server.close());

  test("finds the policy of the domain itself", async () => {
    server.set("_dmarc.own.test", "TXT", ["something else", "v=DMARC1; p=quarantine; sp=reject"]);
    const found = await discoverPolicy(server.dns, "Own.test");
    assert.equal(found.kind, "found");
    assert.ok(found.kind === "found");
    assert.deepEqual([found.domain, found.policy, found.absentPolicy], ["own.test", "quarantine", "reject"]);
    assert.equal(found.organizationalDomain, "own.test");
  });

  test("finds the policy of the organization, and applies what it says of subdomains", async () => {
    server.set("_dmarc.org.test", "TXT", ["v=DMARC1; p=reject; sp=none; np=reject"]);
    const found = await discoverPolicy(server.dns, "news.mail.org.test");
    assert.ok(found.kind === "found");
    assert.deepEqual([found.domain, found.policy, found.absentPolicy], ["org.test", "none", "reject"]);
    assert.equal(found.organizationalDomain, "org.test");
  });

  test("leaves out a record that is neither the domain's nor the organization's", async () => {
    server.set("_dmarc.top.test", "TXT", ["v=DMARC1; p=none"]);
    server.set("_dmarc.mid.top.test", "TXT", ["v=DMARC1; p=reject"]);
    const found = await discoverPolicy(server.dns, "low.mid.top.test");
    assert.ok(found.kind === "found");
    assert.equal(found.domain, "top.test");
  });

  test("stops at psd=n, and one label below psd=y", async () => {
    server.set("_dmarc.unit.group.test", "TXT", ["v=DMARC1; p=none; psd=n"]);
    server.set("_dmarc.group.test", "TXT", ["v=DMARC1; p=reject"]);
    const own = await walkTree(server.dns, "a.unit.group.test");
    assert.ok(own.kind === "walked");
    assert.equal(own.organizationalDomain, "unit.group.test");
    server.set("_dmarc.suffix.test", "TXT", ["v=DMARC1; p=reject; psd=y"]);
    const below = await discoverPolicy(server.dns, "mail.shop.suffix.test");
    assert.ok(below.kind === "found");
    assert.deepEqual([below.organizationalDomain, below.domain], ["shop.suffix.test", "suffix.test"]);
    assert.deepEqual(
      below.steps.map(({ domain }) => domain),
      ["mail.shop.suffix.test", "shop.suffix.test", "suffix.test"],
    );
  });

  test("takes two records for none, and shows them", async () => {
    server.set("_dmarc.twice.test", "TXT", ["v=DMARC1; p=none", "v=DMARC1; p=reject"]);
    const found = await discoverPolicy(server.dns, "twice.test");
    assert.equal(found.kind, "none");
    assert.ok(found.kind === "none");
    assert.equal(found.steps[0]?.texts.length, 2);
  });

  test("says that it failed where a step of the walk did", async () => {
    server.misbehave("_dmarc.failing.test", "servfail");
    assert.equal((await discoverPolicy(server.dns, "news.failing.test")).kind, "failed");
    assert.equal(await alignmentOf(server.dns, "news.failing.test", "failing.test", "relaxed"), "unknown");
  });

  test("keeps a record that it found where a name above gives no answer, unless that could say otherwise", async () => {
    server.set("_dmarc.news.found.quiet", "TXT", ["v=DMARC1; p=quarantine"]);
    server.set("_dmarc.found.quiet", "TXT", ["v=DMARC1; p=reject; sp=none"]);
    server.misbehave("_dmarc.quiet", "servfail");
    const own = await discoverPolicy(server.dns, "news.found.quiet");
    assert.ok(own.kind === "found");
    assert.deepEqual(
      [own.domain, own.policy, own.organizationalDomain],
      ["news.found.quiet", "quarantine", "found.quiet"],
    );
    const above = await discoverPolicy(server.dns, "shop.found.quiet");
    assert.ok(above.kind === "found");
    assert.deepEqual([above.domain, above.policy], ["found.quiet", "none"]);
    assert.equal(await alignmentOf(server.dns, "shop.found.quiet", "news.found.quiet", "relaxed"), "aligned");
    assert.equal((await discoverPolicy(server.dns, "nothing.quiet")).kind, "failed");
    server.misbehave("_dmarc.found.quiet", "servfail");
    const still = await discoverPolicy(server.dns, "news.found.quiet");
    assert.ok(still.kind === "found" && still.policy === "quarantine");
    // The organization's record would come before this one, and nobody knows whether there is one.
    assert.equal((await discoverPolicy(server.dns, "low.news.found.quiet")).kind, "failed");
  });

  test("aligns domains of one organization, and strictly only the same one", async () => {
    server.set("_dmarc.firm.test", "TXT", ["v=DMARC1; p=none"]);
    assert.equal(await alignmentOf(server.dns, "news.firm.test", "bounces.firm.test", "relaxed"), "aligned");
    assert.equal(
      await alignmentOf(server.dns, "news.firm.test", "bounces.firm.test", "strict"),
      "not_aligned",
    );
    assert.equal(await alignmentOf(server.dns, "Firm.test", "firm.test", "strict"), "aligned");
    assert.equal(await alignmentOf(server.dns, "firm.test", "other.test", "relaxed"), "not_aligned");
  });

  test("asks for consent where reports go to another organization", async () => {
    server.set("_dmarc.client.test", "TXT", ["v=DMARC1; p=none"]);
    assert.equal(await reportConsent(server.dns, "client.test", "reports.client.test"), "given");
    assert.equal(await reportConsent(server.dns, "client.test", "in.provider.test"), "missing");
    server.set("*._report._dmarc.in.provider.test", "TXT", ["v=DMARC1"]);
    assert.equal(await reportConsent(server.dns, "client.test", "in.provider.test"), "given");
    server.misbehave("client.test._report._dmarc.in.provider.test", "servfail");
    assert.equal(await reportConsent(server.dns, "client.test", "in.provider.test"), "unknown");
  });

  test("survives names of 253 octets, texts of 60 KB and bytes that are no text", async () => {
    const long = `${"a".repeat(63)}.${"b".repeat(63)}.${"c".repeat(63)}.${"d".repeat(56)}.test`;
    assert.equal(long.length, 253);
    server.set(`_dmarc.${"d".repeat(56)}.test`, "TXT", ["v=DMARC1; p=reject"]);
    const found = await discoverPolicy(server.dns, long);
    assert.ok(found.kind === "found");
    assert.equal(found.policy, "reject");
    server.set("_dmarc.large.test", "TXT", [`v=DMARC1; p=none; ${"x=\u00ff\u0000;".repeat(12_000)}`]);
    assert.equal((await discoverPolicy(server.dns, "large.test")).kind, "found");
  });
});
