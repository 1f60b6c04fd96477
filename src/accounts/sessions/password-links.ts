/**
 * Makes and redeems links that set a password. A link is shown once and can be used once. Its token stands after the
 * #, where no server logs it.
 */
import type { Ctx, TxCtx } from "../../platform/context.ts";
import type { Client } from "../../platform/http/route.ts";
import { newId } from "../../platform/ids.ts";
import { AppError, type Fault, invalid } from "../../platform/problems.ts";
import { lockAccount } from "../account-store.ts";
import { linkUnknown, linkUsed } from "../problems.ts";
import { scopesOfRole } from "../scopes.ts";
import { accountOfToken, hashToken, makeToken } from "../token-format.ts";
import {
  claimLink,
  countOwners,
  createUser,
  deleteExpiredLinksOf,
  deleteLinksOf,
  deleteOtherLinksOf,
  emailKey,
  findLink,
  findUser,
  insertLink,
  isEmail,
  type LinkRow,
  markSignedIn,
  type Passwords,
  passwordFault,
  replacePassword,
  type UserRow,
  updateUser,
} from "../users/users.ts";
import { asUser, type OpenedSession, openSession } from "./session-life.ts";
import { deleteSessionsOf } from "./session-store.ts";
import { recordPasswordChange } from "./sign-in.ts";
import type { SignInThrottle } from "./sign-in-throttle.ts";

const SETUP_MS = 7 * 24 * 3_600_000;
const RESET_MS = 3_600_000;

export type MadeLink = { row: LinkRow; token: string };

export function linkUrl(baseUrl: string, token: string): string {
  return `${baseUrl}/setup#${token}`;
}

/** Makes a set-up link for a user without a password, or else a reset link. It replaces the user's previous link. */
export async function makeLink(ctx: TxCtx, user: UserRow): Promise<MadeLink> {
  await deleteLinksOf(ctx.sql, user.account_id, user.id);
  return insert(ctx, user.id, user.password_hash === null ? "setup" : "reset");
}

/**
 * Makes the same link for a mail. Links that were made before stay good until one is used: anybody may ask for such a mail, and
 * must not be able to end another's link by it.
 */
export async function makeMailedLink(ctx: TxCtx, user: UserRow): Promise<MadeLink> {
  await deleteExpiredLinksOf(ctx.sql, user.account_id, user.id, ctx.clock.now());
  return insert(ctx, user.id, user.password_hash === null ? "setup" : "reset");
}

/** Makes the link by which its holder becomes the account's first owner. */
export function makeFirstOwnerLink(ctx: TxCtx): Promise<MadeLink> {
  return insert(ctx, null, "setup");
}

async function insert(ctx: TxCtx, userId: string | null, purpose: LinkRow["purpose"]): Promise<MadeLink> {
  const token = makeToken("prl_", ctx.accountId);
  const now = ctx.clock.now();
  const row: LinkRow = {
    account_id: ctx.accountId,
    id: newId(ctx.clock),
    user_id: userId,
    purpose,
    created_at: now,
    expires_at: new Date(now.getTime() + (purpose === "setup" ? SETUP_MS : RESET_MS)),
    used_at: null,
  };
  await insertLink(ctx.sql, row, hashToken(token));
  return { row, token };
}

/** Finds a link that can be redeemed now, and its user, which is null for the link that makes the first owner. */
export async function openLink(ctx: Ctx, token: string): Promise<{ link: LinkRow; user: UserRow | null }> {
  const accountId = accountOfToken("prl_", token);
  const link = accountId && (await findLink(ctx.sql, accountId, hashToken(token)));
  if (!link) throw unknownLink();
  if (link.used_at) throw usedLink();
  if (link.expires_at <= ctx.clock.now()) throw unknownLink();
  const user = link.user_id === null ? null : await findUser(ctx.sql, link.account_id, link.user_id);
  if (user === undefined) throw unknownLink();
  return { link, user };
}

export type Redemption = { token: string; password: string; email?: string; name?: string };
export type CheckedRedemption = { link: LinkRow; user: UserRow | null; passwordHash: string };

/**
 * Refuses all that can be refused before the password is hashed, so that nobody without a valid link can make us
 * work.
 */
export async function checkRedemption(
  passwords: Passwords,
  ctx: Ctx,
  input: Redemption,
): Promise<CheckedRedemption> {
  const { link, user } = await openLink(ctx, input.token);
  const faults = [emailFault(user, input.email), newPasswordFault(input, user?.email ?? input.email ?? "")];
  const found = faults.filter((fault) => fault !== undefined);
  if (found.length > 0) throw invalid(...found);
  return { link, user, passwordHash: await passwords.hash(input.password) };
}

/** Sets the password, ends the user's other sessions, and signs in. */
export async function redeemLink(
  throttle: SignInThrottle,
  ctx: TxCtx,
  checked: CheckedRedemption,
  input: Redemption,
  client: Client,
): Promise<OpenedSession & { user: UserRow }> {
  const now = ctx.clock.now();
  if (!(await claimLink(ctx.sql, checked.link, now))) throw usedLink();
  const user = checked.user
    ? await setPassword(ctx, checked, checked.user, input.name)
    : await makeFirstOwner(ctx, checked, input);
  await markSignedIn(ctx.sql, user, checked.passwordHash, now);
  await throttle.forgive(ctx, { emailKey: emailKey(user.email), ip: client.ip });
  const opened = await openSession(ctx, user, client.cookies);
  return { ...opened, user: { ...user, last_signed_in_at: now } };
}

async function setPassword(
  ctx: TxCtx,
  { link, passwordHash: hash }: CheckedRedemption,
  user: UserRow,
  name: string | undefined,
) {
  const own = asUser(ctx, user);
  // Everybody may change their own name, so the change is made with an owner's scopes.
  const named =
    name === undefined ? user : await updateUser(own, scopesOfRole("owner"), user.id, { name }, undefined);
  if (!(await replacePassword(ctx.sql, user, hash, ctx.clock.now(), own.actor))) throw unknownLink();
  await deleteSessionsOf(ctx.sql, user.account_id, user.id, null);
  await deleteOtherLinksOf(ctx.sql, link);
  await recordPasswordChange(ctx, user);
  return { ...named, password_hash: hash };
}

async function makeFirstOwner(ctx: TxCtx, { link, passwordHash }: CheckedRedemption, input: Redemption) {
  await lockAccount(ctx.sql, link.account_id);
  const owners = await countOwners(ctx.sql, link.account_id, null);
  if (owners.ready > 0) throw new AppError(linkUsed, "this account has an owner already; sign in");
  const own: TxCtx = { ...ctx, accountId: link.account_id };
  return createUser(own, { email: input.email ?? "", name: input.name ?? "", role: "owner", passwordHash });
}

function emailFault(user: UserRow | null, email: string | undefined): Fault | undefined {
  const fault = (code: string, detail: string): Fault => ({ pointer: "/email", code, detail });
  if (user) return email === undefined ? undefined : fault("not_allowed", "the link's user has an address");
  if (email === undefined) return fault("required", "is required");
  return isEmail(email) ? undefined : fault("invalid_email", "must be an e-mail address");
}

function newPasswordFault(input: Redemption, email: string): Fault | undefined {
  const fault = passwordFault(input.password, email);
  return fault && { pointer: "/password", ...fault };
}

function unknownLink(): AppError {
  return new AppError(linkUnknown, "this link is mistyped, has expired or was replaced; ask for a new one");
}

function usedLink(): AppError {
  return new AppError(linkUsed, "this link was used already; sign in, or ask for a new one");
}
