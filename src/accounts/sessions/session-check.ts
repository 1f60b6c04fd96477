/** Checks the session of every request that comes with our cookie and without an API key. */
import type { Clock } from "../../platform/clock.ts";
import type { Db } from "../../platform/db/db.ts";
import type { Client, Principal } from "../../platform/http/route.ts";
import { toPublicId } from "../../platform/ids.ts";
import type { Log } from "../../platform/log.ts";
import type { AppError } from "../../platform/problems.ts";
import type { Secrets } from "../../platform/secrets.ts";
import { type Role, scopesOfRole } from "../scopes.ts";
import { accountOfToken, hashToken, makeToken, SECRET_BYTES } from "../token-format.ts";
import { isOwnOrigin, readSessionCookie, sessionCookie, wrongOrigin } from "./session-cookie.ts";
import { expiryOf, judgeToken } from "./session-rules.ts";
import { deleteSession, findSession, replaceToken, type SessionRow } from "./session-store.ts";

export type SessionCheck = {
  /**
   * Returns whom the cookie speaks for, undefined when it holds no valid session, or a refusal when a change comes
   * from another site's page. It calls `setCookie` with the next token when one is due.
   */
  check(
    request: Omit<Client, "ip"> & { method: string },
    setCookie: (cookie: string) => void,
  ): Promise<Principal | AppError | undefined>;
};

type Options = { db: Db; clock: Clock; log: Log; secrets: Secrets; baseUrl: () => string };

const SAFE_METHODS = new Set(["GET", "HEAD", "OPTIONS"]);

export function createSessionCheck(options: Options): SessionCheck {
  return {
    async check(request, setCookie) {
      const token = readSessionCookie(request.cookies);
      const accountId = token && accountOfToken("prs_", token);
      if (!accountId) return undefined;
      const session = await goodSession(options, accountId, token);
      if (!session) return undefined;
      if (!SAFE_METHODS.has(request.method) && !isOwnOrigin(request, options.baseUrl())) return wrongOrigin();
      const next = await nextToken(options, session, token);
      if (next) setCookie(sessionCookie(next));
      return principalOf(session);
    },
  };
}

async function goodSession({ db, clock, log }: Options, accountId: string, token: string) {
  const tokenHash = hashToken(token);
  const session = await findSession(db.hot, accountId, tokenHash);
  if (!session) return undefined;
  const verdict = judgeToken(session, tokenHash, clock.now());
  if (verdict === "stolen") {
    await deleteSession(db, accountId, session.id);
    const id = toPublicId("ses", session.id);
    log.warn(
      { session: id },
      "an old token of a session was used: it may be stolen, and the session has ended",
    );
  }
  return verdict === "stolen" || verdict === "expired" ? undefined : session;
}

/**
 * Returns the token that the browser shall have from now on, if it isn't the one it sent. The next token follows from
 * the last by a keyed hash, so that several requests at once get the same one, and a lost answer can be repeated.
 */
async function nextToken(options: Options, session: SessionRow, token: string): Promise<string | undefined> {
  const { db, clock, secrets } = options;
  const now = clock.now();
  const verdict = judgeToken(session, hashToken(token), now);
  if (verdict === "good") return undefined;
  const parts = ["1", "2"].map((part) => secrets.mac("session-rotation", token, part));
  const next = makeToken("prs_", session.account_id, Buffer.concat(parts).subarray(0, SECRET_BYTES));
  const hash = hashToken(next);
  if (verdict === "due") {
    const replaced = await replaceToken(db, session, {
      hash,
      at: now,
      expiresAt: expiryOf(session.created_at, now),
    });
    if (replaced) return next;
  }
  // Another request has replaced the token: this one returns the same, unless a new password or a sign-out came in
  // between.
  const current = await findSession(db.hot, session.account_id, hash);
  return current?.token_hash.equals(hash) ? next : undefined;
}

function principalOf(session: SessionRow & { role: Role }): Principal {
  return {
    accountId: session.account_id,
    actor: { kind: "user", id: toPublicId("usr", session.user_id) },
    scopes: scopesOfRole(session.role),
    unlimited: false,
    sessionId: session.id,
  };
}
