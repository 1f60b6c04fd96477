import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { createDns } from "../../platform/dns.ts";
import { inspectRecords, keepProposals, zoneLines } from "./records.ts";
import { type Bench, FACTS, fetchOurs, KEY, startBench } from "./support.fixture.ts";
import type { DomainRecord } from "./types.ts";

const brief = ({ kind, status, name }: DomainRecord) => `${kind} ${status} ${name}`;

describe("the records of a domain", () => {
  let bench: Bench;
  before(async () => {
    bench = await startBench();
  });
  beforeEach(() => bench.publish());
  after(() => bench.server.close());

  test("are all in order where all is published", async () => {
    const { records, keysSeen } = await bench.inspect();
    assert.deepEqual(records.map(brief), [
      "dkim ok pr1._domainkey.shop.example",
      "dkim ok pr2._domainkey.shop.example",
      "return_path ok bounces.shop.example",
      "spf ok shop.example",
      "dmarc ok _dmarc.shop.example",
      "tracking ok links.shop.example",
    ]);
    assert.ok(records.every(({ advice, provider_hint }) => advice === "" && provider_hint === null));
    assert.deepEqual(
      [...keysSeen],
      [
        ["pr1", "present"],
        ["pr2", "present"],
      ],
    );
    assert.deepEqual(
      records.map(({ host_label }) => host_label),
      ["pr1._domainkey", "pr2._domainkey", "bounces", "@", "_dmarc", "links"],
    );
  });

  for (const fault of ["servfail", "refused"] as const)
    test(`are unknown where every server says ${fault}, and still say what is expected`, async () => {
      for (const name of ["pr1._domainkey", "pr2._domainkey", "bounces", "_dmarc", "links"])
        bench.server.misbehave(`${name}.shop.example`, fault);
      bench.server.misbehave("shop.example", fault);
      const { records, keysSeen, dnsHost } = await bench.inspect();
      assert.deepEqual(
        records.map(({ status }) => status),
        records.map(() => "unknown"),
      );
      assert.deepEqual([...keysSeen.values()], ["unknown", "unknown"]);
      assert.equal(dnsHost, null);
      assert.ok(records.every(({ advice }) => advice !== ""));
      const proposed = records.filter(({ expected }) => expected !== null).map(({ kind }) => kind);
      assert.deepEqual(
        proposed,
        ["dkim", "dkim", "return_path", "tracking"],
        "nothing that may replace another",
      );
      assert.equal(records.length, 6);
    });

  test("are missing where nothing is published, each with advice", async () => {
    for (const name of ["pr1._domainkey", "pr2._domainkey", "bounces", "_dmarc", "links"])
      bench.server.remove(`${name}.shop.example`);
    bench.server.remove("shop.example", "TXT");
    const { records } = await bench.inspect();
    assert.deepEqual(
      records.map(({ status }) => status),
      records.map(() => "missing"),
    );
    assert.ok(records.every(({ advice }) => advice.length > 0));
    assert.deepEqual(
      records.filter(({ required }) => required).map(({ kind }) => kind),
      ["dkim", "dkim", "dmarc"],
    );
  });

  test("name the DNS host, and say what is special about its panel where something is to be done", async () => {
    bench.server.set("shop.example", "NS", ["ada.ns.cloudflare.com", "bob.ns.cloudflare.com"]);
    bench.server.remove("_dmarc.shop.example");
    const { dnsHost, records } = await bench.inspect();
    assert.equal(dnsHost?.name, "Cloudflare");
    const hints = records.map(({ kind, provider_hint }) => [kind, provider_hint !== null]);
    assert.deepEqual(
      hints.filter(([, has]) => has),
      [["dmarc", true]],
    );
  });

  test("of a subdomain are typed relative to the zone that it stands in", async () => {
    bench.server.set("shop.example", "NS", ["ns-1.awsdns-20.co.uk"]);
    const { records, dnsHost } = await bench.inspect({
      name: "news.shop.example",
      returnPath: "bounces.news.shop.example",
      trackingHost: null,
    });
    assert.equal(dnsHost?.name, "Amazon Route 53");
    assert.deepEqual(
      records.map(({ kind, host_label }) => `${kind} ${host_label}`),
      [
        "dkim pr1._domainkey.news",
        "dkim pr2._domainkey.news",
        "return_path bounces.news",
        "spf news",
        "dmarc _dmarc",
      ],
    );
  });

  test("of names at the edge of the DNS are inspected as any others", async () => {
    const long = `${"a".repeat(63)}.${"b".repeat(63)}.${"c".repeat(63)}.${"d".repeat(61)}`;
    assert.equal(long.length, 253);
    for (const name of [long, "xn--bcher-kva.example"]) {
      const { records, keysSeen } = await bench.inspect({ name, returnPath: null, trackingHost: null });
      assert.deepEqual(
        records.map(({ status }) => status),
        ["missing", "missing", "missing", "missing"],
        name,
      );
      assert.equal(keysSeen.get("pr1"), "absent");
    }
  });

  test("show any bytes that others have put into them, and no more than 4,096 characters", async () => {
    bench.server.set("pr1._domainkey.shop.example", "TXT", ["\u0000\u001b[2J\u00ff\u202e"]);
    const [small] = (await bench.record("dkim")).found;
    assert.equal(small, "\\000\\027[2J\\255.");
    bench.server.set("pr1._domainkey.shop.example", "TXT", ["\u0007".repeat(60_000)]);
    const [large = ""] = (await bench.record("dkim")).found;
    assert.equal(large.length, 4_097);
    bench.server.set("shop.example", "TXT", [`v=spf1 ${"\u0000".repeat(59_000)} -all`]);
    bench.server.set("_dmarc.shop.example", "TXT", [`v=DMARC1; ${"\n\u00ff;".repeat(19_000)}`]);
    const { records } = await bench.inspect();
    assert.equal(records.find(({ kind }) => kind === "spf")?.status, "wrong");
    assert.equal(records.find(({ kind }) => kind === "dmarc")?.status, "wrong");
  });

  test("are inspected without asking anything twice", async () => {
    const before = bench.server.queries.length;
    const addresses = ["5.9.1.25", "5.9.1.26", "5.9.1.27"];
    await bench.inspect({ senders: [{ name: "Relay", host: "relay.provider.example", addresses }] });
    const asked = bench.server.queries.slice(before).map(({ name, type }) => `${type} ${name}`);
    assert.deepEqual(asked.toSorted(), [...new Set(asked)].toSorted());
  });

  test("ask a bounded number of questions, of which those for the keys are none", async () => {
    bench.server.set("shop.example", "TXT", ["v=spf1 exists:%{i}.lists.example -all"]);
    const addresses = Array.from({ length: 500 }, (_, n) => `5.9.${n >> 8}.${n & 255}`);
    const before = bench.server.queries.length;
    const { records, keysSeen } = await bench.inspect({
      senders: [{ name: "Relay", host: null, addresses }],
    });
    const asked = new Set(bench.server.queries.slice(before).map(({ name, type }) => `${type} ${name}`)).size;
    assert.ok(asked > 200 && asked <= 310, `${asked}`);
    assert.deepEqual([...keysSeen.values()], ["present", "present"]);
    assert.equal(records.length, 6);
  });

  for (const fault of ["wrong_id", "wrong_question", "garbage", "silence"] as const)
    test(`are unknown where a server lies: ${fault}`, async () => {
      for (const name of ["pr1._domainkey", "pr2._domainkey", "bounces", "_dmarc", "links"])
        bench.server.misbehave(`${name}.shop.example`, fault);
      bench.server.misbehave("shop.example", fault);
      const dns = createDns({ servers: [bench.server.address], timeoutMs: 150, tries: 1 });
      const { records, keysSeen } = await inspectRecords({ dns, fetchTracking: fetchOurs }, FACTS);
      assert.deepEqual([...new Set(records.map(({ status }) => status))], ["unknown"]);
      assert.deepEqual([...keysSeen.values()], ["unknown", "unknown"]);
    });

  test("are written as a zone file, which keeps what is already there of SPF and DMARC", async () => {
    bench.server.set("shop.example", "TXT", ["v=spf1 mx -all"]);
    bench.server.set("_dmarc.shop.example", "TXT", ['v=DMARC1; p=quarantine; \n; note="x"']);
    const { records } = await bench.inspect();
    const lines = zoneLines(FACTS, records).split("\n");
    const strings = `"${KEY.slice(0, 255)}" "${KEY.slice(255)}"`;
    assert.ok(lines.includes(`pr1._domainkey.shop.example. 3600 IN TXT ${strings}`));
    assert.ok(lines.includes("bounces.shop.example. 3600 IN CNAME in.provider.example."));
    assert.ok(lines.includes("links.shop.example. 3600 IN CNAME mail.provider.example."));
    assert.ok(lines.includes('shop.example. 3600 IN TXT "v=spf1 mx ip4:5.9.1.25 -all"'));
    assert.ok(
      lines.includes(
        '_dmarc.shop.example. 3600 IN TXT "v=DMARC1; p=quarantine; \\010; note=\\"x\\"; rua=mailto:dmarc-abc@in.provider.example"',
      ),
    );
  });

  test("are written without a CNAME to what no CNAME can lead to, and say what is needed instead", async () => {
    for (const publicHost of ["127.0.0.1", "[::1]", "localhost"]) {
      const { records } = await bench.inspect({ publicHost });
      const zone = zoneLines({ ...FACTS, publicHost }, records);
      assert.doesNotMatch(zone, /^links/m);
      assert.match(zone, /^; links\.shop\.example has no record yet\. PUBLIC_URL /m);
    }
    const { records } = await bench.inspect({ inboundDomain: undefined });
    assert.match(zoneLines({ ...FACTS, inboundDomain: undefined }, records), /^; bounces.*INBOUND_DOMAIN/m);
  });

  test("are written with an MX and a TXT for a return path that has them in place of a CNAME", async () => {
    const mx = "bounces.shop.example. 3600 IN MX 10 in.provider.example.";
    const txt = 'bounces.shop.example. 3600 IN TXT "v=spf1 ip4:5.9.1.25 ~all"';
    const { records: byCname } = await bench.inspect();
    const offered = zoneLines(FACTS, byCname).split("\n");
    assert.ok(offered.includes(`; ${mx}`) && offered.includes(`; ${txt}`));
    bench.server.remove("bounces.shop.example");
    bench.server.set("bounces.shop.example", "MX", [{ exchange: "in.provider.example", preference: 10 }]);
    const { records: byMx } = await bench.inspect();
    const lines = zoneLines(FACTS, byMx).split("\n");
    assert.ok(lines.includes(mx) && lines.includes(txt));
    assert.ok(!lines.some((line) => line.startsWith("bounces") && line.includes("CNAME")));
    bench.server.misbehave("bounces.shop.example", "servfail");
    const { records: unanswered } = await bench.inspect();
    const kept = keepProposals(unanswered, byMx).find(({ kind }) => kind === "return_path");
    assert.deepEqual([kept?.status, kept?.type, kept?.expected], ["unknown", "MX", "10 in.provider.example"]);
  });

  test("are described without any server", async () => {
    const nobody = async () => ({ kind: "failed", detail: "nobody was asked" }) as const;
    const dns = { txt: nobody, mx: nobody, cname: nobody, a: nobody, aaaa: nobody, ns: nobody, ptr: nobody };
    const { records } = await inspectRecords({ dns, fetchTracking: fetchOurs }, FACTS);
    assert.equal(records.length, 6);
    assert.ok(records.every(({ status }) => status === "unknown"));
    assert.doesNotMatch(
      zoneLines(FACTS, records),
      /^[^;].*(?:spf1|DMARC1)/m,
      "it would replace what is there",
    );
    const { records: known } = await bench.inspect();
    const kept = keepProposals(records, known);
    const ofSpf = (some: typeof known) => some.find(({ kind }) => kind === "spf");
    assert.equal(ofSpf(kept as typeof known)?.expected, ofSpf(known)?.expected);
    assert.equal(ofSpf(kept as typeof known)?.status, "unknown");
  });
});
