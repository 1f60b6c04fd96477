import { listEventsOfSubscriber } from "../events/events.ts";
import type { Ctx } from "../platform/context.ts";
import { sql } from "../platform/db/db.ts";
import { fromPublicId, toPublicId } from "../platform/ids.ts";
import { listCustomEventsOf } from "./custom-events/custom-events.ts";
import type { CampaignsInTimeline } from "./exports/exports.ts";
import type { SubscriberView } from "./subscriber-store.ts";

export type ActivityEntry = {
  /** The prefix of the entry's public id says what it is. */
  prefix: "evt" | "cns" | "dlv" | "eng" | "cev";
  id: string;
  type: string;
  data: Record<string, unknown>;
  created_at: Date;
  updated_at?: Date;
};

/**
 * The ledger, the counts of opens and clicks and the custom events tell of these, so that each stands in the timeline once. That a mail arrived is
 * recorded only while an endpoint wants it, as is whom an import changed, and a timeline is the same whoever does.
 */
const TOLD_ELSEWHERE = [
  "email.queued",
  "email.sent",
  "email.delivered",
  "email.deferred",
  "email.bounced",
  "email.failed",
  "email.opened",
  "email.clicked",
  "subscriber.event_tracked",
  "subscriber.imported",
] as const;
/** A launch may take in subscribers who came while it was being committed. */
const MARGIN_MS = 3_600_000;

/** A timeline has consent, mails, opens, clicks, custom events and changes, newest first. Each source gives a page's worth, and the newest of all are kept. */
export async function listActivity(
  ctx: Ctx,
  { mailsTo, engagementsOf, namesOf }: CampaignsInTimeline,
  subscriber: Pick<SubscriberView, "id" | "contact_id" | "list_id" | "created_at">,
  limit: number,
  before: { createdAt: string; id: string } | undefined,
): Promise<ActivityEntry[]> {
  const { id: subscriberId, contact_id: contactId, list_id: listId, created_at } = subscriber;
  const since = new Date(created_at.getTime() - MARGIN_MS);
  const publicId = toPublicId("sub", subscriberId);
  const of = (prefix: ActivityEntry["prefix"]) => (entry: Omit<ActivityEntry, "prefix">) => ({
    ...entry,
    prefix,
  });
  const addressee = { subscriberId, contactId, listId, since };
  const [events, consents, mails, engagements, done] = await Promise.all([
    listNamedEvents(ctx, namesOf, publicId, limit, before),
    listConsents(ctx, subscriberId, limit, before),
    mailsTo(ctx.sql, ctx.accountId, addressee, limit, before),
    engagementsOf(ctx.sql, ctx.accountId, addressee, limit, before),
    listCustomEventsOf(ctx.sql, ctx.accountId, subscriberId, limit, before),
  ]);
  const newestFirst = (a: ActivityEntry, b: ActivityEntry) =>
    b.created_at.getTime() - a.created_at.getTime() || (a.id < b.id ? 1 : -1);
  return [
    ...events.map(of("evt")),
    ...consents.map(of("cns")),
    ...mails.map(of("dlv")),
    ...engagements.map(of("eng")),
    ...done.map(of("cev")),
  ]
    .sort(newestFirst)
    .slice(0, limit);
}

/** An event of a mail has the id of its campaign alone, and a timeline says the name. */
async function listNamedEvents(
  { sql: db, accountId }: Ctx,
  namesOf: CampaignsInTimeline["namesOf"],
  publicId: string,
  limit: number,
  before: { createdAt: string; id: string } | undefined,
) {
  const events = await listEventsOfSubscriber(db, accountId, publicId, limit, before, TOLD_ELSEWHERE);
  const ids = events.map(({ type, data }) =>
    type.startsWith("email.") ? fromPublicId("cmp", String(data["campaign_id"])) : undefined,
  );
  const names = await namesOf(
    db,
    accountId,
    ids.filter((id) => id !== undefined),
  );
  return events.map((event, at) => {
    const id = ids[at];
    if (id === undefined) return event;
    return { ...event, data: { ...event.data, campaign_name: names.get(id) ?? null } };
  });
}

function listConsents(
  ctx: Ctx,
  subscriberId: string,
  limit: number,
  before: { createdAt: string; id: string } | undefined,
): Promise<Omit<ActivityEntry, "prefix">[]> {
  const below = before
    ? sql`and (created_at, id) < (${before.createdAt}::timestamptz, ${before.id}::uuid)`
    : sql``;
  return ctx.sql.many<Omit<ActivityEntry, "prefix">>(sql`
    select id, 'consent.' || action as type, created_at, jsonb_build_object('attested', attested, 'source', source,
      'wording', wording, 'ip', ip, 'actor', jsonb_build_object('kind', actor_kind, 'id', actor_id))
      || case when given_at is null then '{}' else jsonb_build_object('given_at',
        to_char(given_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) end as data
    from consents
    where account_id = ${ctx.accountId} and subscriber_id = ${subscriberId} ${below}
    order by created_at desc, id desc limit ${limit}`);
}
