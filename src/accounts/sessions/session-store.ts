/** Sessions belong to people, who stand outside accounts: each is found by the hash of its cookie, which nobody can guess. */
import { prepared, type Queryable, sql, type Tx, type Writable } from "../../platform/db/db.ts";
import { type HoldKind, holdKindsOf } from "../holds/holds.ts";
import type { Role } from "../roles.ts";

export type SessionRow = {
  id: string;
  person_id: string;
  token_hash: Buffer;
  previous_hash: Buffer | null;
  rotated_at: Date;
  created_at: Date;
  last_seen_at: Date;
  expires_at: Date;
  /** What the browser called itself when it signed in, and from where it came. */
  user_agent: string;
  network: string;
  /** When the person last proved that it is them; null where the session is older than the question. */
  confirmed_at: Date | null;
  /** False from a confirmation until the token that it gave comes back: its answer may have been lost. */
  is_token_used: boolean;
  /** The identity that single sign-on opened it by; null where a password or a passkey did. */
  identity_id: string | null;
  /** Whether a link of the command line opened it: it goes on though passwords are switched off. */
  of_operator: boolean;
};

/** What a session may act as: a user of an account. */
export type ActingAs = {
  account_id: string;
  user_id: string;
  role: Role;
  /** The account wants a second factor, and the person has none. */
  lacks_factor: boolean;
  /** What the account is held for. */
  holds: HoldKind[];
};

export async function insertSession(tx: Tx, session: SessionRow): Promise<void> {
  await tx.execute(sql`
    insert into sessions (id, person_id, token_hash, rotated_at, created_at, last_seen_at, expires_at, user_agent, network,
      confirmed_at, identity_id, of_operator)
    values (${session.id}, ${session.person_id}, ${session.token_hash}, ${session.rotated_at},
            ${session.created_at}, ${session.last_seen_at}, ${session.expires_at}, ${session.user_agent},
            ${session.network}, ${session.confirmed_at}, ${session.identity_id}, ${session.of_operator})`);
}

const columns = sql`
  sessions.id, sessions.person_id, token_hash, previous_hash, rotated_at, sessions.created_at, last_seen_at, expires_at,
  user_agent, network, confirmed_at, is_token_used, identity_id, of_operator`;

/** Finds a session by its token or its previous one. The indexes are sessions_by_token and sessions_by_previous_token. */
export function findSession(db: Queryable, tokenHash: Buffer): Promise<SessionRow | undefined> {
  return db.maybeOne<SessionRow>(
    prepared(
      sql`select ${columns} from sessions where token_hash = ${tokenHash} or previous_hash = ${tokenHash}`,
    ),
  );
}

type SessionOfAccount = SessionRow & Omit<ActingAs, "account_id"> & { account_id: string | null };

/** Few accounts want one, so factors are rarely looked for. Single sign-on counts as one. */
const lacksFactor = sql`
  (select require_two_factor from accounts where accounts.account_id = users.account_id)
  and sessions.identity_id is null
  and not exists (select from factors where factors.person_id = users.person_id and activated_at is not null)`;

/**
 * Finds a session with the user that its person is in the account, or where none is named in the two accounts that were joined
 * first: two are enough to know that there are several. What an operator looks into has to be named. This is asked for every request, so it is one statement.
 */
export async function findSessionIn(
  db: Queryable,
  tokenHash: Buffer,
  accountId: string | null,
  now: Date,
): Promise<{ session: SessionRow; actingAs: readonly ActingAs[] } | undefined> {
  const rows = await db.many<SessionOfAccount>(
    prepared(sql`
      select ${columns}, users.account_id, users.id as user_id, users.role, ${lacksFactor} as lacks_factor,
        ${holdKindsOf("users")} as holds
      from sessions left join users on users.person_id = sessions.person_id and joined_at is not null
        and users.account_id = coalesce(${accountId}::uuid, users.account_id)
        and (visit_until is null or visit_until > ${now} and ${accountId}::uuid is not null)
      where token_hash = ${tokenHash} or previous_hash = ${tokenHash}
      order by joined_at, users.account_id limit 2`),
  );
  const [session] = rows;
  return (
    session && { session, actingAs: rows.filter((row): row is SessionRow & ActingAs => !!row.account_id) }
  );
}

/** Returns undefined once the session has ended or expired, or its person has left the account or lacks a factor that it wants. */
export async function findRoleOfSession(
  db: Queryable,
  accountId: string,
  id: string,
  now: Date,
): Promise<Role | undefined> {
  const found = await db.maybeOne<{ role: Role }>(
    prepared(sql`
      select role from users join sessions on sessions.person_id = users.person_id
      where users.account_id = ${accountId} and sessions.id = ${id} and joined_at is not null and expires_at > ${now}
        and (visit_until is null or visit_until > ${now})
        and not (${lacksFactor})`),
  );
  return found?.role;
}

