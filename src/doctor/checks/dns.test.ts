import assert from "node:assert/strict";
import { test } from "node:test";
import { startDnsServer } from "../../../test/support/dns-server.ts";
import { systemClock } from "../../platform/clock.ts";
import { loadConfig } from "../../platform/config/load.ts";
import { runCheck } from "../check.ts";
import { judgeConsent, judgeResolver, reportConsentCheck, resolverCheck } from "./dns.ts";

const envOf = (settings: Record<string, string>) => ({
  ...loadConfig(settings, "no .env in tests"),
  clock: systemClock,
  servesUnsubscribe: true,
});

test("a resolver that answers is ok, and the record for reports is asked for", async (t) => {
  const server = await startDnsServer();
  t.after(() => server.close());
  const env = envOf({ DNS_SERVERS: server.address, INBOUND_DOMAIN: "in.example.org" });
  assert.equal((await runCheck(resolverCheck, env)).status, "warn");
  server.set("com", "NS", ["a.gtld-servers.net"]);
  assert.equal((await runCheck(resolverCheck, env)).status, "ok");
  const absent = await runCheck(reportConsentCheck, env);
  assert.equal(absent.status, "warn");
  assert.match(absent.remedy ?? "", /publish \*\._report\._dmarc\.in\.example\.org .* v=DMARC1$/);
  server.set("*._report._dmarc.in.example.org", "TXT", ["v=DMARC1"]);
  assert.equal((await runCheck(reportConsentCheck, env)).status, "ok");
});

test("nobody is asked about reports where no mail comes in", async () => {
  assert.equal((await runCheck(reportConsentCheck, envOf({}))).status, "info");
});

test("no answer is a warning about the resolver, and says nothing of the record", () => {
  const failed = { kind: "failed", detail: "no answer in time" } as const;
  assert.match(judgeResolver(failed, ["192.0.2.53"]).remedy ?? "", /correct DNS_SERVERS/);
  assert.match(judgeResolver(failed, undefined).remedy ?? "", /resolv\.conf/);
  assert.equal(judgeConsent(failed, "in.example.org").status, "info");
});

test("another text at the name of the record for reports is no consent", () => {
  assert.equal(judgeConsent({ kind: "found", values: ["v=spf1 -all"] }, "in.example.org").status, "warn");
});
