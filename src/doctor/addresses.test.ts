import assert from "node:assert/strict";
import { test } from "node:test";
import { judgeAddresses, type Reach, reachOf } from "./addresses.ts";
import type { Status } from "./check.ts";

test("who can reach a host is told from its name", () => {
  const hosts: Record<Reach, string[]> = {
    loopback: ["localhost", "LOCALHOST.", "app.localhost", "127.0.0.1", "127.9.9.9", "::1", "[::1]"],
    private: [
      "10.1.2.3",
      "172.31.0.1",
      "192.168.1.1",
      "100.64.0.1",
      "169.254.1.1",
      "0.0.0.0",
      "[::]",
      "[fd00::1]",
      "fe80::1",
      "nas",
      "nas.local",
      "mail.internal",
    ],
    world: ["mail.example.com", "172.32.0.1", "8.8.8.8", "[2001:db8::1]", "local.example.com"],
  };
  for (const [reach, names] of Object.entries(hosts)) {
    for (const name of names) assert.equal(reachOf(name), reach, name);
  }
});

test("HOST, BASE_URL and TRUST_PROXY must fit each other", () => {
  const cases: [Partial<Parameters<typeof judgeAddresses>[0]>, Status, RegExp][] = [
    [{}, "ok", /^http:\/\/127\.0\.0\.1:4000$/],
    [{ host: "::1" }, "ok", /^http:\/\/\[::1\]:4000$/],
    [{ host: "0.0.0.0" }, "warn", /^HOST is 0\.0\.0\.0 and BASE_URL is absent[^;]*$/],
    [{ host: "::" }, "warn", /BASE_URL is absent[^;]*$/],
    [{ host: "192.168.1.5" }, "warn", /plain http.*sign in/],
    [{ host: "0.0.0.0", baseUrl: "http://192.168.1.5:4000" }, "warn", /plain http/],
    [{ host: "0.0.0.0", baseUrl: "http://localhost:4000" }, "ok", /localhost/],
    [{ baseUrl: "https://mail.example.com", trustProxy: 1 }, "ok", /mail\.example\.com/],
    [{ baseUrl: "https://mail.example.com" }, "warn", /TRUST_PROXY is 0/],
  ];
  for (const [more, status, finding] of cases) {
    const config = { host: "127.0.0.1", port: 4000, baseUrl: undefined, trustProxy: 0, ...more };
    const result = judgeAddresses(config);
    assert.equal(result.status, status, JSON.stringify(more));
    assert.match(result.finding, finding);
    assert.equal(result.remedy !== undefined, status !== "ok");
  }
});
