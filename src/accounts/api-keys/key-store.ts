import type { Actor } from "../../platform/context.ts";
import { prepared, type Queryable, type Sql, sql, type Tx, type Writable } from "../../platform/db/db.ts";
import { type AgePage, newestFirst } from "../../platform/db/newest-first.ts";
import { type HoldKind, holdKindsOf } from "../holds/holds.ts";
import type { Role } from "../roles.ts";
import {
  signedBy,
  signedColumns,
  signing,
  type Unsigned,
  type UpdatedByRow,
  updatedByOf,
} from "../updated-by.ts";

export type ApiKeyRow = {
  account_id: string;
  id: string;
  name: string;
  scopes: string[];
  hint: string;
  unlimited: boolean;
  created_at: Date;
  updated_at: Date;
  last_used_at: Date | null;
  expires_at: Date | null;
  /** Until when the secret before the last rotation works. */
  previous_until: Date | null;
  /** Where it may be used; empty is everywhere. */
  allowed_networks: string[];
  /** The user who got its secret; null where that was nobody of the account. */
  made_by: string | null;
  /** What that user is now; null where they have left, too. */
  maker_role: Role | null;
  updated_by: UpdatedByRow;
};

/** What is stored of a key when it is made; the rest is read from elsewhere. */
export type NewKey = Omit<Unsigned<ApiKeyRow>, "maker_role">;

/** A key as its secret finds it: whether that is the one before the last rotation, and what its account is held for. */
export type FoundKey = ApiKeyRow & { is_previous: boolean; holds: HoldKind[] };

const commonColumns = sql`account_id, id, name, scopes, hint, unlimited, created_at, updated_at, last_used_at, expires_at, previous_until, allowed_networks, ${updatedByOf("api_keys")}`;
const columns = sql`${commonColumns}, ${makerOf(sql`api_keys.made_by`)}`;

function makerOf(userId: Sql): Sql {
  return sql`${userId} as made_by, (
    select maker.role from users maker
    where maker.account_id = api_keys.account_id and maker.id = ${userId} and maker.joined_at is not null) as maker_role`;
}

export function insertKey(tx: Tx, key: NewKey, secretHash: Buffer, actor: Actor): Promise<ApiKeyRow> {
  return tx.one<ApiKeyRow>(
    prepared(sql`
      insert into api_keys (account_id, id, name, scopes, secret_hash, hint, unlimited, created_at, updated_at, expires_at,
                            allowed_networks, made_by, ${signedColumns})
      values (${key.account_id}, ${key.id}, ${key.name}, ${key.scopes}, ${secretHash}, ${key.hint}, ${key.unlimited},
              ${key.created_at}, ${key.updated_at}, ${key.expires_at}, ${key.allowed_networks}, ${key.made_by}, ${signing(actor)})
      returning ${columns}`),
  );
}

/**
 * Finds a key by its secret, or by the one before the last rotation. The indexes are api_keys_by_secret and
 * api_keys_by_previous_secret.
 */
export function findKeyBySecret(
  db: Queryable,
  accountId: string,
  secretHash: Buffer,
): Promise<FoundKey | undefined> {
  return db.maybeOne<FoundKey>(
    prepared(sql`
      select ${commonColumns}, ${makerOf(sql`case when secret_hash = ${secretHash} then api_keys.made_by else api_keys.previous_made_by end`)},
        secret_hash <> ${secretHash} as is_previous, ${holdKindsOf("api_keys")} as holds from api_keys
      where account_id = ${accountId} and (secret_hash = ${secretHash} or previous_hash = ${secretHash})
        and revoked_at is null`),
  );
}

