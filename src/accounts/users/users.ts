/**
 * Users are the people of an account. An owner may do everything, a member what `scopes.ts` lists; `authority.ts`
 * says who may change whom.
 */
import { changedFields, recordEvent } from "../../events/events.ts";
import type { TxCtx } from "../../platform/context.ts";
import { isUniqueViolation } from "../../platform/db/errors.ts";
import { etagOf, requireMatch } from "../../platform/http/etag.ts";
import { newId, toPublicId } from "../../platform/ids.ts";
import { AppError, type Fault, invalid, missing } from "../../platform/problems.ts";
import { lockAccount } from "../account-store.ts";
import { lastOwner, userExists } from "../problems.ts";
import type { Role } from "../scopes.ts";
import type { Unsigned } from "../updated-by.ts";
import { gainsScopes, refuseWithoutAuthority } from "./authority.ts";
import { emailKey, isEmail } from "./email.ts";
import { deleteLinksOf } from "./link-store.ts";
import {
  countOwners,
  deleteUserRow,
  insertUser,
  lockUser,
  type UserRow,
  updateUserRow,
} from "./user-store.ts";

export { emailKey, isEmail } from "./email.ts";
export {
  claimLink,
  deleteExpiredLinksOf,
  deleteLinksOf,
  deleteOtherLinksOf,
  findLink,
  insertLink,
  type LinkRow,
} from "./link-store.ts";
export { createPasswords, isOutdated, type Passwords, passwordFault } from "./passwords.ts";
export { shapeLink, shapeUser } from "./user-shape.ts";
export {
  countOwners,
  findUser,
  findUserByEmail,
  listOwners,
  lockUser,
  lockUsers,
  markSignedIn,
  replacePassword,
  type UserRow,
} from "./user-store.ts";

export type UserInput = { email: string; name: string; role: Role; passwordHash: string | null };

export async function createUser(ctx: TxCtx, input: UserInput): Promise<UserRow> {
  refuseBadEmail(input.email);
  const now = ctx.clock.now();
  const made: Unsigned<UserRow> = {
    account_id: ctx.accountId,
    id: newId(ctx.clock),
    email: input.email.trim(),
    email_key: emailKey(input.email),
    name: input.name,
    role: input.role,
    password_hash: input.passwordHash,
    created_at: now,
    updated_at: now,
    last_signed_in_at: null,
    notices: true,
  };
  const user = await insertUser(ctx.sql, made, ctx.actor).catch((error) => {
    if (!isUniqueViolation(error, "users_by_email")) throw error;
    throw new AppError(userExists, "a user with this e-mail address exists already");
  });
  await recordEvent(ctx, { type: "user.created", data: { user_id: toPublicId("usr", user.id) } });
  return user;
}

/** Changes a user's name or role. `held` are the scopes of the caller. */
export async function updateUser(
  ctx: TxCtx,
  held: readonly string[],
  id: string,
  patch: { name?: string; role?: Role; notices?: boolean },
  ifMatch: string | undefined,
): Promise<UserRow> {
  if (patch.role !== undefined) await lockAccount(ctx.sql, ctx.accountId);
  const user = await lockUser(ctx.sql, ctx.accountId, id);
  if (!user) throw missing("user");
  const { role: to } = patch;
  refuseWithoutAuthority(held, to ? { kind: "change_role", user, to } : { kind: "rename", user });
  requireMatch(ifMatch, userEtag(user));
  if (to === "member") await refuseLastOwner(ctx, user);
  if (to && gainsScopes(user.role, to)) await deleteLinksOf(ctx.sql, ctx.accountId, id);
  const after = { ...user, ...patch, updated_at: ctx.clock.now() };
  const changed = await updateUserRow(ctx.sql, after, ctx.actor);
  await recordEvent(ctx, {
    type: "user.updated",
    data: {
      user_id: toPublicId("usr", id),
      changed: changedFields(user, changed, ["name", "role", "notices"]),
    },
  });
  return changed;
}

/** Deletes a user; the user's sessions and links are deleted with the row. */
export async function deleteUser(ctx: TxCtx, held: readonly string[], id: string): Promise<void> {
  await lockAccount(ctx.sql, ctx.accountId);
  const user = await lockUser(ctx.sql, ctx.accountId, id);
  if (!user) throw missing("user");
  refuseWithoutAuthority(held, { kind: "remove", user });
  await refuseLastOwner(ctx, user);
  await deleteUserRow(ctx.sql, ctx.accountId, id);
  await recordEvent(ctx, { type: "user.deleted", data: { user_id: toPublicId("usr", id) } });
}

export function userEtag(user: UserRow): string {
  return etagOf({ name: user.name, role: user.role, notices: user.notices });
}

/** Checks the address in a body whose form hasn't been checked yet. */
export function emailFaults(body: unknown): readonly Fault[] {
  const { email } = (body ?? {}) as { email?: unknown };
  if (typeof email !== "string" || email === "" || isEmail(email)) return [];
  return [{ pointer: "/email", code: "invalid_email", detail: "must be an e-mail address" }];
}

export function refuseBadEmail(email: string): void {
  const faults = emailFaults({ email });
  if (faults.length > 0) throw invalid(...faults);
}

/**
 * Must be called with the account locked, so that of two owners who remove each other at once, one is refused. An
 * owner who never set a password can't replace one who has.
 */
async function refuseLastOwner(ctx: TxCtx, user: UserRow): Promise<void> {
  if (user.role !== "owner") return;
  const others = await countOwners(ctx.sql, ctx.accountId, user.id);
  if ((user.password_hash === null ? others.all : others.ready) > 0) return;
  throw new AppError(
    lastOwner,
    others.all > 0
      ? "no other owner of this account has set a password yet"
      : "this is the account's only owner; make another user an owner first",
  );
}
