/** Factors belong to people, who stand outside accounts, so these statements begin with a person. */
import { prepared, type Queryable, sql, type Tx } from "../../platform/db/db.ts";

export type FactorRow = {
  person_id: string;
  id: string;
  kind: "totp" | "passkey";
  name: string;
  /** Sealed, of an app; null for a passkey. */
  secret: Buffer | null;
  credential_id: Buffer | null;
  public_key: Buffer | null;
  counter: number;
  transports: string[];
  created_at: Date;
  updated_at: Date;
  last_used_at: Date | null;
  /** Null until the first good code. */
  activated_at: Date | null;
};
export type FactorKind = FactorRow["kind"];

const columns = sql`
  person_id, id, kind, name, secret, credential_id, public_key, counter, transports, created_at, updated_at, last_used_at,
  activated_at`;

export async function insertFactor(tx: Tx, factor: FactorRow): Promise<void> {
  await tx.execute(sql`
    insert into factors (${columns})
    values (${factor.person_id}, ${factor.id}, ${factor.kind}, ${factor.name}, ${factor.secret}, ${factor.credential_id},
            ${factor.public_key}, ${factor.counter}, ${factor.transports}, ${factor.created_at}, ${factor.updated_at},
            ${factor.last_used_at}, ${factor.activated_at})`);
}

/** Lists the factors that are in use, oldest first. */
export function listFactors(db: Queryable, personId: string): Promise<FactorRow[]> {
  return db.many<FactorRow>(sql`
    select ${columns} from factors where person_id = ${personId} and activated_at is not null order by created_at, id`);
}

export async function hasFactor(db: Queryable, personId: string): Promise<boolean> {
  const found = await db.many(
    prepared(sql`select from factors where person_id = ${personId} and activated_at is not null limit 1`),
  );
  return found.length > 0;
}

export function findFactor(db: Queryable, personId: string, id: string): Promise<FactorRow | undefined> {
  return db.maybeOne<FactorRow>(
    sql`select ${columns} from factors where person_id = ${personId} and id = ${id}`,
  );
}

/** Finds a passkey by what its credential is called, which is unique on the instance. */
export function findPasskey(db: Queryable, credentialId: Buffer): Promise<FactorRow | undefined> {
  return db.maybeOne<FactorRow>(sql`select ${columns} from factors where credential_id = ${credentialId}`);
}

/**
 * Takes a step of an app. Of two who give the same code at once, one gets true; a step before one that was taken is never taken
 * again. The first one activates the app.
 */
export async function takeStep(
  tx: Tx,
  { person_id, id }: Pick<FactorRow, "person_id" | "id">,
  step: number,
  now: Date,
): Promise<boolean> {
  const taken = await tx.execute(sql`
    update factors set last_step = ${step}, last_used_at = ${now}, activated_at = coalesce(activated_at, ${now})
    where person_id = ${person_id} and id = ${id} and last_step < ${step}`);
  return taken === 1;
}

/** Tells whether a step of an app could be taken now. */
export async function isUntakenStep(
  db: Queryable,
  { person_id, id }: Pick<FactorRow, "person_id" | "id">,
  step: number,
): Promise<boolean> {
  const found = await db.many(
    sql`select from factors where person_id = ${person_id} and id = ${id} and last_step < ${step}`,
  );
  return found.length > 0;
}

/** Records the use of a passkey. Of two with the same count at once, one gets true. */
export async function takeCount(tx: Tx, factor: FactorRow, counter: number, now: Date): Promise<boolean> {
  const taken = await tx.execute(sql`
    update factors set counter = ${counter}, last_used_at = ${now}
    where person_id = ${factor.person_id} and id = ${factor.id} and counter = ${factor.counter}`);
  return taken === 1;
}

export async function renameFactor(tx: Tx, factor: FactorRow, name: string, now: Date): Promise<void> {
  await tx.execute(sql`
    update factors set name = ${name}, updated_at = ${now}
    where person_id = ${factor.person_id} and id = ${factor.id}`);
}

export async function deleteFactor(tx: Tx, personId: string, id: string): Promise<void> {
  await tx.execute(sql`delete from factors where person_id = ${personId} and id = ${id}`);
}

/** Deletes apps that somebody began to set up, and didn't. */
export async function deleteUnfinished(tx: Tx, personId: string): Promise<void> {
  await tx.execute(sql`delete from factors where person_id = ${personId} and activated_at is null`);
}

export function deleteFactors(tx: Tx, personId: string): Promise<number> {
  return tx.execute(sql`delete from factors where person_id = ${personId}`);
}
