/** This file reads the events of one subscriber, for the timeline of what happened to it. */
import { type Queryable, sql } from "../platform/db/db.ts";
import type { EventType } from "./types.ts";

export type SubscriberEvent = { id: string; type: string; data: Record<string, unknown>; created_at: Date };

/** Lists what happened to one subscriber before `before`, newest first. The index events_of_subscriber serves it. */
export function listEventsOfSubscriber(
  db: Queryable,
  accountId: string,
  subscriberId: string,
  limit: number,
  before: { createdAt: string; id: string } | undefined,
  without: readonly EventType[] = [],
): Promise<SubscriberEvent[]> {
  const below = before
    ? sql`and (created_at, id) < (${before.createdAt}::timestamptz, ${before.id}::uuid)`
    : sql``;
  return db.many<SubscriberEvent>(sql`
    select id, type, data, created_at from events
    where account_id = ${accountId} and data ? 'subscriber_id' and data ->> 'subscriber_id' = ${subscriberId} ${below}
      and type <> all(${[...without]}::text[])
    order by created_at desc, id desc limit ${limit}`);
}
