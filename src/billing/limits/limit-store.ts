/** Reads what decides about an account's limits: the subscription that runs, and the mails that were credited. */
import { type Queryable, sql } from "../../platform/db/db.ts";
import type { Subscribed } from "../periods.ts";
import type { Terms } from "../plans/plans.ts";

export type Granting = Subscribed & {
  readonly terms: Terms;
  readonly spending_cap: number | null;
  /** The mails that were credited to the account. */
  readonly credited: number;
};

/** The index billing_subscriptions_running serves it. */
export function findGranting(db: Queryable, accountId: string): Promise<Granting | undefined> {
  return db.maybeOne<Granting>(sql`
    select started_at, anchor, terms, time_zone, spending_cap, (
      select coalesce(sum(c.mails), 0)::bigint from billing_credits c where c.account_id = s.account_id) as credited
    from billing_subscriptions s where account_id = ${accountId} and ended_at is null`);
}

export async function listSubscribed(db: Queryable): Promise<readonly string[]> {
  const rows = await db.many<{ account_id: string }>(
    sql`select account_id from billing_subscriptions where ended_at is null order by account_id`,
  );
  return rows.map(({ account_id }) => account_id);
}
