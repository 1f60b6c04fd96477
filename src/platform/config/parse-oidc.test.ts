import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { toPublicId } from "../ids.ts";
import { parseIssuer, parseOidcGroups, parseOidcName } from "./parse-oidc.ts";

const ID = "0199a7e4-0000-7000-8000-000000000000";
const account = toPublicId("acc", ID);

describe("an issuer", () => {
  it("is kept as it is written", () => {
    for (const issuer of [
      "https://login.example.com",
      "https://login.example.com/",
      "http://127.0.0.1:8080/realms/a",
    ])
      assert.equal(parseIssuer(issuer), issuer);
  });

  it("is one address, of one tenant", () => {
    for (const text of ["login.example.com", "ftp://a", "https://a/?b", "https://a/#b", "https://u:p@a/"])
      assert.throws(() => parseIssuer(text), /must be an address/);
    for (const tenant of ["common", "organizations", "consumers"])
      assert.throws(() => parseIssuer(`https://login.microsoftonline.com/${tenant}/v2.0`), /tenant/);
  });
});

describe("groups", () => {
  it("may have almost any character", () => {
    assert.deepEqual(parseOidcGroups(`/mail,team=${account}:writer; cn=a,dc=b=${account}:owner;`), [
      { group: "/mail,team", accountId: ID, role: "writer" },
      { group: "cn=a,dc=b", accountId: ID, role: "owner" },
    ]);
  });

  it("name an account and a role", () => {
    for (const text of [
      "a",
      "a=owner",
      `a=${account}`,
      `a=${account}:boss`,
      "a=acc_1:owner",
      `=${account}:owner`,
    ])
      assert.throws(() => parseOidcGroups(text), /must look like/);
  });
});

it("the name fits on a button", () => {
  assert.throws(() => parseOidcName("x".repeat(41)), /40/);
});
