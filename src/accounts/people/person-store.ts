/** People belong to no account, so these statements begin with a person or an address. */
import { prepared, type Queryable, sql, type Tx } from "../../platform/db/db.ts";
import { emailKey } from "./email.ts";

/** What makes a person somebody beside their password. */
export type Standing = {
  /** They have joined an account; a visit is none of theirs. */
  belongs: boolean;
  /** They come by single sign-on. */
  has_identity: boolean;
  is_operator: boolean;
};

export type PersonRow = Standing & {
  id: string;
  email: string;
  email_key: string;
  /** Null until the person has chosen one. */
  password_hash: string | null;
  created_at: Date;
  updated_at: Date;
  last_signed_in_at: Date | null;
};

/** The columns of a standing, for a statement that reads `people`. A row that a lock was waited for has to be read again. */
export const standing = sql`
  exists (select from users as own where own.person_id = people.id and own.joined_at is not null and own.visit_until is null) as belongs,
  exists (select from person_identities where person_identities.person_id = people.id) as has_identity,
  exists (select from operators where operators.person_id = people.id) as is_operator`;

const columns = sql`id, email, email_key, password_hash, created_at, updated_at, last_signed_in_at, ${standing}`;

/** Tells whether the person can sign in, or could: no link that invites them sets a password then, whoever holds it. */
export function isSomebody(person: Standing & { password_hash: string | null }): boolean {
  return person.password_hash !== null || person.belongs || person.has_identity || person.is_operator;
}

/**
 * Returns the person with this address, who is added where there is none, and locked: whoever removes a person's last membership
 * waits until another is there.
 */
export function findOrAddPerson(
  tx: Tx,
  person: Pick<PersonRow, "id" | "email" | "created_at">,
): Promise<PersonRow> {
  return tx.one<PersonRow>(sql`
    insert into people (id, email, email_key, created_at, updated_at)
    values (${person.id}, ${person.email}, ${emailKey(person.email)}, ${person.created_at}, ${person.created_at})
    on conflict (email_key) do update set email_key = excluded.email_key
    returning ${columns}`);
}

export function findPerson(db: Queryable, id: string): Promise<PersonRow | undefined> {
  return db.maybeOne<PersonRow>(prepared(sql`select ${columns} from people where id = ${id}`));
}

export function lockPerson(tx: Tx, id: string): Promise<PersonRow | undefined> {
  return tx.maybeOne<PersonRow>(sql`select ${columns} from people where id = ${id} for update`);
}

/** The index is people_by_email. */
export function findPersonByEmail(db: Queryable, email: string): Promise<PersonRow | undefined> {
  return db.maybeOne<PersonRow>(
    prepared(sql`select ${columns} from people where email_key = ${emailKey(email)}`),
  );
}

type Known = Pick<PersonRow, "id" | "password_hash">;

/** Replaces the hash only if it is still the one that was checked; returns false when somebody has changed it since. */
export async function replacePassword(tx: Tx, person: Known, hash: string, at: Date): Promise<boolean> {
  const replaced = await tx.execute(sql`
    update people set password_hash = ${hash}, updated_at = ${at}
    where id = ${person.id} and password_hash is not distinct from ${person.password_hash}`);
  return replaced === 1;
}

/**
 * Holds the person's password under the same condition as `replacePassword`, until the transaction ends. `hash` is the same one, or
 * a new one at today's cost.
 */
export async function holdPassword(tx: Tx, person: Known, hash: string): Promise<boolean> {
  const held = await tx.execute(sql`
    update people set password_hash = ${hash}
    where id = ${person.id} and password_hash is not distinct from ${person.password_hash}`);
  return held === 1;
}

/** Gives a person another address. The index people_by_email refuses one that somebody else has. */
export async function replaceEmail(tx: Tx, id: string, email: string, at: Date): Promise<void> {
  await tx.execute(sql`
    update people set email = ${email}, email_key = ${emailKey(email)}, updated_at = ${at} where id = ${id}`);
}

export async function recordSignIn(tx: Tx, id: string, at: Date): Promise<void> {
  await tx.execute(sql`update people set last_signed_in_at = ${at} where id = ${id}`);
}

/**
 * Takes the password from whoever belongs to no account any more and is only invited, with all else by which they might sign in: they are
 * let in as somebody new, who may be another holder of the address. An operator keeps all of it: whoever came after them would get the instance.
 */
export async function forgetSignInOfNobody(tx: Tx, id: string): Promise<void> {
  const forgotten = await tx.execute(sql`
    update people set password_hash = null
    where id = ${id} and not exists (select from users where person_id = people.id and joined_at is not null)
      and not exists (select from operators where person_id = people.id)`);
  if (forgotten === 0) return;
  await tx.execute(sql`delete from person_identities where person_id = ${id}`);
  await forgetSignIn(tx, id);
}

/** Takes all by which a person signs in, but for their identities: the password, the factors, what was begun, and the sessions. */
export async function forgetSignIn(tx: Tx, id: string): Promise<void> {
  await tx.execute(sql`update people set password_hash = null where id = ${id}`);
  for (const table of [
    sql`factors`,
    sql`recovery_codes`,
    sql`pending_sign_ins`,
    sql`passkey_challenges`,
    sql`email_changes`,
    sql`sessions`,
  ])
    await tx.execute(sql`delete from ${table} where person_id = ${id}`);
}

/** Deletes a person who belongs to no account any more, is invited to none and is no operator, with the sessions. */
export async function deleteLonePerson(tx: Tx, id: string): Promise<void> {
  await tx.execute(sql`
    delete from people where id = ${id} and not exists (select from users where person_id = people.id)
      and not exists (select from operators where person_id = people.id)`);
}
