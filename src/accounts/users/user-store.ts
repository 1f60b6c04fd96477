/** A user is a person's membership of an account. Rows are read together with the person's address. */
import type { Actor } from "../../platform/context.ts";
import { prepared, type Queryable, type Sql, sql, type Tx } from "../../platform/db/db.ts";
import { type AgePage, newestFirst } from "../../platform/db/newest-first.ts";
import { type Standing, standing } from "../people/people.ts";
import type { Role } from "../roles.ts";
import {
  signedBy,
  signedColumns,
  signing,
  type Unsigned,
  type UpdatedByRow,
  updatedByOf,
} from "../updated-by.ts";

export type UserRow = Standing & {
  account_id: string;
  id: string;
  person_id: string;
  name: string;
  role: Role;
  created_at: Date;
  updated_at: Date;
  /** Null while the person is invited and hasn't accepted. */
  joined_at: Date | null;
  /** The address as it was typed, and until when the newest link is good; null for whoever has joined. */
  invited_as: string | null;
  invitation_expires_at: Date | null;
  /** Until when an operator looks in; null for whoever belongs to the account. */
  visit_until: Date | null;
  /** Whether the user gets notices that are not about security. */
  notices: boolean;
  updated_by: UpdatedByRow;
  /** The person's own; for somebody who is invited as it was typed, and without a time, so that it tells nothing of other accounts. */
  email: string;
  email_key: string;
  password_hash: string | null;
  last_signed_in_at: Date | null;
};

type OwnColumns = Omit<
  UserRow,
  keyof Standing | "email" | "email_key" | "password_hash" | "last_signed_in_at"
>;

const stored = sql`account_id, id, person_id, name, role, created_at, updated_at, joined_at, notices,
  invited_as, invitation_expires_at, visit_until`;

/** The person is found by primary key. Only columns that `users` lacks are taken, so that no name is said twice. */
const selectUsers = sql`
  select ${stored}, ${updatedByOf("users")}, person.* from users, lateral (
    select coalesce(invited_as, people.email) as email, email_key, password_hash,
           case when joined_at is not null then people.last_signed_in_at end as last_signed_in_at, ${standing}
    from people where people.id = users.person_id) as person`;

export async function insertUser(tx: Tx, user: Unsigned<OwnColumns>, actor: Actor): Promise<UserRow> {
  await tx.execute(sql`
    insert into users (${stored}, ${signedColumns})
    values (${user.account_id}, ${user.id}, ${user.person_id}, ${user.name}, ${user.role}, ${user.created_at},
            ${user.updated_at}, ${user.joined_at}, ${user.notices}, ${user.invited_as}, ${user.invitation_expires_at},
            ${user.visit_until}, ${signing(actor)})`);
  return readUser(tx, user);
}

function selectUser(accountId: string, id: string): Sql {
  return sql`${selectUsers} where account_id = ${accountId} and id = ${id}`;
}

export function findUser(db: Queryable, accountId: string, id: string): Promise<UserRow | undefined> {
  return db.maybeOne<UserRow>(prepared(selectUser(accountId, id)));
}

/** Reads a row that is known to be there. */
function readUser(tx: Tx, { account_id, id }: Pick<UserRow, "account_id" | "id">): Promise<UserRow> {
  return tx.one<UserRow>(prepared(selectUser(account_id, id)));
}

export function lockUser(tx: Tx, accountId: string, id: string): Promise<UserRow | undefined> {
  return tx.maybeOne<UserRow>(sql`${selectUser(accountId, id)} for update of users`);
}

/** Locks these users in the order of their ids, so that two who lock some of the same never wait for each other. */
export function lockUsers(tx: Tx, accountId: string, ids: readonly string[]): Promise<UserRow[]> {
  return tx.many<UserRow>(sql`
    ${selectUsers} where account_id = ${accountId} and id = any(${[...ids]}::uuid[]) order by id for update of users`);
}

