/**
 * Says whether a server that people of an account may have chosen may mail a link that sets a password: whoever reads the link becomes
 * its user. The same is asked again when the link is redeemed, since the server may be another by then.
 */
import type { Queryable } from "../../platform/db/db.ts";
import { findKey } from "../api-keys/api-keys.ts";
import { isAboveServers, scopesOfRole } from "../roles.ts";
import type { UpdatedByRow } from "../updated-by.ts";
import { belongsElsewhere, findUser, isInvitedElsewhere, isToJoin, type UserRow } from "../users/users.ts";

/** Says who changed a transport last; undefined where there is no such transport. */
export type FindChanger = (
  db: Queryable,
  accountId: string,
  transportId: string,
) => Promise<UpdatedByRow | undefined>;

/** Tells whether a link that people of one account may have seen could get them into another, or keep its holder out of it. */
export async function isSharedWithOthers(db: Queryable, user: UserRow): Promise<boolean> {
  if (isToJoin(user)) return false;
  // The provider's groups may make them a member of another account at any time.
  if (user.has_identity) return true;
  return user.joined_at === null ? isInvitedElsewhere(db, user) : belongsElsewhere(db, user);
}

/** Tells whether a transport of the account's own may mail the user a link. One that lets in by a password sets none. */
export async function mayMailLink(
  db: Queryable,
  user: UserRow,
  transportId: string,
  findChanger: FindChanger,
): Promise<boolean> {
  if (!isAboveServers(user.role) || isToJoin(user)) return true;
  return holdsFull(db, user.account_id, await findChanger(db, user.account_id, transportId));
}

async function holdsFull(db: Queryable, accountId: string, by: UpdatedByRow | undefined): Promise<boolean> {
  if (!by?.id) return by?.kind === "system";
  if (by.kind === "api_key") return (await findKey(db, accountId, by.id))?.scopes.includes("full") ?? false;
  const user = by.kind === "user" ? await findUser(db, accountId, by.id) : undefined;
  return user !== undefined && user.joined_at !== null && scopesOfRole(user.role).includes("full");
}
