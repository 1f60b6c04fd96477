/**
 * People change their own address: they ask, a link goes to the new address, and whoever is signed in and follows it has it. Whether the
 * address is somebody else's is asked later, by the job that mails, so that neither the answer nor its time tells.
 */
import { recordEvent } from "../../events/events.ts";
import { SYSTEM, type TxCtx } from "../../platform/context.ts";
import { isUniqueViolation } from "../../platform/db/errors.ts";
import { newId, toPublicId } from "../../platform/ids.ts";
import { addJob } from "../../platform/jobs/jobs.ts";
import { AppError, invalid, missing } from "../../platform/problems.ts";
import type { Secrets } from "../../platform/secrets.ts";
import { deletePendingOf } from "../factors/factors.ts";
import { mailNewAddressKind, type TellOldAddressPayload, tellOldAddressKind } from "../job-kinds.ts";
import {
  emailKey,
  findPerson,
  findPersonByEmail,
  lockPerson,
  type PersonRow,
  refuseBadEmail,
  replaceEmail,
} from "../people/people.ts";
import { addressTaken, linkUnknown, linkUsed, tooManyAttempts, wrongPerson } from "../problems.ts";
import {
  asUser,
  keepOnly,
  type OpenedSession,
  refuseEndedSession,
  type SessionRow,
} from "../sessions/sessions.ts";
import { accountOfToken, hashToken, makeToken } from "../token-format.ts";
import { deleteInvitationsOf, deletePasswordLinksOf, listMemberships } from "../users/users.ts";
import {
  countMailedTo,
  deleteExpiredChanges,
  type EmailChangeRow,
  endPendingOf,
  findPendingChange,
  insertChange,
  listAsked,
  lockChangeByToken,
  lockPendingChange,
  markMailed,
  markUsed,
} from "./change-store.ts";

export { type EmailChangeRow, findPendingChange };

const HOUR_MS = 3_600_000;
const GOOD_FOR_MS = 24 * HOUR_MS;
/** So many an hour somebody may ask for, and so many mails an hour go to a new address, whoever asks. */
const MOST_AN_HOUR = 3;

/** Notes what somebody asks for, in the place of what they asked before, and adds the jobs that write to both addresses. */
export async function askForChange(
  secrets: Secrets,
  ctx: TxCtx,
  session: SessionRow,
  email: string,
): Promise<EmailChangeRow> {
  refuseBadEmail(email);
  const { person_id: personId } = session;
  const person = await lockPerson(ctx.sql, personId);
  if (!person) throw missing("user");
  await refuseEndedSession(ctx, session);
  if (emailKey(email) === person.email_key) {
    throw invalid({ pointer: "/email", code: "unchanged", detail: "is your address already" });
  }
  const now = ctx.clock.now();
  await refuseTooMany(ctx, personId);
  await deleteExpiredChanges(ctx.sql, now);
  await endPendingOf(ctx.sql, personId, now);
  const change: EmailChangeRow = {
    id: newId(ctx.clock),
    person_id: personId,
    email: email.trim(),
    status: "pending",
    created_at: now,
    expires_at: new Date(now.getTime() + GOOD_FOR_MS),
    mailed_at: null,
  };
  await insertChange(ctx.sql, change);
  await addJob(ctx.sql, mailNewAddressKind, { person_id: personId, change_id: change.id });
  await tellOldAddress(secrets, ctx, person, "asked");
  return change;
}

/** The person is locked, so that several requests at once can't get more than their number. */
async function refuseTooMany(ctx: TxCtx, personId: string): Promise<void> {
  const now = ctx.clock.now().getTime();
  const asked = await listAsked(ctx.sql, personId, new Date(now - HOUR_MS));
  const [oldest] = asked.slice(-MOST_AN_HOUR);
  if (!oldest || asked.length < MOST_AN_HOUR) return;
  const seconds = Math.max(1, Math.ceil((oldest.getTime() + HOUR_MS - now) / 1_000));
  throw new AppError(
    tooManyAttempts,
    `an address can be changed ${MOST_AN_HOUR} times an hour; try again in ${seconds} s`,
    { headers: { "retry-after": String(seconds) } },
  );
}

/** The job has the address, sealed, since the person may have another when it runs. */
async function tellOldAddress(
  secrets: Secrets,
  ctx: TxCtx,
  { id: personId, email }: PersonRow,
  what: TellOldAddressPayload["what"],
): Promise<void> {
  const id = newId(ctx.clock);
  const address = secrets.seal("old-address", email, id).toString("base64");
  await addJob(ctx.sql, tellOldAddressKind, { person_id: personId, address, occasion_id: id, what });
}

