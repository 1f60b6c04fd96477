import { Type } from "typebox";
import { readProgress } from "../../delivery/delivery.ts";
import type { MessageTools } from "../../messages/messages.ts";
import type { Ctx } from "../../platform/context.ts";
import { pageAnswer } from "../../platform/http/paging/cursor.ts";
import { positionsUnsettled } from "../../platform/http/paging/snapshot-cursor.ts";
import { type Route, readRoute, writeRoute } from "../../platform/http/route.ts";
import { Strict } from "../../platform/http/schemas.ts";
import { invalidState, ListIdInQuery, readListId } from "../../subscribers/subscribers.ts";
import { campaignLocked } from "../problems.ts";
import { answerWith, campaignId, one, Params, read, requireCampaign, tag, write } from "../route-parts.ts";
import {
  Campaign,
  CampaignCounts,
  CampaignCreate,
  CampaignPage,
  CampaignPatch,
  CampaignQuery,
} from "../schema.ts";
import { shapeCounts, shapeSummary } from "../shape.ts";
import {
  type CampaignFilter,
  countByStatus,
  countCampaigns,
  type ListedCampaign,
  listCampaigns,
  positionOf,
  type Sort,
} from "../store.ts";
import { createCampaign, deleteCampaign, duplicateCampaign, lookOver, updateCampaign } from "./edit.ts";
import { versionRoutes } from "./version-routes.ts";

/** These routes list, create, show, change, delete and copy campaigns, and go back to earlier versions. */
export function campaignRoutes(tools: MessageTools): readonly Route[] {
  return [
    ...versionRoutes(tools),
    readRoute({
      path: "/v1/campaigns",
      scope: read,
      tag,
      summary: "List campaigns",
      description: "Without their contents: those come with a single campaign.",
      query: CampaignQuery,
      success: { status: 200, schema: CampaignPage, description: "A page of campaigns." },
      async handler(call) {
        const { ctx, query, after } = call;
        const sort = query.sort.replace(/^[+ ]/, "") as Sort;
        const filter = await readFilter(ctx, query);
        const place = (row: ListedCampaign) => positionOf(sort, row);
        const position = sort === "updated_at" ? await positionsUnsettled(ctx, place) : place;
        const [rows, total] = await Promise.all([
          listCampaigns(ctx.sql, ctx.accountId, filter, { sort, limit: query.limit + 1, after }),
          query.include_total ? countCampaigns(ctx.sql, ctx.accountId, filter) : undefined,
        ]);
        const ids = rows.map(({ id }) => id);
        const progress = await readProgress(ctx.sql, ctx.accountId, ids);
        return pageAnswer(call, rows, position, (row) => shapeSummary(row, progress.get(row.id)), total);
      },
    }),
    writeRoute({
      method: "POST",
      path: "/v1/campaigns",
      scope: write,
      tag,
      summary: "Make a campaign",
      description:
        "A draft. `name`, `list_id`, `subject` and one of `html` and `mjml` are required; sender, reply address and postal address " +
        "come from the list where the campaign has none, and from the account where the list has none either. Texts may hold Liquid: `{{ first_name | default: 'there' }}`.",
      body: CampaignCreate,
      success: { status: 201, schema: Campaign, description: "The draft, with what the checks found." },
      prepare: ({ ctx, body }) => lookOver(ctx, tools, body, undefined),
      async handler({ ctx, body, baseUrl }, lookedOver) {
        const row = await createCampaign(ctx, body, lookedOver);
        const answer = await answerWith(ctx, row, 201);
        return { ...answer, headers: { location: `${baseUrl}/v1/campaigns/${answer.body?.id}` } };
      },
    }),
    readRoute({
      path: "/v1/campaigns/counts",
      scope: read,
      tag,
      summary: "Count campaigns by status",
      description:
        "Of one list, or of every list. Archived ones aren't counted, as the list leaves them out.",
      query: Strict({ list_id: Type.Optional(ListIdInQuery) }),
      success: { status: 200, schema: CampaignCounts, description: "How many have each status." },
      async handler({ ctx, query }) {
        const listId = await readListId(ctx, query.list_id);
        const found = await countByStatus(ctx.sql, ctx.accountId, listId);
        return { status: 200, body: shapeCounts(found) };
      },
    }),
    readRoute({
      path: "/v1/campaigns/:id",
      scope: read,
      tag,
      summary: "Get a campaign",
      params: Params,
      success: { status: 200, schema: Campaign, description: "The campaign." },
      handler: async ({ ctx, params }) => answerWith(ctx, await requireCampaign(ctx, params.id), 200),
    }),
    writeRoute({
      method: "PATCH",
      path: "/v1/campaigns/:id",
      scope: write,
      tag,
      summary: "Change a campaign",
      description:
        "What is left out stays as it is; null clears. Until mail of it has left: as a draft, while it is scheduled or paused " +
        "before its start, and when it failed with nothing sent. `archive` alone may be changed at any time. What one person saves " +
        "within five minutes is one version and one `campaign.updated`, that of the first save; a key's changes are each told.",
      params: Params,
      body: CampaignPatch,
      success: one,
      problems: [campaignLocked],
      prepare: ({ ctx, params, body }) => lookOver(ctx, tools, body, campaignId(params.id)),
      async handler({ ctx, params, body, ifMatch }, lookedOver) {
        const row = await updateCampaign(ctx, campaignId(params.id), body, ifMatch, lookedOver);
        return answerWith(ctx, row, 200);
      },
    }),
    writeRoute({
      method: "DELETE",
      path: "/v1/campaigns/:id",
      scope: write,
      tag,
      summary: "Delete a draft",
      params: Params,
      success: { status: 204, schema: null, description: "Gone." },
      problems: [invalidState],
      async handler({ ctx, params }) {
        await deleteCampaign(ctx, campaignId(params.id));
        return { status: 204 };
      },
    }),
    writeRoute({
      method: "POST",
      path: "/v1/campaigns/:id/duplicate",
      scope: write,
      tag,
      summary: "Copy a campaign",
      description: "From any status, into a new draft.",
      params: Params,
      success: { status: 201, schema: Campaign, description: "The copy." },
      async handler({ ctx, params, baseUrl }) {
        const answer = await answerWith(ctx, await duplicateCampaign(ctx, campaignId(params.id)), 201);
        return { ...answer, headers: { location: `${baseUrl}/v1/campaigns/${answer.body?.id}` } };
      },
    }),
  ];
}

async function readFilter(ctx: Ctx, query: CampaignQuery): Promise<CampaignFilter> {
  return {
    listId: await readListId(ctx, query.list_id),
    status: query.status,
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
