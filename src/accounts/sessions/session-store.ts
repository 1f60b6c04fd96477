import { prepared, type Queryable, sql, type Tx, type Writable } from "../../platform/db/db.ts";
import type { Role } from "../scopes.ts";

export type SessionRow = {
  account_id: string;
  id: string;
  user_id: string;
  token_hash: Buffer;
  previous_hash: Buffer | null;
  rotated_at: Date;
  created_at: Date;
  last_seen_at: Date;
  expires_at: Date;
};

export async function insertSession(tx: Tx, session: SessionRow): Promise<void> {
  await tx.execute(sql`
    insert into sessions (account_id, id, user_id, token_hash, rotated_at, created_at, last_seen_at, expires_at)
    values (${session.account_id}, ${session.id}, ${session.user_id}, ${session.token_hash}, ${session.rotated_at},
            ${session.created_at}, ${session.last_seen_at}, ${session.expires_at})`);
}

/** Finds a session by its token or its previous one. The indexes are sessions_by_token and sessions_by_previous_token. */
export function findSession(
  db: Queryable,
  accountId: string,
  tokenHash: Buffer,
): Promise<(SessionRow & { role: Role }) | undefined> {
  return db.maybeOne<SessionRow & { role: Role }>(
    prepared(sql`
      select sessions.account_id, sessions.id, user_id, token_hash, previous_hash, rotated_at, sessions.created_at,
        last_seen_at, expires_at, role
      from sessions join users on users.account_id = sessions.account_id and users.id = user_id
      where sessions.account_id = ${accountId} and (token_hash = ${tokenHash} or previous_hash = ${tokenHash})`),
  );
}

/** Returns undefined once the session has ended or expired. */
export async function findRoleOfSession(
  db: Queryable,
  accountId: string,
  id: string,
  now: Date,
): Promise<Role | undefined> {
  const found = await db.maybeOne<{ role: Role }>(
    prepared(sql`
      select role from sessions join users on users.account_id = sessions.account_id and users.id = user_id
      where sessions.account_id = ${accountId} and sessions.id = ${id} and expires_at > ${now}`),
  );
  return found?.role;
}

/** Replaces the token once. Of several requests with the same token one gets true, the others false. */
export async function replaceToken(
  db: Writable,
  session: SessionRow,
  next: { hash: Buffer; at: Date; expiresAt: Date },
): Promise<boolean> {
  const replaced = await db.execute(sql`
    update sessions set token_hash = ${next.hash}, previous_hash = token_hash, rotated_at = ${next.at},
      last_seen_at = ${next.at}, expires_at = ${next.expiresAt}
    where account_id = ${session.account_id} and id = ${session.id} and token_hash = ${session.token_hash}`);
  return replaced === 1;
}

/** Renews the token and drops the previous one at once, because a password is often changed when a token was stolen. */
export async function renewToken(
  tx: Tx,
  session: SessionRow,
  next: { hash: Buffer; at: Date; expiresAt: Date },
): Promise<void> {
  await tx.execute(sql`
    update sessions set token_hash = ${next.hash}, previous_hash = null, rotated_at = ${next.at},
      last_seen_at = ${next.at}, expires_at = ${next.expiresAt}
    where account_id = ${session.account_id} and id = ${session.id}`);
}

export function deleteSession(db: Writable, accountId: string, id: string): Promise<number> {
  return db.execute(sql`delete from sessions where account_id = ${accountId} and id = ${id}`);
}

export async function deleteSessionByToken(tx: Tx, accountId: string, tokenHash: Buffer): Promise<void> {
  await tx.execute(sql`
    delete from sessions
    where account_id = ${accountId} and (token_hash = ${tokenHash} or previous_hash = ${tokenHash})`);
}

export async function deleteSessionsOf(
  tx: Tx,
  accountId: string,
  userId: string,
  except: string | null,
): Promise<void> {
  await tx.execute(sql`
    delete from sessions
    where account_id = ${accountId} and user_id = ${userId} and id is distinct from ${except}::uuid`);
}

export async function deleteExpiredSessionsOf(
  tx: Tx,
  accountId: string,
  userId: string,
  now: Date,
): Promise<void> {
  await tx.execute(sql`
    delete from sessions where account_id = ${accountId} and user_id = ${userId} and expires_at <= ${now}`);
}
