import { Type } from "typebox";
import { dailyLimitReached, sendingStopped } from "../accounts/accounts.ts";
import {
  explainAudience,
  guessDays,
  quotaReached,
  readCounts,
  readProgress,
  sendTestMessages,
} from "../delivery/delivery.ts";
import { contentBusy, examineMessage, type MessageTools, refuseStrangers } from "../messages/messages.ts";
import type { Listener } from "../platform/db/listen.ts";
import { hasScope, refuseMissingScope } from "../platform/http/access-control.ts";
import { CHANGES_NOTHING } from "../platform/http/audit.ts";
import { type Route, readRoute, writeRoute } from "../platform/http/route.ts";
import { Nullable, PublicId } from "../platform/http/schemas.ts";
import { eventStreamAnswer, MOST_STREAMS } from "../platform/http/streams/event-streams.ts";
import { tooManyStreams } from "../platform/problems.ts";
import { composeTests, messageOf, previewCampaign } from "./editing/editing.ts";
import { quotaChecks } from "./lifecycle/lifecycle.ts";
import { preflightFailed } from "./problems.ts";
import { createProgressStreams } from "./progress/progress.ts";
import { campaignId, Params, read, requireCampaign, seeRecipients, send, tag } from "./route-parts.ts";
import { CampaignChecks, CampaignPreview, CampaignTest, PreviewInput, TestInput } from "./schema.ts";
import { sentCampaigns } from "./sent-campaigns.ts";
import { shapeSummary } from "./shape.ts";
import { CampaignStats, readEngagement, shapeStats } from "./stats/stats.ts";
import { findCampaign, findHead } from "./store.ts";

const Audience = Type.Object(
  {
    object: Type.Literal("campaign_audience"),
    campaign_id: PublicId("cmp"),
    on_list: Type.Integer(),
    excluded: Type.Array(Type.Object({ rule: Type.String(), count: Type.Integer() }), {
      description: "Which rule keeps how many from getting it, in the order in which they are asked.",
    }),
    will_get: Type.Integer(),
    takes_days: Nullable(
      Type.Integer({
        description:
          "On about so many days it leaves, by the warm-up plan or the `max_per_day` of its transport, if every day is a good one; at most 365. " +
          "Null where nothing limits a day.",
      }),
    ),
  },
  { title: "CampaignAudience" },
);

