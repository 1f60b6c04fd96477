/** All statements about which of the product's own mails went to whom. */
import { type Queryable, sql, type Tx, type Writable } from "../platform/db/db.ts";

export type OwnMailKind = "invitation" | "password_reset" | "notice" | "security_notice";

/**
 * Claims a mail for each of these users, in the transaction that accepts the mails. It returns those users who have none because of
 * this occasion yet, so that a job which runs twice sends nothing twice.
 */
export async function claimMails(
  tx: Tx,
  accountId: string,
  occasion: { readonly id: string; readonly kind: OwnMailKind },
  userIds: readonly string[],
  now: Date,
): Promise<readonly string[]> {
  const rows = await tx.many<{ user_id: string }>(sql`
    insert into own_mails (account_id, occasion_id, user_id, kind, created_at)
    select ${accountId}, ${occasion.id}, user_id, ${occasion.kind}, ${now}
    from unnest(${[...userIds]}::uuid[]) as one (user_id)
    on conflict do nothing returning user_id`);
  return rows.map(({ user_id }) => user_id);
}

/** Counts the mails of a kind that went to a user since then, by the index own_mails_of_user. */
export async function countMails(
  db: Queryable,
  accountId: string,
  userId: string,
  kind: OwnMailKind,
  since: Date,
): Promise<number> {
  const { count } = await db.one<{ count: number }>(sql`
    select count(*) as count from own_mails
    where account_id = ${accountId} and user_id = ${userId} and kind = ${kind} and created_at > ${since}`);
  return count;
}

/** Deletes what is older than any job can be, by the index own_mails_by_age. */
export async function removeOldMails(db: Writable, before: Date): Promise<void> {
  await db.execute(sql`
    delete from own_mails where ctid = any(array(
      select ctid from own_mails where created_at < ${before} limit 10000))`);
}
