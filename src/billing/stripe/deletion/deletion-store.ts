/** All statements about customers whose account is deleted. No row names the account: it is gone. */
import { type Queryable, sql, type Tx, type Writable } from "../../../platform/db/db.ts";

/** Keeps all that the account was at Stripe, now and formerly, before its rows go. What is kept already stays. */
export async function insertEndings(tx: Tx, accountId: string, now: Date): Promise<boolean> {
  const inserted = await tx.execute(sql`
    insert into billing_stripe_endings (customer_id, livemode, stripe_account, asked_at)
    select customer_id, livemode, stripe_account, ${now}::timestamptz from billing_stripe_customers where account_id = ${accountId}
    union all select customer_id, livemode, stripe_account, ${now}::timestamptz from billing_stripe_former_customers where account_id = ${accountId}
    on conflict (customer_id) do nothing`);
  return inserted > 0;
}

/** Asks once more about a customer of a deleted account, of whom Stripe tells something. Returns false for everybody else. */
export async function reopenEnding(tx: Tx, customerId: string): Promise<boolean> {
  const found = await tx.execute(sql`
    update billing_stripe_endings set ended_at = null where customer_id = ${customerId}`);
  return found === 1;
}

/** Lists those of this mode that are still to end, the oldest first, by the index billing_stripe_endings_waiting. */
export async function listEndings(db: Queryable, isLive: boolean): Promise<string[]> {
  const rows = await db.many<{ customer_id: string }>(sql`
    select customer_id from billing_stripe_endings
    where ended_at is null and livemode is distinct from ${!isLive} order by asked_at limit 1000`);
  return rows.map(({ customer_id }) => customer_id);
}

export async function markEnded(db: Writable, customerId: string, now: Date): Promise<void> {
  await db.execute(sql`
    update billing_stripe_endings set ended_at = ${now} where customer_id = ${customerId}`);
}
