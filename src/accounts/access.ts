import type { Queryable } from "../platform/db/db.ts";
import type { Principal } from "../platform/http/route.ts";
import { requireId } from "../platform/ids.ts";
import { findKey, scopesInForce } from "./api-keys/api-keys.ts";
import { scopesOfRole } from "./roles.ts";
import { findRoleOfSession } from "./sessions/sessions.ts";

/**
 * Tells whether a caller who was let in a while ago would be let in now, for answers that take long. It asks by the
 * id of the key or the session, not by its token: a browser may have got the next token since, and an old one looks
 * stolen.
 */
export async function stillMay(
  db: Queryable,
  principal: Principal,
  scope: string,
  now: Date,
): Promise<boolean> {
  const scopes = await scopesNow(db, principal, now);
  return scopes.includes(scope) || scopes.includes("full");
}

async function scopesNow(db: Queryable, principal: Principal, now: Date): Promise<readonly string[]> {
  const { accountId, actor, sessionId } = principal;
  if (sessionId) {
    const role = await findRoleOfSession(db, accountId, sessionId, now);
    return role ? scopesOfRole(role) : [];
  }
  if (actor.kind !== "api_key" || actor.id === null) return [];
  const key = await findKey(db, accountId, requireId("key", actor.id, "API key"));
  return key && (key.expires_at === null || key.expires_at > now) ? scopesInForce(key) : [];
}
