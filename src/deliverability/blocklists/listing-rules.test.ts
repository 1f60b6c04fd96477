import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { DnsAnswer } from "../../platform/dns.ts";
import { configureBlocklists } from "./configured-lists.ts";
import { isAskedFor, judgeProof, nameToAsk, plainAddress, readListing, testPoints } from "./listing-rules.ts";

const ownResolver = ["10.0.0.53"];
const listsOf = (...named: string[]) => configureBlocklists({ named, dnsServers: ownResolver }).lists;
const [ofAddresses, ofDomains, dbl, zen] = listsOf(
  "bl.example.org",
  "domain:dbl.example.org",
  "dbl.spamhaus.org",
  "ZEN.spamhaus.org",
);
assert.ok(ofAddresses && ofDomains && dbl && zen);

const found = (...values: string[]) => ({ kind: "found", values }) as const;
const none = { kind: "none", nameExists: false } as const;
const failed: DnsAnswer<string> = { kind: "failed", detail: "no answer in time" };

describe("what a list is asked for", () => {
  it("is the address backwards, by octets or by nibbles, or the domain", () => {
    assert.equal(nameToAsk("192.0.2.99", ofAddresses), "99.2.0.192.bl.example.org");
    assert.equal(
      nameToAsk("2001:db8:1:2:3:4:567:89ab", ofAddresses),
      "b.a.9.8.7.6.5.0.4.0.0.0.3.0.0.0.2.0.0.0.1.0.0.0.8.b.d.0.1.0.0.2.bl.example.org",
    );
    assert.equal(nameToAsk("shop.example", ofDomains), "shop.example.dbl.example.org");
  });

  it("is nothing where the name would be too long", () => {
    const long = `${"a".repeat(60)}.`.repeat(4).slice(0, -1);
    assert.equal(nameToAsk(long, ofDomains), undefined);
  });

  it("is what it lists: no domain of a list of addresses, and no IPv6 address of one that knows none", () => {
    const [spamcop] = listsOf("bl.spamcop.net");
    assert.ok(spamcop);
    const asked = ["192.0.2.1", "2001:db8::1", "shop.example"].map((subject) =>
      [spamcop, ofAddresses, ofDomains].map((list) => isAskedFor(subject, list)),
    );
    assert.deepEqual(asked, [
      [true, true, false],
      [false, true, false],
      [false, false, true],
    ]);
  });

  it("is the IPv4 address where a socket shows it within IPv6", () => {
    assert.equal(plainAddress("::FFFF:192.0.2.1"), "192.0.2.1");
    assert.equal(plainAddress("2001:DB8::1"), "2001:db8::1");
  });
});

describe("what a list answers", () => {
  for (const [what, list, answer, status] of [
    ["nothing", ofAddresses, none, "clear"],
    ["an address in 127/8", ofAddresses, found("127.0.0.2"), "listed"],
    ["several", ofAddresses, found("127.0.0.10", "127.0.0.4"), "listed"],
    ["an address outside 127/8", ofAddresses, found("203.0.113.7"), "unknown"],
    ["one of them outside", ofAddresses, found("127.0.0.2", "10.0.0.1"), "unknown"],
    ["an error of Spamhaus's", zen, found("127.255.255.254"), "unknown"],
    ["another error of it", zen, found("127.255.255.252"), "unknown"],
    ["a refusal", ofAddresses, found("127.0.0.1"), "unknown"],
    ["a refusal of that list's own", dbl, found("127.0.1.255"), "unknown"],
    ["the same of another list", ofAddresses, found("127.0.1.255"), "listed"],
    ["what only begins like it", ofAddresses, found("12.7.0.2"), "unknown"],
  ] as const)
    it(`${what} is ${status}`, () => assert.equal(readListing(answer, list).status, status));

  it("is told with its meaning", () => {
    const { detail } = readListing(found("127.0.0.10"), zen);
    assert.match(detail ?? "", /127\.0\.0\.10 \(PBL/);
  });
});

describe("a list", () => {
  for (const [what, listed, clear, kind] of [
    ["whose test entries are right is proved", found("127.0.0.2"), none, "proved"],
    ["that lists everything is not", found("127.0.0.2"), found("127.0.0.2"), "disproved"],
    ["that lists nothing is not", none, none, "disproved"],
    ["whose zone was sold is not", found("203.0.113.7"), found("203.0.113.7"), "disproved"],
    ["that refuses us is not", found("127.255.255.254"), found("127.255.255.254"), "disproved"],
    ["that doesn't answer may be or not", failed, none, "failed"],
    ["that answers half of it may be or not", found("127.0.0.2"), failed, "failed"],
  ] as const)
    it(what, () => assert.equal(judgeProof(ofAddresses, listed, clear).kind, kind));

  it("is proved for IPv4, IPv6 and domains apart", () => {
    assert.deepEqual(
      testPoints(ofAddresses).map(({ listed }) => nameToAsk(listed, ofAddresses)),
      [
        "2.0.0.127.bl.example.org",
        "2.0.0.0.0.0.f.7.f.f.f.f.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.bl.example.org",
      ],
    );
    assert.deepEqual(testPoints(ofDomains), [{ kind: "domain", listed: "test", clear: "invalid" }]);
    assert.deepEqual(
      testPoints(dbl).map(({ listed }) => listed),
      ["dbltest.com"],
    );
  });
});

describe("the lists of an instance", () => {
  it("are those that anybody may ask, unless it names others", () => {
    const { lists, whyOff } = configureBlocklists({ named: undefined, dnsServers: ownResolver });
    assert.deepEqual(
      lists.map(({ zone }) => zone),
      ["bl.spamcop.net", "psbl.surriel.com"],
    );
    assert.equal(whyOff, null);
    assert.deepEqual(listsOf("a.example", "a.example").length, 1);
  });

  it("are off where it says so, or where its resolver is open to everybody", () => {
    assert.equal(configureBlocklists({ named: [], dnsServers: ownResolver }).whyOff, "BLOCKLISTS=off");
    for (const server of ["8.8.8.8", "1.1.1.1:53", "[2620:fe::fe]:53", "208.67.222.222", "9.9.9.9"]) {
      const { whyOff } = configureBlocklists({ named: undefined, dnsServers: ["10.0.0.53", server] });
      assert.match(whyOff ?? "", /open to everybody/, server);
    }
  });

  it("never show the key of a customer of Spamhaus", () => {
    const [list] = listsOf("abcdefghij0123456789abcdef.zen.dq.spamhaus.net");
    assert.ok(list);
    assert.equal(list.zone, "zen.dq.spamhaus.net");
    assert.equal(list.name, "Spamhaus ZEN");
    assert.equal(nameToAsk("192.0.2.1", list), "1.2.0.192.abcdefghij0123456789abcdef.zen.dq.spamhaus.net");
  });
});
