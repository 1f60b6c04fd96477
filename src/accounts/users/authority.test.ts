import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { AppError } from "../../platform/problems.ts";
import { ROLES, type Role, scopesOfRole } from "../roles.ts";
import { SCOPES, scopesBeyond } from "../scopes.ts";
import { gainsScopes, refuseWithoutAuthority, type UserAct } from "./authority.ts";

const acts: Record<string, UserAct> = Object.fromEntries(
  ROLES.flatMap((role): [string, UserAct][] => {
    const user = { role };
    return [
      [`invite ${role}`, { kind: "invite", as: role }],
      [`rename ${role}`, { kind: "rename", user }],
      [`remove ${role}`, { kind: "remove", user }],
      [`link for ${role}`, { kind: "make_link", user }],
      ...ROLES.map((to): [string, UserAct] => [`${role} to ${to}`, { kind: "change_role", user, to }]),
    ];
  }),
);

const ALL = Object.keys(acts);
/** Returns the acts that touch these roles alone. */
const upTo = (...roles: readonly Role[]) =>
  ALL.filter((name) => ROLES.every((role) => !name.split(" ").includes(role) || roles.includes(role)));
const UP_TO_MARKETERS = upTo("marketer", "writer", "viewer");
const UP_TO_ADMINS = upTo("admin", "marketer", "writer", "viewer");

/** Each row says all that an actor may do; whatever isn't listed is refused. */
const table: [actor: string, held: readonly string[], may: readonly string[]][] = [
  ["an owner", scopesOfRole("owner"), ALL],
  ["an admin", scopesOfRole("admin"), UP_TO_ADMINS],
  ["a marketer", scopesOfRole("marketer"), []],
  ["a writer", scopesOfRole("writer"), []],
  ["a viewer", scopesOfRole("viewer"), []],
  ["a key with full", ["full"], ALL],
  ["a key with users:write alone", ["users:write"], []],
  ["a key with users:read and users:write", ["users:read", "users:write"], []],
  [
    "a key with a marketer's scopes and users:write",
    [...scopesOfRole("marketer"), "users:write"],
    UP_TO_MARKETERS,
  ],
  ["a key with every scope but full", SCOPES.filter((scope) => scope !== "full"), UP_TO_ADMINS],
  [
    "a key with all of them but one that everybody has",
    SCOPES.filter((scope) => scope !== "full" && scope !== "events:read"),
    [],
  ],
  ["a key with nothing", [], []],
];

describe("what one may do to a user", () => {
  it("is asked of every pair of roles", () => {
    assert.equal(ALL.length, ROLES.length * (4 + ROLES.length));
    assert.deepEqual([UP_TO_ADMINS.length, UP_TO_MARKETERS.length], [4 * (4 + 4), 3 * (4 + 3)]);
  });

  for (const [actor, held, may] of table) {
    for (const [name, act] of Object.entries(acts)) {
      const isAllowed = may.includes(name);
      it(`${actor}: ${name} is ${isAllowed ? "allowed" : "refused"}`, () => {
        const attempt = () => refuseWithoutAuthority(held, act);
        if (isAllowed) return attempt();
        assert.throws(attempt, (error) => {
          assert.ok(error instanceof AppError);
          assert.equal(error.problem.code, "missing_scope");
          assert.ok(!held.includes(String(error.members["required_scope"])));
          return true;
        });
      });
    }
  }
});

describe("a link", () => {
  const cases: [from: Role, to: Role, ends: boolean][] = [
    ["marketer", "owner", true],
    ["admin", "owner", true],
    ["viewer", "writer", true],
    ["writer", "viewer", false],
    ["owner", "marketer", false],
    ["marketer", "marketer", false],
    ["owner", "owner", false],
  ];
  for (const [from, to, ends] of cases) {
    it(`${ends ? "ends" : "stays good"} when its user goes from ${from} to ${to}`, () => {
      assert.equal(gainsScopes(from, to), ends);
    });
  }
});

describe("scopes", () => {
  it("can be handed on by whoever holds them, and full by full alone", () => {
    const rest = SCOPES.filter((scope) => scope !== "full");
    for (const scope of rest) {
      assert.deepEqual(scopesBeyond([scope], [scope]), []);
      assert.deepEqual(
        scopesBeyond(
          rest.filter((one) => one !== scope),
          [scope],
        ),
        [scope],
      );
      assert.deepEqual(scopesBeyond(["full"], [scope]), []);
    }
    assert.deepEqual(scopesBeyond(rest, ["full"]), ["full"]);
    assert.deepEqual(scopesBeyond(["full"], ["full"]), []);
  });
});
