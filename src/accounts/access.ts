import type { Queryable } from "../platform/db/db.ts";
import type { Principal } from "../platform/http/route.ts";
import { scopesOfSecret } from "./api-keys/api-keys.ts";
import { scopesOfRole } from "./roles.ts";
import { findRoleOfSession } from "./sessions/sessions.ts";

/**
 * Tells whether a caller who was let in a while ago would be let in now, for answers that take long. It asks by the
 * secret of the key, of which a rotation leaves two; and by the id of the session, not by its token: a browser may have got the next
 * one since, and an old one looks stolen.
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
  const { accountId, sessionId, secretHash } = principal;
  if (sessionId) {
    const role = await findRoleOfSession(db, accountId, sessionId, now);
    return role ? scopesOfRole(role) : [];
  }
  return secretHash ? scopesOfSecret(db, accountId, secretHash, now) : [];
}
