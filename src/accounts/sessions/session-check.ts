/** Checks the session of every request that comes with our cookie and without an API key. */
import type { Clock } from "../../platform/clock.ts";
import type { Db } from "../../platform/db/db.ts";
import type { Client, Principal } from "../../platform/http/route.ts";
import { toPublicId } from "../../platform/ids.ts";
import type { Log } from "../../platform/log.ts";
import { AppError } from "../../platform/problems.ts";
import type { Secrets } from "../../platform/secrets.ts";
import { writesRefusedBy } from "../holds/holds.ts";
import { accountRequired, accountUnknown, twoFactorRequired } from "../problems.ts";
import { scopesOfRole } from "../roles.ts";
import { accountOfToken, hashToken, makeToken, SECRET_BYTES } from "../token-format.ts";
import { type NamedAccount, readNamedAccount } from "./named-account.ts";
import { isOwnOrigin, readSessionCookie, sessionCookie, wrongOrigin } from "./session-cookie.ts";
import { confirmedUntil, expiryOf, judgeToken } from "./session-rules.ts";
import {
  type ActingAs,
  deleteSession,
  findSession,
  findSessionIn,
  markTokenUsed,
  replaceToken,
  restoreToken,
  type SessionRow,
} from "./session-store.ts";

type SessionRequest = Omit<Client, "ip"> & {
  readonly method: string;
  readonly named: NamedAccount;
  /** The route is about the person, whichever account is meant. */
  readonly isPersonal: boolean;
};

export type SessionCheck = {
  /**
   * Returns whom the cookie speaks for, undefined when it holds no valid session, or a refusal when a change comes
   * from another site's page, or when it isn't clear for which account. It calls `setCookie` with the next token when one is due.
   */
  check(
    request: SessionRequest,
    setCookie: (cookie: string) => void,
  ): Promise<Principal | AppError | undefined>;
};

type Options = {
  db: Db;
  clock: Clock;
  log: Log;
  secrets: Secrets;
  baseUrl: () => string;
  /** Where it is false, what a password or a passkey has opened before is no session any more. */
  takesPasswords: boolean;
};

const SAFE_METHODS = new Set(["GET", "HEAD", "OPTIONS"]);

export function createSessionCheck(options: Options): SessionCheck {
  return {
    async check(request, setCookie) {
      const token = readSessionCookie(request.cookies);
      // The checksum turns away what was never a token of ours, without a question to the database.
      if (!token || !accountOfToken("prs_", token)) return undefined;
      const isChange = !SAFE_METHODS.has(request.method);
      // Whoever was removed from the account that their page names still signs out and changes their password.
      const named = request.isPersonal && isChange ? undefined : readNamedAccount(request.named);
      const accountId = named instanceof AppError ? undefined : named;
      const found = await goodSession(options, token, accountId ?? null);
      if (!found) return undefined;
      if (isChange && !isOwnOrigin(request, options.baseUrl())) return wrongOrigin();
      const next = await nextToken(options, found.session, token);
      if (next) setCookie(sessionCookie(next));
      if (named instanceof AppError) return named;
      const [first, second] = found.actingAs;
      if (!first) return accountId ? notAMember() : undefined;
      if (second && !request.isPersonal) return severalAccounts();
      // What is about the person alone goes on: so they add a factor, and sign out.
      if (first.lacks_factor && !request.isPersonal) return factorMissing();
      return principalOf(found.session, first, hashToken(token));
    },
  };
}

async function goodSession(
  { db, clock, log, takesPasswords }: Options,
  token: string,
  accountId: string | null,
) {
  const tokenHash = hashToken(token);
  const found = await findSessionIn(db.hot, tokenHash, accountId, clock.now());
  if (!found) return undefined;
  const { session } = found;
  if (!takesPasswords && session.identity_id === null && !session.of_operator) return undefined;
  const verdict = judgeToken(session, tokenHash, clock.now());
  if (verdict === "stolen") {
    await deleteSession(db, session.id);
    const id = toPublicId("ses", session.id);
    log.warn(
      { session: id },
      "an old token of a session was used: it may be stolen, and the session has ended",
    );
  }
  return verdict === "stolen" || verdict === "expired" ? undefined : found;
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
  if (verdict === "first" || verdict === "lost") {
    await (verdict === "first" ? markTokenUsed : restoreToken)(db, session, now);
    return undefined;
  }
  const parts = ["1", "2"].map((part) => secrets.mac("session-rotation", token, part));
  const next = makeToken("prs_", session.person_id, Buffer.concat(parts).subarray(0, SECRET_BYTES));
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
  const current = await findSession(db.hot, hash);
  return current?.token_hash.equals(hash) ? next : undefined;
}

function principalOf(
  session: SessionRow,
  { account_id, user_id, role, holds }: ActingAs,
  tokenHash: Buffer,
): Principal {
  const writesRefused = writesRefusedBy(holds);
  const until = confirmedUntil(session, tokenHash);
  return {
    accountId: account_id,
    actor: { kind: "user", id: toPublicId("usr", user_id) },
    scopes: scopesOfRole(role),
    unlimited: false,
    sessionId: session.id,
    ...(until && { confirmedUntil: until }),
    ...(writesRefused && { writesRefused }),
  };
}

function severalAccounts(): AppError {
  return new AppError(
    accountRequired,
    "you belong to several accounts: say which by `Postrider-Account: acc_…`, or on a GET by `?account=`",
  );
}

function factorMissing(): AppError {
  return new AppError(
    twoFactorRequired,
    "this account wants a second factor of its people; add one with POST /v1/factors",
  );
}

function notAMember(): AppError {
  return new AppError(accountUnknown, "there is no such account, or you don't belong to it");
}
