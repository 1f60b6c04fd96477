import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isOwnOrigin, readSessionCookie, refuseInsecureAddress, sessionCookie } from "./session-cookie.ts";

const NAME = "__Host-postrider_session";

describe("the session cookie", () => {
  for (const [header, token, what] of [
    [undefined, undefined, "of no header is none"],
    ["", undefined, "of an empty header is none"],
    [`${NAME}=prs_1`, "prs_1", "alone is found"],
    [`a=b; ${NAME}=prs_1; c=d`, "prs_1", "among others is found"],
    [`a=b;${NAME}=prs_1`, "prs_1", "after no blank is found"],
    [`${NAME}=`, undefined, "without a value is none"],
    [NAME, undefined, "without = is none"],
    [`x${NAME}=prs_1`, undefined, "of another name is none"],
    [`a="${NAME}=prs_1"`, undefined, "inside another's value is none"],
    ["postrider_session=prs_1", undefined, "without its prefix is none"],
  ] as const) {
    it(what, () => assert.equal(readSessionCookie(header), token));
  }

  it("reads back what it writes", () => {
    assert.equal(readSessionCookie(sessionCookie("prs_1").split(";")[0]), "prs_1");
  });
});

describe("our own origin", () => {
  const from = (origin: string | undefined, host: string, isHttps = false) => ({ origin, host, isHttps });
  const base = "https://mail.example.com";
  for (const [caller, own] of [
    [from("http://127.0.0.1:4000", "127.0.0.1:4000"), true],
    [from("http://localhost:4000", "127.0.0.1:4000"), false],
    [from("http://127.0.0.1:4001", "127.0.0.1:4000"), false],
    [from("https://127.0.0.1:4000", "127.0.0.1:4000"), false],
    [from("https://other.example.com", "other.example.com", true), true],
    [from("https://other.example.com", "other.example.com:443", true), true],
    [from("https://other.example.com", "OTHER.example.com", true), true],
    [from("http://other.example.com", "other.example.com:80"), true],
    [from("https://mail.example.com", "10.0.0.7:4000"), true],
    [from("https://mail.example.com.evil.example", "mail.example.com", true), false],
    [from("null", "127.0.0.1:4000"), false],
    [from("", "127.0.0.1:4000"), false],
    [from("http://", ""), false],
    [from(undefined, "127.0.0.1:4000"), false],
    [from("http://a b", "a b"), false],
  ] as const) {
    const { origin, host, isHttps } = caller;
    it(`is ${own ? "" : "not "}${origin} at ${isHttps ? "https" : "http"}://${host}`, () =>
      assert.equal(isOwnOrigin(caller, base), own));
  }
});

describe("an address for signing in", () => {
  for (const [host, isHttps, good] of [
    ["127.0.0.1:4000", false, true],
    ["127.8.9.10", false, true],
    ["localhost", false, true],
    ["app.localhost:4000", false, true],
    ["[::1]:4000", false, true],
    ["192.168.1.5:4000", false, false],
    ["mail.example.com", false, false],
    ["mail.example.com", true, true],
    ["localhost.evil.example", false, false],
    ["127.0.0.1.evil.example", false, false],
    ["0.0.0.0:4000", false, false],
    ["", false, false],
  ] as const) {
    it(`is ${good ? "" : "not "}${isHttps ? "https" : "http"}://${host}`, () => {
      const check = () => refuseInsecureAddress({ host, isHttps, origin: undefined });
      if (good) check();
      else assert.throws(check, /https.*TRUST_PROXY/);
    });
  }
});
