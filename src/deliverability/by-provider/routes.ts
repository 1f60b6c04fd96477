import { type Route, readRoute } from "../../platform/http/route.ts";
import { readProviderCounts } from "./by-provider.ts";
import { ProviderCounts, ProviderQuery } from "./schema.ts";

export function byProviderRoutes(): readonly Route[] {
  return [
    readRoute({
      path: "/v1/deliverability/providers",
      scope: "deliverability:read",
      tag: "Deliverability",
      summary: "See how mail fares by provider",
      description:
        "What became of the account's mail at each mailbox provider: sent, put off, bounced, complained about, opened and clicked by " +
        "people. It is counted as it happens, and kept for 13 months. Mail in the sandbox isn't counted.",
      query: ProviderQuery,
      success: { status: 200, schema: ProviderCounts, description: "The numbers." },
      handler: async ({ ctx, query }) => ({ status: 200, body: await readProviderCounts(ctx, query) }),
    }),
  ];
}
