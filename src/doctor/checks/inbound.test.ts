import assert from "node:assert/strict";
import { test } from "node:test";
import { judgeInbound } from "./inbound.ts";

type Settings = Parameters<typeof judgeInbound>[0];

const GOOD: Settings = {
  inboundDomain: "bounces.example.com",
  inboundPort: 25,
  host: "0.0.0.0",
  roles: ["public"],
  tlsCertFile: "/etc/tls/chain.pem",
};

const cases: readonly [Partial<Settings>, string, RegExp][] = [
  [{}, "ok", /MX record of bounces\.example\.com must name this machine/],
  [{ inboundDomain: undefined, inboundPort: undefined }, "info", /INBOUND_DOMAIN is absent/],
  [{ inboundPort: undefined }, "warn", /takes no mail for it/],
  [{ roles: ["api", "jobs"] }, "warn", /takes no mail for it/],
  [{ host: "127.0.0.1" }, "warn", /port 25 of 127\.0\.0\.1/],
  [{ inboundPort: 2525 }, "info", /port 2525/],
  [{ tlsCertFile: undefined }, "warn", /plain text/],
];

for (const [more, status, finding] of cases)
  test(`${JSON.stringify(more)} is ${status}`, () => {
    const judged = judgeInbound({ ...GOOD, ...more });
    assert.equal(judged.status, status);
    assert.match(judged.finding, finding);
    if (status === "warn") assert.ok(judged.remedy);
  });
