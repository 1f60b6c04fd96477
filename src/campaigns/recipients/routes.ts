/** The routes of a campaign's recipients: whom it went to, what happened to each, and a segment of those. */
import { type Static, Type } from "typebox";
import { listSourceRevisions, type RecipientStatus, readCounts } from "../../delivery/delivery.ts";
import type { Ctx } from "../../platform/context.ts";
import { pageAnswer } from "../../platform/http/paging/cursor.ts";
import { type Route, readRoute, writeRoute } from "../../platform/http/route.ts";
import { Page, PublicId, Strict } from "../../platform/http/schemas.ts";
import { requireId, toPublicId } from "../../platform/ids.ts";
import { missing } from "../../platform/problems.ts";
import type { HashAddress, RecipientEvent } from "../../subscribers/subscribers.ts";
import { readTotals } from "../../tracking/tracking.ts";
import { Params, requireCampaign, seeRecipients, tag } from "../route-parts.ts";
import { streamRecipients } from "./download.ts";
import { checkFilter, DownloadQuery, type Listed, listAsked, RecipientQuery } from "./filter.ts";
import { resendRoutes } from "./resend-routes.ts";
import { Recipient, RecipientSegment, SegmentInput } from "./schema.ts";
import { makeSegment } from "./segment.ts";
import { findRecipientSegment, type RecipientSegmentRow } from "./segment-store.ts";

const SegmentParams = Strict({ id: PublicId("cmp"), segment_id: PublicId("seg") });

export function recipientRoutes(hash: HashAddress): readonly Route[] {
  return [
    ...resendRoutes,
    readRoute({
      path: "/v1/campaigns/:id/recipients",
      scope: seeRecipients,
      tag,
      summary: "List a campaign's recipients",
      description:
        "The ledger: one row for each, with what became of it and what the server said. With `event` only those to whom that " +
        "happened, each once, with first when and how often. Whoever clicked has opened. Rows are kept for 13 months; of what is known " +
        "for longer, who left because of it for one, the recipient's own fields are then null.",
      params: Params,
      query: RecipientQuery,
      success: {
        status: 200,
        schema: Page(Recipient, "CampaignRecipientPage"),
        description: "A page of recipients.",
      },
      async handler(call) {
        const { ctx, params, query, after } = call;
        checkFilter(query);
        const { id } = await requireCampaign(ctx, params.id);
        const page = { limit: query.limit + 1, after: after?.[0] };
        const [found, total] = await Promise.all([
          listAsked(ctx, hash, id, query, page),
          query.include_total ? countSome(ctx, id, query) : undefined,
        ]);
        return pageAnswer(
          call,
          found,
          ({ contactId }) => [contactId],
          (one: Listed) => shapeRecipient(one, query.event),
          total,
        );
      },
    }),
    readRoute({
      path: "/v1/campaigns/:id/recipients/download",
      scope: "campaigns:export",
      audit: { action: "campaign.recipients_downloaded", of: "path" },
      tag,
      summary: "Download a campaign's recipients",
      description:
        "As CSV, with the columns of an export: everybody, or those of one state, reason or domain. Cells that a spreadsheet might run " +
        "have an apostrophe before them. Those to whom something happened are had by an export.",
      params: Params,
      query: DownloadQuery,
      success: {
        status: 200,
        schema: Type.String(),
        description: "The recipients.",
        contentType: "text/csv",
      },
      async handler({ ctx, params, query }) {
        checkFilter(query);
        const { id } = await requireCampaign(ctx, params.id);
        const headers = {
          "content-type": "text/csv; charset=utf-8",
          "content-disposition": `attachment; filename="${params.id}-recipients.csv"`,
        };
        return { status: 200, headers, stream: streamRecipients(ctx, id, query) };
      },
    }),
    writeRoute({
      method: "POST",
      path: "/v1/campaigns/:id/recipients/segments",
      scope: "subscribers:write",
      audit: { action: "campaign.segment_created", of: "path" },
      tag,
      summary: "Make a segment of recipients",
      description:
        "Of those to whom something happened so far: a tag that nobody had is given to each who is a subscriber still, in the " +
        "background, and the segment has whoever has that tag. What happens later doesn't change it.",
      params: Params,
      body: SegmentInput,
      success: {
        status: 202,
        schema: RecipientSegment,
        description: "The segment is there, and is being filled.",
      },
      async handler({ ctx, params, body, baseUrl }) {
        const campaign = await requireCampaign(ctx, params.id);
        const filter = { type: body.event, includeMachines: body.include_machines };
        const shaped = shapeSegment(await makeSegment(ctx, campaign, body.name, filter));
        const location = `${baseUrl}/v1/campaigns/${params.id}/recipients/segments/${shaped.segment_id}`;
        return { status: 202, body: shaped, headers: { location } };
      },
    }),
    readRoute({
      path: "/v1/campaigns/:id/recipients/segments/:segment_id",
      scope: "subscribers:read",
      tag,
      summary: "See how far the making of a segment is",
      params: SegmentParams,
      success: { status: 200, schema: RecipientSegment, description: "How far it is." },
      async handler({ ctx, params }) {
        const { id } = await requireCampaign(ctx, params.id);
        const segmentId = requireId("seg", params.segment_id, "segment");
        const row = await findRecipientSegment(ctx.sql, ctx.accountId, segmentId);
        if (row?.campaign_id !== id) throw missing("segment");
        return { status: 200, body: shapeSegment(row) };
      },
    }),
  ];
}

