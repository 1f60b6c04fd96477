/**
 * Makes and redeems links that set a password, or let in somebody who has one. A link is shown once and can be used once. Its
 * token stands after the #, where no server logs it.
 */
import { createAuditRecorder } from "../../audit/audit.ts";
import type { ActCtx, Ctx, TxCtx } from "../../platform/context.ts";
import { auditOrigin } from "../../platform/http/audit-records.ts";
import type { Client } from "../../platform/http/route.ts";
import { newId, toPublicId } from "../../platform/ids.ts";
import { AppError, invalid } from "../../platform/problems.ts";
import { lockAccount } from "../account-store.ts";
import { deletePendingOf, kindsOfFactors, openPending, type PendingSignIn } from "../factors/factors.ts";
import { findHolds, hasDeletionBegun, writesRefusedBy } from "../holds/holds.ts";
import {
  findPerson,
  findPersonByEmail,
  holdPassword,
  isSomebody,
  lockPerson,
  replacePassword,
} from "../people/people.ts";
import { linkUsed, personElsewhere, refusePasswords, wrongPerson } from "../problems.ts";
import { scopesOfRole } from "../roles.ts";
import { accountOfToken, hashToken, makeToken } from "../token-format.ts";
import {
  claimLink,
  countOwners,
  createFirstOwner,
  deleteExpiredLinksOf,
  deleteLinksOf,
  deleteOtherLinksOf,
  deletePasswordLinksOf,
  findLink,
  findUser,
  holdLink,
  insertLink,
  isToJoin,
  joinAccount,
  type LinkRow,
  listMemberships,
  lockUser,
  type UserRow,
  updateUser,
} from "../users/users.ts";
import { emailFault, newPasswordFault, unknownLink, usedLink } from "./link-faults.ts";
import { isSharedWithOthers, mayMailLink } from "./link-servers.ts";
import { asUser, findLiveSession } from "./session-life.ts";
import { type FactorDue, isDue, type SignedIn, startSession } from "./session-start.ts";
import { deleteSessionsOf } from "./session-store.ts";
import { isPasswordOf, recordPasswordChange, type SignInTools, wrongPassword } from "./sign-in.ts";

const SETUP_MS = 7 * 24 * 3_600_000;
const RESET_MS = 3_600_000;

export type MadeLink = { row: LinkRow; token: string };
/** Who may have seen a link beside its user. */
export type SeenBy = Pick<LinkRow, "of_instance" | "transport_id">;
const OF_OPERATOR = { of_instance: true, of_operator: true, transport_id: null };
const SHOWN: SeenBy = { of_instance: false, transport_id: null };

export function linkUrl(baseUrl: string, token: string): string {
  return `${baseUrl}/setup#${token}`;
}

/**
 * Makes a link for a user who is invited, or else one that sets another password. It replaces the user's previous link. Whoever
 * belongs to another account too gets none, nor whoever comes by single sign-on or looks after the instance: to set their password is to
 * be them there.
 */
export async function makeLink(ctx: TxCtx, user: UserRow): Promise<MadeLink> {
  if (user.joined_at !== null && (user.is_operator || (await isSharedWithOthers(ctx.sql, user)))) {
    throw new AppError(
      personElsewhere,
      "this user doesn't belong to this account alone, and asks for a new password themselves",
    );
  }
  await deleteLinksOf(ctx.sql, user.account_id, user.id);
  return insert(ctx, user, SHOWN);
}

/** Makes the same link for the operator, who may set anybody's password. */
export async function makeOperatorLink(ctx: TxCtx, user: UserRow): Promise<MadeLink> {
  await deleteLinksOf(ctx.sql, user.account_id, user.id);
  return insert(ctx, user, OF_OPERATOR);
}

/**
 * Makes the same link for a mail. Links that were made before stay good until one is used: anybody may ask for such a mail, and
 * must not be able to end another's link by it.
 */
export async function makeMailedLink(ctx: TxCtx, user: UserRow, seenBy: SeenBy): Promise<MadeLink> {
  await deleteExpiredLinksOf(ctx.sql, user.account_id, user.id, ctx.clock.now());
  return insert(ctx, user, seenBy);
}

