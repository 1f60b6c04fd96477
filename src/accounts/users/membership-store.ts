/** What a person belongs to. These statements begin with the person and go across accounts, by the index users_by_person. */
import { type Queryable, sql, type Tx } from "../../platform/db/db.ts";
import type { Role } from "../roles.ts";

export type MembershipRow = {
  account_id: string;
  /** The user that the person is in this account. */
  id: string;
  role: Role;
  account_name: string;
  /** The account wants its people to have a second factor. */
  require_two_factor: boolean;
  /** Null while the person hasn't accepted the invitation. */
  joined_at: Date | null;
  /** Until when they look in as an operator; null where they belong to the account. */
  visit_until: Date | null;
};
export type Membership = MembershipRow & { joined_at: Date };

/** Lists the accounts that a person belongs to or is invited to; those that were joined first come first, invitations last. */
function listAll(db: Queryable, personId: string): Promise<MembershipRow[]> {
  return db.many<MembershipRow>(
    sql`${selectMemberships} where person_id = ${personId} and visit_until is null order by joined_at, account_id`,
  );
}

const selectMemberships = sql`
  select users.account_id, users.id, role, accounts.name as account_name, require_two_factor, joined_at, visit_until
  from users join accounts using (account_id)`;

/** Lists the accounts that an operator looks into at this time. Nothing else of a person is of these accounts' concern. */
export function listVisitsOf(db: Queryable, personId: string, now: Date): Promise<Membership[]> {
  return db.many<Membership>(
    sql`${selectMemberships} where person_id = ${personId} and visit_until > ${now} order by joined_at, account_id`,
  );
}

export async function listMemberships(db: Queryable, personId: string): Promise<Membership[]> {
  const all = await listAll(db, personId);
  return all.filter((one): one is Membership => one.joined_at !== null);
}

/** Where a person is written to: the accounts they belong to, or while there are none those that invite them. */
export async function listMembershipsOrInvitations(
  db: Queryable,
  personId: string,
): Promise<MembershipRow[]> {
  const all = await listAll(db, personId);
  const joined = all.filter(({ joined_at }) => joined_at !== null);
  return joined.length > 0 ? joined : all;
}

/** Tells whether another account invited the person before this one did, and they have joined none. */
export async function isInvitedElsewhere(
  db: Queryable,
  { person_id, account_id, id }: { person_id: string; account_id: string; id: string },
): Promise<boolean> {
  const all = await listAll(db, person_id);
  return all.some((one) => one.account_id !== account_id && one.id < id);
}

export async function belongsElsewhere(
  db: Queryable,
  { person_id, account_id }: { person_id: string; account_id: string },
): Promise<boolean> {
  const joined = await listMemberships(db, person_id);
  return joined.some((one) => one.account_id !== account_id);
}

/** Deletes all invitations of a person, with their links, and returns what they were. */
export function deleteInvitationsOf(
  tx: Tx,
  personId: string,
): Promise<Pick<MembershipRow, "account_id" | "id">[]> {
  return tx.many(sql`
    delete from users where person_id = ${personId} and joined_at is null returning account_id, id`);
}
