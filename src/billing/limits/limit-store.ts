/** Reads what decides about an account's limits: the subscription that runs, and the mails that were credited. */
import { type Queryable, sql } from "../../platform/db/db.ts";
import type { Subscribed } from "../periods.ts";
import type { Terms } from "../plans/plans.ts";

export type Granting = Subscribed & {
  readonly terms: Terms;
  readonly spending_cap: number | null;
  /** The mails that were credited to the account, less those that closed statements spent. */
  readonly credited: number;
};

/** The index billing_subscriptions_running serves it. */
export function findGranting(db: Queryable, accountId: string): Promise<Granting | undefined> {
  return db.maybeOne<Granting>(sql`
    select started_at, anchor, terms, time_zone, spending_cap,
           (select coalesce(sum(c.mails), 0) from billing_credits c where c.account_id = s.account_id)::bigint
             - (select coalesce(sum(t.spent_mails), 0) from billing_statements t where t.account_id = s.account_id)::bigint as credited
    from billing_subscriptions s where account_id = ${accountId} and ended_at is null`);
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

export async function listSubscribed(db: Queryable): Promise<readonly string[]> {
  const rows = await db.many<{ account_id: string }>(
    sql`select account_id from billing_subscriptions where ended_at is null order by account_id`,
  );
  return rows.map(({ account_id }) => account_id);
}
