/**
 * Signs in with a password, and changes it. The slow part runs first, outside any transaction, and counts the attempt
 * there, because a refusal must not undo the count.
 */
import { recordEvent } from "../../events/events.ts";
import type { ActCtx, TxCtx } from "../../platform/context.ts";
import type { Client } from "../../platform/http/route.ts";
import { toPublicId } from "../../platform/ids.ts";
import { invalid } from "../../platform/problems.ts";
import { deletePendingOf } from "../factors/factors.ts";
import {
  emailKey,
  findPerson,
  findPersonByEmail,
  holdPassword,
  isOutdated,
  type Passwords,
  type PersonRow,
  passwordFault,
  replacePassword,
} from "../people/people.ts";
import { refuseCredentials } from "../problems.ts";
import { deletePasswordLinksOf, listMemberships, type Membership } from "../users/users.ts";
import type { FindChanger } from "./link-servers.ts";
import { asUser, keepOnly, refuseEndedSession } from "./session-life.ts";
import { type FactorDue, type SignedIn, startSession } from "./session-start.ts";
import type { SessionRow } from "./session-store.ts";
import type { SignInThrottle } from "./sign-in-throttle.ts";

export type SignInTools = {
  passwords: Passwords;
  throttle: SignInThrottle;
  findChanger: FindChanger;
  /** False where people come by single sign-on alone. */
  takesPasswords: boolean;
};

/**
 * A person whose password was right. `newHash` is the hash to store: the same one, or a new one when the hashing cost
 * has changed.
 */
export type CheckedPerson = { person: PersonRow; newHash: string };

/** Checks an address and a password, in the same steps whether or not the address is known. */
export async function checkCredentials(
  tools: SignInTools,
  ctx: ActCtx,
  input: { email: string; password: string },
  ip: string,
): Promise<CheckedPerson> {
  const attempt = { emailKey: emailKey(input.email), ip };
  await tools.throttle.count(ctx, attempt);
  const person = await findPersonByEmail(ctx.sql, input.email);
  const isRight = await verify(tools, ctx, attempt, input.password, person?.password_hash);
  if (!isRight || !person?.password_hash) throw refuseCredentials();
  const outdated = isOutdated(person.password_hash);
  return { person, newHash: outdated ? await tools.passwords.hash(input.password) : person.password_hash };
}

/** Goes on for a person whose password was right. Whoever belongs to no account has nothing to sign in to. */
export async function signIn(
  tools: SignInTools,
  ctx: TxCtx,
  { person, newHash }: CheckedPerson,
  client: Client,
): Promise<SignedIn | FactorDue> {
  // A password that was changed while this one was checked must not open a session that the change would have ended.
  if (!(await holdPassword(ctx.sql, person, newHash))) throw refuseCredentials();
  const memberships = await listMemberships(ctx.sql, person.id);
  if (memberships.length === 0) throw refuseCredentials();
  await tools.throttle.forgive(ctx, { emailKey: person.email_key, ip: client.ip });
  return startSession(ctx, person.id, memberships, client);
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
): Promise<CheckedPerson> {
  const person = await findPerson(ctx.sql, session.person_id);
  if (!person) throw wrongPassword();
  const fault = passwordFault(input.next, person.email);
  if (fault) throw invalid({ pointer: "/new_password", ...fault });
  if (!(await isPasswordOf(tools, ctx, person, input.current, ip))) throw wrongPassword();
  return { person, newHash: await tools.passwords.hash(input.next) };
}

/** Tells whether this is the password of somebody who is known by other means. The attempt is counted as at a sign-in. */
export async function isPasswordOf(
  tools: SignInTools,
  ctx: ActCtx,
  person: Pick<PersonRow, "email_key" | "password_hash">,
  password: string,
  ip: string,
): Promise<boolean> {
  const attempt = { emailKey: person.email_key, ip };
  await tools.throttle.count(ctx, attempt);
  return verify(tools, ctx, attempt, password, person.password_hash);
}

export async function changePassword(
  tools: SignInTools,
  ctx: TxCtx,
  session: SessionRow,
  { person, newHash }: CheckedPerson,
  client: Client,
): Promise<SignedIn> {
  if (!(await replacePassword(ctx.sql, person, newHash, ctx.clock.now()))) throw wrongPassword();
  await refuseEndedSession(ctx, session);
  await tools.throttle.forgive(ctx, { emailKey: person.email_key, ip: client.ip });
  await deletePasswordLinksOf(ctx.sql, person.id, null);
  await deletePendingOf(ctx.sql, person.id);
  const memberships = await listMemberships(ctx.sql, person.id);
  await recordPasswordChange(ctx, person, memberships);
  return { ...(await keepOnly(ctx, session, "password")), memberships };
}

/** Each account of the person has it in its log, and tells the person: one of them alone might keep its mail back. */
export async function recordPasswordChange(
  ctx: TxCtx,
  before: Pick<PersonRow, "password_hash">,
  memberships: readonly Membership[],
): Promise<void> {
  for (const user of memberships) {
    await recordEvent(asUser(ctx, user), {
      type: "user.password_changed",
      data: { user_id: toPublicId("usr", user.id) },
      // The first password is no change that anybody would have to be warned of.
      isNoticed: before.password_hash !== null,
    });
  }
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

export function wrongPassword(pointer = "/current_password") {
  return invalid({
    pointer,
    code: "wrong_password",
    detail: "is not the present password",
  });
}