/** Makes the link by which its holder becomes the account's first owner. */
export function makeFirstOwnerLink(ctx: TxCtx): Promise<MadeLink> {
  return insert(ctx, null, OF_OPERATOR);
}

async function insert(
  ctx: TxCtx,
  user: UserRow | null,
  seenBy: SeenBy & Partial<Pick<LinkRow, "of_operator">>,
): Promise<MadeLink> {
  const token = makeToken("prl_", ctx.accountId);
  const now = ctx.clock.now();
  const purpose = user?.joined_at ? "reset" : "setup";
  const row: LinkRow = {
    account_id: ctx.accountId,
    id: newId(ctx.clock),
    user_id: user?.id ?? null,
    purpose,
    of_operator: false,
    ...seenBy,
    created_at: now,
    expires_at:
      user?.invitation_expires_at ?? new Date(now.getTime() + (purpose === "setup" ? SETUP_MS : RESET_MS)),
    used_at: null,
  };
  await insertLink(ctx.sql, row, hashToken(token));
  return { row, token };
}

/** Finds a link that can be redeemed now, and its user, which is null for the link that makes the first owner. */
export async function openLink(
  tools: Pick<SignInTools, "findChanger">,
  ctx: Ctx,
  token: string,
): Promise<{ link: LinkRow; user: UserRow | null }> {
  const accountId = accountOfToken("prl_", token);
  const link = accountId && (await findLink(ctx.sql, accountId, hashToken(token)));
  if (!link) throw unknownLink();
  if (link.used_at) throw usedLink();
  if (link.expires_at <= ctx.clock.now()) throw unknownLink();
  const user = link.user_id === null ? null : await findUser(ctx.sql, link.account_id, link.user_id);
  if (user === undefined) throw unknownLink();
  if (user) await refuseSeenLink(tools, ctx, link, user);
  return { link, user };
}

/**
 * A link that people of one account may have seen sets no password of somebody who has joined another since, or whom another has
 * invited before; nor that of an owner, where somebody who is none has changed the server which mailed it. An operator's password is set by a
 * link of the command line alone.
 */
async function refuseSeenLink(
  { findChanger }: Pick<SignInTools, "findChanger">,
  { sql }: Ctx,
  link: LinkRow,
  user: UserRow,
): Promise<void> {
  if (user.is_operator && !link.of_operator && !isToJoin(user)) throw unknownLink();
  if (link.of_instance) return;
  if (await isSharedWithOthers(sql, user)) throw unknownLink();
  const { transport_id: transportId } = link;
  if (transportId && !(await mayMailLink(sql, user, transportId, findChanger))) throw unknownLink();
}

export type Redemption = { token: string; password: string; email?: string; name?: string };
export type CheckedRedemption = {
  readonly link: LinkRow;
  readonly user: UserRow | null;
  /** Whoever accepts by the password that they have, with the hash that was checked. */
  readonly present: WithPassword | null;
  /** The hash to store: of a new password, or the present one. */
  readonly passwordHash: string;
};

/**
 * Refuses all that can be refused before the password is hashed, so that nobody without a valid link can make us
 * work. Whoever accepts an invitation by their present password is throttled as at a sign-in.
 */
export async function checkRedemption(
  tools: SignInTools,
  ctx: ActCtx,
  input: Redemption,
  { ip, cookies }: Pick<Client, "ip" | "cookies">,
): Promise<CheckedRedemption> {
  const { link, user } = await openLink(tools, ctx, input.token);
  if (!link.of_operator) refusePasswords(tools.takesPasswords);
  if (user) await refuseWrongPerson(ctx, user, cookies);
  const person = await presentPersonOf(ctx, user, input.email);
  const faults = [
    emailFault(user, input.email),
    person ? undefined : newPasswordFault(input, user?.email ?? input.email ?? ""),
  ];
  const found = faults.filter((fault) => fault !== undefined);
  if (found.length > 0) throw invalid(...found);
  if (!person) {
    return { link, user, present: null, passwordHash: await tools.passwords.hash(input.password) };
  }
  const isRight = await isPasswordOf(tools, ctx, person, input.password, ip);
  const { id, email_key, password_hash: passwordHash } = person;
  // Whoever comes by single sign-on alone has no password that could be right, and is told as much as of a wrong one.
  if (!isRight || passwordHash === null) throw wrongPassword("/password");
  return { link, user, present: { id, email_key, password_hash: passwordHash }, passwordHash };
}

