/** Reads what decides about an account's limits: what it has and is to have, and the mails that were credited. */
import { type Queryable, sql } from "../../platform/db/db.ts";
import { findHeld, type SubscriptionRow } from "../subscription-store.ts";

export type Granting = SubscriptionRow & {
  /** What follows where it ends. */
  readonly upcoming: SubscriptionRow | undefined;
  /** The mails that were credited to the account, less those that closed statements spent. */
  readonly credited: number;
};

export async function findGranting(
  db: Queryable,
  accountId: string,
  now: Date,
): Promise<Granting | undefined> {
  const { current, upcoming } = await findHeld(db, accountId, now);
  if (!current) return undefined;
  const { credited } = await db.one<{ credited: number }>(sql`
    select (select coalesce(sum(mails), 0) from billing_credits where account_id = ${accountId})::bigint
         - (select coalesce(sum(spent_mails), 0) from billing_statements where account_id = ${accountId})::bigint as credited`);
  return { ...current, upcoming, credited };
}

/** Says whether a period of the account that was over by then has no statement yet, so that it isn't known what it spends of credits. */
export async function hasUnstated(db: Queryable, accountId: string, before: Date): Promise<boolean> {
  const { found } = await db.one<{ found: boolean }>(sql`
    select exists (
      select from billing_subscriptions s cross join lateral (select least(s.ended_at, ${before}::timestamptz) as until) as its
      where s.account_id = ${accountId} and s.started_at < its.until and not exists (
        select from billing_statements t
        where t.account_id = s.account_id and t.subscription_id = s.id and t.period_to >= its.until)) as found`);
  return found;
}

/** Lists the accounts that have something or had it until lately, whose limits may still stand. */
export async function listSubscribed(db: Queryable, since: Date): Promise<readonly string[]> {
  const rows = await db.many<{ account_id: string }>(sql`
    select account_id from billing_subscriptions where ended_at is null or ended_at > ${since} group by 1 order by 1`);
  return rows.map(({ account_id }) => account_id);
}
