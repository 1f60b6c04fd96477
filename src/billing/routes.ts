/** All routes of billing, for the `api` role. */
import { type Route, readRoute } from "../platform/http/route.ts";
import { readBilling } from "./billing.ts";
import { creditRoutes } from "./credits/routes.ts";
import { planRoutes } from "./plans/routes.ts";
import { Billing } from "./schema.ts";
import { subscriptionRoutes } from "./subscriptions/routes.ts";
import { usageRoutes } from "./usage/routes.ts";
import type { Price } from "./usage/usage.ts";

export function billingRoutes(tools: { readonly price: Price | undefined }): readonly Route[] {
  return [billingRoute, ...planRoutes, ...subscriptionRoutes, ...creditRoutes, ...usageRoutes(tools)];
}

const billingRoute = readRoute({
  path: "/v1/billing",
  scope: "billing:read",
  tag: "Billing",
  summary: "Get the account's plan",
  description:
    "Its terms, the period that lasts now, and the account's credits. Operators alone change them.",
  success: { status: 200, schema: Billing, description: "What the account has." },
  handler: async ({ ctx }) => ({ status: 200, body: await readBilling(ctx) }),
});
