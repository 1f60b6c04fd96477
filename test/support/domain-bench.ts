/** The whole service with a real DNS server on loopback, for tests that make, prove and change sender domains. */
import assert from "node:assert/strict";
import { createApp, type Reply, type TestApp } from "./app.ts";
import { createTestClock, type TestClock } from "./clock.ts";
import { type DnsServer, startDnsServer } from "./dns-server.ts";
import type { Json } from "./subscribers.ts";

const PATH = "/v1/domains";

export type DomainBench = {
  readonly app: TestApp;
  readonly server: DnsServer;
  readonly clock: TestClock;
  /** Another account. */
  readonly other: { readonly accountId: string; readonly key: string };
  freshName(): string;
  make(body: Json, key?: string): Promise<Json>;
  /** Looks again, once the ten seconds between two requests have passed. */
  verify(id: string, key?: string): Promise<Json>;
  /** Makes a domain whose active key stands in the DNS, and looks. */
  makeProved(body: Json, key?: string): Promise<Json>;
  rotate(id: string, key?: string): Promise<Reply>;
  stop(): Promise<void>;
};

/** No role looks by itself, unless `roles` says so: only who asks for a look gets one. */
export async function createDomainBench(roles = "api,public"): Promise<DomainBench> {
  const server = await startDnsServer();
  server.set("in.postrider.example", "TXT", ["v=spf1 ip4:192.0.2.0/24 -all"]);
  const clock = createTestClock();
  const app = await createApp({
    clock,
    settings: {
      ROLES: roles,
      DNS_SERVERS: server.address,
      PUBLIC_URL: "https://mail.postrider.example",
      INBOUND_DOMAIN: "in.postrider.example",
    },
  });
  const other = await app.addAccount();
  let count = 0;
  const make: DomainBench["make"] = async (body, key = app.key) => {
    const made = await app.api("POST", PATH, { body, key });
    assert.equal(made.status, 201, made.text);
    return made.body;
  };
  const verify: DomainBench["verify"] = async (id, key = app.key) => {
    clock.advance(10_000);
    const reply = await app.api("POST", `${PATH}/${id}/verify`, { key });
    assert.equal(reply.status, 200, reply.text);
    return reply.body;
  };
  return {
    app,
    server,
    clock,
    other,
    freshName: () => `shop${++count}.example`,
    make,
    verify,
    async makeProved(body, key = app.key) {
      const made = await make(body, key);
      publishKeys(server, made, "active");
      return verify(made.id, key);
    },
    rotate: (id, key = app.key) => app.api("POST", `${PATH}/${id}/rotate_key`, { key }),
    async stop() {
      await app.stop();
      await server.close();
    },
  };
}

/** Publishes the records of the keys in these states, of all algorithms. */
export function publishKeys(server: DnsServer, { records }: Json, ...states: string[]): void {
  for (const { kind, name, expected, details } of records)
    if (kind === "dkim" && states.includes(details.key_state)) server.set(name, "TXT", [expected]);
}

export function selectorOf({ keys }: Json, state: string, algorithm = "rsa"): string {
  return keys.find((key: Json) => key.state === state && key.algorithm === algorithm)?.selector;
}
