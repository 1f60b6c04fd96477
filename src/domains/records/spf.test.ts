import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { type Bench, FACTS, startBench } from "./support.fixture.ts";

const SES = { name: "SES", host: "email-smtp.eu-west-1.amazonaws.com", addresses: [] };
const [RELAY] = FACTS.senders;

describe("the SPF record of a domain", () => {
  let bench: Bench;
  before(async () => {
    bench = await startBench();
    bench.server.set("amazonses.com", "TXT", ["v=spf1 ip4:199.255.192.0/22 -all"]);
    bench.server.set("_spf.other.example", "TXT", ["v=spf1 include:amazonses.com ip4:5.9.1.25 ~all"]);
  });
  beforeEach(() => bench.publish());
  after(() => bench.server.close());

  const publish = (...records: string[]) => bench.server.set("shop.example", "TXT", records);

  const senders = RELAY ? [RELAY, SES] : [];
  const cases: readonly [string, readonly string[], string, string, number][] = [
    ["none", ["other text"], "missing", "v=spf1 ip4:5.9.1.25 include:amazonses.com ~all", 1],
    [
      "one that allows all",
      ["v=spf1 ip4:5.9.1.0/24 include:amazonses.com -all"],
      "ok",
      "v=spf1 ip4:5.9.1.0/24 include:amazonses.com -all",
      1,
    ],
    [
      "one that allows all by another's",
      ["v=spf1 include:_spf.other.example -all"],
      "ok",
      "v=spf1 include:_spf.other.example -all",
      2,
    ],
    [
      "one without the service",
      ["v=spf1 ip4:5.9.1.25 mx -all"],
      "wrong",
      "v=spf1 ip4:5.9.1.25 mx include:amazonses.com -all",
      2,
    ],
    [
      "one without the address",
      ["v=spf1 include:amazonses.com ?all"],
      "wrong",
      "v=spf1 include:amazonses.com ip4:5.9.1.25 ?all",
      1,
    ],
    [
      "one with a fault",
      ["v=spf1 ipv4:5.9.1.25 a -all"],
      "wrong",
      "v=spf1 a ip4:5.9.1.25 include:amazonses.com -all",
      2,
    ],
    [
      "two",
      ["v=spf1 mx -all", "v=spf1 include:_spf.other.example ~all"],
      "duplicate",
      "v=spf1 mx include:_spf.other.example ~all",
      3,
    ],
    [
      "one that redirects",
      ["v=spf1 redirect=_spf.other.example"],
      "ok",
      "v=spf1 redirect=_spf.other.example",
      2,
    ],
  ];
  for (const [what, records, status, expected, lookups] of cases)
    test(`${what}: ${status}`, async () => {
      publish(...records);
      const found = await bench.record("spf", { senders });
      assert.deepEqual([found.status, found.expected, found.details?.lookups], [status, expected, lookups]);
      assert.equal(found.advice === "", status === "ok");
      publish(expected);
      assert.equal((await bench.record("spf", { senders })).status, "ok");
    });

  test("is evaluated for each known address, and tells the results", async () => {
    publish("v=spf1 ip4:5.9.1.25 -all");
    const relay = {
      name: "Relay",
      host: "relay.provider.example",
      addresses: ["5.9.1.25", "5.9.1.26", "127.0.0.1"],
    };
    const found = await bench.record("spf", { senders: [relay] });
    assert.deepEqual(found.details?.addresses, [
      { address: "5.9.1.25", result: "pass" },
      { address: "5.9.1.26", result: "fail" },
    ]);
    assert.equal(found.expected, "v=spf1 ip4:5.9.1.25 ip4:5.9.1.26 -all");
  });

  test("is warned about near ten look-ups, and wrong above them", async () => {
    const includes = (many: number) =>
      Array.from({ length: many }, (_, at) => {
        bench.server.set(`i${at}.include.example`, "TXT", ["v=spf1 ip4:203.0.113.1 -all"]);
        return `include:i${at}.include.example`;
      }).join(" ");
    publish(`v=spf1 ip4:5.9.1.25 ${includes(8)} -all`);
    const near = await bench.record("spf");
    assert.deepEqual([near.status, near.details?.lookups], ["ok", 8]);
    assert.match(near.advice, /8 of the 10 look-ups/);
    publish(`v=spf1 ip4:5.9.1.25 ${includes(11)} -all`);
    const above = await bench.record("spf");
    assert.deepEqual([above.status, above.details?.lookups], ["wrong", 11]);
    assert.match(above.advice, /receivers stop at 10/);
  });

  test("is unknown where an include gives no answer, or no address is known", async () => {
    publish("v=spf1 include:silent.example -all");
    bench.server.misbehave("silent.example", "servfail");
    assert.equal((await bench.record("spf")).status, "unknown");
    publish("v=spf1 mx -all");
    const relay = { name: "Relay", host: "relay.provider.example", addresses: [] };
    const unseen = await bench.record("spf", { senders: [relay] });
    assert.equal(unseen.status, "unknown");
    assert.match(unseen.advice, /mail by Relay comes is not known yet/);
    publish();
    const nothing = await bench.record("spf", { senders: [] });
    assert.deepEqual([nothing.status, nothing.expected], ["unknown", null]);
  });

  const broken: readonly [string, readonly string[], RegExp][] = [
    ["no record", [], /broken\.example has no SPF record/],
    ["two records", ["v=spf1 -all", "v=spf1 mx -all"], /broken\.example has 2 SPF records/],
    ["a term that can't be read", ["v=spf1 ipv4:1.2.3.4 -all"], /broken\.example has a term/],
  ];
  for (const [what, texts, advice] of broken)
    test(`is wrong where it includes ${what}, whatever else it allows`, async () => {
      bench.server.set("broken.example", "TXT", texts);
      publish("v=spf1 ip4:5.9.1.25 include:broken.example include:amazonses.com -all");
      const found = await bench.record("spf", { senders });
      assert.equal(found.status, "wrong");
      assert.match(found.advice, advice);
      assert.equal(found.expected, "v=spf1 ip4:5.9.1.25 include:amazonses.com -all");
      bench.server.set("_spf.deep.example", "TXT", ["v=spf1 include:broken.example -all"]);
      publish("v=spf1 ip4:5.9.1.25 include:_spf.deep.example include:amazonses.com -all");
      const deep = await bench.record("spf", { senders });
      assert.equal(deep.status, "wrong");
      assert.match(deep.advice, /have broken\.example mended/);
    });

  test("is wrong where receivers stop at look-ups that find nothing, also with the service included", async () => {
    publish("v=spf1 a:no1.example a:no2.example a:no3.example include:amazonses.com -all");
    const found = await bench.record("spf", { senders: [{ ...SES, addresses: ["199.255.192.9"] }] });
    assert.equal(found.status, "wrong");
    assert.match(found.advice, /look-ups found nothing/);
  });

  const services: readonly [host: string, proposed: string, taken: string][] = [
    ["smtp.mailersend.net", "_spf.mailersend.net", "_spf.mailersend.net"],
    ["smtp.eu.mailgun.org", "eu.mailgun.org", "mailgun.org"],
    ["smtp.mailgun.org", "mailgun.org", "mailgun.org"],
    ["smtp.ionos.com", "_spf-us.ionos.com", "_spf-eu.ionos.com"],
    ["smtp.ionos.de", "_spf-eu.ionos.com", "_spf-eu.ionos.com"],
  ];
  for (const [host, proposed, taken] of services)
    test(`asks customers of ${host} for ${proposed}, and takes ${taken}`, async () => {
      const service = [{ name: "Service", host, addresses: [] }];
      publish();
      assert.equal(
        (await bench.record("spf", { senders: service })).expected,
        `v=spf1 include:${proposed} ~all`,
      );
      bench.server.set(taken, "TXT", ["v=spf1 ip4:198.51.100.0/24 ~all"]);
      publish(`v=spf1 include:${taken} ~all`);
      assert.equal((await bench.record("spf", { senders: service })).status, "ok");
    });

  test("is counted to an end where records include each other", async () => {
    bench.server.set("one.loop.example", "TXT", ["v=spf1 include:two.loop.example -all"]);
    bench.server.set("two.loop.example", "TXT", ["v=spf1 include:one.loop.example -all"]);
    publish("v=spf1 include:one.loop.example ip4:5.9.1.25 -all");
    const found = await bench.record("spf");
    assert.equal(found.status, "wrong");
    assert.ok((found.details?.lookups ?? 0) > 10);
  });

  test("is required where mail comes back to the domain itself", async () => {
    assert.equal((await bench.record("spf")).required, false);
    assert.equal((await bench.record("spf", { inboundDomain: undefined, returnPath: null })).required, true);
  });

  test("is warned about where it allows everybody", async () => {
    publish("v=spf1 +all");
    assert.match((await bench.record("spf")).advice, /everybody in the world/);
  });
});
