import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { namesAbove, readDomainName, readHosts } from "./names.ts";

const label = "a".repeat(63);
/** Has 229 octets, so that its key's name has 253. */
const LONGEST = `${label}.${label}.${label}.${"b".repeat(33)}.com`;

describe("the name of a domain", () => {
  const good: [given: string, name: string][] = [
    ["example.com", "example.com"],
    [" Example.COM. ", "example.com"],
    ["news.example.co.uk", "news.example.co.uk"],
    ["bücher.example", "xn--bcher-kva.example"],
    ["BÜCHER.Example", "xn--bcher-kva.example"],
    ["xn--bcher-kva.example", "xn--bcher-kva.example"],
    ["例え.jp", "xn--r8jz45g.jp"],
    ["shop.github.io", "shop.github.io"],
    ["amazonaws.com", "amazonaws.com"],
    ["mail.internal", "mail.internal"],
    [LONGEST, LONGEST],
  ];
  for (const [given, name] of good)
    it(`is taken: ${given.slice(0, 30)}`, () => assert.deepEqual(readDomainName(given), { name }));

  const bad: [given: string, code: string][] = [
    ["", "invalid_domain"],
    ["com", "public_suffix_or_invalid"],
    ["localhost", "invalid_domain"],
    ["co.uk", "public_suffix"],
    ["CO.UK.", "public_suffix"],
    ["公司.cn", "public_suffix"],
    ["github.io", "public_suffix"],
    ["UK.com", "public_suffix"],
    ["s3.amazonaws.com", "public_suffix"],
    ["127.0.0.1", "invalid_domain"],
    ["[::1]", "invalid_domain"],
    ["*.example.com", "invalid_domain"],
    ["_dmarc.example.com", "invalid_domain"],
    ["-a.example.com", "invalid_domain"],
    ["a..example.com", "invalid_domain"],
    ["example.com..", "invalid_domain"],
    ["https://example.com", "invalid_domain"],
    ["ada@example.com", "invalid_domain"],
    ["example.com/path", "invalid_domain"],
    ["example.com:25", "invalid_domain"],
    ["exa mple.com", "invalid_domain"],
    ["example.com\nbcc.example", "invalid_domain"],
    ["xn--a.example", "invalid_domain"],
    [`${"a".repeat(64)}.example`, "invalid_domain"],
    [`b${LONGEST}`, "invalid_domain"],
    [`${label}.${label}.${label}.${"b".repeat(57)}.com`, "invalid_domain"],
    ["a".repeat(1_000), "invalid_domain"],
    ["\ud800.example", "invalid_domain"],
  ];
  for (const [given, code] of bad)
    it(`is refused: ${JSON.stringify(given.slice(0, 30))}`, () => {
      const read = readDomainName(given);
      assert.ok("fault" in read, JSON.stringify(read));
      if (code === "public_suffix_or_invalid")
        assert.match(read.fault.code, /^(public_suffix|invalid_domain)$/);
      else assert.equal(read.fault.code, code);
    });
});

describe("the hosts of a domain", () => {
  const before = { return_path: "bounce.example.com", tracking_host: null };
  const read = (given: { return_path?: string | null; tracking_host?: string | null }) =>
    readHosts("example.com", before, given);

  it("stay where they are left out, and go by null", () => {
    assert.deepEqual(read({}), { hosts: before, faults: [] });
    assert.deepEqual(read({ return_path: null }).hosts, { return_path: null, tracking_host: null });
    assert.equal(read({ tracking_host: "Links.Example.com" }).hosts.tracking_host, "links.example.com");
  });

  for (const host of [
    "example.com",
    "links.example.org",
    "notexample.com",
    "*.example.com",
    "a_b.example.com",
    "com",
  ])
    it(`are below the domain and have no wildcard or underscore: not ${host}`, () => {
      const { faults } = read({ tracking_host: host });
      assert.deepEqual(
        faults.map(({ pointer, code }) => ({ pointer, code })),
        [{ pointer: "/tracking_host", code: "invalid_domain" }],
      );
    });

  it("differ, also from the one that stays", () => {
    assert.equal(read({ tracking_host: "bounce.example.com" }).faults[0]?.pointer, "/tracking_host");
    const both = { return_path: "a.example.com", tracking_host: "a.example.com" };
    assert.equal(read(both).faults.length, 1);
  });

  it("are all told of", () => {
    assert.equal(read({ return_path: "x", tracking_host: "y" }).faults.length, 2);
  });
});

describe("the names above", () => {
  it("are the name itself and those above it that have a dot", () => {
    assert.deepEqual(namesAbove("a.b.example.com"), ["a.b.example.com", "b.example.com", "example.com"]);
    assert.deepEqual(namesAbove("localhost"), []);
  });
});
