import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Claims, lacksClaims, readClaims } from "./claims.ts";
import { rolesByGroups } from "./group-rules.ts";

const ISSUER = "https://login.example.com";
const read = (idToken: Record<string, unknown>, userInfo = {}, issuer = ISSUER) =>
  readClaims(issuer, "groups", { idToken: { sub: "ada", ...idToken }, userInfo });
const fields = (claims: Claims | string) => {
  assert.ok(typeof claims !== "string", String(claims));
  return claims;
};

describe("claims", () => {
  it("take an address and whether it is verified from the same answer", () => {
    const mixed = fields(read({ email: "a@example.com" }, { email: "b@example.com", email_verified: true }));
    assert.deepEqual([mixed.email, mixed.isVerified], ["a@example.com", false]);
    const asked = fields(read({}, { email: "b@example.com", email_verified: true }));
    assert.deepEqual([asked.email, asked.isVerified], ["b@example.com", true]);
    assert.equal(fields(read({ email: "no address", email_verified: true })).isVerified, false);
  });

  it("know Entra's word for a verified address, from Entra alone", () => {
    const said = { email: "a@example.com", xms_edov: "1" };
    assert.equal(fields(read(said)).isVerified, false);
    const entra = "https://login.microsoftonline.com/0000/v2.0";
    assert.equal(fields(read(said, {}, entra)).isVerified, true);
    assert.equal(fields(read({ ...said, xms_edov: false }, {}, entra)).isVerified, false);
  });

  it("read groups as a list, as one word, and as none", () => {
    assert.deepEqual(fields(read({ groups: ["a", 1, "", "b"] })).groups, ["a", "b"]);
    assert.deepEqual(fields(read({ groups: "a" })).groups, ["a"]);
    assert.deepEqual(fields(read({})).groups, []);
    assert.deepEqual(fields(read({}, { groups: ["a"] })).groups, ["a"]);
  });

  it("refuse groups that stand elsewhere, rather than take them for none", () => {
    assert.equal(typeof read({ _claim_names: { groups: "src1" } }), "string");
    assert.equal(typeof read({ hasgroups: true }), "string");
  });

  it("refuse a subject that is none, and keep a name that can be shown", () => {
    for (const sub of [undefined, "", 7, "a\nb", "é", "x".repeat(256)])
      assert.equal(typeof read({ sub }), "string");
    assert.equal(fields(read({ name: "a\u0000b" })).name, "");
    assert.equal(fields(read({ name: "x".repeat(200) })).name.length, 100);
  });

  it("are asked for again where the token lacks an address, or groups that matter", () => {
    assert.equal(lacksClaims({ email: "a@example.com" }, "groups", false), false);
    assert.equal(lacksClaims({ email: "a@example.com" }, "groups", true), true);
    assert.equal(lacksClaims({ groups: [] }, "groups", true), true);
  });
});

describe("groups", () => {
  const rules = [
    { group: "staff", accountId: "one", role: "viewer" },
    { group: "bosses", accountId: "one", role: "owner" },
    { group: "staff", accountId: "two", role: "writer" },
  ] as const;

  it("give the highest role in each account", () => {
    assert.deepEqual(
      [...rolesByGroups(rules, ["staff", "bosses"])],
      [
        ["one", "owner"],
        ["two", "writer"],
      ],
    );
    assert.deepEqual(
      [...rolesByGroups([...rules].reverse(), ["bosses", "staff"])],
      [
        ["two", "writer"],
        ["one", "owner"],
      ],
    );
  });

  it("are compared as they are written", () => {
    assert.equal(rolesByGroups(rules, ["Staff", " staff", "sta"]).size, 0);
  });
});
