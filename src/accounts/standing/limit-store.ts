/** All statements about what operators allow an account. */
import type { Actor } from "../../platform/context.ts";
import { sql, type Tx } from "../../platform/db/db.ts";
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

/** Takes the limit of subscribers away in a transaction that is rolled back, so that somebody made up needs no room. */
export async function pretendNoSubscriberLimit(tx: Tx, accountId: string): Promise<void> {
  await tx.execute(sql`
    update accounts set subscriber_limit = null where account_id = ${accountId} and subscriber_limit is not null`);
}

/**
 * Returns how many subscribers the account may have, and keeps others from adding some to it until the transaction ends; null, and nobody
 * waits, where there is no limit.
 */
export async function lockSubscriberLimit(tx: Tx, accountId: string): Promise<number | null> {
  const row = await tx.maybeOne<{ limit: number }>(sql`
    select subscriber_limit as limit from accounts
    where account_id = ${accountId} and subscriber_limit is not null for no key update`);
  return row?.limit ?? null;
}
