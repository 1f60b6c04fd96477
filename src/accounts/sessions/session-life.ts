/** A session of a person begins with a password or a link, is carried by a cookie, and ends by signing out. */
import { recordEvent } from "../../events/events.ts";
import type { Ctx, TxCtx } from "../../platform/context.ts";
import type { Queryable } from "../../platform/db/db.ts";
import { networkOf } from "../../platform/http/address.ts";
import type { AuditedPerson } from "../../platform/http/audit.ts";
import type { Client, Principal } from "../../platform/http/route.ts";
import { newId, toPublicId } from "../../platform/ids.ts";
import { AppError } from "../../platform/problems.ts";
import { hasFactor } from "../factors/factors.ts";
import { noSession } from "../problems.ts";
import { hashToken, makeToken } from "../token-format.ts";
import { listMemberships, type Membership } from "../users/users.ts";
import { readSessionCookie, sessionCookie } from "./session-cookie.ts";
import { expiryOf } from "./session-rules.ts";
import {
  confirmToken,
  deleteExpiredSessionsOf,
  deleteSession,
  deleteSessionByToken,
  deleteSessionsOf,
  findSession,
  holdSession,
  insertSession,
  renewToken,
  type SessionRow,
} from "./session-store.ts";

/** Browsers call themselves by some hundred characters; whoever sends more is no browser. */
const LONGEST_AGENT = 500;

/** What opens a session in the place of a password or a passkey. */
export type OpenedBy = {
  /** The identity that single sign-on proved. */
  readonly identityId?: string;
  /** A link of the command line did. */
  readonly ofOperator?: boolean;
  /** False where the person was perhaps asked nothing; a password, a factor and a passkey always ask. */
  readonly isConfirmed?: boolean;
};
export type OpenedSession = { session: SessionRow; cookie: string };

/** Returns a context in which the user acts, also where the request came without any identity. */
export function asUser(ctx: TxCtx, user: Pick<Membership, "account_id" | "id">): TxCtx {
  return { ...ctx, accountId: user.account_id, actor: { kind: "user", id: toPublicId("usr", user.id) } };
}

/**
 * Opens a session with a new token each time, so that one which was planted in a browser beforehand is worth nothing. Each account
 * that the person belongs to has it in its log, because the session opens them all.
 */
export async function openSession(
  ctx: TxCtx,
  personId: string,
  memberships: readonly Membership[],
  client: Pick<Client, "cookies" | "ip" | "userAgent">,
  { identityId, ofOperator, isConfirmed = true }: OpenedBy,
): Promise<OpenedSession> {
  const now = ctx.clock.now();
  const before = readSessionCookie(client.cookies);
  if (before) await deleteSessionByToken(ctx.sql, hashToken(before));
  await deleteExpiredSessionsOf(ctx.sql, personId, now);
  const token = makeToken("prs_", personId);
  const session: SessionRow = {
    id: newId(ctx.clock),
    person_id: personId,
    token_hash: hashToken(token),
    previous_hash: null,
    rotated_at: now,
    created_at: now,
    last_seen_at: now,
    expires_at: expiryOf(now, now),
    user_agent: (client.userAgent ?? "").slice(0, LONGEST_AGENT),
    network: networkOf(client.ip),
    confirmed_at: isConfirmed ? now : null,
    is_token_used: true,
    identity_id: identityId ?? null,
    of_operator: ofOperator ?? false,
  };
  await insertSession(ctx.sql, session);
  for (const user of memberships) {
    await recordEvent(asUser(ctx, user), {
      type: "user.signed_in",
      data: { user_id: toPublicId("usr", user.id), session_id: toPublicId("ses", session.id) },
    });
  }
  return { session, cookie: sessionCookie(token) };
}

/** Names a person in each of their accounts, for the audit log: what they do to a session or a password touches them all. */
export function peopleOf(memberships: readonly Membership[]): readonly AuditedPerson[] {
  return memberships.map(({ account_id: accountId, id }) => ({ accountId, userId: toPublicId("usr", id) }));
}

/** Finds the person in each of their accounts, for the audit log. */
export async function findPeopleOf(db: Queryable, personId: string): Promise<readonly AuditedPerson[]> {
  return peopleOf(await listMemberships(db, personId));
}

/** Returns the session of a browser that asks for what needs none; undefined where it is signed out. */
export async function findLiveSession(
  { sql, clock }: Pick<Ctx, "sql" | "clock">,
  cookies: string | undefined,
): Promise<SessionRow | undefined> {
  const token = readSessionCookie(cookies);
  const session = token ? await findSession(sql, hashToken(token)) : undefined;
  return session && session.expires_at > clock.now() ? session : undefined;
}

/** Returns the session that the request was made with; answers 404 for an API key, which has none. */
export async function presentSession(
  db: Queryable,
  principal: Principal,
  cookies: string | undefined,
): Promise<SessionRow> {
  const token = principal.actor.kind === "user" ? readSessionCookie(cookies) : undefined;
  const session = token && (await findSession(db, hashToken(token)));
  if (!session) throw new AppError(noSession, "an API key has no session; sign in with POST /v1/session");
  return session;
}

/**
 * Answers as if there were no session where this one was ended while the request waited for the person's row, which is locked by now:
 * whoever has just changed their password has shut out the thief of a session, whatever the thief had on the way.
 */
export async function refuseEndedSession(ctx: TxCtx, session: SessionRow): Promise<void> {
  if (!(await holdSession(ctx.sql, session)))
    throw new AppError(noSession, "this session was ended; sign in again");
}

export async function endSession(ctx: TxCtx, session: SessionRow): Promise<void> {
  await deleteSession(ctx.sql, session.id);
}

/** Ends all sessions of the person but this one, which goes on as it is. */
export async function endOtherSessions(ctx: TxCtx, { person_id: personId, id }: SessionRow): Promise<void> {
  await deleteSessionsOf(ctx.sql, personId, id);
}

/**
 * Continues this session under a new token after a change of password or of address, and ends all others of the person. A password
 * proves that it is them where they have no second factor; whoever has one, or gave none, is asked again.
 */
export async function keepOnly(
  ctx: TxCtx,
  session: SessionRow,
  proof: "password" | "none",
): Promise<OpenedSession> {
  const now = ctx.clock.now();
  const token = makeToken("prs_", session.person_id);
  const next = { hash: hashToken(token), at: now, expiresAt: expiryOf(session.created_at, now) };
  await endOtherSessions(ctx, session);
  const isProven = proof === "password" && !(await hasFactor(ctx.sql, session.person_id));
  const confirmedAt = isProven ? now : null;
  await renewToken(ctx.sql, session, next, confirmedAt);
  return { session: { ...renewed(session, next), confirmed_at: confirmedAt }, cookie: sessionCookie(token) };
}

/** Marks the session as confirmed, under a new token: one that was planted or stolen before isn't raised with it. */
export async function confirmSession(ctx: TxCtx, session: SessionRow): Promise<OpenedSession | undefined> {
  const now = ctx.clock.now();
  const token = makeToken("prs_", session.person_id);
  const next = { hash: hashToken(token), at: now, expiresAt: expiryOf(session.created_at, now) };
  if (!(await confirmToken(ctx.sql, session, next))) return undefined;
  return { session: renewed(session, next), cookie: sessionCookie(token) };
}

function renewed(session: SessionRow, { hash, at, expiresAt }: { hash: Buffer; at: Date; expiresAt: Date }) {
  return {
    ...session,
    token_hash: hash,
    rotated_at: at,
    last_seen_at: at,
    expires_at: expiresAt,
    confirmed_at: at,
  };
}
