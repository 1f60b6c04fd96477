import { readManyCounts, readProgress } from "../delivery/delivery.ts";
import type { Ctx } from "../platform/context.ts";
import { pageAnswer } from "../platform/http/paging/cursor.ts";
import { positionsUnsettled } from "../platform/http/paging/snapshot-cursor.ts";
import { type Route, readRoute } from "../platform/http/route.ts";
import { readListId } from "../subscribers/subscribers.ts";
import { NO_TOTALS, shapeMailNumbers } from "../tracking/tracking.ts";
import { CampaignCounts, CampaignCountsQuery, CampaignPage, CampaignQuery } from "./list-schema.ts";
import { read, tag } from "./route-parts.ts";
import { shapeCounts, shapeSummary } from "./shape.ts";
import { readManyEngagements } from "./stats/stats.ts";
import {
  type CampaignFilter,
  countByStatus,
  countCampaigns,
  type ListedCampaign,
  listCampaigns,
  positionOf,
  type Sort,
} from "./store.ts";

/** These routes list campaigns, and count them. */
export function listRoutes(): readonly Route[] {
  return [
    readRoute({
      path: "/v1/campaigns",
      scope: read,
      tag,
      summary: "List campaigns",
      description:
        "Without their contents: those come with a single campaign. Their numbers come with `include_stats`.",
      query: CampaignQuery,
      success: { status: 200, schema: CampaignPage, description: "A page of campaigns." },
      async handler(call) {
        const { ctx, query, after, principal } = call;
        const sort = query.sort.replace(/^[+ ]/, "") as Sort;
        const filter = { ...(await readFilter(ctx, query)), statuses: query.status };
        const place = (row: ListedCampaign) => positionOf(sort, row);
        const position = sort === "updated_at" ? await positionsUnsettled(ctx, place) : place;
        const [rows, total] = await Promise.all([
          listCampaigns(ctx.sql, ctx.accountId, filter, { sort, limit: query.limit + 1, after }),
          query.include_total ? countCampaigns(ctx.sql, ctx.accountId, filter) : undefined,
        ]);
        const ids = rows.map(({ id }) => id);
        const [progress, numbers] = await Promise.all([
          readProgress(ctx.sql, ctx.accountId, ids, ctx.clock.now()),
          query.include_stats ? readNumbers(ctx, ids) : undefined,
        ]);
        const shape = (row: ListedCampaign) => ({
          ...shapeSummary(row, progress.get(row.id), principal),
          ...(numbers && { stats: numbers.get(row.id) ?? null }),
        });
        return pageAnswer(call, rows, position, shape, total);
      },
    }),
    readRoute({
      path: "/v1/campaigns/counts",
      scope: read,
      tag,
      summary: "Count campaigns by status",
      description:
        "Of those that the filters leave, which are those of the list of campaigns. Archived ones aren't counted, or are alone.",
      query: CampaignCountsQuery,
      success: { status: 200, schema: CampaignCounts, description: "How many have each status." },
      async handler({ ctx, query }) {
        const found = await countByStatus(ctx.sql, ctx.accountId, await readFilter(ctx, query));
        return { status: 200, body: shapeCounts(found) };
      },
    }),
  ];
}

/** Reads the numbers of a page of campaigns, by as many statements as for one of them. */
async function readNumbers(ctx: Ctx, ids: readonly string[]) {
  const [counts, engagements] = await Promise.all([
    readManyCounts(ctx.sql, ctx.accountId, ids),
    readManyEngagements(ctx, ids),
  ]);
  return new Map(
    [...counts].map(([id, own]) => [
      id,
      shapeMailNumbers(own, engagements.get(id) ?? { mode: null, totals: NO_TOTALS }),
    ]),
  );
}

async function readFilter(ctx: Ctx, query: CampaignCountsQuery): Promise<CampaignFilter> {
  return {
    listId: await readListId(ctx, query.list_id),
    statuses: undefined,
    words: query.q,
    isArchived: query.archived,
    after: {
      created_at: query.created_after,
      updated_at: query.updated_after,
      send_at: query.send_at_after,
    },
    before: {
      created_at: query.created_before,
      updated_at: query.updated_before,
      send_at: query.send_at_before,
    },
  };
}
