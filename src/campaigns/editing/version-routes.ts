import { readActorNames } from "../../accounts/accounts.ts";
import type { MessageTools } from "../../messages/messages.ts";
import type { Ctx } from "../../platform/context.ts";
import { pageAnswer } from "../../platform/http/paging/cursor.ts";
import { type Route, readRoute, writeRoute } from "../../platform/http/route.ts";
import { toPublicId } from "../../platform/ids.ts";
import { missing } from "../../platform/problems.ts";
import { campaignLocked } from "../problems.ts";
import {
  answerWith,
  campaignId,
  one,
  Params,
  read,
  requireCampaignHead,
  tag,
  write,
} from "../route-parts.ts";
import { lookOverVersion, restoreVersion } from "./edit.ts";
import {
  CampaignVersion,
  CampaignVersionPage,
  type CampaignVersionSummary,
  VersionParams,
  VersionQuery,
} from "./version-schema.ts";
import {
  countVersions,
  findVersion,
  listVersions,
  type VersionHead,
  type VersionRow,
} from "./version-store.ts";
import { MOST_VERSIONS } from "./versions.ts";

export function versionRoutes(tools: MessageTools): readonly Route[] {
  return [
    readRoute({
      path: "/v1/campaigns/:id/versions",
      scope: read,
      tag,
      summary: "List a campaign's versions",
      description:
        "Newest first, without their contents. What one person or key changes within five minutes is one version; the newest " +
        `${MOST_VERSIONS} are kept.`,
      params: Params,
      query: VersionQuery,
      success: { status: 200, schema: CampaignVersionPage, description: "A page of versions." },
      async handler(call) {
        const { ctx, params, query, after } = call;
        const { id } = await requireCampaignHead(ctx, params.id);
        const below = after && Number(after[0]);
        const [rows, total] = await Promise.all([
          listVersions(ctx.sql, ctx.accountId, id, { limit: query.limit + 1, below }),
          query.include_total ? countVersions(ctx.sql, ctx.accountId, id) : undefined,
        ]);
        const names = await namesOf(ctx, rows);
        return pageAnswer(
          call,
          rows,
          ({ number }) => [String(number)],
          (row) => shapeHead(id, row, names),
          total,
        );
      },
    }),
    readRoute({
      path: "/v1/campaigns/:id/versions/:number",
      scope: read,
      tag,
      summary: "Get a version of a campaign",
      params: VersionParams,
      success: { status: 200, schema: CampaignVersion, description: "The version with its contents." },
      async handler({ ctx, params }) {
        const { id } = await requireCampaignHead(ctx, params.id);
        const row = await findVersion(ctx.sql, ctx.accountId, id, Number(params.number));
        if (!row) throw missing("version");
        return { status: 200, body: shapeVersion(id, row, await namesOf(ctx, [row])) };
      },
    }),
    writeRoute({
      method: "POST",
      path: "/v1/campaigns/:id/versions/:number/restore",
      scope: write,
      audit: { action: "campaign.version_restored", of: "path" },
      tag,
      summary: "Restore a version of a campaign",
      description:
        "Gives the campaign the words and the sender of that version, as a new version: nothing is lost. Its list, its " +
        "segment and its topic stay as they are. One that is scheduled, or paused before its start, takes `campaigns:send` too.",
      params: VersionParams,
      success: one,
      problems: [campaignLocked],
      prepare: ({ ctx, params }) => lookOverVersion(ctx, tools, campaignId(params.id), Number(params.number)),
      async handler({ ctx, params, ifMatch, principal }, lookedOver) {
        const row = await restoreVersion(ctx, campaignId(params.id), Number(params.number), ifMatch, {
          lookedOver,
          caller: principal,
        });
        return answerWith({ ctx, principal }, row, 200);
      },
    }),
  ];
}

type Names = ReadonlyMap<string, string>;

function namesOf(ctx: Ctx, rows: readonly VersionHead[]): Promise<Names> {
  const actors = rows.map(({ actor_kind: kind, actor_id: id }) => ({ kind, id }));
  return readActorNames(ctx.sql, ctx.accountId, actors);
}

function shapeHead(campaignId: string, row: VersionHead, names: Names): CampaignVersionSummary {
  return {
    object: "campaign_version",
    campaign_id: toPublicId("cmp", campaignId),
    number: row.number,
    subject: row.subject,
    restored_from: row.restored_from,
    actor: { kind: row.actor_kind, id: row.actor_id, name: names.get(row.actor_id ?? "") ?? null },
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

function shapeVersion(campaignId: string, row: VersionRow, names: Names): CampaignVersion {
  const { name, preview_text, from_name, from_email, reply_to, html, mjml, blocks, text, utm } = row.content;
  return {
    ...shapeHead(campaignId, row, names),
    name,
    preview_text,
    from_name,
    from_email,
    reply_to,
    html,
    mjml,
    blocks: blocks ?? null,
    text,
    tracking: { opens: row.content.track_opens, clicks: row.content.track_clicks },
    utm,
  };
}