export function lookRoutes(tools: MessageTools, listener: Pick<Listener, "listen">): readonly Route[] {
  const streams = createProgressStreams(listener);
  return [
    readRoute({
      path: "/v1/campaigns/:id/stats",
      scope: read,
      tag,
      summary: "Get a campaign's statistics",
      description: "In every status; zeros before it is sent.",
      params: Params,
      success: { status: 200, schema: CampaignStats, description: "The numbers as of now." },
      async handler({ ctx, params }) {
        const row = await requireCampaign(ctx, params.id);
        const counts = await readCounts(ctx.sql, ctx.accountId, row.id);
        return {
          status: 200,
          body: shapeStats(row, counts, await readEngagement(ctx, row.id), ctx.clock.now()),
        };
      },
    }),
    readRoute({
      path: "/v1/campaigns/:id/progress",
      scope: read,
      tag,
      summary: "Watch a campaign",
      description:
        "Server-sent events: `progress` with the campaign whenever it has moved, while it is scheduled, sending or paused, and at " +
        "last `done`; close it then. A reader that is slow misses steps, never the newest. After an hour, when the process stops, " +
        "and when the key is revoked or the session has ended, the last event is `reconnect` with a `reason`: an `EventSource` " +
        `opens it anew by itself. A key or a person may have ${MOST_STREAMS} streams open at once in each process.`,
      params: Params,
      success: {
        status: 200,
        schema: Type.String(),
        description: "A stream of events, each with a campaign, without its contents, as its data.",
        contentType: "text/event-stream",
      },
      problems: [tooManyStreams],
      async handler({ ctx, principal, params, signal }) {
        const { id } = await requireCampaign(ctx, params.id);
        const look = async () => {
          const [row, progress] = await Promise.all([
            findHead(ctx.sql, ctx.accountId, id),
            readProgress(ctx.sql, ctx.accountId, [id], ctx.clock.now()),
          ]);
          return row && shapeSummary(row, progress.get(id), principal);
        };
        return eventStreamAnswer(streams.open({ ctx, principal, scope: read, id, look, signal }));
      },
    }),
    readRoute({
      path: "/v1/campaigns/:id/audience",
      scope: read,
      tag,
      summary: "See who would get a campaign",
      description: "Everybody on the list, less those whom a rule keeps out, if it were sent now.",
      params: Params,
      success: { status: 200, schema: Audience, description: "How many, and why not the others." },
      async handler({ ctx, params }) {
        const row = await requireCampaign(ctx, params.id);
        const audience = { listId: row.list_id, segmentId: row.segment_id, topicId: row.topic_id };
        const { onList, excluded, willGet } = await explainAudience(ctx, audience, { sentCampaigns });
        return {
          status: 200,
          body: {
            object: "campaign_audience" as const,
            campaign_id: params.id,
            on_list: onList,
            excluded: [...excluded],
            will_get: willGet,
            takes_days: await guessDays(
              ctx,
              { listId: row.list_id, mails: willGet },
              tools.relayHost !== undefined,
            ),
          },
        };
      },
    }),
    readRoute({
      path: "/v1/campaigns/:id/checks",
      scope: read,
      tag,
      summary: "Check a campaign",
      description:
        "Looks it over now: what would be cut off, blocked, unreadable, against the rules, or not meant; and whether the account has mails left for all who would get it (`quota_reached`).",
      params: Params,
      success: { status: 200, schema: CampaignChecks, description: "What was found, the worst first." },
      async handler({ ctx, params }) {
        const row = await requireCampaign(ctx, params.id);
        const { checks: ofMessage, defaults } = await examineMessage(ctx, tools, messageOf(row));
        const checks = [...ofMessage, ...(defaults.isSandbox ? [] : await quotaChecks(ctx, row))];
        return {
          status: 200,
          body: {
            object: "campaign_checks" as const,
            campaign_id: params.id,
            blocks_send: checks.some(({ severity }) => severity === "error"),
            checks,
          },
        };
      },
    }),
    writeRoute({
      method: "POST",
      path: "/v1/campaigns/:id/preview",
      worksWhileHeld: true,
      scope: read,
      audit: CHANGES_NOTHING,
      tag,
      summary: "Preview a campaign",
      description:
        "Subject, HTML and text as a subscriber would get them, or somebody made up. What the body says of the campaign takes the " +
        "place of what is saved, under the same rules, and nothing of it is kept.",
      params: Params,
      body: PreviewInput,
      bodyOptional: true,
      success: { status: 200, schema: CampaignPreview, description: "The mail." },
      problems: [preflightFailed, contentBusy],
      async prepare({ ctx, params, body, principal }) {
        if (body?.subscriber_id) refuseMissingScope(principal, seeRecipients);
        return previewCampaign(ctx, tools, await requireCampaign(ctx, params.id), body ?? {});
      },
      async handler(_call, preview) {
        return { status: 200, body: preview.body, subjects: preview.subjects };
      },
    }),
    writeRoute({
      method: "POST",
      path: "/v1/campaigns/:id/test",
      scope: "campaigns:test",
      audit: { action: "campaign.tested", of: "path" },
      tag,
      summary: "Send a test",
      description:
        "To up to five addresses, whether they are on the list or not; without `campaigns:send`, to people of the account alone, else 403. Nothing in it is tracked or counted, and its way out does nothing. It leaves as the campaign would: by the account's transport, by the instance's, or into the sandbox.",
      params: Params,
      body: TestInput,
      success: { status: 202, schema: CampaignTest, description: "Handed over." },
      problems: [preflightFailed, sendingStopped, dailyLimitReached, quotaReached],
      async prepare({ ctx, params, body, principal }) {
        if (body.subscriber_id) refuseMissingScope(principal, seeRecipients);
        const row = await findCampaign(ctx.sql, ctx.accountId, campaignId(params.id));
        return row && composeTests(ctx, tools, row, body);
      },
      async handler({ ctx, params, body, principal }, made) {
        await requireCampaign(ctx, params.id);
        if (!hasScope(principal, send)) await refuseStrangers(ctx, body.to, send);
        if (!made) throw new Error("a campaign that is there was composed");
        if ("refusal" in made) throw made.refusal;
        await sendTestMessages(ctx, made.messages, {
          stream: "campaign",
          hasRelay: tools.relayHost !== undefined,
          isSandbox: made.isSandbox,
        });
        const to = made.messages.map((message) => message.to);
        return {
          status: 202,
          body: { object: "campaign_test" as const, campaign_id: params.id, to },
          subjects: made.subjects,
        };
      },
    }),
  ];
}
