/** Scopes say what a key or a user may do. `full` includes all of them, also those that are added later. */
export const SCOPES = [
  "full",
  "account:read",
  "account:write",
  "api_keys:read",
  "api_keys:write",
  "users:read",
  "users:write",
  "events:read",
  "subscribers:read",
  "subscribers:write",
  "suppressions:read",
  "suppressions:write",
  "campaigns:read",
  "campaigns:write",
  "campaigns:send",
  "emails:read",
  "emails:send",
  "templates:read",
  "templates:write",
  "transports:read",
  "transports:write",
  "files:read",
  "files:write",
  "forms:read",
  "forms:write",
  "inbound:read",
  "inbound:write",
  "domains:read",
  "domains:write",
  "deliverability:read",
  "deliverability:write",
  "instance:read",
] as const;

export type Scope = (typeof SCOPES)[number];

export const ROLES = ["owner", "member"] as const;
export type Role = (typeof ROLES)[number];

/**
 * A member's scopes are listed one by one, so that a scope which is added later is only an owner's until somebody
 * decides otherwise.
 */
const MEMBER_SCOPES: readonly Scope[] = [
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
];

export function scopesOfRole(role: Role): readonly Scope[] {
  return role === "owner" ? ["full"] : MEMBER_SCOPES;
}

/**
 * Returns the wanted scopes that the caller lacks. A key can't hand out more than it has, or every `api_keys:write`
 * would be a `full`.
 */
export function scopesBeyond(held: readonly string[], wanted: readonly string[]): readonly string[] {
  return held.includes("full") ? [] : wanted.filter((scope) => !held.includes(scope));
}
