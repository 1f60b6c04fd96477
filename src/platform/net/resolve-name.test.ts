import assert from "node:assert/strict";
import { createServer as createHttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { startDnsServer } from "../../../test/support/dns-server.ts";
import { createGuardedClient, type GuardedAnswer } from "./guarded-client.ts";
import { createResolveName } from "./resolve-name.ts";

async function startInside(t: TestContext) {
  const ports: (number | undefined)[] = [];
  const server = createHttpServer((request, response) => {
    ports.push(request.socket.remotePort);
    response.end("inside");
  });
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, ports };
}

async function startDns(t: TestContext) {
  const server = await startDnsServer();
  t.after(() => server.close());
  return server;
}

const brief = (answer: GuardedAnswer) =>
  answer.kind === "answered" ? `${answer.status} ${answer.body}` : `${answer.kind} ${answer.why}`;
const plain = { allowsHttp: true, limitsMs: { connect: 300 } };

test("a DNS that flips between a public and an internal address gets nowhere", async (t) => {
  const { port, ports } = await startInside(t);
  const dns = await startDns(t);
  const guarded = createGuardedClient({ internalHosts: [], resolve: createResolveName(dns.dns, []) });
  const session = guarded.openSession(1);
  t.after(() => session.close());
  const url = `http://flip.example:${port}/`;
  for (const address of ["127.0.0.1", "2000::1", "127.0.0.1", "2000::1", "127.0.0.1"]) {
    const isPublic = address.includes(":");
    dns.set("flip.example", "A", isPublic ? [] : [address]);
    dns.set("flip.example", "AAAA", isPublic ? [address] : []);
    for (const client of [guarded, session]) {
      const answer = brief(await client.fetch(url, plain));
      assert.match(answer, isPublic ? /^failed / : /^refused internal$/, address);
    }
  }
  assert.deepEqual(ports, []);
});

test("all addresses of a name are checked, of both families", async (t) => {
  const { port, ports } = await startInside(t);
  const dns = await startDns(t);
  dns.set("mixed.example", "A", ["10.0.0.1", "127.0.0.1", "169.254.169.254"]);
  dns.set("mixed.example", "AAAA", [
    "::1",
    "::ffff:127.0.0.1",
    "64:ff9b::7f00:1",
    "2002:7f00:1::",
    "fe80::1",
  ]);
  const guarded = createGuardedClient({ internalHosts: [], resolve: createResolveName(dns.dns, []) });
  assert.equal(brief(await guarded.fetch(`http://mixed.example:${port}/`, plain)), "refused internal");
  assert.deepEqual(ports, []);
});

test("a name without an answer is unreachable, and localhost is inside without a question", async (t) => {
  const dns = await startDns(t);
  dns.misbehave("broken.example", "servfail");
  const guarded = createGuardedClient({ internalHosts: [], resolve: createResolveName(dns.dns, []) });
  assert.equal(brief(await guarded.fetch("https://none.example/")), "failed unreachable");
  assert.equal(brief(await guarded.fetch("https://broken.example/")), "failed unreachable");
  const before = dns.queries.length;
  for (const host of ["localhost", "a.localhost", "LOCALHOST."])
    assert.equal(brief(await guarded.fetch(`https://${host}/`)), "refused internal", host);
  assert.equal(dns.queries.length, before);
});

test("a host of INTERNAL_HOSTS is asked of the system, and plain http is for such hosts alone", async (t) => {
  const { port } = await startInside(t);
  const dns = await startDns(t);
  const internalHosts = ["localhost"];
  const guarded = createGuardedClient({ internalHosts, resolve: createResolveName(dns.dns, internalHosts) });
  const listed = { allowsHttp: "listed" as const };
  assert.equal(brief(await guarded.fetch(`http://localhost:${port}/`, listed)), "200 inside");
  assert.equal(brief(await guarded.fetch(`http://example.org:${port}/`, listed)), "refused not_https");
  assert.deepEqual(dns.queries, []);
});

test("a session keeps its connection for one host and port, and gives it to no other", async (t) => {
  const [one, two] = [await startInside(t), await startInside(t)];
  const session = createGuardedClient({ internalHosts: ["127.0.0.1"] }).openSession(1);
  t.after(() => session.close());
  for (const { port } of [one, one, two, one]) {
    assert.equal(brief(await session.fetch(`http://127.0.0.1:${port}/`, plain)), "200 inside");
  }
  assert.equal(new Set(one.ports).size, 1);
  assert.equal(new Set([...one.ports, ...two.ports]).size, 2);
  assert.equal(brief(await session.fetch(`http://127.0.0.2:${one.port}/`, plain)), "refused internal");
  assert.equal(brief(await session.fetch(`http://localhost:${one.port}/`, plain)), "200 inside");
  assert.equal(new Set(one.ports).size, 2);
});

test("a session that is closed posts nothing again, though its connection was kept", async (t) => {
  let asked = 0;
  const server = createHttpServer((_request, response) => {
    asked++;
    if (asked === 1) response.end();
    else session.close();
  });
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const session = createGuardedClient({ internalHosts: ["127.0.0.1"] }).openSession(1);
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  await session.fetch(url, plain);
  assert.equal(brief(await session.fetch(url, plain)), "failed broken");
  assert.equal(asked, 2);
});

test("a session that is closed posts nothing at all", async (t) => {
  const { port, ports } = await startInside(t);
  const session = createGuardedClient({ internalHosts: ["127.0.0.1"] }).openSession(1);
  session.close();
  assert.equal(brief(await session.fetch(`http://127.0.0.1:${port}/`, plain)), "failed broken");
  assert.deepEqual(ports, []);
});

test("a name that ends with a dot is the same name", async (t) => {
  const { port } = await startInside(t);
  const dns = await startDns(t);
  dns.set("dotted.example", "A", ["127.0.0.1"]);
  const internalHosts = ["127.0.0.1"];
  const guarded = createGuardedClient({ internalHosts, resolve: createResolveName(dns.dns, internalHosts) });
  assert.equal(brief(await guarded.fetch(`http://dotted.example.:${port}/`, plain)), "200 inside");
});