/** Returns the address to tell; undefined where it was sealed under a key that the instance no longer has. */
export function oldAddressOf(secrets: Secrets, { address, occasion_id: id }: TellOldAddressPayload) {
  return secrets.open("old-address", Buffer.from(address, "base64"), id);
}

export async function takeBackChange(ctx: TxCtx, personId: string): Promise<void> {
  await lockPerson(ctx.sql, personId);
  if ((await endPendingOf(ctx.sql, personId, ctx.clock.now())) === 0) throw missing("email change");
}

/** What the new address is to get: a link with this token, or without one the word that it is somebody else's. */
export type NewAddressMail = { readonly change: EmailChangeRow; readonly token: string | null };

/**
 * Makes the token of a change's link, once. It returns undefined where there is nothing to mail: it was mailed, taken back or replaced, or
 * the address has got as many as it gets in an hour.
 */
export async function prepareNewAddressMail(
  ctx: TxCtx,
  { person_id: personId, change_id: id }: { readonly person_id: string; readonly change_id: string },
): Promise<NewAddressMail | undefined> {
  const now = ctx.clock.now();
  const change = await lockPendingChange(ctx.sql, personId, id);
  const person = await findPerson(ctx.sql, personId);
  if (!change || !person || isOutdated(change, person)) return undefined;
  if (change.mailed_at || change.expires_at <= now) return undefined;
  const mailed = await countMailedTo(ctx.sql, change.email, new Date(now.getTime() - HOUR_MS));
  if (mailed >= MOST_AN_HOUR) return undefined;
  const isTaken = (await findPersonByEmail(ctx.sql, change.email)) !== undefined;
  const token = isTaken ? null : makeToken("pre_", personId);
  await markMailed(ctx.sql, change, token === null ? null : hashToken(token), now);
  return { change, token };
}

export function emailChangeUrl(baseUrl: string, token: string): string {
  return `${baseUrl}/confirm-address#${token}`;
}

/**
 * Gives the person of the session the new address. This session goes on under another token; all else ends by which the holder of the
 * old address might come in: other sessions, links, invitations.
 */
export async function redeemChange(
  secrets: Secrets,
  ctx: TxCtx,
  session: SessionRow,
  token: string,
): Promise<OpenedSession> {
  const personId = accountOfToken("pre_", token);
  if (personId && personId !== session.person_id) {
    throw new AppError(wrongPerson, "the link is for somebody else than the person who is signed in here");
  }
  const person = personId && (await lockPerson(ctx.sql, personId));
  if (person) await refuseEndedSession(ctx, session);
  const change = person && (await lockChangeByToken(ctx.sql, person.id, hashToken(token)));
  if (!change) throw unknownLink();
  if (change.status === "used") throw new AppError(linkUsed, "this link was used already");
  const now = ctx.clock.now();
  if (change.status !== "pending" || change.expires_at <= now || isOutdated(change, person))
    throw unknownLink();
  await takeAddress(ctx, change);
  await markUsed(ctx.sql, change);
  await deletePasswordLinksOf(ctx.sql, person.id, null);
  await deletePendingOf(ctx.sql, person.id);
  await endInvitations(ctx, person.id);
  await tellOldAddress(secrets, ctx, person, "done");
  for (const user of await listMemberships(ctx.sql, person.id)) {
    const data = { user_id: toPublicId("usr", user.id), changed: ["email"] };
    await recordEvent(asUser(ctx, user), { type: "user.updated", data });
  }
  // The link was perhaps mailed a day ago, and says nothing of who uses this session now.
  return keepOnly(ctx, session, "none");
}

/** Whoever has got a new password since, or another address, may have done so because somebody else had asked. */
function isOutdated(change: EmailChangeRow, person: PersonRow): boolean {
  return person.updated_at > change.created_at;
}

/** Of two who take an address at once, the second is refused by the index people_by_email. */
async function takeAddress(ctx: TxCtx, change: EmailChangeRow): Promise<void> {
  await replaceEmail(ctx.sql, change.person_id, change.email, ctx.clock.now()).catch((error) => {
    if (!isUniqueViolation(error, "people_by_email")) throw error;
    throw new AppError(addressTaken, "somebody else has got this e-mail address meanwhile");
  });
}

/** An invitation is for the address that an account typed, and that is no longer this person's. */
async function endInvitations(ctx: TxCtx, personId: string): Promise<void> {
  for (const { account_id: accountId, id } of await deleteInvitationsOf(ctx.sql, personId)) {
    const own = { ...ctx, accountId, actor: SYSTEM };
    await recordEvent(own, {
      type: "invitation.deleted",
      data: { invitation_id: toPublicId("inv", id) },
    });
  }
}

function unknownLink(): AppError {
  return new AppError(linkUnknown, "this link is mistyped, has expired or was replaced; ask for a new one");
}
