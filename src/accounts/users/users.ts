/**
 * Users are the people of an account: each is a person's membership, in a role. What a role may do stands in `roles.ts`;
 * `authority.ts` says who may change whom.
 */
import { changedFields, recordEvent } from "../../events/events.ts";
import type { TxCtx } from "../../platform/context.ts";
import type { Queryable, Tx } from "../../platform/db/db.ts";
import { isUniqueViolation } from "../../platform/db/errors.ts";
import { etagOf, requireMatch } from "../../platform/http/etag.ts";
import { newId, toPublicId } from "../../platform/ids.ts";
import { AppError, missing } from "../../platform/problems.ts";
import { lockAccount } from "../account-store.ts";
import { announceKeyChange, endKeysOf } from "../api-keys/api-keys.ts";
import {
  deleteLonePerson,
  findOrAddPerson,
  findPerson,
  findPersonByEmail,
  forgetSignInOfNobody,
  isSomebody,
  lockPerson,
  type PersonRow,
  refuseBadEmail,
  replacePassword,
} from "../people/people.ts";
import { lastOwner, operatorVisit, userExists } from "../problems.ts";
import type { Role } from "../roles.ts";
import { gainsScopes, refuseWithoutAuthority } from "./authority.ts";
import { deleteLinksOf } from "./link-store.ts";
import { listMembershipsOrInvitations } from "./membership-store.ts";
import {
  countOwners,
  deleteUserRow,
  endVisitsOf,
  findUser,
  insertUser,
  listSomeUsers,
  lockUser,
  type UserRow,
  updateUserRow,
} from "./user-store.ts";

export { refuseWithoutAuthority } from "./authority.ts";
export {
  claimLink,
  deleteExpiredLinksOf,
  deleteLinksOf,
  deleteOtherLinksOf,
  deletePasswordLinksOf,
  findLink,
  holdLink,
  insertLink,
  type LinkRow,
} from "./link-store.ts";
export {
  belongsElsewhere,
  deleteInvitationsOf,
  isInvitedElsewhere,
  listMemberships,
  listMembershipsOrInvitations,
  listVisitsOf,
  type Membership,
} from "./membership-store.ts";
export { isToJoin, shapeLink, shapeUser } from "./user-shape.ts";
export {
  countInvited,
  countOwners,
  endVisitsOf,
  findMembers,
  findUser,
  findUserIds,
  listInvited,
  listOwners,
  lockUser,
  lockUsers,
  type UserRow,
  updateUserRow,
} from "./user-store.ts";

export type UserInput = { email: string; name: string; role: Role };

/** Makes the account's first owner. `password` is the hash that was checked, where the person has one, and the one to store. */
export async function createFirstOwner(
  ctx: TxCtx,
  input: Omit<UserInput, "role">,
  password: { readonly checked: string | null; readonly hash: string },
): Promise<UserRow> {
  const { id } = await personFor(ctx, input.email);
  const known = await findPerson(ctx.sql, id);
  if (password.checked === null && known && isSomebody(known)) throw takenMeanwhile();
  const person = { id, password_hash: password.checked };
  if (!(await replacePassword(ctx.sql, person, password.hash, ctx.clock.now()))) throw takenMeanwhile();
  const user = await addUser(ctx, id, { ...input, role: "owner" }, { joined_at: ctx.clock.now() });
  await recordJoining(ctx, user);
  return user;
}

function takenMeanwhile(): AppError {
  return new AppError(
    userExists,
    "somebody with this e-mail address has signed in meanwhile; sign in as they did",
  );
}

/** Finds who somebody is in the account that they joined first, or while there is none in the one that invited them. */
export async function findUserByEmail(db: Queryable, email: string): Promise<UserRow | undefined> {
  const person = await findPersonByEmail(db, email);
  const [first] = person ? await listMembershipsOrInvitations(db, person.id) : [];
  return first && findUser(db, first.account_id, first.id);
}

/** Finds the person with this address, or adds one, and locks the row. */
export function personFor(ctx: TxCtx, email: string, pointer?: string): Promise<PersonRow> {
  refuseBadEmail(email, pointer);
  return findOrAddPerson(ctx.sql, {
    id: newId(ctx.clock),
    email: email.trim(),
    created_at: ctx.clock.now(),
  });
}

/** Adds a person to the account, as somebody who has joined or who is invited. */
export async function addUser(
  ctx: TxCtx,
  personId: string,
  { name, role }: Omit<UserInput, "email">,
  how:
    | { readonly joined_at: Date; readonly visit_until?: Date }
    | { readonly invited_as: string; readonly invitation_expires_at: Date },
): Promise<UserRow> {
  const now = ctx.clock.now();
  const made = {
    account_id: ctx.accountId,
    id: newId(ctx.clock),
    person_id: personId,
    name,
    role,
    created_at: now,
    updated_at: now,
    notices: true,
    ...NOT_INVITED,
    joined_at: null,
    visit_until: null,
    ...how,
  };
  return insertUser(ctx.sql, made, ctx.actor).catch((error) => {
    if (!isUniqueViolation(error, "users_by_person")) throw error;
    throw new AppError(userExists, "a user with this e-mail address exists already, or is invited");
  });
}

const NOT_INVITED = { invited_as: null, invitation_expires_at: null };

