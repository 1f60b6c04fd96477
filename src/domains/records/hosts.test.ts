import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { after, before, beforeEach, describe, test } from "node:test";
import { testCertificate, testKey } from "../../../test/support/smtp/certificate.ts";
import { createDns } from "../../platform/dns.ts";
import { createGuardedClient } from "../../platform/net/guarded-client.ts";
import { createFetchTracking, inspectRecords } from "./records.ts";
import { type Bench, FACTS, fetchOurs, startBench } from "./support.fixture.ts";
import type { TrackingFetch } from "./types.ts";

describe("the hosts below a domain", () => {
  let bench: Bench;
  before(async () => {
    bench = await startBench();
  });
  beforeEach(() => bench.publish());
  after(() => bench.server.close());

  const PATH = "bounces.shop.example";
  const LINKS = "links.shop.example";

  test("a return path may lead on over other aliases", async () => {
    bench.server.set(PATH, "CNAME", ["bounces.agency.example"]);
    bench.server.set("bounces.agency.example", "CNAME", ["in.provider.example"]);
    const found = await bench.record("return_path");
    assert.deepEqual([found.status, found.details?.by], ["ok", "cname"]);
  });

  test("a return path may have an MX and an SPF record in place of a CNAME", async () => {
    bench.server.remove(PATH);
    bench.server.set(PATH, "MX", [{ exchange: "mx.provider.example", preference: 5 }]);
    const half = await bench.record("return_path");
    assert.deepEqual([half.status, half.type, half.expected], ["wrong", "MX", "10 in.provider.example"]);
    assert.match(half.advice, /there is no SPF record\. .*v=spf1 ip4:5\.9\.1\.25 ~all/);
    bench.server.set(PATH, "TXT", ["v=spf1 include:in.provider.example ~all"]);
    const whole = await bench.record("return_path");
    assert.deepEqual([whole.status, whole.details?.by], ["ok", "mx"]);
    assert.deepEqual(whole.details?.addresses, [{ address: "5.9.1.25", result: "pass" }]);
    bench.server.set(PATH, "MX", [{ exchange: "mx.other.example", preference: 5 }]);
    assert.equal((await bench.record("return_path")).status, "wrong");
  });

  test("a return path shows the records that take the place of its CNAME", async () => {
    const { type, details } = await bench.record("return_path");
    assert.equal(type, "CNAME");
    assert.deepEqual(details?.alternatives, [
      { type: "MX", name: PATH, expected: "10 in.provider.example" },
      { type: "TXT", name: PATH, expected: "v=spf1 ip4:5.9.1.25 ~all" },
    ]);
    const nothing = await bench.record("return_path", { senders: [] });
    assert.equal(nothing.details?.alternatives?.[1]?.expected, "v=spf1 include:in.provider.example ~all");
  });

  test("a return path that is a zone of its own is asked for an MX, since it can have no CNAME", async () => {
    bench.server.remove(PATH);
    bench.server.set(PATH, "NS", ["ns1.hosting.example"]);
    const found = await bench.record("return_path");
    assert.deepEqual([found.status, found.type, found.expected], ["missing", "MX", "10 in.provider.example"]);
    assert.match(found.advice, /can have no CNAME/);
  });

  test("a return path says where SPF would not pass, and is of no use where it passes for nobody", async () => {
    const addresses = ["5.9.1.25", "5.9.2.25"];
    const senders = [{ name: "Relay", host: "relay.provider.example", addresses }];
    const some = await bench.record("return_path", { senders });
    assert.equal(some.status, "ok");
    assert.match(some.advice, /in\.provider\.example does not allow 5\.9\.2\.25\./);
    bench.server.set("in.provider.example", "TXT", ["v=spf1 -all"]);
    const found = await bench.record("return_path");
    assert.equal(found.status, "wrong");
    assert.match(found.advice, /does not allow 5\.9\.1\.25/);
  });

  const withoutSpf: readonly [string, readonly string[], string, RegExp][] = [
    ["none", ["other text"], "wrong", /there is no SPF record.*Whoever runs/],
    ["two", ["v=spf1 mx -all", "v=spf1 -all"], "duplicate", /2 SPF records/],
    ["one that can't be read", ["v=spf1 ipv4:5.9.1.25 -all"], "wrong", /can't read/],
  ];
  for (const [what, texts, status, advice] of withoutSpf)
    test(`a return path whose CNAME leads to ${what} for SPF is ${status}, also where no address is known`, async () => {
      bench.server.set("in.provider.example", "TXT", texts);
      for (const senders of [undefined, []]) {
        const found = await bench.record("return_path", senders && { senders });
        assert.equal(found.status, status);
        assert.match(found.advice, advice);
      }
    });

  for (const fault of ["servfail", "silence"] as const)
    test(`a host is unknown where the second name on its way gives ${fault}`, async () => {
      bench.server.set(PATH, "CNAME", ["bounces.agency.example"]);
      bench.server.set(LINKS, "CNAME", ["bounces.agency.example"]);
      bench.server.misbehave("bounces.agency.example", fault);
      const dns = createDns({ servers: [bench.server.address], timeoutMs: 200, tries: 1 });
      const { records } = await inspectRecords({ dns, fetchTracking: fetchOurs }, FACTS);
      bench.server.misbehave("bounces.agency.example", null);
      for (const kind of ["return_path", "tracking"]) {
        const found = records.find((one) => one.kind === kind);
        assert.deepEqual([found?.status, found?.found], ["unknown", ["bounces.agency.example"]], kind);
      }
    });

  test("a host that leads to ours is right, whatever stands behind that", async () => {
    bench.server.set("mail.provider.example", "CNAME", ["cloud.example"]);
    bench.server.misbehave("cloud.example", "servfail");
    assert.equal((await bench.record("tracking")).status, "ok");
  });

  test("a target to which the panel added the domain is told from another one", async () => {
    bench.server.set(PATH, "CNAME", ["in.provider.example.shop.example"]);
    bench.server.set(LINKS, "CNAME", ["other.example"]);
    const path = await bench.record("return_path");
    assert.equal(path.status, "wrong");
    assert.match(path.provider_hint ?? "", /with a dot at its end: in\.provider\.example\.$/);
    const links = await bench.record("tracking");
    assert.deepEqual([links.status, links.provider_hint, links.details?.cname_ok], ["wrong", null, false]);
  });

  test("a host whose CNAME is proxied is named so", async () => {
    bench.server.set("shop.example", "NS", ["ada.ns.cloudflare.com"]);
    for (const host of [PATH, LINKS]) {
      bench.server.remove(host);
      bench.server.set(host, "A", ["104.21.3.4"]);
    }
    for (const kind of ["return_path", "tracking"] as const) {
      const found = await bench.record(kind);
      assert.equal(found.status, "wrong");
      assert.match(found.provider_hint ?? "", /grey cloud/);
    }
  });

  test("a host is looked for where the domain was typed twice", async () => {
    bench.server.remove(PATH);
    bench.server.set(`${PATH}.shop.example`, "CNAME", ["in.provider.example"]);
    const found = await bench.record("return_path");
    assert.equal(found.status, "missing");
    assert.match(found.provider_hint ?? "", /Type only bounces\./);
  });

  test("a tracking host may have the addresses of ours in place of a CNAME", async () => {
    bench.server.remove(LINKS);
    bench.server.set(LINKS, "A", ["5.9.1.80"]);
    const found = await bench.record("tracking");
    assert.deepEqual([found.status, found.details?.cname_ok], ["ok", true]);
    assert.equal(found.details?.certificate_ends_at, "2030-01-02T03:04:05.000Z");
  });

  test("a loop of aliases is no answer", async () => {
    bench.server.set(PATH, "CNAME", [LINKS]);
    bench.server.set(LINKS, "CNAME", [PATH]);
    assert.notEqual((await bench.record("return_path")).status, "ok");
    assert.notEqual((await bench.record("tracking")).status, "ok");
  });

  const answers: readonly [TrackingFetch, string, RegExp][] = [
    [{ kind: "answered", isOurs: false, status: 404, certificateEndsAt: null }, "wrong", /another service/],
    [{ kind: "refused" }, "wrong", /private network/],
    [
      { kind: "untrusted", detail: "CERT_HAS_EXPIRED" },
      "wrong",
      /certificate is not valid.*CERT_HAS_EXPIRED/,
    ],
    [{ kind: "unreachable", detail: "ECONNREFUSED" }, "wrong", /doesn't answer over https/],
    [{ kind: "failed", detail: "EAI_AGAIN" }, "unknown", /tried again/],
  ];
  for (const [answer, status, advice] of answers)
    test(`a tracking host that ${answer.kind === "answered" ? "is another's" : `is ${answer.kind}`} is ${status}`, async () => {
      const found = await bench.record("tracking", {}, async () => answer);
      assert.deepEqual([found.status, found.details?.cname_ok], [status, true]);
      assert.match(found.advice, advice);
    });

  test("no tracking host is asked whose DNS doesn't lead here", async () => {
    bench.server.set(LINKS, "CNAME", ["localhost"]);
    const asked: string[] = [];
    const found = await bench.record("tracking", {}, async (host) => {
      asked.push(host);
      return { kind: "refused" };
    });
    assert.deepEqual([found.status, asked], ["wrong", []]);
  });

  test("nothing can be published where PUBLIC_URL has no name", async () => {
    for (const publicHost of ["127.0.0.1", "[::1]", "localhost"]) {
      const found = await bench.record("tracking", { publicHost });
      assert.deepEqual([found.status, found.expected], ["unknown", null]);
    }
    const inbound = await bench.record("return_path", { inboundDomain: undefined });
    assert.deepEqual([inbound.status, inbound.expected], ["unknown", null]);
  });
});

test("a tracking host is fetched over https by the guarded client, and never inside", async (t) => {
  let body = '{"status":"alive"}';
  const server = createServer({ key: testKey, cert: testCertificate }, (_request, response) =>
    response.end(body),
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const fetching = (internalHosts: readonly string[], authorities?: readonly string[]) => {
    const client = createGuardedClient({ internalHosts, ...(authorities && { authorities }) });
    return createFetchTracking({
      fetch: (url, request) =>
        client.fetch(url.replace("https://localhost/", `https://localhost:${port}/`), request),
    });
  };
  const ours = await fetching(["localhost"], [testCertificate])("localhost");
  assert.ok(ours.kind === "answered");
  assert.equal(ours.isOurs, true);
  assert.ok(ours.certificateEndsAt instanceof Date);
  assert.equal((await fetching(["localhost"])("localhost")).kind, "untrusted");
  assert.deepEqual(await fetching([], [testCertificate])("localhost"), { kind: "refused" });
  body = "<html>";
  const others = await fetching(["localhost"], [testCertificate])("localhost");
  assert.equal(others.kind === "answered" && others.isOurs, false);
});
