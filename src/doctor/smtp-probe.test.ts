import assert from "node:assert/strict";
import { test } from "node:test";
import type { Relay } from "../platform/config/smtp-url.ts";
import { probeRelay } from "./smtp-probe.ts";
import { closedPort, type Script, startRelay } from "./smtp-server.fixture.ts";

const relay = (port: number, more: Partial<Relay> = {}): Relay => ({
  host: "127.0.0.1",
  port,
  implicitTls: false,
  credentials: undefined,
  ...more,
});

test("a relay without TLS tells what it offers, and is sent nothing but EHLO and QUIT", async (t) => {
  const { port, told } = await startRelay(t, { offers: ["PIPELINING", "auth plain login", "SIZE 1000"] });
  const seen = await probeRelay(relay(port), 2_000);
  assert.deepEqual(seen, {
    kind: "seen",
    offers: ["PIPELINING", "AUTH PLAIN LOGIN", "SIZE 1000"],
    tls: null,
  });
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.deepEqual(
    told.map((line) => line.split(" ")[0]),
    ["EHLO", "QUIT"],
  );
});

test("where STARTTLS is offered it is used, and the offers after it count", async (t) => {
  const { port, told } = await startRelay(t, {
    offers: ["STARTTLS", "AUTH OLD"],
    offersInTls: ["AUTH PLAIN"],
  });
  const seen = await probeRelay(
    relay(port, { credentials: { user: "me", password: "a password that must not leave" } }),
    2_000,
  );
  assert.equal(seen.kind, "seen");
  assert.deepEqual(seen.offers, ["AUTH PLAIN"]);
  assert.match(seen.tls?.protocol ?? "", /^TLSv1\.[23]$/);
  assert.ok(seen.tls?.fault, "nobody has signed the certificate");
  assert.ok(!told.join("\n").includes("AUTH") && !told.join("\n").includes("password"));
});

test("TLS from the first byte", async (t) => {
  const { port } = await startRelay(t, { implicitTls: true, offersInTls: ["AUTH PLAIN"] });
  const seen = await probeRelay(relay(port, { implicitTls: true }), 2_000);
  assert.equal(seen.kind, "seen");
  assert.deepEqual(seen.offers, ["AUTH PLAIN"]);
  assert.ok(seen.tls?.fault);
});

test("a server that knows only HELO is still a relay", async (t) => {
  const { port } = await startRelay(t, { ehlo: "refuse" });
  assert.deepEqual(await probeRelay(relay(port), 2_000), { kind: "seen", offers: [], tls: null });
});

const failures: [string, Script, Partial<Relay>, unknown][] = [
  [
    "it refuses the connection in words",
    { greeting: "554-go\r\n554 away" },
    {},
    { kind: "refused", at: "greeting", reply: { code: 554, lines: ["go", "away"] } },
  ],
  [
    "it says nothing",
    { greeting: null },
    {},
    { kind: "broken", at: "the greeting", reason: "no answer within 0.3 s" },
  ],
  [
    "it is no SMTP server",
    { greeting: "HTTP/1.1 400 Bad Request" },
    {},
    { kind: "broken", at: "the greeting", reason: "what answers doesn't speak SMTP" },
  ],
  [
    "it hangs up at EHLO",
    { ehlo: "close" },
    {},
    { kind: "broken", at: "EHLO", reason: "the connection was closed" },
  ],
  [
    "it offers STARTTLS and then refuses it",
    { offers: ["STARTTLS"], starttls: "refuse" },
    {},
    { kind: "refused", at: "STARTTLS", reply: { code: 454, lines: ["4.7.0 not now"] } },
  ],
];
for (const [name, script, more, wanted] of failures) {
  test(`a relay that fails: ${name}`, async (t) => {
    const { port } = await startRelay(t, script);
    assert.deepEqual(await probeRelay(relay(port, more), 300), wanted);
  });
}

test("a relay whose handshake is none", async (t) => {
  for (const [script, more] of [
    [{ offers: ["STARTTLS"], starttls: "garbage" }, {}],
    [{}, { implicitTls: true }],
  ] as const) {
    const { port } = await startRelay(t, script);
    const probe = await probeRelay(relay(port, more), 1_000);
    assert.ok(probe.kind === "broken" && probe.at === "the TLS handshake", JSON.stringify(probe));
  }
});

test("a closed port and an unknown host are unreachable", async () => {
  const refused = await probeRelay(relay(await closedPort()), 1_000);
  assert.deepEqual(refused, { kind: "unreachable", reason: "ECONNREFUSED" });
  const unknown = await probeRelay(relay(25, { host: "relay.invalid" }), 5_000);
  assert.ok(
    unknown.kind === "unreachable" && /ENOTFOUND|EAI_AGAIN/.test(unknown.reason),
    JSON.stringify(unknown),
  );
});
