/** Scopes say what a key or a user may do. `full` includes all of them, also those that are added later. */
export const SCOPES = [
  "full",
  "account:read",
  "account:write",
  "account:export",
  "api_keys:read",
  "api_keys:write",
  "users:read",
  "users:write",
  "events:read",
  "events:write",
  "lists:read",
  "subscribers:read",
  "subscribers:write",
  "subscribers:export",
  "subscribers:forget",
  "suppressions:read",
  "suppressions:write",
  "campaigns:read",
  "campaigns:write",
  "campaigns:test",
  "campaigns:send",
  "campaigns:export",
  "campaigns:recipients",
  "automations:read",
  "automations:write",
  "automations:send",
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
  "webhooks:read",
  "webhooks:write",
  "audit:read",
  "usage:read",
  "billing:read",
  "billing:write",
  "sso:read",
  "sso:write",
  "instance:read",
] as const;

export type Scope = (typeof SCOPES)[number];

/**
 * What a key's scope includes beside itself. People's roles tell these apart; a program that may read all subscribers one by one may as
 * well have them as a file.
 */
const INCLUDED: Readonly<Partial<Record<Scope, readonly Scope[]>>> = {
  "subscribers:read": ["lists:read", "subscribers:export"],
  "subscribers:write": ["subscribers:forget"],
  "campaigns:read": ["campaigns:export", "campaigns:recipients"],
  "campaigns:send": ["campaigns:test"],
};

/** Returns all that a key with these scopes may do. */
export function scopesOfKey(scopes: readonly string[]): readonly string[] {
  return [...new Set(scopes.flatMap((scope) => [scope, ...(INCLUDED[scope as Scope] ?? [])]))];
}

/**
 * Returns the wanted scopes that the caller lacks. A key can't hand out more than it has, or every `api_keys:write`
 * would be a `full`.
 */
export function scopesBeyond(held: readonly string[], wanted: readonly string[]): readonly string[] {
  return held.includes("full") ? [] : wanted.filter((scope) => !held.includes(scope));
}
