import { toPublicId } from "../../platform/ids.ts";
import { shapeUpdatedBy } from "../updated-by.ts";
import type { LinkRow } from "./link-store.ts";
import type { PasswordLink, User } from "./schema.ts";
import type { UserRow } from "./user-store.ts";

export function shapeUser(row: UserRow): User {
  return {
    object: "user",
    id: toPublicId("usr", row.id),
    email: row.email,
    name: row.name,
    role: row.role,
    notices: row.notices,
    visit_until: row.visit_until?.toISOString() ?? null,
    last_signed_in_at: row.last_signed_in_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    updated_by: shapeUpdatedBy(row.updated_by),
  };
}

/** Tells whether somebody who is invited has a password already, by which they then accept. */
export function isToJoin(user: Pick<UserRow, "joined_at" | "password_hash">): boolean {
  return user.joined_at === null && user.password_hash !== null;
}

export function shapeLink(row: LinkRow, user: UserRow | null, url: string | null): PasswordLink {
  return {
    object: "password_link",
    id: toPublicId("lnk", row.id),
    user_id: user ? toPublicId("usr", user.id) : null,
    email: user?.email ?? null,
    purpose: user && isToJoin(user) ? "join" : row.purpose,
    url,
    expires_at: row.expires_at.toISOString(),
    created_at: row.created_at.toISOString(),
    updated_at: row.created_at.toISOString(),
  };
}
