/** Operators and the keys of the instance belong to no account: these statements are about the whole instance. */
import { type Queryable, sql, type Tx, type Writable } from "../../platform/db/db.ts";

export type OperatorRow = { person_id: string; email: string; created_at: Date };

export async function insertOperator(tx: Tx, personId: string, at: Date): Promise<boolean> {
  const inserted = await tx.execute(sql`
    insert into operators (person_id, created_at) values (${personId}, ${at}) on conflict do nothing`);
  return inserted === 1;
}

export async function deleteOperator(tx: Tx, personId: string): Promise<boolean> {
  return (await tx.execute(sql`delete from operators where person_id = ${personId}`)) === 1;
}

/** Adds nothing where they are no operator. It returns false then, and where the person or the subject is linked with this issuer already. */
export async function insertOperatorIdentity(
  tx: Tx,
  identity: { id: string; personId: string; issuer: string; subject: string; at: Date },
): Promise<boolean> {
  const { id, personId, issuer, subject, at } = identity;
  const added = await tx.execute(sql`
    insert into person_identities (id, person_id, issuer, subject, created_at, last_used_at)
    select ${id}, person_id, ${issuer}, ${subject}, ${at}, ${at} from operators where person_id = ${personId}
    on conflict do nothing`);
  return added === 1;
}

/** Their sessions by these identities end with them. */
export async function deleteOperatorIdentities(tx: Tx, personId: string): Promise<boolean> {
  return (await tx.execute(sql`delete from person_identities where person_id = ${personId}`)) > 0;
}

/** Ends all visits of a person; the index is users_by_person. What they were for stays. */
export async function deleteVisitsOf(tx: Tx, personId: string): Promise<void> {
  await tx.execute(sql`delete from users where person_id = ${personId} and visit_until is not null`);
}

export function listOperators(db: Queryable): Promise<OperatorRow[]> {
  return db.many<OperatorRow>(sql`
    select person_id, people.email, operators.created_at from operators join people on people.id = person_id
    order by operators.created_at, person_id`);
}

export async function isOperator(db: Queryable, personId: string): Promise<boolean> {
  return (await db.many(sql`select from operators where person_id = ${personId}`)).length > 0;
}

/**
 * Finds the operator whose session it is, whether they have a second factor, and whether the session counts as confirmed by the word of a
 * provider alone: single sign-on opens it so, and a factor that is given later confirms it later.
 */
export function findOperatorOfSession(
  db: Queryable,
  sessionId: string,
): Promise<{ person_id: string; has_factor: boolean; is_by_provider: boolean } | undefined> {
  return db.maybeOne(sql`
    select person_id, exists (
      select from factors where factors.person_id = operators.person_id and activated_at is not null) as has_factor,
      identity_id is not null and confirmed_at is not distinct from sessions.created_at as is_by_provider
    from operators join sessions using (person_id) where sessions.id = ${sessionId}`);
}

export type InstanceKeyRow = {
  id: string;
  name: string;
  hint: string;
  created_at: Date;
  last_used_at: Date | null;
};

export async function insertInstanceKey(
  tx: Tx,
  key: Omit<InstanceKeyRow, "last_used_at">,
  secretHash: Buffer,
): Promise<void> {
  await tx.execute(sql`
    insert into instance_keys (id, name, secret_hash, hint, created_at)
    values (${key.id}, ${key.name}, ${secretHash}, ${key.hint}, ${key.created_at})`);
}

export function listInstanceKeys(db: Queryable): Promise<InstanceKeyRow[]> {
  return db.many<InstanceKeyRow>(
    sql`select id, name, hint, created_at, last_used_at from instance_keys order by created_at, id`,
  );
}

/** The index is instance_keys_by_secret. */
export function findInstanceKey(db: Queryable, secretHash: Buffer): Promise<InstanceKeyRow | undefined> {
  return db.maybeOne<InstanceKeyRow>(
    sql`select id, name, hint, created_at, last_used_at from instance_keys where secret_hash = ${secretHash}`,
  );
}

export async function markInstanceKeyUsed(db: Writable, id: string, at: Date): Promise<void> {
  await db.execute(sql`update instance_keys set last_used_at = ${at} where id = ${id}`);
}

export async function deleteInstanceKey(tx: Tx, id: string): Promise<boolean> {
  return (await tx.execute(sql`delete from instance_keys where id = ${id}`)) === 1;
}
