/**
 * Lets strangers open accounts by themselves, where SIGN_UP is open (docs/decisions/0072). Asking changes nothing and tells nothing: a job mails
 * a link, or to whoever is known that they are. The account is made when the link is followed, by which its owner proves the address.
 */
import { createAuditRecorder } from "../../audit/audit.ts";
import type { ActCtx, Ctx, TxCtx } from "../../platform/context.ts";
import type { Queryable, Tx } from "../../platform/db/db.ts";
import { INSTANCE } from "../../platform/http/audit.ts";
import { auditOrigin } from "../../platform/http/audit-records.ts";
import type { Client } from "../../platform/http/route.ts";
import { newId, toPublicId } from "../../platform/ids.ts";
import { addJob } from "../../platform/jobs/jobs.ts";
import { AppError, invalid } from "../../platform/problems.ts";
import type { Secrets } from "../../platform/secrets.ts";
import { createAccount } from "../create-account.ts";
import { type MailSignUpPayload, mailSignUpKind } from "../job-kinds.ts";
import { findPersonByEmail, isSomebody, type PersonRow, passwordFault } from "../people/people.ts";
import { linkUnknown, linkUsed, userExists, wrongPerson } from "../problems.ts";
import {
  asUser,
  findLiveSession,
  finishSignIn,
  type SignedIn,
  type SignInTools,
} from "../sessions/sessions.ts";
import { accountOfToken, hashToken, makeToken } from "../token-format.ts";
import { createFirstOwner, listMemberships, personFor } from "../users/users.ts";
import {
  countMailedTo,
  deleteExpired,
  findByToken,
  insertSignUp,
  lockSignUpsOf,
  markUsed,
  type SignUpRow,
  signUpExists,
} from "./sign-up-store.ts";

export { deleteExpired as forgetOldSignUps, type SignUpRow };

const HOUR_MS = 3_600_000;
const GOOD_FOR_MS = 24 * HOUR_MS;
/** At most so many mails an hour go to an address, whoever asks. */
const MOST_AN_HOUR = 3;

export type SignUpInput = { readonly email: string; readonly account_name: string; readonly name?: string };

/** Gives a new account what it begins with; it is of floors above. */
export type Furnish = (ctx: TxCtx) => Promise<void>;

/** Adds the job that mails the link, whatever the address. What a stranger typed is sealed: the queue is no place to keep it. */
export async function requestSignUp(secrets: Secrets, ctx: TxCtx, input: SignUpInput): Promise<void> {
  const id = newId(ctx.clock);
  const sealed = secrets.seal("sign-up", JSON.stringify(input), id).toString("base64");
  await addJob(ctx.sql, mailSignUpKind, { sealed, occasion_id: id });
}

/** Returns what was asked for; undefined where it was sealed under a key that the instance no longer has. */
export function signUpOf(
  secrets: Secrets,
  { sealed, occasion_id: id }: MailSignUpPayload,
): SignUpInput | undefined {
  const text = secrets.open("sign-up", Buffer.from(sealed, "base64"), id);
  return text === undefined ? undefined : (JSON.parse(text) as SignUpInput);
}

/**
 * Notes the mail to an address, and makes the token of its link: null where the address is somebody's already. It returns undefined where nothing
 * is to be mailed, because this was mailed before or the address has got as many as it gets in an hour.
 */
export async function prepareSignUpMail(
  { sql, clock }: { readonly sql: Tx; readonly clock: Ctx["clock"] },
  id: string,
  { email, account_name, name = "" }: SignUpInput,
): Promise<{ readonly token: string | null } | undefined> {
  const now = clock.now();
  const mailed = await countMailedTo(sql, email, new Date(now.getTime() - HOUR_MS));
  if (mailed >= MOST_AN_HOUR || (await signUpExists(sql, id))) return undefined;
  const person = await findPersonByEmail(sql, email);
  const token = person && (await isKnown(sql, person)) ? null : makeToken("pru_", id);
  const row: SignUpRow = {
    id,
    email: email.trim(),
    account_name,
    name,
    status: "pending",
    created_at: now,
    expires_at: new Date(now.getTime() + GOOD_FOR_MS),
  };
  await insertSignUp(sql, row, token === null ? null : hashToken(token));
  return { token };
}

