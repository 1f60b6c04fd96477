/** These statements are about all accounts of the instance. Nobody but operators gets to see what they return. */
import type { HoldKind, Limits } from "../accounts/accounts.ts";
import { type Queryable, type Sql, sql } from "../platform/db/db.ts";
import type { AgePage } from "../platform/db/newest-first.ts";

export type AccountEntry = Limits & { id: string; created_at: Date; updated_at: Date; users: number };

export type AccountFilter = {
  readonly state: "active" | HoldKind | undefined;
  /** Part of the name; or the id, where it is one. */
  readonly name: string | undefined;
  readonly id: string | undefined;
};

const entries = sql`
  select a.account_id as id, a.name, a.daily_mail_limit, a.subscriber_limit, a.created_at, a.updated_at, (
    select count(*) from users u
    where u.account_id = a.account_id and joined_at is not null and visit_until is null) as users
  from accounts a`;

/** The index accounts_by_age serves it. */
export function listAccounts(
  db: Queryable,
  filter: AccountFilter,
  { limit, after }: AgePage,
): Promise<AccountEntry[]> {
  const older = after
    ? sql`and (a.created_at, a.account_id) < (${after.createdAt}::timestamptz, ${after.id}::uuid)`
    : sql``;
  return db.many<AccountEntry>(sql`
    ${entries} where ${matches(filter)} ${older} order by a.created_at desc, a.account_id desc limit ${limit}`);
}

export async function countAccounts(db: Queryable, filter: AccountFilter): Promise<number> {
  const { count } = await db.one<{ count: number }>(
    sql`select count(*) as count from accounts a where ${matches(filter)}`,
  );
  return count;
}

export function findAccountEntry(db: Queryable, id: string): Promise<AccountEntry | undefined> {
  return db.maybeOne<AccountEntry>(sql`${entries} where a.account_id = ${id}`);
}

/** `%` and `_` in what somebody looks for are letters as any. */
function matches({ state, name, id }: AccountFilter): Sql {
  const held = sql`select from account_holds h where h.account_id = a.account_id`;
  const ofState =
    state === undefined
      ? sql``
      : state === "active"
        ? sql`and not exists (${held})`
        : sql`and exists (${held} and h.kind = ${state})`;
  const named =
    name === undefined ? sql`` : sql`and a.name ilike ${`%${name.replaceAll(/[\\%_]/g, "\\$&")}%`}`;
  const identified = id === undefined ? sql`` : sql`and a.account_id = ${id}`;
  return sql`true ${ofState} ${named} ${identified}`;
}

export function readSummary(db: Queryable): Promise<{
  total: number;
  suspended: number;
  deletion: number;
  standing: number;
  people: number;
  operators: number;
}> {
  return db.one(sql`
    select (select count(*) from accounts) as total,
           (select count(*) from account_holds where kind = 'suspended') as suspended,
           (select count(*) from account_holds where kind = 'deletion') as deletion,
           (select count(*) from account_holds where kind = 'standing') as standing,
           (select count(*) from people where password_hash is not null) as people,
           (select count(*) from operators) as operators`);
}
