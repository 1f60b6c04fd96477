/** A session of a user begins with a password or a link, is carried by a cookie, and ends by signing out. */
import { recordEvent } from "../../events/events.ts";
import type { TxCtx } from "../../platform/context.ts";
import type { Queryable } from "../../platform/db/db.ts";
import type { Principal } from "../../platform/http/route.ts";
import { newId, toPublicId } from "../../platform/ids.ts";
import { AppError } from "../../platform/problems.ts";
import { noSession } from "../problems.ts";
import { accountOfToken, hashToken, makeToken } from "../token-format.ts";
import type { UserRow } from "../users/users.ts";
import { readSessionCookie, sessionCookie } from "./session-cookie.ts";
import { expiryOf } from "./session-rules.ts";
import {
  deleteExpiredSessionsOf,
  deleteSession,
  deleteSessionByToken,
  deleteSessionsOf,
  findSession,
  insertSession,
  renewToken,
  type SessionRow,
} from "./session-store.ts";

export type OpenedSession = { session: SessionRow; cookie: string };

/** Returns a context in which the user acts, also where the request came without any identity. */
export function asUser(ctx: TxCtx, user: UserRow): TxCtx {
  return { ...ctx, accountId: user.account_id, actor: { kind: "user", id: toPublicId("usr", user.id) } };
}

/** Opens a session with a new token each time, so that one which was planted in a browser beforehand is worth nothing. */
export async function openSession(
  ctx: TxCtx,
  user: UserRow,
  cookies: string | undefined,
): Promise<OpenedSession> {
  const now = ctx.clock.now();
  await endPresented(ctx, cookies);
  await deleteExpiredSessionsOf(ctx.sql, user.account_id, user.id, now);
  const token = makeToken("prs_", user.account_id);
  const session: SessionRow = {
    account_id: user.account_id,
    id: newId(ctx.clock),
    user_id: user.id,
    token_hash: hashToken(token),
    previous_hash: null,
    rotated_at: now,
    created_at: now,
    last_seen_at: now,
    expires_at: expiryOf(now, now),
  };
  await insertSession(ctx.sql, session);
  await recordEvent(asUser(ctx, user), {
    type: "user.signed_in",
    data: { user_id: toPublicId("usr", user.id), session_id: toPublicId("ses", session.id) },
  });
  return { session, cookie: sessionCookie(token) };
}

/** Returns the session that the request was made with; answers 404 for an API key, which has none. */
export async function presentSession(
  db: Queryable,
  principal: Principal,
  cookies: string | undefined,
): Promise<SessionRow> {
  const token = principal.actor.kind === "user" ? readSessionCookie(cookies) : undefined;
  const session = token && (await findSession(db, principal.accountId, hashToken(token)));
  if (!session) throw new AppError(noSession, "an API key has no session; sign in with POST /v1/session");
  return session;
}

export async function endSession(ctx: TxCtx, session: SessionRow): Promise<void> {
  await deleteSession(ctx.sql, session.account_id, session.id);
}

/** Continues this session under a new token after a change of password, and ends all others of the user. */
export async function keepOnly(ctx: TxCtx, session: SessionRow): Promise<OpenedSession> {
  const now = ctx.clock.now();
  const token = makeToken("prs_", session.account_id);
  const next = { hash: hashToken(token), at: now, expiresAt: expiryOf(session.created_at, now) };
  await deleteSessionsOf(ctx.sql, session.account_id, session.user_id, session.id);
  await renewToken(ctx.sql, session, next);
  const renewed = { ...session, rotated_at: now, last_seen_at: now, expires_at: next.expiresAt };
  return { session: renewed, cookie: sessionCookie(token) };
}

/** Ends the session that the browser had before, of whichever account, because its user has just signed in anew. */
async function endPresented(ctx: TxCtx, cookies: string | undefined): Promise<void> {
  const token = readSessionCookie(cookies);
  const accountId = token && accountOfToken("prs_", token);
  if (accountId) await deleteSessionByToken(ctx.sql, accountId, hashToken(token));
}
