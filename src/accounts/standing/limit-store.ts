/** All statements about what operators allow an account, and about how many subscribers its plan does. */
import type { Actor } from "../../platform/context.ts";
import { prepared, sql, type Tx } from "../../platform/db/db.ts";
import { signedBy } from "../updated-by.ts";

/** What operators may change of an account. Null is no limit. */
export type Limits = {
  readonly name: string;
  readonly daily_mail_limit: number | null;
  readonly subscriber_limit: number | null;
};

const columns = sql`name, daily_mail_limit, subscriber_limit`;

/** Days aren't opened meanwhile, and subscribers not added where their number is limited. */
export function lockLimits(tx: Tx, accountId: string): Promise<Limits | undefined> {
  return tx.maybeOne<Limits>(
    sql`select ${columns} from accounts where account_id = ${accountId} for no key update`,
  );
}

export function updateLimits(
  tx: Tx,
  accountId: string,
  limits: Limits,
  { now, actor }: { readonly now: Date; readonly actor: Actor },
): Promise<Limits> {
  return tx.one<Limits>(sql`
    update accounts set name = ${limits.name}, daily_mail_limit = ${limits.daily_mail_limit},
      subscriber_limit = ${limits.subscriber_limit}, updated_at = ${now}, ${signedBy(actor)}
    where account_id = ${accountId} returning ${columns}`);
}

/** Takes the limits of subscribers away in a transaction that is rolled back, so that somebody made up needs no room. */
export async function pretendNoSubscriberLimit(tx: Tx, accountId: string): Promise<void> {
  await tx.execute(sql`
    update accounts set subscriber_limit = null where account_id = ${accountId} and subscriber_limit is not null`);
  await tx.execute(sql`
    update plan_limits set contacts = null where account_id = ${accountId} and contacts is not null`);
}

/** How many subscribers an account may have, and who says so: the operators, or the plan's number of contacts. */
export type SubscriberLimit = { readonly limit: number; readonly setBy: "operator" | "plan" };

/**
 * Returns the lower one of the account's limits of subscribers, and keeps others from adding some to it until the transaction ends; undefined,
 * and nobody waits, where there is none.
 */
export async function lockSubscriberLimit(
  tx: Tx,
  accountId: string,
  { exceptPlan }: { readonly exceptPlan: boolean },
): Promise<SubscriberLimit | undefined> {
  const ofPlan = sql`exists (select from plan_limits p where p.account_id = a.account_id and p.contacts is not null)`;
  const locked = await tx.maybeOne(
    prepared(sql`
    select 1 as found from accounts a
    where account_id = ${accountId} and (subscriber_limit is not null or (${!exceptPlan} and ${ofPlan})) for no key update`),
  );
  if (!locked) return undefined;
  // This is a statement of its own: who changes a plan has the lock too, and what they wrote is what holds.
  const row = await tx.maybeOne<{ operator: number | null; plan: number | null }>(
    prepared(sql`
    select a.subscriber_limit as operator, p.contacts as plan
    from accounts a left join plan_limits p on p.account_id = a.account_id where a.account_id = ${accountId}`),
  );
  const { operator, plan } = {
    operator: row?.operator ?? null,
    plan: exceptPlan ? null : (row?.plan ?? null),
  };
  if (plan !== null && (operator === null || plan < operator)) return { limit: plan, setBy: "plan" };
  return operator === null ? undefined : { limit: operator, setBy: "operator" };
}
