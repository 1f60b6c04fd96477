/** Describes a page of campaigns, what it is filtered by, and the numbers that stand above it. */
import { type Static, Type } from "typebox";
import { Nullable, oneOf, Page, PageQuery, Strict } from "../platform/http/schemas.ts";
import { ListIdInQuery } from "../subscribers/subscribers.ts";
import { summary } from "./schema.ts";
import { CampaignNumbers } from "./stats/stats.ts";
import { STATUSES } from "./status.ts";

export const CampaignPage = Page(
  Type.Object(
    {
      ...summary,
      stats: Type.Optional(
        Nullable(
          Type.Object(CampaignNumbers.properties, {
            description:
              "With `include_stats`: the numbers of its statistics, without its links; null before it is launched.",
          }),
        ),
      ),
    },
    { title: "CampaignSummary" },
  ),
  "CampaignPage",
);

const count = Type.Integer();
export const CampaignCounts = Type.Object(
  {
    object: Type.Literal("campaign_counts"),
    total: count,
    draft: count,
    scheduled: count,
    sending: count,
    paused: count,
    sent: count,
    canceled: count,
    failed: count,
  },
  {
    title: "CampaignCounts",
    examples: [
      {
        object: "campaign_counts",
        total: 3,
        draft: 1,
        scheduled: 0,
        sending: 0,
        paused: 0,
        sent: 2,
        canceled: 0,
        failed: 0,
      },
    ],
  },
);
export type CampaignCounts = Static<typeof CampaignCounts>;

const Time = (description: string) => Type.Optional(Type.String({ format: "date-time", description }));

const filters = {
  list_id: Type.Optional(ListIdInQuery),
  q: Type.Optional(
    Type.String({ minLength: 1, maxLength: 200, description: "In the name or the subject, in any case." }),
  ),
  archived: Type.Boolean({ default: false, description: "Those that were put away, and no others." }),
  created_after: Time("Made after this time."),
  created_before: Time("Made before this time."),
  updated_after: Time("Changed after this time."),
  updated_before: Time("Changed before this time."),
  send_at_after: Time("Scheduled for after this time."),
  send_at_before: Time("Scheduled for before this time."),
};

export const CampaignCountsQuery = Strict(filters);
export type CampaignCountsQuery = Static<typeof CampaignCountsQuery>;

export const CampaignQuery = PageQuery({
  ...filters,
  status: Type.Optional(
    Type.Array(oneOf(STATUSES), {
      maxItems: STATUSES.length,
      description: "With this status; repeated, with any of them.",
    }),
  ),
  include_stats: Type.Boolean({
    default: false,
    description: "Adds `stats`: what became of each one's mail, and what came back.",
  }),
  sort: Type.String({
    default: "-created_at",
    pattern: "^[-+ ]?(created_at|updated_at|name)$",
    "x-error-detail": "must be one of -created_at, created_at, -updated_at, updated_at, name, -name",
    description:
      "`-created_at`, `created_at`, `-updated_at`, `updated_at`, `name` or `-name`. By `updated_at` a campaign that changes " +
      "meanwhile comes again; none is missed.",
  }),
});