/** The sums know nothing of reasons and domains. */
async function countSome(
  ctx: Ctx,
  id: string,
  { status, event, include_machines, reason, domain, email }: RecipientQuery,
): Promise<number | undefined> {
  if (reason ?? domain ?? email) return undefined;
  if (event === "opened" || event === "clicked") {
    const sources = await listSourceRevisions(ctx.sql, ctx.accountId, id);
    const ids = sources.map((source) => source.id);
    const totals = await readTotals(ctx.sql, ctx.accountId, ids);
    if (event === "opened") return include_machines ? totals.openers : totals.humanOpeners;
    return include_machines ? totals.clickers : totals.humanClickers;
  }
  const counts = await readCounts(ctx.sql, ctx.accountId, id);
  if (event === "bounced") return counts.bounces.total;
  if (event === "complained") return counts.complaints;
  if (event === "unsubscribed") return counts.unsubscribes;
  return totalOf(counts, event ?? status);
}

function totalOf(
  counts: Awaited<ReturnType<typeof readCounts>>,
  status: RecipientStatus | undefined,
): number | undefined {
  if (status === undefined) return counts.recipients;
  if (status === "skipped") return counts.skipped.total;
  // `ready` and `inflight` are only known together.
  return status === "ready" || status === "inflight" ? undefined : counts[status];
}

function shapeRecipient(one: Listed, type: RecipientEvent | undefined): Static<typeof Recipient> {
  const { contactId, row, event } = one;
  const times = one.event === null ? one.row : (one.row ?? { createdAt: one.event.at, at: one.event.at });
  return {
    object: "campaign_recipient",
    id: toPublicId("con", contactId),
    subscriber_id: row?.subscriberId ? toPublicId("sub", row.subscriberId) : null,
    email: row?.email ?? null,
    status: row?.status ?? null,
    reason: row?.why ?? null,
    attempts: row?.attempts ?? null,
    reply: row && (row.code !== null || row.text !== null) ? { code: row.code, text: row.text } : null,
    event:
      type && event ? { type, at: event.at.toISOString(), times: event.times, human: event.isHuman } : null,
    created_at: times.createdAt.toISOString(),
    updated_at: times.at.toISOString(),
  };
}

function shapeSegment(row: RecipientSegmentRow): Static<typeof RecipientSegment> {
  return {
    object: "recipient_segment",
    campaign_id: toPublicId("cmp", row.campaign_id),
    segment_id: toPublicId("seg", row.segment_id),
    tag: row.tag_name,
    event: row.event,
    include_machines: row.include_machines,
    status: row.completed_at ? "completed" : "running",
    counts: { processed: row.processed, tagged: row.tagged },
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    completed_at: row.completed_at?.toISOString() ?? null,
  };
}
