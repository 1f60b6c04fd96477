/** Lists the mails that were sent to one subscriber. */
import { type Queryable, type Sql, sql } from "../../platform/db/db.ts";
import type { RecipientStatus, Stream } from "../types.ts";

/** One row of the ledger, seen from the recipient's side. */
export type MailTo = {
  readonly sourceId: string;
  /** Together with `ownerId`, this names what the source belongs to. */
  readonly stream: Stream;
  readonly ownerId: string;
  readonly launchedAt: Date;
  readonly status: RecipientStatus;
  readonly why: string | null;
  readonly attempts: number;
  readonly code: number | null;
  /** The time at which its status last changed. */
  readonly at: Date;
};

export type Addressee = {
  readonly subscriberId: string;
  readonly contactId: string;
  readonly listId: string;
  /** Sources that were launched before this time are left out. */
  readonly since: Date;
};

/**
 * A lateral subquery with one row where this message went to this subscriber, and without one otherwise. `limit 1` keeps the planner
 * at the ledger's primary key.
 */
export function wasMailed(message: {
  readonly accountId: string;
  readonly sourceId: Sql;
  readonly contactId: string;
  readonly subscriberId: string;
}): Sql {
  const { accountId, sourceId, contactId, subscriberId } = message;
  return sql`(
    select from deliveries own
    where own.account_id = ${accountId} and own.source_id = ${sourceId} and own.contact_id = ${contactId}
      and own.subscriber_id = ${subscriberId} limit 1)`;
}

/**
 * Lists the mails of one subscriber from sources launched before `before`, the latest first. It uses the index sources_of_list
 * and, for each source, the ledger's primary key: `limit 1` keeps the planner from any other way.
 */
export function listMailsTo(
  db: Queryable,
  accountId: string,
  { subscriberId, contactId, listId, since }: Addressee,
  limit: number,
  before: { createdAt: string; id: string } | undefined,
): Promise<MailTo[]> {
  const below = before
    ? sql`and (src.launched_at, src.id) < (${before.createdAt}::timestamptz, ${before.id}::uuid)`
    : sql``;
  return db.many<MailTo>(sql`
    select src.id as "sourceId", src.stream, src.owner_id as "ownerId", src.launched_at as "launchedAt", d.state as status,
      d.why, d.attempt as attempts, d.code, d.changed_at as at
    from sources src cross join lateral (
      select * from deliveries own
      where own.account_id = src.account_id and own.source_id = src.id and own.contact_id = ${contactId} limit 1) as d
    where src.account_id = ${accountId} and src.list_id = ${listId} and src.launched_at >= ${since} ${below}
      and src.state <> 'replaced' and d.subscriber_id = ${subscriberId}
    order by src.launched_at desc, src.id desc limit ${limit}`);
}