/** Gives the key another secret. The one before works until then; one that worked beside it ends. */
export function replaceSecret(
  tx: Tx,
  key: ApiKeyRow,
  next: {
    readonly hash: Buffer;
    readonly hint: string;
    readonly previousUntil: Date;
    readonly madeBy: string | null;
    readonly at: Date;
  },
  actor: Actor,
): Promise<ApiKeyRow> {
  return tx.one<ApiKeyRow>(sql`
    update api_keys set secret_hash = ${next.hash}, previous_hash = secret_hash, previous_until = ${next.previousUntil},
      previous_made_by = made_by, made_by = ${next.madeBy}, hint = ${next.hint}, updated_at = ${next.at}, ${signedBy(actor)}
    where account_id = ${key.account_id} and id = ${key.id} returning ${columns}`);
}

export function findKey(db: Queryable, accountId: string, id: string): Promise<ApiKeyRow | undefined> {
  return db.maybeOne<ApiKeyRow>(prepared(selectKey(accountId, id)));
}

export function lockKey(tx: Tx, accountId: string, id: string): Promise<ApiKeyRow | undefined> {
  return tx.maybeOne<ApiKeyRow>(sql`${selectKey(accountId, id)} for update`);
}

function selectKey(accountId: string, id: string): Sql {
  return sql`select ${columns} from api_keys where account_id = ${accountId} and id = ${id} and revoked_at is null`;
}

/** The index api_keys_by_age serves it. */
export function listKeys(db: Queryable, accountId: string, page: AgePage): Promise<ApiKeyRow[]> {
  return db.many<ApiKeyRow>(sql`
    select ${columns} from api_keys
    where account_id = ${accountId} and revoked_at is null ${newestFirst(page)}`);
}

export async function countKeys(db: Queryable, accountId: string): Promise<number> {
  const { count } = await db.one<{ count: number }>(
    sql`select count(*) as count from api_keys where account_id = ${accountId} and revoked_at is null`,
  );
  return count;
}

export function updateKeyRow(tx: Tx, key: ApiKeyRow, actor: Actor): Promise<ApiKeyRow> {
  return tx.one<ApiKeyRow>(sql`
    update api_keys set name = ${key.name}, expires_at = ${key.expires_at},
      allowed_networks = ${key.allowed_networks}, updated_at = ${key.updated_at},
      ${signedBy(actor)}
    where account_id = ${key.account_id} and id = ${key.id} returning ${columns}`);
}

export function markRevoked(tx: Tx, accountId: string, id: string, at: Date, actor: Actor): Promise<number> {
  return tx.execute(sql`
    update api_keys set revoked_at = ${at}, updated_at = ${at}, ${signedBy(actor)}
    where account_id = ${accountId} and id = ${id} and revoked_at is null`);
}

/** Revokes all keys of a user, and ends what they know of others' by a rotation. Returns those that are revoked. */
export async function revokeKeysOf(
  tx: Tx,
  accountId: string,
  userId: string,
  at: Date,
  actor: Actor,
): Promise<string[]> {
  await tx.execute(sql`
    update api_keys set previous_until = ${at} where account_id = ${accountId} and previous_made_by = ${userId}
      and previous_until > ${at}`);
  const revoked = await tx.many<{ id: string }>(sql`
    update api_keys set revoked_at = ${at}, updated_at = ${at}, ${signedBy(actor)}
    where account_id = ${accountId} and made_by = ${userId} and revoked_at is null returning id`);
  return revoked.map(({ id }) => id);
}

/** Moves `last_used_at` only forward: when two processes write late, the later use stands. */
export async function markUsed(
  db: Writable,
  accountId: string,
  uses: ReadonlyMap<string, Date>,
): Promise<void> {
  await db.execute(sql`
    update api_keys set last_used_at = used.at
    from unnest(${[...uses.keys()]}::uuid[], ${[...uses.values()]}::timestamptz[]) as used (id, at)
    where api_keys.account_id = ${accountId} and api_keys.id = used.id
      and (last_used_at is null or last_used_at < used.at)`);
}

/** Deletes every key of an account that is being deleted, and returns how many there were. */
export function deleteKeys(tx: Tx, accountId: string): Promise<number> {
  return tx.execute(sql`delete from api_keys where account_id = ${accountId}`);
}
