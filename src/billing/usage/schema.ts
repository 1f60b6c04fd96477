/** Describes usage as clients get it. */
import { type Static, Type } from "typebox";
import {
  Nullable,
  oneOf,
  Page,
  PageQuery,
  PublicId,
  Strict,
  Timestamp,
} from "../../platform/http/schemas.ts";
import { UsageAllowance } from "../limits/limits.ts";
import { INTERVALS } from "./range.ts";

const DAY = { pattern: "^20[0-9]{2}-[01][0-9]-[0-3][0-9]$", examples: ["2026-11-01"] };
const Day = (description: string) => Type.String({ ...DAY, description });

const days = {
  from: Type.Optional(
    Day(
      "The first day, in the account's time zone. Without it, the first of the month in which `to` lies; without both, of this month.",
    ),
  ),
  to: Type.Optional(
    Day(
      "The last day. Without it, today; without both, the last of this month. At most three years are answered at once.",
    ),
  ),
};

export const UsageQuery = Strict(days);
export type UsageQuery = Static<typeof UsageQuery>;

export const UsageSeriesQuery = Strict({
  ...days,
  interval: oneOf(INTERVALS, {
    default: "day",
    description:
      "By what `data` is added up: days and months of the account's time zone, or hours of UTC. At most 32 days are answered by the hour, 396 " +
      "by the day, and three years by the month.",
  }),
});
export type UsageSeriesQuery = Static<typeof UsageSeriesQuery>;

export const UsageCampaignQuery = PageQuery(days);

const Cost = Type.Object(
  {
    amount: Type.String({ description: "Exact, with as many decimals as it has.", examples: ["1.2345"] }),
    currency: Type.String({ description: "As ISO 4217 names it.", examples: ["EUR"] }),
    per_1000: Type.String({ description: "What a thousand mails cost.", examples: ["0.10"] }),
  },
  {
    title: "UsageCost",
    description: "What it costs by `RELAY_PRICE_PER_1000`; null where the operator has set no price.",
  },
);

const sent = Type.Integer({
  description: "Mails that a server accepted. What failed, was skipped or is unknown isn't among them.",
});
const sandbox = Type.Integer({ description: "Mails that the sandbox caught, which are free." });
const byStream = Type.Object(
  { campaign: Type.Integer(), transactional: Type.Integer(), automation: Type.Integer() },
  { description: "`sent` by the kind of mail." },
);
const shownDays = { from: Type.String(DAY), to: Type.String(DAY), time_zone: Type.String() };
const cost = Nullable(Cost);

export const Usage = Type.Object(
  {
    object: Type.Literal("usage"),
    ...shownDays,
    starts_at: Timestamp,
    ends_at: Timestamp,
    as_of: Timestamp,
    sent,
    sandbox,
    by_stream: byStream,
    by_via: Type.Object(
      { instance: Type.Integer(), own: Type.Integer() },
      { description: "`sent` by whose server it left by: the instance's, or one of the account's own." },
    ),
    cost,
    month: Type.Object(
      {
        from: Type.String(DAY),
        to: Type.String(DAY),
        sent: Type.Integer({ description: "What was sent of it so far." }),
        cost,
        forecast: Type.Object(
          { sent: Type.Integer(), cost },
          {
            description:
              "What it will be at the end of the month, if each day that is left has as much as the last four weeks had a day.",
          },
        ),
      },
      { description: "The current month, whichever days were asked for." },
    ),
    allowance: Nullable({
      ...UsageAllowance,
      description:
        "How many mails the plan lets the account send in its period, and has, whichever days were asked for; null where nothing limits it and none are counted as included.",
    }),
  },
  {
    title: "Usage",
    examples: [
      {
        object: "usage",
        from: "2026-11-01",
        to: "2026-11-30",
        time_zone: "Europe/Berlin",
        starts_at: "2026-10-31T23:00:00.000Z",
        ends_at: "2026-11-30T23:00:00.000Z",
        as_of: "2026-11-18T09:30:00.000Z",
        sent: 12_345,
        sandbox: 20,
        by_stream: { campaign: 12_000, transactional: 300, automation: 45 },
        by_via: { instance: 12_345, own: 0 },
        cost: { amount: "1.2345", currency: "EUR", per_1000: "0.10" },
        month: {
          from: "2026-11-01",
          to: "2026-11-30",
          sent: 12_345,
          cost: { amount: "1.2345", currency: "EUR", per_1000: "0.10" },
          forecast: { sent: 20_000, cost: { amount: "2.00", currency: "EUR", per_1000: "0.10" } },
        },
        allowance: {
          limit: 50_000,
          included: 50_000,
          used: 12_345,
          reserved: 0,
          left: 37_655,
          transactional_reserve: 1_000,
          resets_at: "2026-12-01T00:00:00.000Z",
          daily: null,
          at_limit: "stop",
        },
      },
    ],
  },
);
export type Usage = Static<typeof Usage>;

export const UsageSeries = Type.Object(
  {
    object: Type.Literal("usage_timeseries"),
    ...shownDays,
    interval: oneOf(INTERVALS),
    data: Type.Array(Type.Object({ at: Timestamp, sent, sandbox, by_stream: byStream, cost }), {
      description: "Every interval, also those without mail, by when they begin.",
    }),
  },
  { title: "UsageTimeseries" },
);
export type UsageSeries = Static<typeof UsageSeries>;

const CampaignUsage = Type.Object(
  {
    object: Type.Literal("campaign_usage"),
    campaign_id: PublicId("cmp"),
    name: Type.String(),
    started_at: Timestamp,
    sent: Type.Integer({ description: "All that was sent of it, as in its stats, also after the last day." }),
    sandbox,
    cost,
  },
  { title: "CampaignUsage" },
);

export const CampaignUsagePage = Page(CampaignUsage, "CampaignUsagePage");

export const InstanceAccountParams = Strict({ id: PublicId("acc") });
