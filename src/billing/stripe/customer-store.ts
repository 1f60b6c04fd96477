/** All statements about who of Stripe's customers is which account, and what Stripe said of them. */
import { type Queryable, sql, type Tx, type Writable } from "../../platform/db/db.ts";
import type { PaymentStatus } from "./payment-rules.ts";

/** Under which keys a customer is known: of one mode and of one account of Stripe's. Null is not known. */
export type Origin = { readonly livemode: boolean | null; readonly stripe_account: string | null };

export type CustomerRow = Origin & {
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
  /** `deleted`: Stripe has it no more. `foreign`: it isn't one of the key that this service has. */
  readonly missing_as: "deleted" | "foreign" | null;
  readonly stripe_anchor: Date | null;
  readonly grace_until: Date | null;
};

const columns = sql`account_id, customer_id, livemode, stripe_account, looks, looked_at, subscription_id, plan_subscription_id, status, cancels_at,
  past_due_since, overdue_steps, missing_as, stripe_anchor, grace_until`;
/** What is kept of a customer whose place another takes. */
const kept = sql`livemode, stripe_account, missing_as, subscription_id, plan_subscription_id, status, cancels_at, stripe_anchor`;

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

/** Returns the account that is this customer or was it, by the unique customer_id of both tables. */
export async function findAccountOf(db: Queryable, customerId: string): Promise<string | undefined> {
  const row = await db.maybeOne<{ account_id: string }>(sql`
    select account_id from billing_stripe_customers where customer_id = ${customerId}
    union all select account_id from billing_stripe_former_customers where customer_id = ${customerId} limit 1`);
  return row?.account_id;
}

/** An account that has become a customer meanwhile stays that one. */
export async function insertCustomer(
  tx: Tx,
  accountId: string,
  customer: Origin & { readonly customer_id: string },
  now: Date,
): Promise<CustomerRow> {
  const { customer_id, livemode, stripe_account } = customer;
  await tx.execute(sql`
    insert into billing_stripe_customers (account_id, customer_id, livemode, stripe_account, created_at, updated_at)
    values (${accountId}, ${customer_id}, ${livemode}, ${stripe_account}, ${now}, ${now}) on conflict (account_id) do nothing`);
  return tx.one<CustomerRow>(
    sql`select ${columns} from billing_stripe_customers where account_id = ${accountId}`,
  );
}

/** Keeps the present customer of an account among the former ones. The caller holds a lock on the row and gives its place to another. */
export async function keepFormer(tx: Tx, accountId: string, now: Date): Promise<void> {
  await tx.execute(sql`
    insert into billing_stripe_former_customers (customer_id, account_id, ${kept}, replaced_at)
    select customer_id, account_id, ${kept}, ${now} from billing_stripe_customers where account_id = ${accountId}
    on conflict (customer_id) do update set livemode = excluded.livemode, stripe_account = excluded.stripe_account, missing_as = excluded.missing_as,
      subscription_id = excluded.subscription_id, plan_subscription_id = excluded.plan_subscription_id, status = excluded.status,
      cancels_at = excluded.cancels_at, stripe_anchor = excluded.stripe_anchor, replaced_at = excluded.replaced_at`);
}

/** Lets the account be another customer, who owes nothing yet. Looks that have begun are of the one before. */
export async function putInPlace(
  tx: Tx,
  accountId: string,
  customer: Pick<CustomerRow, "customer_id"> & Origin & Partial<FormerRow>,
  now: Date,
): Promise<CustomerRow> {
  const { customer_id, livemode, stripe_account, subscription_id, plan_subscription_id } = customer;
  return tx.one<CustomerRow>(sql`
    update billing_stripe_customers set customer_id = ${customer_id}, livemode = ${livemode}, stripe_account = ${stripe_account}, looks = looks + 1,
      looked_at = null, subscription_id = ${subscription_id ?? null}, plan_subscription_id = ${plan_subscription_id ?? null},
      status = ${customer.status ?? "none"}, cancels_at = ${customer.cancels_at ?? null}, past_due_since = null, overdue_steps = 0,
      missing_as = null, stripe_anchor = ${customer.stripe_anchor ?? null}, grace_until = null, updated_at = ${now}
    where account_id = ${accountId} returning ${columns}`);
}

