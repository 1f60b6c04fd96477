/** These statements are about campaigns of new accounts that an operator looks at before any mail of them leaves. */
import { prepared, type Queryable, type Sql, sql, type Tx } from "../../platform/db/db.ts";
import { SANDBOX_TRANSPORT } from "../ids.ts";
import { sourcesOf } from "../ledger/ledger.ts";

export type ReviewState = "pending" | "approved" | "refused" | "withdrawn";

export type ReviewRow = {
  account_id: string;
  id: string;
  owner_id: string;
  state: ReviewState;
  created_at: Date;
  decided_at: Date | null;
  reason: string | null;
};

const columns = sql`account_id, id, owner_id, state, created_at, decided_at, reason`;

/**
 * Counts who gets mail by all sources of an owner, as far as they are planned, and by the account's other campaigns that were let go since
 * then: many small ones are a large one.
 */
export async function countEligible(
  db: Queryable,
  accountId: string,
  ownerId: string,
  since: Date,
): Promise<number> {
  const { count } = await db.one<{ count: number }>(sql`
    select coalesce(sum(eligible), 0)::bigint as count from plans
    where account_id = ${accountId} and source_id = any(${sourcesOf(accountId, ownerId)} || array(
      select id from sources
      where account_id = ${accountId} and owner_id <> ${ownerId} and launched_at >= ${since} and stream = 'campaign'
        and not is_given and review is null and state <> 'replaced' and transport_id <> ${SANDBOX_TRANSPORT}))`);
  return count;
}

/** Moves a source on from `due`, and returns false where somebody did so before. */
export async function settleDue(
  tx: Tx,
  accountId: string,
  sourceId: string,
  to: "asked" | null,
): Promise<boolean> {
  const settled = await tx.execute(sql`
    update sources set review = ${to} where account_id = ${accountId} and id = ${sourceId} and review = 'due'`);
  return settled === 1;
}

export async function insertReview(
  tx: Tx,
  review: Pick<ReviewRow, "account_id" | "id" | "owner_id" | "created_at">,
): Promise<void> {
  await tx.execute(sql`
    insert into source_reviews (account_id, id, owner_id, state, created_at)
    values (${review.account_id}, ${review.id}, ${review.owner_id}, 'pending', ${review.created_at})
    on conflict do nothing`);
}

/** Lets an owner's sources go, which senders see once they are runnable. */
export async function clearReview(tx: Tx, accountId: string, ownerId: string): Promise<void> {
  await tx.execute(sql`
    update sources set review = null
    where account_id = ${accountId} and id = any(${sourcesOf(accountId, ownerId)}) and review is not null`);
}

/** Decides about the review of an owner that waits, and returns it; undefined where none does. */
export function decideReview(
  tx: Tx,
  accountId: string,
  ownerId: string,
  to: { readonly state: Exclude<ReviewState, "pending">; readonly reason: string | null; readonly at: Date },
): Promise<ReviewRow | undefined> {
  return tx.maybeOne<ReviewRow>(sql`
    update source_reviews set state = ${to.state}, reason = ${to.reason}, decided_at = ${to.at}
    where account_id = ${accountId} and owner_id = ${ownerId} and state = 'pending'
    returning ${columns}`);
}

/** Holds for an owner whose sources wait for an operator. The index source_reviews_pending serves it. */
export function waitsForReview(accountId: Sql, ownerId: Sql): Sql {
  return sql`exists (select from source_reviews waiting where waiting.account_id = ${accountId}
    and waiting.owner_id = ${ownerId} and waiting.state = 'pending')`;
}

/** Returns whether an owner's sources wait for an operator. */
export async function isInReview(db: Queryable, accountId: string, ownerId: string): Promise<boolean> {
  const found = await db.maybeOne(
    prepared(sql`
      select 1 as found from source_reviews
      where account_id = ${accountId} and owner_id = ${ownerId} and state = 'pending'`),
  );
  return found !== undefined;
}
