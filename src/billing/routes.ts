/** All routes of billing, for the `api` role. */
import { type Route, readRoute } from "../platform/http/route.ts";
import { readBilling } from "./billing.ts";
import { creditRoutes } from "./credits/routes.ts";
import { planRoutes } from "./plans/routes.ts";
import { Billing } from "./schema.ts";
import { statementRoutes } from "./statements/routes.ts";
import { subscriptionRoutes } from "./subscriptions/routes.ts";
import { usageRoutes } from "./usage/routes.ts";
import type { Price } from "./usage/usage.ts";

/** What the operator set: what a thousand mails cost, and who issues statements. */
type BillingTools = { readonly price: Price | undefined; readonly issuer: readonly string[] };

export function billingRoutes(tools: BillingTools): readonly Route[] {
  return [
    billingRoute,
    ...planRoutes,
    ...subscriptionRoutes,
    ...creditRoutes,
    ...usageRoutes(tools),
    ...statementRoutes(tools),
  ];
}

const billingRoute = readRoute({
  path: "/v1/billing",
  scope: "billing:read",
  tag: "Billing",
  summary: "Get the account's plan",
  description:
    "Its terms, the period that lasts now and what it costs so far, and the account's credits. Operators alone change them.",
  success: { status: 200, schema: Billing, description: "What the account has." },
  handler: async ({ ctx }) => ({ status: 200, body: await readBilling(ctx) }),
});
