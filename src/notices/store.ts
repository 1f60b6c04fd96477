/** All statements about which of the product's own mails went to whom. */
import { type Queryable, sql, type Tx, type Writable } from "../platform/db/db.ts";

export type OwnMailKind =
  | "invitation"
  | "password_reset"
  | "email_change"
  | "sign_up"
  | "notice"
  | "security_notice";
export type NoticeKind = Extract<OwnMailKind, "notice" | "security_notice">;
/** What nobody was mailed of because there were too many: it is summed up later, and then was. */
type HeldKind = `held_${NoticeKind}`;

/**
 * Claims a mail for each of these users, in the transaction that accepts the mails. It returns those users who have none because of
 * this occasion yet, so that a job which runs twice sends nothing twice.
 */
export async function claimMails(
  tx: Tx,
  accountId: string,
  occasion: { readonly id: string; readonly kind: OwnMailKind | HeldKind },
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

/** Counts the mails of a kind that went to each of these users since then, by the same index. Those without any are left out. */
export async function countMailsOfEach(
  db: Queryable,
  accountId: string,
  userIds: readonly string[],
  kind: NoticeKind,
  since: Date,
): Promise<ReadonlyMap<string, number>> {
  const rows = await db.many<{ user_id: string; count: number }>(sql`
    select user_id, count(*) as count from own_mails
    where account_id = ${accountId} and user_id = any(${[...userIds]}::uuid[]) and kind = ${kind} and created_at > ${since}
    group by user_id`);
  return new Map(rows.map(({ user_id, count }) => [user_id, count]));
}

type Held = { readonly user_id: string; readonly notices: number; readonly security: number };

/** Counts what users of an account weren't mailed of, and marks it as summed up, so that it is counted once. */
export function takeHeld(tx: Tx, accountId: string): Promise<Held[]> {
  return tx.many<Held>(sql`
    with held as (
      select occasion_id, user_id, kind from own_mails
      where account_id = ${accountId} and kind in ('held_notice', 'held_security_notice')
      order by occasion_id, user_id for update
    ), summed as (
      update own_mails o set kind = 'summed_up' from held
      where o.account_id = ${accountId} and o.occasion_id = held.occasion_id and o.user_id = held.user_id
      returning held.user_id, held.kind
    )
    select user_id, count(*) filter (where kind = 'held_notice') as notices,
      count(*) filter (where kind = 'held_security_notice') as security
    from summed group by user_id`);
}

/** Deletes what is older than any job can be, by the index own_mails_by_age. */
export async function removeOldMails(db: Writable, before: Date): Promise<void> {
  await db.execute(sql`
    delete from own_mails where ctid = any(array(
      select ctid from own_mails where created_at < ${before} limit 10000))`);
}
