/** Identities belong to people, who stand outside accounts: they are found by issuer and subject, or by their person. */
import { type Queryable, sql, type Tx } from "../../platform/db/db.ts";
import { type AgePage, newestFirst } from "../../platform/db/newest-first.ts";

export type IdentityRow = {
  id: string;
  person_id: string;
  issuer: string;
  subject: string;
  email: string | null;
  created_at: Date;
  last_used_at: Date;
};

/** Finds who this is, and keeps them from being unlinked until the transaction ends. The index is person_identities_by_subject. */
export function holdIdentity(
  tx: Tx,
  { issuer, subject }: Pick<IdentityRow, "issuer" | "subject">,
): Promise<Pick<IdentityRow, "id" | "person_id"> | undefined> {
  return tx.maybeOne(sql`
    select id, person_id from person_identities where issuer = ${issuer} and subject = ${subject} for update`);
}

/** Returns false where somebody was quicker, or the person has another identity of this issuer. */
export async function insertIdentity(tx: Tx, identity: IdentityRow): Promise<boolean> {
  const added = await tx.execute(sql`
    insert into person_identities (id, person_id, issuer, subject, email, created_at, last_used_at)
    values (${identity.id}, ${identity.person_id}, ${identity.issuer}, ${identity.subject}, ${identity.email},
            ${identity.created_at}, ${identity.last_used_at})
    on conflict do nothing`);
  return added === 1;
}

/** Returns false where it was unlinked meanwhile. */
export async function recordUse(tx: Tx, id: string, email: string | null, at: Date): Promise<boolean> {
  const used = await tx.execute(sql`
    update person_identities set last_used_at = ${at}, email = ${email} where id = ${id}`);
  return used === 1;
}

/**
 * Tells whether an address that the provider has verified may join this person to an identity: not where they have another of this
 * issuer, which the address belonged to before, nor where they are an operator: whoever gets their address would get the instance.
 */
export async function mayBeLinkedByAddress(tx: Tx, personId: string, issuer: string): Promise<boolean> {
  const { may } = await tx.one<{ may: boolean }>(sql`
    select not exists (select from person_identities where person_id = ${personId} and issuer = ${issuer})
      and not exists (select from operators where person_id = ${personId}) as may`);
  return may;
}

/** Marks a membership as made by the provider's groups. */
export async function markBySso(tx: Tx, accountId: string, userId: string): Promise<void> {
  await tx.execute(sql`update users set by_sso = true where account_id = ${accountId} and id = ${userId}`);
}

export type SsoMembership = { account_id: string; id: string; joined_at: Date | null; by_sso: boolean };

/** The index is users_by_person. */
export function listSsoMemberships(tx: Tx, personId: string): Promise<SsoMembership[]> {
  return tx.many(sql`
    select account_id, id, joined_at, by_sso from users where person_id = ${personId} order by account_id`);
}

export type LinkedRow = {
  id: string;
  email: string;
  provider_email: string | null;
  role: string;
  by_sso: boolean;
  created_at: Date;
  last_used_at: Date;
};

const linked = (accountId: string, issuer: string) => sql`
  from users join person_identities on person_identities.person_id = users.person_id and issuer = ${issuer}
    join people on people.id = users.person_id
  where users.account_id = ${accountId} and joined_at is not null and visit_until is null`;
const columns = sql`
  users.id, people.email, person_identities.email as provider_email,
  role, by_sso, users.created_at, last_used_at`;

/** Lists those of an account who are linked; users_by_age serves it. */
export function listLinked(
  db: Queryable,
  accountId: string,
  issuer: string,
  page: AgePage,
): Promise<LinkedRow[]> {
  return db.many(sql`select ${columns} ${linked(accountId, issuer)} ${newestFirst(page, "users")}`);
}

export async function countLinked(db: Queryable, accountId: string, issuer: string): Promise<number> {
  return (await db.one<{ count: number }>(sql`select count(*) as count ${linked(accountId, issuer)}`)).count;
}

/** With the identities the sessions end that were opened by them. */
export async function deleteIdentitiesOf(tx: Tx, personId: string): Promise<void> {
  await tx.execute(sql`delete from person_identities where person_id = ${personId}`);
}
