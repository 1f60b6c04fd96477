import type { Actor } from "../../platform/context.ts";
import { prepared, type Queryable, sql, type Tx } from "../../platform/db/db.ts";
import { type AgePage, newestFirst } from "../../platform/db/newest-first.ts";
import type { Role } from "../scopes.ts";
import {
  signedBy,
  signedColumns,
  signing,
  type Unsigned,
  type UpdatedByRow,
  updatedByOf,
} from "../updated-by.ts";
import { emailKey } from "./email.ts";

export type UserRow = {
  account_id: string;
  id: string;
  email: string;
  email_key: string;
  name: string;
  role: Role;
  password_hash: string | null;
  created_at: Date;
  updated_at: Date;
  last_signed_in_at: Date | null;
  /** Whether the user gets notices that are not about security. */
  notices: boolean;
  updated_by: UpdatedByRow;
};

const stored = sql`account_id, id, email, email_key, name, role, password_hash, created_at, updated_at, last_signed_in_at, notices`;
const columns = sql`${stored}, ${updatedByOf("users")}`;

export function insertUser(tx: Tx, user: Unsigned<UserRow>, actor: Actor): Promise<UserRow> {
  return tx.one<UserRow>(sql`
    insert into users (${stored}, ${signedColumns})
    values (${user.account_id}, ${user.id}, ${user.email}, ${user.email_key}, ${user.name}, ${user.role},
            ${user.password_hash}, ${user.created_at}, ${user.updated_at}, ${user.last_signed_in_at}, ${user.notices},
            ${signing(actor)})
    returning ${columns}`);
}

export function findUser(db: Queryable, accountId: string, id: string): Promise<UserRow | undefined> {
  return db.maybeOne<UserRow>(
    prepared(sql`select ${columns} from users where account_id = ${accountId} and id = ${id}`),
  );
}

export function lockUser(tx: Tx, accountId: string, id: string): Promise<UserRow | undefined> {
  return tx.maybeOne<UserRow>(
    sql`select ${columns} from users where account_id = ${accountId} and id = ${id} for update`,
  );
}

/** Locks these users in the order of their ids, so that two who lock some of the same never wait for each other. */
export function lockUsers(tx: Tx, accountId: string, ids: readonly string[]): Promise<UserRow[]> {
  return tx.many<UserRow>(sql`
    select ${columns} from users where account_id = ${accountId} and id = any(${[...ids]}::uuid[]) order by id for update`);
}

/** Searches across accounts, because at sign-in nothing but the address is known. The index is users_by_email. */
export function findUserByEmail(db: Queryable, email: string): Promise<UserRow | undefined> {
  return db.maybeOne<UserRow>(
    prepared(sql`select ${columns} from users where email_key = ${emailKey(email)}`),
  );
}

/** The index users_by_age serves it. */
export function listUsers(db: Queryable, accountId: string, page: AgePage): Promise<UserRow[]> {
  return db.many<UserRow>(sql`
    select ${columns} from users where account_id = ${accountId} ${newestFirst(page)}`);
}

export async function countUsers(db: Queryable, accountId: string): Promise<number> {
  const { count } = await db.one<{ count: number }>(
    sql`select count(*) as count from users where account_id = ${accountId}`,
  );
  return count;
}

/** Lists the owners who have set a password. An account has few users, and users_by_age finds them. */
export function listOwners(db: Queryable, accountId: string): Promise<UserRow[]> {
  return db.many<UserRow>(sql`
    select ${columns} from users
    where account_id = ${accountId} and role = 'owner' and password_hash is not null order by created_at, id`);
}

/** Counts the owners, and those of them who have set a password. Nobody can change it while the account is locked. */
export async function countOwners(
  tx: Tx,
  accountId: string,
  except: string | null,
): Promise<{ all: number; ready: number }> {
  return tx.one<{ all: number; ready: number }>(sql`
    select count(*) as all, count(password_hash) as ready from users
    where account_id = ${accountId} and role = 'owner' and id is distinct from ${except}::uuid`);
}

export function updateUserRow(tx: Tx, user: UserRow, actor: Actor): Promise<UserRow> {
  return tx.one<UserRow>(sql`
    update users set name = ${user.name}, role = ${user.role}, notices = ${user.notices}, updated_at = ${user.updated_at}, ${signedBy(actor)}
    where account_id = ${user.account_id} and id = ${user.id} returning ${columns}`);
}

/** Replaces the hash only if it is still the one that was checked; returns false when somebody has changed it since. */
export async function replacePassword(
  tx: Tx,
  user: UserRow,
  hash: string,
  at: Date,
  actor: Actor,
): Promise<boolean> {
  const replaced = await tx.execute(sql`
    update users set password_hash = ${hash}, updated_at = ${at}, ${signedBy(actor)}
    where account_id = ${user.account_id} and id = ${user.id}
      and password_hash is not distinct from ${user.password_hash}`);
  return replaced === 1;
}

/**
 * Records a sign-in under the same condition as `replacePassword`. `hash` is the same one, or a new one at today's
 * cost.
 */
export async function markSignedIn(tx: Tx, user: UserRow, hash: string, at: Date): Promise<boolean> {
  const marked = await tx.execute(sql`
    update users set last_signed_in_at = ${at}, password_hash = ${hash}
    where account_id = ${user.account_id} and id = ${user.id}
      and password_hash is not distinct from ${user.password_hash}`);
  return marked === 1;
}

export function deleteUserRow(tx: Tx, accountId: string, id: string): Promise<number> {
  return tx.execute(sql`delete from users where account_id = ${accountId} and id = ${id}`);
}
