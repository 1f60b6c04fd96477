import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { judgeGroups, judgeProvider } from "./single-sign-on.ts";

const https = {
  oidcIssuer: "https://login.example.com",
  oidcClientSecret: "secret",
  baseUrl: "https://mail.example.com",
  host: "127.0.0.1",
  port: 4_000,
};
const found = { kind: "found", issuer: "https://login.example.com", hasS256: true } as const;

describe("the provider", () => {
  it("is in order where it answers, and its redirect address is told", () => {
    const { status, finding } = judgeProvider(https, found);
    assert.equal(status, "ok");
    assert.match(finding, /https:\/\/mail\.example\.com\/sign-in\/sso/);
  });

  it("is at fault where it is away or publishes something else", () => {
    assert.equal(judgeProvider(https, { kind: "away", why: "it answers 503" }).status, "fail");
    assert.equal(judgeProvider(https, { kind: "refused", why: "the issuer is another" }).status, "fail");
    assert.equal(judgeProvider(https, { kind: "none" }).status, "info");
  });

  it("wants PKCE or a secret, and an address by which people can sign in", () => {
    const without = { ...found, hasS256: false };
    assert.equal(judgeProvider(https, without).status, "info");
    assert.equal(judgeProvider({ ...https, oidcClientSecret: undefined }, without).status, "warn");
    assert.equal(judgeProvider({ ...https, baseUrl: undefined }, found).status, "warn");
    assert.equal(judgeProvider({ ...https, baseUrl: "http://mail.example.com" }, found).status, "warn");
    assert.equal(judgeProvider({ ...https, baseUrl: "http://localhost:4000" }, found).status, "ok");
  });
});

it("groups of accounts that don't exist are told", () => {
  assert.equal(judgeGroups(0, []).status, "info");
  assert.equal(judgeGroups(2, []).status, "ok");
  const { status, finding } = judgeGroups(2, ["acc_a"]);
  assert.deepEqual([status, finding.includes("acc_a")], ["warn", true]);
});
