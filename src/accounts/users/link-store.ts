import { type Queryable, sql, type Tx } from "../../platform/db/db.ts";

export type LinkRow = {
  account_id: string;
  id: string;
  /** Null for the link that makes the account's first owner. */
  user_id: string | null;
  purpose: "setup" | "reset";
  /** Whether no account's people can have seen it: the instance's own server mailed it, or a command printed it. */
  of_instance: boolean;
  /** Whether a command printed it: such a link works though passwords are switched off. */
  of_operator: boolean;
  /** The account's own transport that mailed it; null where none did. */
  transport_id: string | null;
  created_at: Date;
  expires_at: Date;
  used_at: Date | null;
};

const columns = sql`account_id, id, user_id, purpose, of_instance, of_operator, transport_id, created_at, expires_at, used_at`;

export async function insertLink(tx: Tx, link: LinkRow, tokenHash: Buffer): Promise<void> {
  await tx.execute(sql`
    insert into user_links (account_id, id, user_id, purpose, of_instance, of_operator, transport_id, token_hash,
      created_at, expires_at)
    values (${link.account_id}, ${link.id}, ${link.user_id}, ${link.purpose}, ${link.of_instance}, ${link.of_operator},
            ${link.transport_id}, ${tokenHash}, ${link.created_at}, ${link.expires_at})`);
}

export function findLink(db: Queryable, accountId: string, tokenHash: Buffer): Promise<LinkRow | undefined> {
  return db.maybeOne<LinkRow>(
    sql`select ${columns} from user_links where account_id = ${accountId} and token_hash = ${tokenHash}`,
  );
}

/** Finds a link, and keeps it from being deleted or used until the transaction ends. */
export function holdLink(tx: Tx, accountId: string, id: string): Promise<LinkRow | undefined> {
  return tx.maybeOne<LinkRow>(
    sql`select ${columns} from user_links where account_id = ${accountId} and id = ${id} for update`,
  );
}

/** Claims a link. Of two callers who redeem one link at once, one gets true. */
export async function claimLink(tx: Tx, link: LinkRow, now: Date): Promise<boolean> {
  const claimed = await tx.execute(sql`
    update user_links set used_at = ${now}
    where account_id = ${link.account_id} and id = ${link.id} and used_at is null`);
  return claimed === 1;
}

/** Deletes the user's other links, because one of them was used. */
export async function deleteOtherLinksOf(tx: Tx, used: LinkRow): Promise<void> {
  await tx.execute(sql`
    delete from user_links where account_id = ${used.account_id} and user_id = ${used.user_id} and id <> ${used.id}`);
}

/**
 * Deletes the links that set a person's password, in all accounts they have joined, because the password was set otherwise. What
 * invites them to another account stays: with a password that is known, such a link sets none.
 */
export async function deletePasswordLinksOf(tx: Tx, personId: string, except: string | null): Promise<void> {
  await tx.execute(sql`
    delete from user_links using users
    where users.person_id = ${personId} and users.joined_at is not null and user_links.account_id = users.account_id
      and user_links.user_id = users.id and user_links.id is distinct from ${except}::uuid`);
}

export async function deleteExpiredLinksOf(
  tx: Tx,
  accountId: string,
  userId: string,
  now: Date,
): Promise<void> {
  await tx.execute(sql`
    delete from user_links where account_id = ${accountId} and user_id = ${userId} and expires_at <= ${now}`);
}

/**
 * Deletes the user's links, because only the newest is valid. A used link stays until then, so that a second click
 * can be told that it was used.
 */
export async function deleteLinksOf(tx: Tx, accountId: string, userId: string): Promise<void> {
  await tx.execute(sql`delete from user_links where account_id = ${accountId} and user_id = ${userId}`);
}
