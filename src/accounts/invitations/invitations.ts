/**
 * An invitation is a membership that its person hasn't accepted: a row of `users` that has not joined. It tells the account nothing of
 * the person but what the account has typed.
 */
import { recordEvent } from "../../events/events.ts";
import type { TxCtx } from "../../platform/context.ts";
import type { Queryable } from "../../platform/db/db.ts";
import { toPublicId } from "../../platform/ids.ts";
import { missing } from "../../platform/problems.ts";
import { lockAccount } from "../account-store.ts";
import { refuseBeyondMembers } from "../standing/standing.ts";
import {
  addUser,
  deleteLinksOf,
  deleteMembership,
  findUser,
  lockUser,
  personFor,
  type UserInput,
  type UserRow,
  updateUserRow,
} from "../users/users.ts";

/** An invitation is good for so long. */
const INVITED_MS = 7 * 24 * 3_600_000;

/**
 * Invites a person, who may belong to other accounts already. They join by a link, which somebody has to make. `pointer` is where their
 * address stands in the body.
 */
export async function inviteUser(ctx: TxCtx, input: UserInput, pointer?: string): Promise<UserRow> {
  // Whoever removes a user locks the account before the person, too, so that the two never wait for each other.
  await lockAccount(ctx.sql, ctx.accountId);
  await refuseBeyondMembers(ctx);
  const person = await personFor(ctx, input.email, pointer);
  const invited = await addUser(ctx, person.id, input, {
    invited_as: input.email.trim(),
    invitation_expires_at: expiry(ctx),
  });
  await record(ctx, "invitation.created", invited.id);
  return invited;
}

export async function findInvited(db: Queryable, accountId: string, id: string): Promise<UserRow> {
  const user = await findUser(db, accountId, id);
  if (!user || user.joined_at) throw missing("invitation");
  return user;
}

/** Locks an invitation, whether or not its time is over. */
export async function lockInvited(ctx: TxCtx, id: string): Promise<UserRow> {
  const user = await lockUser(ctx.sql, ctx.accountId, id);
  if (!user || user.joined_at) throw missing("invitation");
  return user;
}

/** Gives an invitation its whole time again. The links before end, so somebody has to make one. */
export async function renewInvitation(ctx: TxCtx, invited: UserRow): Promise<UserRow> {
  await deleteLinksOf(ctx.sql, ctx.accountId, invited.id);
  const after = { ...invited, invitation_expires_at: expiry(ctx), updated_at: ctx.clock.now() };
  return updateUserRow(ctx.sql, after, ctx.actor);
}

/** Takes an invitation back, with its links. `held` are the scopes of the caller. */
export async function revokeInvitation(ctx: TxCtx, held: readonly string[], id: string): Promise<void> {
  await deleteMembership(ctx, held, id, { isInvited: true });
  await record(ctx, "invitation.deleted", id);
}

function expiry({ clock }: TxCtx): Date {
  return new Date(clock.now().getTime() + INVITED_MS);
}

function record(ctx: TxCtx, type: "invitation.created" | "invitation.deleted", id: string): Promise<void> {
  return recordEvent(ctx, { type, data: { invitation_id: toPublicId("inv", id) } });
}