type Present = { readonly id: string; readonly email_key: string; readonly password_hash: string | null };
type WithPassword = Present & { readonly password_hash: string };

/** Finds whoever is somebody already, and accepts by their password: somebody who is invited, or whom a first owner's link is given to. */
async function presentPersonOf(
  { sql }: ActCtx,
  user: UserRow | null,
  email: string | undefined,
): Promise<Present | undefined> {
  if (user) return isToJoin(user) ? { ...user, id: user.person_id } : undefined;
  const known = email === undefined ? undefined : await findPersonByEmail(sql, email);
  return known && isSomebody(known) ? known : undefined;
}

/** Whoever is signed in as somebody else would accept an invitation that isn't theirs, and be signed out on the way. */
async function refuseWrongPerson(ctx: ActCtx, user: UserRow, cookies: string | undefined): Promise<void> {
  const session = user.joined_at === null ? await findLiveSession(ctx, cookies) : undefined;
  if (!session || session.person_id === user.person_id) return;
  throw new AppError(
    wrongPerson,
    `the invitation is for ${user.email}, and you are signed in as somebody else`,
  );
}

/**
 * Sets the password, or lets in whoever has one, and signs in; who has second factors owes one as at any sign-in. Whoever would join an
 * account by it joins once the factor was given: until then the password alone has done nothing, and the link stays good.
 */
export async function redeemLink(
  tools: SignInTools,
  ctx: TxCtx,
  checked: CheckedRedemption,
  input: Redemption,
  client: Client,
): Promise<(SignedIn & { user: UserRow }) | FactorDue> {
  const due = await joinLater(tools, ctx, checked, input, client);
  if (due) return due;
  const user = await takeLink(tools, ctx, checked, input);
  const memberships = await listMemberships(ctx.sql, user.person_id);
  if (checked.user && !isToJoin(checked.user)) await recordPasswordChange(ctx, checked.user, memberships);
  await tools.throttle.forgive(ctx, { emailKey: user.email_key, ip: client.ip });
  const { of_operator: ofOperator } = checked.link;
  const opened = await startSession(ctx, user.person_id, memberships, client, ofOperator);
  if (isDue(opened)) return { ...opened, changed: memberships };
  return { ...opened, user: { ...user, last_signed_in_at: opened.session.created_at } };
}

/** Returns undefined where the link doesn't let in somebody who has second factors. */
async function joinLater(
  tools: SignInTools,
  ctx: TxCtx,
  { link, present, passwordHash }: CheckedRedemption,
  input: Redemption,
  { ip }: Client,
): Promise<FactorDue | undefined> {
  if (!present) return undefined;
  await lockPerson(ctx.sql, present.id);
  const factors = await kindsOfFactors(ctx.sql, present.id);
  if (factors.length === 0) return undefined;
  const held = await holdLink(ctx.sql, link.account_id, link.id);
  if (held?.used_at) throw usedLink();
  if (!held || !(await holdPassword(ctx.sql, present, passwordHash))) throw unknownLink();
  await tools.throttle.forgive(ctx, { emailKey: present.email_key, ip });
  const by = { account_id: link.account_id, id: link.id, name: input.name ?? null };
  const how = { link: by, ofOperator: link.of_operator };
  return { due: await openPending(ctx.sql, present.id, ctx.clock.now(), how), factors };
}

/** Lets somebody in by the link that the token of their sign-in remembers, once they have given the factor. The person is locked. */
export async function redeemPendingLink(
  tools: SignInTools,
  ctx: TxCtx,
  pending: PendingSignIn,
  client: Client,
): Promise<UserRow | undefined> {
  const { link_account_id: accountId, link_id: id, link_name: name } = pending;
  if (!accountId || !id) return undefined;
  const link = await holdLink(ctx.sql, accountId, id);
  const person = await findPerson(ctx.sql, pending.person_id);
  if (!person?.password_hash || !link || link.expires_at <= ctx.clock.now()) throw unknownLink();
  const user = link.user_id === null ? null : await findUser(ctx.sql, accountId, link.user_id);
  if (user === undefined) throw unknownLink();
  const passwordHash = person.password_hash;
  const joined = await takeLink(
    tools,
    ctx,
    { link, user, present: { ...person, password_hash: passwordHash }, passwordHash },
    { email: person.email, ...(name !== null && { name }) },
  );
  const userId = toPublicId("usr", joined.id);
  createAuditRecorder(ctx.clock)(ctx.sql, [
    {
      accountId,
      actor: { kind: "user", id: userId },
      action: "user.link_redeemed",
      targetId: userId,
      fields: [],
      origin: auditOrigin(client),
    },
  ]);
  return joined;
}