/** Lists those who have joined. The index users_by_age serves it. */
export function listUsers(db: Queryable, accountId: string, page: AgePage): Promise<UserRow[]> {
  return db.many<UserRow>(sql`
    ${selectUsers} where account_id = ${accountId} and joined_at is not null ${newestFirst(page)}`);
}

/** Lists those who are invited. The index users_by_age serves it. */
export function listInvited(db: Queryable, accountId: string, page: AgePage): Promise<UserRow[]> {
  return db.many<UserRow>(sql`
    ${selectUsers} where account_id = ${accountId} and joined_at is null ${newestFirst(page)}`);
}

export async function countUsers(db: Queryable, accountId: string): Promise<number> {
  return (await countRows(db, accountId)).joined;
}

export async function countInvited(db: Queryable, accountId: string): Promise<number> {
  const { all, joined } = await countRows(db, accountId);
  return all - joined;
}

function countRows(db: Queryable, accountId: string): Promise<{ all: number; joined: number }> {
  return db.one<{ all: number; joined: number }>(
    sql`select count(*) as all, count(joined_at) as joined from users where account_id = ${accountId}`,
  );
}

/** Lists the owners who have joined. An account has few users, and users_by_age finds them. */
export function listOwners(db: Queryable, accountId: string): Promise<UserRow[]> {
  return db.many<UserRow>(sql`
    ${selectUsers}
    where account_id = ${accountId} and role = 'owner' and joined_at is not null order by created_at, id`);
}

/** Returns those of the addresses, in the form that is compared, which are of people who have joined. */
export async function findMembers(
  db: Queryable,
  accountId: string,
  emailKeys: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await db.many<{ email_key: string }>(sql`
    select email_key from users join people on people.id = person_id
    where account_id = ${accountId} and joined_at is not null and visit_until is null and email_key = any(${[...emailKeys]}::text[])`);
  return new Set(rows.map((row) => row.email_key));
}

/** Returns those of these ids that are members of the account. */
export async function findUserIds(
  db: Queryable,
  accountId: string,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await db.many<{ id: string }>(sql`
    select id from users where account_id = ${accountId} and id = any(${[...ids]}::uuid[]) and joined_at is not null`);
  return new Set(rows.map(({ id }) => id));
}

/** Counts the owners, and those of them who have joined. Nobody can change it while the account is locked. */
export async function countOwners(
  tx: Tx,
  accountId: string,
  except: string | null,
): Promise<{ all: number; joined: number }> {
  return tx.one<{ all: number; joined: number }>(sql`
    select count(*) as all, count(joined_at) as joined from users
    where account_id = ${accountId} and role = 'owner' and id is distinct from ${except}::uuid`);
}

export async function updateUserRow(tx: Tx, user: UserRow, actor: Actor): Promise<UserRow> {
  await tx.execute(sql`
    update users set name = ${user.name}, role = ${user.role}, notices = ${user.notices}, joined_at = ${user.joined_at},
      invited_as = ${user.invited_as}, invitation_expires_at = ${user.invitation_expires_at}, updated_at = ${user.updated_at}, ${signedBy(actor)}
    where account_id = ${user.account_id} and id = ${user.id}`);
  return readUser(tx, user);
}

/** Lists some memberships and invitations by the ids of their people. */
export function listSomeUsers(
  db: Queryable,
  accountId: string,
  most: number,
): Promise<Pick<UserRow, "id" | "person_id">[]> {
  return db.many<Pick<UserRow, "id" | "person_id">>(sql`
    select id, person_id from users where account_id = ${accountId} order by person_id limit ${most}`);
}

/** Notes when an operator's visit ended that somebody ended before its time. */
export async function endVisitsOf(tx: Tx, accountId: string, personId: string, now: Date): Promise<void> {
  await tx.execute(sql`
    update account_visits set expires_at = ${now}
    where account_id = ${accountId} and person_id = ${personId} and expires_at > ${now}`);
}

export function deleteUserRow(tx: Tx, accountId: string, id: string): Promise<number> {
  return tx.execute(sql`delete from users where account_id = ${accountId} and id = ${id}`);
}
