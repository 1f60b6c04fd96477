/** The routes by which an account, and whoever looks after the instance, read usage. */
import { pageAnswer } from "../../platform/http/paging/cursor.ts";
import { type Route, readRoute } from "../../platform/http/route.ts";
import { requireId } from "../../platform/ids.ts";
import type { Price } from "./price.ts";
import {
  CampaignUsagePage,
  InstanceAccountParams,
  Usage,
  UsageCampaignQuery,
  UsageQuery,
  UsageSeries,
  UsageSeriesQuery,
} from "./schema.ts";
import { listCampaignUsage, readAccountUsage, readUsageSeries, shapeCampaignUsage } from "./usage.ts";

const common = { scope: "usage:read", tag: "Usage" } as const;

export function usageRoutes({ price }: { readonly price: Price | undefined }): readonly Route[] {
  return [
    readRoute({
      ...common,
      path: "/v1/usage",
      summary: "See what was sent",
      description:
        "Counted by the ledger in the very statement that writes down that a server accepted a mail, so that it is exact to the mail: what failed, " +
        "was skipped or is unknown is free, and so is what a crash sent twice, beyond the first. Kept for three years.",
      query: UsageQuery,
      success: { status: 200, schema: Usage, description: "The sums, and what the month will be." },
      handler: async ({ ctx, query }) => ({ status: 200, body: await readAccountUsage(ctx, query, price) }),
    }),
    readRoute({
      ...common,
      path: "/v1/usage/timeseries",
      summary: "See what was sent over time",
      query: UsageSeriesQuery,
      success: { status: 200, schema: UsageSeries, description: "The intervals, the oldest first." },
      handler: async ({ ctx, query }) => ({ status: 200, body: await readUsageSeries(ctx, query, price) }),
    }),
    readRoute({
      ...common,
      path: "/v1/usage/campaigns",
      summary: "See what was sent by campaign",
      description: "Campaigns whose sending began in these days, newest first.",
      query: UsageCampaignQuery,
      success: { status: 200, schema: CampaignUsagePage, description: "A page of campaigns." },
      async handler(call) {
        const { ctx, query, after } = call;
        const page = { limit: query.limit + 1, after, counts: query.include_total };
        const { rows, total } = await listCampaignUsage(ctx, query, page);
        return pageAnswer(
          call,
          rows,
          (row) => [row.startedAt.toISOString(), row.id],
          (row) => shapeCampaignUsage(row, price),
          total,
        );
      },
    }),
    readRoute({
      path: "/v1/instance/accounts/:id/usage",
      ofInstance: true,
      scope: "operator",
      tag: "Instance",
      summary: "See what an account sent",
      description: "In days of that account's time zone.",
      params: InstanceAccountParams,
      query: UsageQuery,
      success: { status: 200, schema: Usage, description: "The sums, and what the month will be." },
      async handler({ ctx, params, query }) {
        const reading = { ...ctx, accountId: requireId("acc", params.id, "account") };
        return { status: 200, body: await readAccountUsage(reading, query, price) };
      },
    }),
  ];
}
