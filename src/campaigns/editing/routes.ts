import type { MessageTools } from "../../messages/messages.ts";
import { type Route, readRoute, writeRoute } from "../../platform/http/route.ts";
import { invalidState } from "../../subscribers/subscribers.ts";
import { campaignLocked } from "../problems.ts";
import { answerWith, campaignId, one, Params, read, requireCampaign, tag, write } from "../route-parts.ts";
import { Campaign, CampaignCreate, CampaignPatch } from "../schema.ts";
import { createCampaign, deleteCampaign, duplicateCampaign, lookOver, updateCampaign } from "./edit.ts";
import { versionRoutes } from "./version-routes.ts";

/** These routes create, show, change, delete and copy campaigns, and go back to earlier versions. */
export function campaignRoutes(tools: MessageTools): readonly Route[] {
  return [
    ...versionRoutes(tools),
    writeRoute({
      method: "POST",
      path: "/v1/campaigns",
      scope: write,
      audit: { action: "campaign.created", of: "answer" },
      tag,
      summary: "Make a campaign",
      description:
        "A draft. `name`, `list_id`, `subject` and one of `html`, `mjml`, `blocks` and `template_id` are required; sender, reply address and postal address " +
        "come from the list where the campaign has none, and from the account where the list has none either. Texts may hold Liquid: `{{ first_name | default: 'there' }}`.",
      body: CampaignCreate,
      success: { status: 201, schema: Campaign, description: "The draft, with what the checks found." },
      prepare: ({ ctx, body }) => lookOver(ctx, tools, body, undefined),
      async handler({ ctx, body, baseUrl, principal }, lookedOver) {
        const row = await createCampaign(ctx, body, lookedOver);
        const answer = await answerWith({ ctx, principal }, row, 201);
        return { ...answer, headers: { location: `${baseUrl}/v1/campaigns/${answer.body?.id}` } };
      },
    }),
    readRoute({
      path: "/v1/campaigns/:id",
      scope: read,
      tag,
      summary: "Get a campaign",
      params: Params,
      success: { status: 200, schema: Campaign, description: "The campaign." },
      handler: async ({ ctx, params, principal }) =>
        answerWith({ ctx, principal }, await requireCampaign(ctx, params.id), 200),
    }),
    writeRoute({
      method: "PATCH",
      path: "/v1/campaigns/:id",
      scope: write,
      audit: { action: "campaign.updated", of: "path" },
      tag,
      summary: "Change a campaign",
      description:
        "What is left out stays as it is; null clears. Until mail of it has left: as a draft, while it is scheduled or paused " +
        "before its start, and when it failed with nothing sent. One that is scheduled, or paused before its start, takes `campaigns:send` too. `archive` alone may be changed at any time. What one person saves " +
        "within five minutes is one version and one `campaign.updated`, that of the first save; a key's changes are each told.",
      params: Params,
      body: CampaignPatch,
      success: one,
      problems: [campaignLocked],
      prepare: ({ ctx, params, body }) => lookOver(ctx, tools, body, campaignId(params.id)),
      async handler({ ctx, params, body, ifMatch, principal }, lookedOver) {
        const saving = { lookedOver, caller: principal };
        const row = await updateCampaign(ctx, campaignId(params.id), body, ifMatch, saving);
        return answerWith({ ctx, principal }, row, 200);
      },
    }),
    writeRoute({
      method: "DELETE",
      path: "/v1/campaigns/:id",
      scope: write,
      audit: { action: "campaign.deleted", of: "path" },
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
      audit: { action: "campaign.duplicated", of: "answer" },
      tag,
      summary: "Copy a campaign",
      description: "From any status, into a new draft.",
      params: Params,
      success: { status: 201, schema: Campaign, description: "The copy." },
      async handler({ ctx, params, baseUrl, principal }) {
        const answer = await answerWith(
          { ctx, principal },
          await duplicateCampaign(ctx, campaignId(params.id)),
          201,
        );
        return { ...answer, headers: { location: `${baseUrl}/v1/campaigns/${answer.body?.id}` } };
      },
    }),
  ];
}
