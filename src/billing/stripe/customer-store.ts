/** All statements about who of Stripe's customers is which account, and what Stripe said of them. */
import { type Queryable, sql, type Tx, type Writable } from "../../platform/db/db.ts";
import type { PaymentStatus } from "./payment-rules.ts";

export type CustomerRow = {
  readonly account_id: string;
  readonly customer_id: string;
  readonly looks: number;
  readonly looked_at: Date | null;
  readonly subscription_id: string | null;
  readonly plan_subscription_id: string | null;
  readonly status: PaymentStatus;
  readonly cancels_at: Date | null;
  readonly past_due_since: Date | null;
  readonly overdue_steps: number;
};

const columns = sql`account_id, customer_id, looks, looked_at, subscription_id, plan_subscription_id, status, cancels_at, past_due_since, overdue_steps`;

export function findCustomer(db: Queryable, accountId: string): Promise<CustomerRow | undefined> {
  return db.maybeOne<CustomerRow>(
    sql`select ${columns} from billing_stripe_customers where account_id = ${accountId}`,
  );
}

export function lockCustomer(tx: Tx, accountId: string): Promise<CustomerRow | undefined> {
  return tx.maybeOne<CustomerRow>(
    sql`select ${columns} from billing_stripe_customers where account_id = ${accountId} for no key update`,
  );
}

/** Returns the account that is this customer, by the unique customer_id. */
export async function findAccountOf(db: Queryable, customerId: string): Promise<string | undefined> {
  const row = await db.maybeOne<{ account_id: string }>(
    sql`select account_id from billing_stripe_customers where customer_id = ${customerId}`,
  );
  return row?.account_id;
}

/** An account that has become a customer meanwhile stays that one. */
export async function insertCustomer(
  tx: Tx,
  accountId: string,
  customerId: string,
  now: Date,
): Promise<CustomerRow> {
  await tx.execute(sql`
    insert into billing_stripe_customers (account_id, customer_id, created_at, updated_at)
    values (${accountId}, ${customerId}, ${now}, ${now}) on conflict (account_id) do nothing`);
  return tx.one<CustomerRow>(
    sql`select ${columns} from billing_stripe_customers where account_id = ${accountId}`,
  );
}

/** Gives a look its number, which is committed before Stripe is asked. */
export function beginLook(
  db: Writable,
  accountId: string,
): Promise<Pick<CustomerRow, "customer_id" | "looks"> | undefined> {
  return db.maybeOne(sql`
    update billing_stripe_customers set looks = looks + 1 where account_id = ${accountId} returning customer_id, looks`);
}

/** Writes all that a look may change. The caller holds a lock on the row. */
export async function updateCustomer(tx: Tx, row: CustomerRow, now: Date): Promise<void> {
  await tx.execute(sql`
    update billing_stripe_customers set looked_at = ${row.looked_at}, subscription_id = ${row.subscription_id},
      plan_subscription_id = ${row.plan_subscription_id}, status = ${row.status}, cancels_at = ${row.cancels_at},
      past_due_since = ${row.past_due_since}, overdue_steps = ${row.overdue_steps}, updated_at = ${now}
    where account_id = ${row.account_id}`);
}

/** Notes for good that a subscription here follows one at Stripe. */
export async function noteFollower(
  tx: Tx,
  accountId: string,
  planSubscriptionId: string,
  subscriptionId: string,
): Promise<void> {
  await tx.execute(sql`
    insert into billing_stripe_followers (account_id, plan_subscription_id, subscription_id)
    values (${accountId}, ${planSubscriptionId}, ${subscriptionId}) on conflict do nothing`);
}

/** Lists the accounts that owe something, by the index billing_stripe_customers_overdue. */
export async function listOverdue(db: Queryable): Promise<string[]> {
  const rows = await db.many<{ account_id: string }>(
    sql`select account_id from billing_stripe_customers where past_due_since is not null order by past_due_since`,
  );
  return rows.map(({ account_id }) => account_id);
}

/** Lists a page of all accounts that are customers, by their ids. */
export async function listCustomers(db: Queryable, after: string | null, most: number): Promise<string[]> {
  const rows = await db.many<{ account_id: string }>(sql`
    select account_id from billing_stripe_customers where ${after}::uuid is null or account_id > ${after}::uuid
    order by account_id limit ${most}`);
  return rows.map(({ account_id }) => account_id);
}
