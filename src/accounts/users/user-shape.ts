import { toPublicId } from "../../platform/ids.ts";
import { isSomebody, type Standing } from "../people/people.ts";
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

/** Tells whether somebody who is invited is somebody already: they accept by their password, or by single sign-on. */
export function isToJoin(user: Pick<UserRow, "joined_at" | "password_hash" | keyof Standing>): boolean {
  return user.joined_at === null && isSomebody(user);
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