export type FormerRow = Pick<
  CustomerRow,
  "customer_id" | "subscription_id" | "plan_subscription_id" | "status" | "cancels_at" | "stripe_anchor"
> &
  Origin;

/** Returns the customer that the account was last in this mode and account of Stripe's, by the index billing_stripe_former_customers_of. */
export function findFormer(
  db: Queryable,
  accountId: string,
  { livemode, stripe_account }: Origin,
): Promise<FormerRow | undefined> {
  return db.maybeOne<FormerRow>(sql`
    select customer_id, livemode, stripe_account, subscription_id, plan_subscription_id, status, cancels_at, stripe_anchor
    from billing_stripe_former_customers
    where account_id = ${accountId} and missing_as is distinct from 'deleted' and livemode = ${livemode}
      and (stripe_account = ${stripe_account} or (stripe_account is null and ${stripe_account}::text is null))
    order by replaced_at desc limit 1`);
}

export async function removeFormer(tx: Tx, accountId: string, customerId: string): Promise<void> {
  await tx.execute(sql`
    delete from billing_stripe_former_customers where account_id = ${accountId} and customer_id = ${customerId}`);
}

/** Gives a look its number, which is committed before Stripe is asked. */
export function beginLook(db: Writable, accountId: string): Promise<CustomerRow | undefined> {
  return db.maybeOne<CustomerRow>(sql`
    update billing_stripe_customers set looks = looks + 1 where account_id = ${accountId} returning ${columns}`);
}

/** Writes all that a look may change. The caller holds a lock on the row. */
export async function updateCustomer(tx: Tx, row: CustomerRow, now: Date): Promise<void> {
  await tx.execute(sql`
    update billing_stripe_customers set looked_at = ${row.looked_at}, subscription_id = ${row.subscription_id},
      plan_subscription_id = ${row.plan_subscription_id}, status = ${row.status}, cancels_at = ${row.cancels_at},
      past_due_since = ${row.past_due_since}, overdue_steps = ${row.overdue_steps}, livemode = ${row.livemode},
      stripe_account = ${row.stripe_account}, missing_as = ${row.missing_as}, stripe_anchor = ${row.stripe_anchor},
      grace_until = ${row.grace_until}, updated_at = ${now}
    where account_id = ${row.account_id}`);
}

/** Notes for good that a subscription here follows one at Stripe, and whose that is. */
export async function noteFollower(
  tx: Tx,
  { account_id, customer_id }: Pick<CustomerRow, "account_id" | "customer_id">,
  planSubscriptionId: string,
  subscriptionId: string,
): Promise<void> {
  await tx.execute(sql`
    insert into billing_stripe_followers (account_id, plan_subscription_id, subscription_id, customer_id)
    values (${account_id}, ${planSubscriptionId}, ${subscriptionId}, ${customer_id}) on conflict do nothing`);
}

/** Lists the accounts that owe something and of which this mode knows, by the index billing_stripe_customers_overdue. */
export async function listOverdue(db: Queryable, isLive: boolean): Promise<string[]> {
  const rows = await db.many<{ account_id: string }>(sql`
    select account_id from billing_stripe_customers
    where past_due_since is not null and missing_as is null and livemode is distinct from ${!isLive} order by past_due_since`);
  return rows.map(({ account_id }) => account_id);
}

/** Lists which of the accounts owe something, by the primary key. */
export function listDebts(
  db: Queryable,
  accountIds: readonly string[],
): Promise<{ account_id: string; past_due_since: Date; grace_until: Date | null }[]> {
  return db.many(sql`
    select account_id, past_due_since, grace_until from billing_stripe_customers
    where account_id = any(${[...accountIds]}::uuid[]) and past_due_since is not null`);
}

/** Lists a page of all accounts that are customers, by their ids. */
export async function listCustomers(db: Queryable, after: string | null, most: number): Promise<string[]> {
  const rows = await db.many<{ account_id: string }>(sql`
    select account_id from billing_stripe_customers where ${after}::uuid is null or account_id > ${after}::uuid
    order by account_id limit ${most}`);
  return rows.map(({ account_id }) => account_id);
}
