import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { AppError } from "../../platform/problems.ts";
import { ROLES, type Role, SCOPES, scopesBeyond, scopesOfRole } from "../scopes.ts";
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
const MEMBERS_ONLY = [
  "invite member",
  "rename member",
  "remove member",
  "link for member",
  "member to member",
];

/** Each row says all that an actor may do; whatever isn't listed is refused. */
const table: [actor: string, held: readonly string[], may: readonly string[]][] = [
  ["an owner", scopesOfRole("owner"), ALL],
  ["a member", scopesOfRole("member"), []],
  ["a key with full", ["full"], ALL],
  ["a key with users:write alone", ["users:write"], []],
  ["a key with users:read and users:write", ["users:read", "users:write"], []],
  ["a key with a member's scopes and users:write", [...scopesOfRole("member"), "users:write"], MEMBERS_ONLY],
  ["a key with every scope but full", SCOPES.filter((scope) => scope !== "full"), MEMBERS_ONLY],
  [
    "a key with all of them but one of a member's",
    SCOPES.filter((scope) => scope !== "full" && scope !== "events:read"),
    [],
  ],
  ["a key with nothing", [], []],
];

describe("what one may do to a user", () => {
  it("is asked of every pair of roles", () => {
    assert.deepEqual([...ROLES], ["owner", "member"]);
    assert.equal(ALL.length, 12);
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
    ["member", "owner", true],
    ["owner", "member", false],
    ["member", "member", false],
    ["owner", "owner", false],
  ];
  for (const [from, to, ends] of cases) {
    it(`${ends ? "ends" : "stays good"} when its user goes from ${from} to ${to}`, () => {
      assert.equal(gainsScopes(from, to), ends);
    });
  }
});

describe("scopes", () => {
  it("of a member are these and no others, whatever is added to the list", () => {
    assert.deepEqual(
      [...scopesOfRole("member")],
      [
        "account:read",
        "users:read",
        "events:read",
        "subscribers:read",
        "subscribers:write",
        "suppressions:read",
        "suppressions:write",
        "campaigns:read",
        "campaigns:write",
        "campaigns:send",
        "templates:read",
        "templates:write",
        "transports:read",
        "files:read",
        "files:write",
        "forms:read",
        "forms:write",
        "inbound:read",
        "domains:read",
        "deliverability:read",
      ],
    );
  });

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
