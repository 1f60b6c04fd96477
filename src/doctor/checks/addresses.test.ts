import assert from "node:assert/strict";
import { test } from "node:test";
import type { Status } from "../check.ts";
import { judgeAddresses } from "./addresses.ts";

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
