/** All SQL that writes the keys of domains is in this file, and what reads them sealed, for a new SECRET_KEY. */
import { type Queryable, sql, type Tx, type Writable } from "../../platform/db/db.ts";
import type { KeyAlgorithm, KeyState } from "../schema.ts";
import type { DomainRow } from "../store.ts";
import type { MadeKey } from "./keys.ts";

type Domain = Pick<DomainRow, "account_id" | "id">;
export type NewKey = MadeKey & { readonly state: KeyState };

export async function insertKeys(
  tx: Tx,
  { account_id, id }: Domain,
  keys: readonly NewKey[],
  now: Date,
): Promise<void> {
  await tx.execute(sql`
    insert into domain_keys (account_id, domain_id, id, algorithm, selector, state, private_key, public_record, activated_at, created_at)
    select ${account_id}, ${id}, made.id, made.algorithm, made.selector, made.state, decode(made.private_key, 'hex'),
      made.public_record, case when made.state = 'active' then ${now}::timestamptz end, ${now}::timestamptz
    from unnest(${keys.map((key) => key.id)}::uuid[], ${keys.map((key) => key.algorithm)}::text[],
      ${keys.map((key) => key.selector)}::text[], ${keys.map((key) => key.state)}::text[],
      ${keys.map((key) => key.private_key.toString("hex"))}::text[], ${keys.map((key) => key.public_record)}::text[])
      as made (id, algorithm, selector, state, private_key, public_record)`);
}

/**
 * These standby keys become active, and what was active of the same algorithms retires. Two statements, because an index allows one
 * active key at any time.
 */
export async function promoteStandby(
  tx: Tx,
  { account_id, id }: Domain,
  standby: readonly { readonly id: string; readonly algorithm: KeyAlgorithm }[],
  now: Date,
): Promise<void> {
  await tx.execute(sql`
    update domain_keys set state = 'retiring', retiring_since = ${now}
    where account_id = ${account_id} and domain_id = ${id} and state = 'active'
      and algorithm = any(${standby.map(({ algorithm }) => algorithm)}::text[])`);
  await tx.execute(sql`
    update domain_keys set state = 'active', activated_at = ${now}, seen_at = coalesce(seen_at, ${now})
    where account_id = ${account_id} and domain_id = ${id} and id = any(${standby.map((key) => key.id)}::uuid[])`);
}

/** Keys of the algorithm sign no more. One that stands in the DNS may have signed mail, and retires; the others are gone. */
export async function retireAlgorithm(
  tx: Tx,
  { account_id, id }: Domain,
  algorithm: KeyAlgorithm,
  now: Date,
): Promise<void> {
  await tx.execute(sql`
    delete from domain_keys where account_id = ${account_id} and domain_id = ${id} and algorithm = ${algorithm}
      and (state = 'standby' or (state = 'active' and seen_at is null))`);
  await tx.execute(sql`
    update domain_keys set state = 'retiring', retiring_since = ${now}
    where account_id = ${account_id} and domain_id = ${id} and algorithm = ${algorithm} and state = 'active'`);
}

export type KeyChange = {
  readonly id: string;
  readonly state: KeyState;
  readonly seen_at: Date | null;
};

/** Writes what a look made of keys. The private half of a retired key is of no more use, and isn't kept. */
export async function updateKeys(
  tx: Tx,
  { account_id, id }: Domain,
  keys: readonly KeyChange[],
): Promise<void> {
  if (keys.length === 0) return;
  await tx.execute(sql`
    update domain_keys k set state = changed.state, seen_at = changed.seen_at,
      private_key = case when changed.state = 'retired' then null else k.private_key end
    from unnest(${keys.map((key) => key.id)}::uuid[], ${keys.map((key) => key.state)}::text[],
      ${keys.map((key) => key.seen_at)}::timestamptz[]) as changed (id, state, seen_at)
    where k.account_id = ${account_id} and k.domain_id = ${id} and k.id = changed.id`);
}

export async function removeKeys(tx: Tx, { account_id, id }: Domain, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await tx.execute(sql`
    delete from domain_keys where account_id = ${account_id} and domain_id = ${id} and id = any(${ids}::uuid[])`);
}

export type SealedKey = { account_id: string; domain_id: string; id: string; private_key: Buffer };

/** Lists the sealed keys of all accounts that follow `after` in the order of the primary key, for the rotation of SECRET_KEY. */
export function listSealedKeys(
  db: Queryable,
  after: SealedKey | undefined,
  limit: number,
): Promise<SealedKey[]> {
  const beyond = after
    ? sql`and (account_id, domain_id, id) > (${after.account_id}::uuid, ${after.domain_id}::uuid, ${after.id}::uuid)`
    : sql``;
  return db.many<SealedKey>(sql`
    select account_id, domain_id, id, private_key from domain_keys where private_key is not null ${beyond}
    order by account_id, domain_id, id limit ${limit}`);
}

/** Replaces only the value that was read, because the key may have retired in between. */
export async function replaceSealedKey(
  db: Writable,
  { account_id, domain_id, id, private_key }: SealedKey,
  anew: Buffer,
): Promise<void> {
  await db.execute(sql`
    update domain_keys set private_key = ${anew}
    where account_id = ${account_id} and domain_id = ${domain_id} and id = ${id} and private_key = ${private_key}`);
}
