/** All statements about what closed statements add to invoices. */
import { isBeingDeleted } from "../../../accounts/accounts.ts";
import { type Queryable, sql, type Tx, type Writable } from "../../../platform/db/db.ts";

export type Uncharged = { readonly account_id: string; readonly statement_id: string };

export type OverageItem = {
  readonly customer_id: string;
  readonly amount: number;
  readonly currency: string;
  readonly intended_at: Date;
  readonly made_at: Date | null;
};

export type ChargedStatement = {
  readonly overage: number;
  readonly currency: string;
  readonly period_from: Date;
  readonly period_to: Date;
  readonly customer_id: string;
  /** The subscription at Stripe that charged the price. */
  readonly subscription_id: string;
};

/** Who paid the plan pays for the mails beyond it, and nobody else: no other customer of the account's, and none that Stripe hasn't any more. */
const whoPays = (isLive: boolean) => sql`
  join billing_stripe_customers c on c.account_id = f.account_id and c.customer_id = coalesce(f.customer_id, c.customer_id)
    and c.missing_as is null and c.livemode is distinct from ${!isLive}`;

/**
 * Lists closed statements of plans that are paid at Stripe, of which the overage isn't charged yet, by the keys of the tables. What isn't charged when
 * the deletion of an account begins never is.
 */
export function listUncharged(db: Queryable, isLive: boolean): Promise<Uncharged[]> {
  return db.many<Uncharged>(sql`
    select s.account_id, s.id as statement_id
    from billing_stripe_followers f ${whoPays(isLive)}
    join billing_statements s on s.account_id = f.account_id and s.subscription_id = f.plan_subscription_id and s.overage > 0
    left join billing_overage_items i on i.account_id = s.account_id and i.statement_id = s.id
    where i.made_at is null and not ${isBeingDeleted(sql`f.account_id`)}
    order by s.closed_at limit 10000`);
}

export function findCharged(
  db: Queryable,
  { account_id: accountId, statement_id: statementId }: Uncharged,
  isLive: boolean,
): Promise<ChargedStatement | undefined> {
  return db.maybeOne<ChargedStatement>(sql`
    select s.overage, s.currency, s.period_from, s.period_to, c.customer_id, f.subscription_id
    from billing_statements s
    join billing_stripe_followers f on f.account_id = s.account_id and f.plan_subscription_id = s.subscription_id ${whoPays(isLive)}
    where s.account_id = ${accountId} and s.id = ${statementId} and not ${isBeingDeleted(sql`s.account_id`)}`);
}

/** Writes down what is to be charged, once, and returns it as it was first written. */
export async function intendItem(
  tx: Tx,
  { account_id, statement_id }: Uncharged,
  item: Omit<OverageItem, "made_at">,
): Promise<OverageItem> {
  await tx.execute(sql`
    insert into billing_overage_items (account_id, statement_id, customer_id, amount, currency, intended_at)
    values (${account_id}, ${statement_id}, ${item.customer_id}, ${item.amount}, ${item.currency}, ${item.intended_at})
    on conflict do nothing`);
  return tx.one<OverageItem>(sql`
    select customer_id, amount, currency, intended_at, made_at from billing_overage_items
    where account_id = ${account_id} and statement_id = ${statement_id}`);
}

/** Lets nobody else ask Stripe for the item until then. Returns false where somebody else may. */
export async function claimItem(
  db: Writable,
  { account_id, statement_id }: Uncharged,
  { from, until }: { readonly from: Date; readonly until: Date },
): Promise<boolean> {
  const claimed = await db.execute(sql`
    update billing_overage_items set claimed_until = ${until}
    where account_id = ${account_id} and statement_id = ${statement_id} and made_at is null
      and (claimed_until is null or claimed_until <= ${from})`);
  return claimed === 1;
}

/** Gives a claim back, unless it has run out and is somebody else's by now. */
export async function releaseItem(
  db: Writable,
  { account_id, statement_id }: Uncharged,
  until: Date,
): Promise<void> {
  await db.execute(sql`
    update billing_overage_items set claimed_until = null
    where account_id = ${account_id} and statement_id = ${statement_id} and claimed_until = ${until}`);
}

export async function markMade(
  db: Writable,
  { account_id, statement_id }: Uncharged,
  itemId: string | null,
  now: Date,
): Promise<void> {
  await db.execute(sql`
    update billing_overage_items set item_id = ${itemId}, made_at = ${now}
    where account_id = ${account_id} and statement_id = ${statement_id} and made_at is null`);
}