/** Tells whether single sign-on opened the session. */
export async function isBySso(db: Queryable, id: string): Promise<boolean> {
  const found = await db.maybeOne(sql`select from sessions where id = ${id} and identity_id is not null`);
  return found !== undefined;
}

type NextToken = { hash: Buffer; at: Date; expiresAt: Date };

/** Replaces the token once. Of several requests with the same token one gets true, the others false. */
export async function replaceToken(db: Writable, session: SessionRow, next: NextToken): Promise<boolean> {
  const replaced = await db.execute(sql`
    update sessions set token_hash = ${next.hash}, previous_hash = token_hash, rotated_at = ${next.at},
      last_seen_at = ${next.at}, expires_at = ${next.expiresAt}
    where id = ${session.id} and token_hash = ${session.token_hash}`);
  return replaced === 1;
}

/** Returns whether the session still goes on, and keeps it from being ended until the transaction ends. */
export async function holdSession(tx: Tx, { id }: SessionRow): Promise<boolean> {
  return (await tx.maybeOne(sql`select id from sessions where id = ${id} for update`)) !== undefined;
}

/** Renews the token and drops the previous one at once, because a password is often changed when a token was stolen. */
export async function renewToken(
  tx: Tx,
  session: SessionRow,
  next: NextToken,
  confirmedAt: Date | null,
): Promise<void> {
  await tx.execute(sql`
    update sessions set token_hash = ${next.hash}, previous_hash = null, rotated_at = ${next.at},
      last_seen_at = ${next.at}, expires_at = ${next.expiresAt}, confirmed_at = ${confirmedAt},
      is_token_used = true
    where id = ${session.id}`);
}

/**
 * Gives a session whose person has proved that it is them another token. The one before is good until the new one came back, since the
 * answer may be lost, and then for a minute more, for requests that were on their way; it is never the confirmed one. A token whose
 * answer was lost before is given up. Of two who confirm at once, one gets true.
 */
export async function confirmToken(tx: Tx, session: SessionRow, next: NextToken): Promise<boolean> {
  const confirmed = await tx.execute(sql`
    update sessions set token_hash = ${next.hash}, rotated_at = ${next.at},
      previous_hash = case when is_token_used then token_hash else previous_hash end, is_token_used = false,
      last_seen_at = ${next.at}, expires_at = ${next.expiresAt}, confirmed_at = ${next.at}
    where id = ${session.id} and token_hash = ${session.token_hash}`);
  return confirmed === 1;
}

/** Records that the token of a confirmation came back. From now on the one before has its minute of grace. */
export async function markTokenUsed(db: Writable, session: SessionRow, now: Date): Promise<void> {
  await db.execute(sql`
    update sessions set is_token_used = true, rotated_at = ${now}
    where id = ${session.id} and token_hash = ${session.token_hash} and not is_token_used`);
}

/** Goes back to the token before a confirmation whose answer never arrived. Nothing is confirmed by it. */
export async function restoreToken(db: Writable, session: SessionRow, now: Date): Promise<void> {
  await db.execute(sql`
    update sessions set token_hash = previous_hash, previous_hash = null, is_token_used = true, rotated_at = ${now},
      confirmed_at = null
    where id = ${session.id} and token_hash = ${session.token_hash} and not is_token_used and previous_hash is not null`);
}

/** Lists a person's sessions that haven't expired, the one that was used last first. Nobody has many: they expire, and end. */
export function listSessionsOf(
  db: Queryable,
  personId: string,
  now: Date,
  most: number,
): Promise<SessionRow[]> {
  return db.many<SessionRow>(sql`
    select ${columns} from sessions where person_id = ${personId} and expires_at > ${now}
    order by last_seen_at desc, id desc limit ${most}`);
}

/** Ends one session of this person's; returns 0 where they have no such session. */
export function deleteSessionOf(tx: Tx, personId: string, id: string): Promise<number> {
  return tx.execute(sql`delete from sessions where person_id = ${personId} and id = ${id}`);
}

export function deleteSession(db: Writable, id: string): Promise<number> {
  return db.execute(sql`delete from sessions where id = ${id}`);
}

export async function deleteSessionByToken(tx: Tx, tokenHash: Buffer): Promise<void> {
  await tx.execute(sql`
    delete from sessions where token_hash = ${tokenHash} or previous_hash = ${tokenHash}`);
}

/** Ends a person's sessions, but the one that is excepted. */
export function deleteSessionsOf(tx: Tx, personId: string, except: string | null): Promise<number> {
  return tx.execute(sql`
    delete from sessions where person_id = ${personId} and id is distinct from ${except}::uuid`);
}

export async function deleteExpiredSessionsOf(tx: Tx, personId: string, now: Date): Promise<void> {
  await tx.execute(sql`delete from sessions where person_id = ${personId} and expires_at <= ${now}`);
}
