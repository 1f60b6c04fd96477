/** Reads the reviews of all accounts. Nobody but operators gets to see what these statements return. */
import { type Queryable, type Sql, sql } from "../../platform/db/db.ts";
import type { AgePage } from "../../platform/db/newest-first.ts";

export const REVIEW_STATES = ["pending", "approved", "refused", "withdrawn"] as const;
export type ReviewState = (typeof REVIEW_STATES)[number];

type Giver = { from_name: string | null; from_email: string | null; reply_to: string | null };

export type ReviewEntry = {
  id: string;
  state: ReviewState;
  reason: string | null;
  created_at: Date;
  decided_at: Date | null;
  account_id: string;
  account_name: string;
  campaign_id: string;
  campaign_name: string;
  subject: string;
  /** Who it is from, as the campaign, its list and its account say. */
  own: Giver;
  list: Giver;
  account: Giver & { name: string };
  recipients: number;
};

const giver = (of: Sql) =>
  sql`jsonb_build_object('name', ${of}.name, 'from_name', ${of}.from_name, 'from_email', ${of}.from_email, 'reply_to', ${of}.reply_to)`;

/** A campaign that was deleted since has nothing left to look at; only drafts can be. */
const entries = sql`
  select r.id, r.state, r.reason, r.created_at, r.decided_at, r.account_id, a.name as account_name,
    r.owner_id as campaign_id, c.name as campaign_name, c.subject,
    ${giver(sql`c`)} as own, ${giver(sql`l`)} as list, ${giver(sql`a`)} as account, (
      select coalesce(sum(p.eligible), 0)::bigint from sources src
      join plans p on p.account_id = src.account_id and p.source_id = src.id
      where src.account_id = r.account_id and src.owner_id = r.owner_id and src.state <> 'replaced') as recipients
  from source_reviews r join accounts a on a.account_id = r.account_id
  join campaigns c on c.account_id = r.account_id and c.id = r.owner_id
  join lists l on l.account_id = c.account_id and l.id = c.list_id`;

/** The index source_reviews_waiting serves those that wait. */
export function listReviews(
  db: Queryable,
  state: ReviewState,
  { limit, after }: AgePage,
): Promise<ReviewEntry[]> {
  const older: Sql = after
    ? sql`and (r.created_at, r.id) < (${after.createdAt}::timestamptz, ${after.id}::uuid)`
    : sql``;
  return db.many<ReviewEntry>(sql`
    ${entries} where r.state = ${state} ${older} order by r.created_at desc, r.id desc limit ${limit}`);
}

export async function countReviews(db: Queryable, state: ReviewState): Promise<number> {
  const { count } = await db.one<{ count: number }>(
    sql`select count(*) as count from source_reviews where state = ${state}`,
  );
  return count;
}

export function findReview(db: Queryable, id: string): Promise<ReviewEntry | undefined> {
  return db.maybeOne<ReviewEntry>(sql`${entries} where r.id = ${id}`);
}
