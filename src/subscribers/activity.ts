import { listEventsOfSubscriber } from "../events/events.ts";
import type { Ctx } from "../platform/context.ts";
import { sql } from "../platform/db/db.ts";
import { toPublicId } from "../platform/ids.ts";

export type ActivityEntry = { id: string; type: string; data: Record<string, unknown>; created_at: Date };

/** The timeline: consent and changes, newest first. Each source gives a page's worth, and the newest of all are kept. */
export async function listActivity(
  ctx: Ctx,
  subscriberId: string,
  limit: number,
  before: { createdAt: string; id: string } | undefined,
): Promise<ActivityEntry[]> {
  const [events, consents] = await Promise.all([
    listEventsOfSubscriber(ctx.sql, ctx.accountId, toPublicId("sub", subscriberId), limit, before),
    listConsents(ctx, subscriberId, limit, before),
  ]);
  const newestFirst = (a: ActivityEntry, b: ActivityEntry) =>
    b.created_at.getTime() - a.created_at.getTime() || (a.id < b.id ? 1 : -1);
  return [...events, ...consents].sort(newestFirst).slice(0, limit);
}

function listConsents(
  ctx: Ctx,
  subscriberId: string,
  limit: number,
  before: { createdAt: string; id: string } | undefined,
): Promise<ActivityEntry[]> {
  const below = before
    ? sql`and (created_at, id) < (${before.createdAt}::timestamptz, ${before.id}::uuid)`
    : sql``;
  return ctx.sql.many<ActivityEntry>(sql`
    select id, 'consent.' || action as type, created_at, jsonb_build_object('attested', attested, 'source', source,
      'wording', wording, 'ip', ip, 'actor', jsonb_build_object('kind', actor_kind, 'id', actor_id)) as data
    from consents
    where account_id = ${ctx.accountId} and subscriber_id = ${subscriberId} ${below}
    order by created_at desc, id desc limit ${limit}`);
}
