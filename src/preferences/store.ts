import { type Queryable, sql, type Tx, type Writable } from "../platform/db/db.ts";

export type LinkKind = "data" | "delete" | "address" | "new_address";

export type LinkRow = {
  readonly account_id: string;
  readonly id: string;
  readonly kind: LinkKind;
  readonly contact_id: string;
  readonly to_hash: Buffer;
  readonly list_id: string | null;
  readonly new_address: Buffer | null;
  readonly created_at: Date;
  readonly used_at: Date | null;
};

export async function insertLink(tx: Tx, link: Omit<LinkRow, "used_at">): Promise<void> {
  await tx.execute(sql`
    insert into preference_links (account_id, id, kind, contact_id, to_hash, list_id, new_address, created_at)
    values (${link.account_id}, ${link.id}, ${link.kind}, ${link.contact_id}, ${link.to_hash}, ${link.list_id},
            ${link.new_address}, ${link.created_at})`);
}

export function findLink(db: Queryable, accountId: string, id: string): Promise<LinkRow | undefined> {
  return db.maybeOne<LinkRow>(
    sql`select * from preference_links where account_id = ${accountId} and id = ${id}`,
  );
}

/** Of two who use a link at once, one does. */
export async function claimLink(tx: Tx, accountId: string, id: string, at: Date): Promise<boolean> {
  const claimed = await tx.execute(sql`
    update preference_links set used_at = ${at}
    where account_id = ${accountId} and id = ${id} and used_at is null`);
  return claimed === 1;
}

/** Keeps those who ask for links of one person, or to one address, in a row, so that a limit is one for all of them. */
export async function lockAsking(tx: Tx, accountId: string, key: string): Promise<void> {
  await tx.execute(
    sql`select pg_advisory_xact_lock(hashtextextended(${`preference_links ${accountId} ${key}`}, 0))`,
  );
}

/** How many links of this kind were mailed to this address since then, whoever asked for them. */
export async function countLinksSince(
  tx: Tx,
  accountId: string,
  { kind, toHash, since }: { readonly kind: LinkKind; readonly toHash: Buffer; readonly since: Date },
): Promise<number> {
  const { count } = await tx.one<{ count: number }>(sql`
    select count(*) as count from preference_links
    where account_id = ${accountId} and to_hash = ${toHash} and created_at > ${since} and kind = ${kind}`);
  return Number(count);
}

/** Deletes what is kept of an address that is forgotten. */
export async function deleteLinksOf(tx: Tx, accountId: string, addressHash: Buffer): Promise<void> {
  await tx.execute(sql`
    delete from preference_links
    where account_id = ${accountId} and (to_hash = ${addressHash} or contact_id = (
      select id from contacts where account_id = ${accountId} and address_hash = ${addressHash}))`);
}

export async function deleteLinksBefore(db: Writable, before: Date): Promise<void> {
  await db.execute(sql`delete from preference_links where created_at < ${before}`);
}
