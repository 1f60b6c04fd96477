import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { describeRoles, ROLES, type Role, scopesOfRole } from "./roles.ts";
import { SCOPES, scopesOfKey } from "./scopes.ts";

/** What each role has beyond the next, spelt out apart from the code: a new scope is nobody's until it stands here too. */
const BEYOND_THE_NEXT: Readonly<Record<Exclude<Role, "owner">, string>> = {
  viewer:
    "account:read users:read events:read lists:read campaigns:read automations:read templates:read files:read",
  writer: "campaigns:write campaigns:test templates:write files:write",
  marketer:
    "subscribers:read subscribers:write events:write suppressions:read suppressions:write campaigns:send campaigns:recipients automations:write " +
    "automations:send " +
    "forms:read forms:write transports:read inbound:read domains:read deliverability:read webhooks:read usage:read",
  admin:
    "account:write api_keys:read api_keys:write users:write audit:read billing:read subscribers:export subscribers:forget campaigns:export " +
    "emails:read emails:send webhooks:write domains:write transports:write inbound:write deliverability:write",
};

describe("roles", () => {
  it("hold these scopes and no others", () => {
    assert.deepEqual([...ROLES], ["owner", "admin", "marketer", "writer", "viewer"]);
    const held: string[] = [];
    for (const role of ["viewer", "writer", "marketer", "admin"] as const) {
      held.push(...BEYOND_THE_NEXT[role].split(" "));
      assert.deepEqual([...scopesOfRole(role)].sort(), [...held].sort(), role);
    }
    assert.deepEqual(scopesOfRole("owner"), ["full"]);
    const ofOwners = ["account:export", "billing:write", "full", "instance:read", "sso:read", "sso:write"];
    assert.deepEqual(SCOPES.filter((scope) => !held.includes(scope)).sort(), ofOwners);
  });

  it("are told in the documents with every scope, once", () => {
    const text = describeRoles();
    for (const scope of SCOPES) assert.equal(text.split(`\`${scope}\``).length, 2, scope);
  });
});

describe("a key's scope", () => {
  it("includes what programs could do by it before roles told these apart", () => {
    assert.deepEqual(scopesOfKey(["subscribers:read"]), [
      "subscribers:read",
      "lists:read",
      "subscribers:export",
    ]);
    assert.deepEqual(scopesOfKey(["campaigns:send"]), ["campaigns:send", "campaigns:test"]);
    assert.deepEqual(scopesOfKey(["campaigns:write"]), ["campaigns:write"]);
    assert.deepEqual(scopesOfKey(["full"]), ["full"]);
  });

  it("never includes what only another reading scope gives", () => {
    assert.ok(!scopesOfKey(["campaigns:read"]).includes("subscribers:export"));
  });
});
