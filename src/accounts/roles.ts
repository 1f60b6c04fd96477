/**
 * What each role may do. This table guards every request of somebody who is signed in, says who may change whom
 * (`users/authority.ts`), bounds the keys that they make, and is what the API's documents tell of roles.
 */
import { SCOPES, type Scope } from "./scopes.ts";

/** Each role may do all that those after it may. */
export const ROLES = ["owner", "admin", "marketer", "writer", "viewer"] as const;
export type Role = (typeof ROLES)[number];

const MEANINGS: Readonly<Record<Role, string>> = {
  owner: "may do everything, and alone makes and removes owners, and exports and deletes the account",
  admin:
    "manages the account, its people up to admins, its keys, servers, domains and webhooks, exports and forgets",
  marketer: "works with subscribers, forms and campaigns, and sends",
  writer: "writes campaigns and templates, and sends tests to people of the account alone",
  viewer: "reads lists, campaigns, templates and numbers",
};

/**
 * The least role that has each scope. Every scope stands here, so that whoever adds one decides. `full`, which holds those that are
 * added later too, is the owner's.
 */
const LEAST_ROLE: Readonly<Record<Scope, Role>> = {
  full: "owner",
  "instance:read": "owner",
  "account:export": "owner",
  "sso:read": "owner",
  "sso:write": "owner",
  "billing:write": "owner",

  "account:write": "admin",
  "api_keys:read": "admin",
  "api_keys:write": "admin",
  "users:write": "admin",
  "audit:read": "admin",
  "billing:read": "admin",
  "subscribers:export": "admin",
  "subscribers:forget": "admin",
  "campaigns:export": "admin",
  "emails:read": "admin",
  "emails:send": "admin",
  "webhooks:write": "admin",
  "domains:write": "admin",
  "transports:write": "admin",
  "inbound:write": "admin",
  "deliverability:write": "admin",

  "subscribers:read": "marketer",
  "subscribers:write": "marketer",
  "events:write": "marketer",
  "suppressions:read": "marketer",
  "suppressions:write": "marketer",
  "campaigns:send": "marketer",
  "campaigns:recipients": "marketer",
  "automations:write": "marketer",
  "automations:send": "marketer",
  "forms:read": "marketer",
  "forms:write": "marketer",
  "transports:read": "marketer",
  "inbound:read": "marketer",
  "domains:read": "marketer",
  "deliverability:read": "marketer",
  "webhooks:read": "marketer",
  "usage:read": "marketer",

  "campaigns:write": "writer",
  "campaigns:test": "writer",
  "templates:write": "writer",
  "files:write": "writer",

  "account:read": "viewer",
  "users:read": "viewer",
  // The log holds ids and no addresses; the dashboard stays live by it.
  "events:read": "viewer",
  "lists:read": "viewer",
  "campaigns:read": "viewer",
  "automations:read": "viewer",
  "templates:read": "viewer",
  "files:read": "viewer",
};

export function scopesOfRole(role: Role): readonly Scope[] {
  return HELD[role];
}

const HELD = Object.fromEntries(
  ROLES.map((role) => [role, role === "owner" ? ["full"] : SCOPES.filter((scope) => mayHold(role, scope))]),
) as unknown as Readonly<Record<Role, readonly Scope[]>>;

function mayHold(role: Role, scope: Scope): boolean {
  return ROLES.indexOf(role) <= ROLES.indexOf(LEAST_ROLE[scope]);
}

/**
 * Tells whether a role may do more than somebody who may change the account's servers, and so read what is mailed by them: a link that
 * sets such a user's password would raise them.
 */
export function isAboveServers(role: Role): boolean {
  return ROLES.indexOf(role) < ROLES.indexOf(LEAST_ROLE["transports:write"]);
}

/** Says what the roles are, for the documents. */
export function describeRoles(): string {
  return ROLES.map((role) => {
    const added = SCOPES.filter((scope) => LEAST_ROLE[scope] === role).map((scope) => `\`${scope}\``);
    return `\`${role}\` ${MEANINGS[role]} (${added.join(", ")}${role === "viewer" ? "" : ", and what those after it have"}).`;
  }).join(" ");
}