/** Uses the link up, and makes of its user what it is for. */
async function takeLink(
  tools: SignInTools,
  ctx: TxCtx,
  checked: CheckedRedemption,
  input: Pick<Redemption, "email" | "name">,
): Promise<UserRow> {
  const { link } = checked;
  const known = checked.user && (await lockKnown(ctx, checked.user));
  // Whoever comes second is told that the link was used, whatever the first has become by it.
  if (!(await claimLink(ctx.sql, link, ctx.clock.now()))) throw usedLink();
  if (!known) return makeFirstOwner(ctx, checked, input);
  // Whoever became somebody since the check accepts as such: their password is not set.
  if (checked.present === null && isToJoin(known)) throw unknownLink();
  await refuseSeenLink(tools, ctx, link, known);
  return letIn(ctx, checked, known, input.name);
}

/** Returns the user as they are now, since their role may be another by now; the password is still the one that was checked. */
async function lockKnown(
  ctx: TxCtx,
  { account_id, id, person_id, password_hash }: UserRow,
): Promise<UserRow> {
  await lockPerson(ctx.sql, person_id);
  const user = await lockUser(ctx.sql, account_id, id);
  if (!user) throw unknownLink();
  if (user.joined_at === null) await refuseJoining(ctx, account_id);
  return { ...user, password_hash };
}

/** Nobody joins an account that takes no changes. Links of one that is being deleted are answered as if they were gone already. */
async function refuseJoining({ sql }: TxCtx, accountId: string): Promise<void> {
  if (await hasDeletionBegun(sql, accountId)) throw unknownLink();
  const holds = await findHolds(sql, accountId);
  const refusal = writesRefusedBy(holds.map(({ kind }) => kind));
  if (refusal) throw new AppError(refusal.problem, refusal.detail);
}

async function letIn(
  ctx: TxCtx,
  { link, passwordHash }: CheckedRedemption,
  user: UserRow,
  name: string | undefined,
): Promise<UserRow> {
  const person = { id: user.person_id, password_hash: user.password_hash };
  const now = ctx.clock.now();
  if (!isToJoin(user)) {
    if (!(await replacePassword(ctx.sql, person, passwordHash, now))) throw unknownLink();
    await deleteSessionsOf(ctx.sql, person.id, null);
    await deletePasswordLinksOf(ctx.sql, person.id, link.id);
    await deletePendingOf(ctx.sql, person.id);
    person.password_hash = passwordHash;
  }
  if (!(await holdPassword(ctx.sql, person, passwordHash))) throw unknownLink();
  await deleteOtherLinksOf(ctx.sql, link);
  const own = asUser(ctx, user);
  const joined = user.joined_at === null ? await joinAccount(own, user) : user;
  if (name === undefined || name === joined.name) return joined;
  // Everybody may change their own name, so the change is made with an owner's scopes.
  return updateUser(own, scopesOfRole("owner"), user.id, { name }, undefined);
}

async function makeFirstOwner(
  ctx: TxCtx,
  { link, present, passwordHash }: CheckedRedemption,
  input: Pick<Redemption, "email" | "name">,
) {
  await lockAccount(ctx.sql, link.account_id);
  await refuseJoining(ctx, link.account_id);
  const owners = await countOwners(ctx.sql, link.account_id, null);
  if (owners.joined > 0) throw new AppError(linkUsed, "this account has an owner already; sign in");
  const own: TxCtx = { ...ctx, accountId: link.account_id };
  const named = { email: input.email ?? "", name: input.name ?? "" };
  return createFirstOwner(own, named, { checked: present?.password_hash ?? null, hash: passwordHash });
}
