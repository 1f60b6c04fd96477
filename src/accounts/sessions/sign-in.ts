/**
 * Signs in with a password, and changes it. The slow part runs first, outside any transaction, and counts the attempt
 * there, because a refusal must not undo the count.
 */
import { recordEvent } from "../../events/events.ts";
import type { ActCtx, TxCtx } from "../../platform/context.ts";
import type { Client } from "../../platform/http/route.ts";
import { toPublicId } from "../../platform/ids.ts";
import { invalid } from "../../platform/problems.ts";
import { refuseCredentials } from "../problems.ts";
import {
  deleteLinksOf,
  emailKey,
  findUser,
  findUserByEmail,
  isOutdated,
  markSignedIn,
  type Passwords,
  passwordFault,
  replacePassword,
  type UserRow,
} from "../users/users.ts";
import { asUser, keepOnly, type OpenedSession, openSession } from "./session-life.ts";
import type { SessionRow } from "./session-store.ts";
import type { SignInThrottle } from "./sign-in-throttle.ts";

export type SignInTools = { passwords: Passwords; throttle: SignInThrottle };

/**
 * A user whose password was right. `newHash` is the hash to store: the same one, or a new one when the hashing cost
 * has changed.
 */
export type CheckedUser = { user: UserRow; newHash: string };

/** Checks an address and a password, in the same steps whether or not the address is known. */
export async function checkCredentials(
  tools: SignInTools,
  ctx: ActCtx,
  input: { email: string; password: string },
  ip: string,
): Promise<CheckedUser> {
  const attempt = { emailKey: emailKey(input.email), ip };
  await tools.throttle.count(ctx, attempt);
  const user = await findUserByEmail(ctx.sql, input.email);
  const isRight = await verify(tools, ctx, attempt, input.password, user?.password_hash);
  if (!isRight || !user?.password_hash) throw refuseCredentials();
  const outdated = isOutdated(user.password_hash);
  return { user, newHash: outdated ? await tools.passwords.hash(input.password) : user.password_hash };
}

export async function signIn(
  tools: SignInTools,
  ctx: TxCtx,
  { user, newHash }: CheckedUser,
  client: Client,
): Promise<OpenedSession> {
  // A password that was changed while this one was checked must not open a session that the change would have ended.
  if (!(await markSignedIn(ctx.sql, user, newHash, ctx.clock.now()))) throw refuseCredentials();
  await tools.throttle.forgive(ctx, { emailKey: user.email_key, ip: client.ip });
  return openSession(ctx, user, client.cookies);
}

/**
 * Checks the present password and counts the attempt, because a stolen session must not be enough to guess that
 * password.
 */
export async function checkPasswordChange(
  tools: SignInTools,
  ctx: ActCtx,
  session: SessionRow,
  input: { current: string; next: string },
  ip: string,
): Promise<CheckedUser> {
  const user = await findUser(ctx.sql, session.account_id, session.user_id);
  if (!user) throw wrongPassword();
  const fault = passwordFault(input.next, user.email);
  if (fault) throw invalid({ pointer: "/new_password", ...fault });
  const attempt = { emailKey: user.email_key, ip };
  await tools.throttle.count(ctx, attempt);
  if (!(await verify(tools, ctx, attempt, input.current, user.password_hash))) throw wrongPassword();
  return { user, newHash: await tools.passwords.hash(input.next) };
}

export async function changePassword(
  tools: SignInTools,
  ctx: TxCtx,
  session: SessionRow,
  { user, newHash }: CheckedUser,
  client: Client,
): Promise<OpenedSession> {
  if (!(await replacePassword(ctx.sql, user, newHash, ctx.clock.now(), ctx.actor))) throw wrongPassword();
  await tools.throttle.forgive(ctx, { emailKey: user.email_key, ip: client.ip });
  await deleteLinksOf(ctx.sql, user.account_id, user.id);
  await recordPasswordChange(ctx, user);
  return keepOnly(ctx, session);
}

export async function recordPasswordChange(ctx: TxCtx, user: UserRow): Promise<void> {
  await recordEvent(asUser(ctx, user), {
    type: "user.password_changed",
    data: { user_id: toPublicId("usr", user.id) },
    // The first password is no change that anybody would have to be warned of.
    isNoticed: user.password_hash !== null,
  });
}

/**
 * Verifies a password. An attempt that is refused because too many others run is taken back, because nothing was
 * learned by it.
 */
async function verify(
  { passwords, throttle }: SignInTools,
  ctx: ActCtx,
  attempt: { emailKey: string; ip: string },
  password: string,
  hash: string | null | undefined,
): Promise<boolean> {
  try {
    return await passwords.verify(password, hash);
  } catch (error) {
    await throttle.takeBack(ctx, attempt);
    throw error;
  }
}

function wrongPassword() {
  return invalid({
    pointer: "/current_password",
    code: "wrong_password",
    detail: "is not the present password",
  });
}
