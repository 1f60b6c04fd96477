import { Type } from "typebox";
import { getAccount } from "../../accounts/accounts.ts";
import {
  createDomainReader,
  createErrorReader,
  MOST_DOMAINS,
  readCountsSince,
} from "../../delivery/delivery.ts";
import { type Route, readRoute } from "../../platform/http/route.ts";
import { oneOf, Strict, TimeZone } from "../../platform/http/schemas.ts";
import { findProviders } from "../../recipient-domains/recipient-domains.ts";
import { Params, read, requireCampaignHead, tag } from "../route-parts.ts";
import { MOST_BUCKETS } from "./buckets.ts";
import { CampaignComparison, compareWithEarlier } from "./comparison.ts";
import { CampaignLinks, readAllQuarters, readDomainEngagement, readEngagement } from "./engagement.ts";
import { SendingStats, shapeSendingStats } from "./sending-stats.ts";
import { CampaignDomains, CampaignTimeseries, fillBuckets, shapeDomains } from "./stats-breakdowns.ts";
import { CampaignErrors, shapeErrors } from "./stats-errors.ts";

const DAY_MS = 24 * 3_600_000;
const Time = (description: string) => Type.Optional(Type.String({ format: "date-time", description }));

/** These routes show what became of a campaign's mail, by domain and by time. */
export function statsRoutes(): readonly Route[] {
  const readDomains = createDomainReader();
  const readErrors = createErrorReader();
  return [
    readRoute({
      path: "/v1/stats/sending",
      scope: read,
      tag,
      summary: "Get the statistics of all recent campaigns",
      description: "Of those launched in the last days, together, whatever became of them since.",
      query: Strict({
        days: Type.Integer({ minimum: 1, maximum: 366, default: 30 }),
        sandbox: Type.Boolean({
          default: false,
          description: "Those that went into the sandbox, and no others.",
        }),
      }),
      success: { status: 200, schema: SendingStats, description: "The sums of their numbers." },
      async handler({ ctx, query }) {
        const asOf = ctx.clock.now();
        const since = new Date(asOf.getTime() - query.days * DAY_MS);
        const source = await readCountsSince(ctx.sql, ctx.accountId, { since, isSandbox: query.sandbox });
        return { status: 200, body: shapeSendingStats(source, { since, asOf }) };
      },
    }),
    readRoute({
      path: "/v1/campaigns/:id/stats/domains",
      scope: read,
      tag,
      summary: "Get a campaign's statistics by domain",
      description:
        "What became of its mail at each recipient domain and each mailbox provider, and what came back from there. While it is sent it is counted when you ask, which takes a few seconds " +
        "for a million recipients; then the same answer serves for a while, and `as_of` says of when it is.",
      params: Params,
      query: Strict({
        limit: Type.Integer({
          minimum: 1,
          maximum: MOST_DOMAINS,
          default: 50,
          description: "How many domains to tell apart.",
        }),
      }),
      success: {
        status: 200,
        schema: CampaignDomains,
        description: "The largest domains, all others, and the providers.",
      },
      async handler({ ctx, params, query }) {
        const { id } = await requireCampaignHead(ctx, params.id);
        const [{ asOf, domains }, engagement] = await Promise.all([
          readDomains(ctx, id),
          readDomainEngagement(ctx, id),
        ]);
        const providers = await findProviders(
          ctx.sql,
          domains.map(({ domain }) => domain),
        );
        const counted = { asOf, domains, engagement, providers };
        return { status: 200, body: shapeDomains(params.id, counted, query.limit) };
      },
    }),
    readRoute({
      path: "/v1/campaigns/:id/stats/errors",
      scope: read,
      tag,
      summary: "Get a campaign's errors by reason",
      description:
        "Why its mail has not arrived at some recipients, or not yet: how many, at which domains, and in the servers' own words. " +
        "Counted when you ask; then the same answer serves for a while, and `as_of` says of when it is. Bounces that came later, as " +
        "mail, aren't among them.",
      params: Params,
      success: { status: 200, schema: CampaignErrors, description: "The reasons." },
      async handler({ ctx, params }) {
        const { id } = await requireCampaignHead(ctx, params.id);
        return { status: 200, body: shapeErrors(params.id, await readErrors(ctx, id)) };
      },
    }),
    readRoute({
      path: "/v1/campaigns/:id/stats/links",
      scope: read,
      tag,
      summary: "Get a campaign's clicks by link",
      description:
        "How often each address that its mail links to was clicked, by how many, and how often by machines; and the same for each place in the mail.",
      params: Params,
      success: { status: 200, schema: CampaignLinks, description: "The links in the order of the mail." },
      async handler({ ctx, params }) {
        const { id } = await requireCampaignHead(ctx, params.id);
        const as_of = ctx.clock.now().toISOString();
        const { links } = await readEngagement(ctx, id, true);
        const object = "campaign_links" as const;
        return { status: 200, body: { object, campaign_id: params.id, as_of, data: [...links] } };
      },
    }),
    readRoute({
      path: "/v1/campaigns/:id/stats/comparison",
      scope: read,
      tag,
      summary: "Compare a campaign with the last ones",
      description:
        "Where its rates lie beside those of the ten campaigns before it. Nothing is compared where there are fewer than three.",
      params: Params,
      success: {
        status: 200,
        schema: CampaignComparison,
        description: "Each rate, and where it usually lies.",
      },
      async handler({ ctx, params }) {
        const { id } = await requireCampaignHead(ctx, params.id);
        return { status: 200, body: await compareWithEarlier(ctx, id) };
      },
    }),
    readRoute({
      path: "/v1/campaigns/:id/stats/timeseries",
      scope: read,
      tag,
      summary: "Get a campaign's statistics by time",
      description:
        "How many were sent, failed, skipped and so on, and how many left, in each hour or day of a time zone, from the first thing " +
        `that happened to the last; with \`from\` and \`to\`, at most ${MOST_BUCKETS} buckets, from the one with \`from\` to the one with \`to\`.`,
      params: Params,
      query: Strict({
        interval: oneOf(["hour", "day"], { default: "hour" }),
        time_zone: Type.Optional(TimeZone),
        from: Time("Not before this time."),
        to: Time("Not after this time."),
      }),
      success: { status: 200, schema: CampaignTimeseries, description: "The numbers in the order of time." },
      async handler({ ctx, params, query }) {
        const { id } = await requireCampaignHead(ctx, params.id);
        const account = query.time_zone ? undefined : await getAccount(ctx.sql, ctx.accountId);
        const timeZone = query.time_zone ?? account?.time_zone ?? "UTC";
        const asOf = ctx.clock.now();
        const quarters = await readAllQuarters(ctx, id);
        const { data, hasMore } = fillBuckets(quarters, {
          interval: query.interval,
          timeZone,
          from: toDate(query.from),
          to: toDate(query.to),
        });
        return {
          status: 200,
          body: {
            object: "campaign_timeseries" as const,
            campaign_id: params.id,
            interval: query.interval,
            time_zone: timeZone,
            as_of: asOf.toISOString(),
            data,
            has_more: hasMore,
          },
        };
      },
    }),
  ];
}

function toDate(text: string | undefined): Date | undefined {
  return text === undefined ? undefined : new Date(text);
}