/** Whoever is only invited is as somebody new: else an invitation by anybody would keep them from an account of their own. */
async function isKnown(db: Queryable, person: PersonRow): Promise<boolean> {
  return isSomebody(person) || (await listMemberships(db, person.id)).length > 0;
}

export function signUpUrl(baseUrl: string, token: string): string {
  return `${baseUrl}/sign-up/confirm#${token}`;
}

/** Finds a sign-up whose link can be used now. */
export async function openSignUp({ sql, clock }: Ctx | ActCtx, token: string): Promise<SignUpRow> {
  const id = accountOfToken("pru_", token);
  const found = id && (await findByToken(sql, id, hashToken(token)));
  if (!found || found.expires_at <= clock.now()) throw unknownLink();
  if (found.status === "used") throw usedLink();
  return found;
}

export type SignUpRedemption = { readonly token: string; readonly password: string; readonly name?: string };
export type CheckedSignUp = { readonly signUp: SignUpRow; readonly passwordHash: string };

/** Refuses all that can be refused before the password is hashed, so that nobody without a valid link can make us work. */
export async function checkSignUp(
  { passwords }: SignInTools,
  ctx: ActCtx,
  { token, password }: SignUpRedemption,
  client: Client,
): Promise<CheckedSignUp> {
  const signUp = await openSignUp(ctx, token);
  // Whoever is signed in would be signed out on the way, perhaps into an account that somebody else has the password of.
  if (await findLiveSession(ctx, client.cookies)) {
    throw new AppError(wrongPerson, `the link is for ${signUp.email}, and you are signed in already`);
  }
  const fault = passwordFault(password, signUp.email);
  if (fault) throw invalid({ pointer: "/password", ...fault });
  return { signUp, passwordHash: await passwords.hash(password) };
}

/** Makes the account, its owner and the owner's session. The accounts' log and that of the instance hold it. */
export async function redeemSignUp(
  ctx: TxCtx,
  furnish: Furnish,
  { signUp, passwordHash }: CheckedSignUp,
  name: string | undefined,
  client: Client,
): Promise<SignedIn> {
  await takeLink(ctx, signUp);
  const { account_id: accountId } = await createAccount(ctx.sql, ctx.clock, { name: signUp.account_name });
  const owner = await createFirstOwner(
    { ...ctx, accountId },
    { email: signUp.email, name: name ?? signUp.name },
    { checked: null, hash: passwordHash },
  );
  await furnish(asUser(ctx, owner));
  createAuditRecorder(ctx.clock)(ctx.sql, [
    {
      accountId: INSTANCE,
      actor: { kind: "stranger", id: null },
      action: "account.created",
      targetId: toPublicId("acc", accountId),
      fields: [],
      origin: auditOrigin(client),
    },
  ]);
  return finishSignIn(ctx, owner.person_id, await listMemberships(ctx.sql, owner.person_id), client);
}

/** Uses all links of the address up. Whoever comes second, by this link or another, is told so. */
async function takeLink(ctx: TxCtx, { id, email }: SignUpRow): Promise<void> {
  const links = await lockSignUpsOf(ctx.sql, email);
  const own = links.find((link) => link.id === id);
  if (!own) throw unknownLink();
  if (own.status === "used") throw usedLink();
  // The person's row is locked from here on, so that nobody sets a password or joins an account between.
  const person = await personFor(ctx, email);
  if (await isKnown(ctx.sql, person)) {
    throw new AppError(userExists, "somebody signs in with this e-mail address meanwhile; sign in");
  }
  await markUsed(ctx.sql, email);
}

function unknownLink(): AppError {
  return new AppError(linkUnknown, "this link is mistyped or has expired; sign up again");
}

function usedLink(): AppError {
  return new AppError(linkUsed, "this link, or another for the same address, was used already; sign in");
}