/** Lets an invited person in. Nothing but the person's own act may call it. */
export async function joinAccount(ctx: TxCtx, user: UserRow): Promise<UserRow> {
  const now = ctx.clock.now();
  const after = { ...user, ...NOT_INVITED, joined_at: now, updated_at: now };
  const joined = await updateUserRow(ctx.sql, after, ctx.actor);
  await recordJoining(ctx, joined);
  return joined;
}

function recordJoining(ctx: TxCtx, { id }: UserRow): Promise<void> {
  return recordEvent(ctx, { type: "user.created", data: { user_id: toPublicId("usr", id) } });
}

/** Finds somebody who has joined. */
export async function findJoined(db: Queryable, accountId: string, id: string): Promise<UserRow> {
  const user = await findUser(db, accountId, id);
  if (!user?.joined_at) throw missing("user");
  return user;
}

/** Locks somebody who has joined, to change them. An operator who looks in is nobody's to change, nor to set a password of. */
export async function lockJoined(tx: Tx, accountId: string, id: string): Promise<UserRow> {
  const user = await lockUser(tx, accountId, id);
  if (!user?.joined_at) throw missing("user");
  if (user.visit_until)
    throw new AppError(operatorVisit, "this is an operator who looks in: end it by DELETE, or wait");
  return user;
}

/** Changes the name or role of somebody who has joined. `held` are the scopes of the caller. */
export async function updateUser(
  ctx: TxCtx,
  held: readonly string[],
  id: string,
  patch: { name?: string; role?: Role; notices?: boolean },
  ifMatch: string | undefined,
): Promise<UserRow> {
  if (patch.role !== undefined) await lockAccount(ctx.sql, ctx.accountId);
  const user = await lockJoined(ctx.sql, ctx.accountId, id);
  const { role: to } = patch;
  refuseWithoutAuthority(held, to ? { kind: "change_role", user, to } : { kind: "rename", user });
  requireMatch(ifMatch, userEtag(user));
  if (to && to !== "owner") await refuseLastOwner(ctx, user);
  if (to && gainsScopes(user.role, to)) await deleteLinksOf(ctx.sql, ctx.accountId, id);
  const after = { ...user, ...patch, updated_at: ctx.clock.now() };
  const fields = changedFields(user, after, ["name", "role", "notices"]);
  if (fields.length === 0) return user;
  const changed = await updateUserRow(ctx.sql, after, ctx.actor);
  // Their keys may do what the new role may, in every process.
  if (changed.role !== user.role) await announceKeyChange(ctx.sql);
  await recordEvent(ctx, {
    type: "user.updated",
    data: { user_id: toPublicId("usr", id), changed: fields },
  });
  return changed;
}

/**
 * Removes a user from the account, with the links that were made for them. A person who then belongs to no account is deleted,
 * with the sessions, or is as somebody new to those who have invited them.
 */
export async function deleteUser(ctx: TxCtx, held: readonly string[], id: string): Promise<void> {
  await deleteMembership(ctx, held, id, { isInvited: false });
  await recordEvent(ctx, { type: "user.deleted", data: { user_id: toPublicId("usr", id) } });
}

/** Deletes a membership, or the invitation to one. */
export async function deleteMembership(
  ctx: TxCtx,
  held: readonly string[],
  id: string,
  { isInvited }: { readonly isInvited: boolean },
): Promise<void> {
  await lockAccount(ctx.sql, ctx.accountId);
  const found = await findUser(ctx.sql, ctx.accountId, id);
  // Whoever redeems a link locks the person first, too, so that the two never wait for each other.
  if (found) await lockPerson(ctx.sql, found.person_id);
  const user = found && (await lockUser(ctx.sql, ctx.accountId, id));
  if (!user || (user.joined_at === null) !== isInvited) throw missing(isInvited ? "invitation" : "user");
  refuseWithoutAuthority(held, { kind: "remove", user });
  await refuseLastOwner(ctx, user);
  await deleteUserRow(ctx.sql, ctx.accountId, id);
  if (!isInvited) await endKeysOf(ctx, id);
  if (user.visit_until) await endVisitsOf(ctx.sql, ctx.accountId, user.person_id, ctx.clock.now());
  await deleteLonePerson(ctx.sql, user.person_id);
  await forgetSignInOfNobody(ctx.sql, user.person_id);
}

/**
 * Deletes up to so many memberships and invitations of an account that is being deleted, whoever they are, and returns how many there were.
 * People are locked in the order of their ids, so that two who do this never wait for each other.
 */
export async function deleteEverybody(tx: Tx, accountId: string, most: number): Promise<number> {
  const users = await listSomeUsers(tx, accountId, most);
  for (const { person_id: personId } of users) await lockPerson(tx, personId);
  for (const { id, person_id: personId } of users) {
    await deleteUserRow(tx, accountId, id);
    await deleteLonePerson(tx, personId);
    await forgetSignInOfNobody(tx, personId);
  }
  return users.length;
}

export function userEtag(user: UserRow): string {
  return etagOf({ name: user.name, role: user.role, notices: user.notices });
}

/**
 * Must be called with the account locked, so that of two owners who remove each other at once, one is refused. An
 * owner who never joined can't replace one who has.
 */
async function refuseLastOwner(ctx: TxCtx, user: UserRow): Promise<void> {
  if (user.role !== "owner") return;
  const others = await countOwners(ctx.sql, ctx.accountId, user.id);
  if ((user.joined_at === null ? others.all : others.joined) > 0) return;
  throw new AppError(
    lastOwner,
    others.all > 0
      ? "no other owner of this account has accepted the invitation yet"
      : "this is the account's only owner; make another user an owner first",
  );
}
