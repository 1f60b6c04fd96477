/** All routes of billing, for the `api` role. */
import { type Route, readRoute } from "../platform/http/route.ts";
import { type Payments, readBilling } from "./billing.ts";
import { creditRoutes } from "./credits/routes.ts";
import { planRoutes } from "./plans/routes.ts";
import { Billing } from "./schema.ts";
import { statementRoutes } from "./statements/routes.ts";
import { readUsedCredits } from "./statements/statements.ts";
import { stripeRoutes } from "./stripe/routes.ts";
import { findPrice } from "./stripe/stripe.ts";
import { subscriptionRoutes } from "./subscriptions/routes.ts";
import { usageRoutes } from "./usage/routes.ts";
import type { Price } from "./usage/usage.ts";

/** What the operator set: what a thousand mails cost, who issues statements, and how accounts pay. */
type BillingRouteTools = {
  readonly price: Price | undefined;
  readonly issuer: readonly string[];
  readonly payments: Payments | undefined;
  readonly publicUrl: () => string;
};

export function billingRoutes(tools: BillingRouteTools): readonly Route[] {
  const { payments } = tools;
  return [
    billingRoute(tools),
    ...planRoutes({ findPrice: payments && ((ctx, id) => findPrice(ctx, payments, id)) }),
    ...subscriptionRoutes,
    ...creditRoutes(readUsedCredits),
    ...usageRoutes(tools),
    ...statementRoutes(tools),
    ...stripeRoutes({ ...tools, readBilling: (ctx) => readBilling(ctx, tools) }),
  ];
}

function billingRoute(tools: BillingRouteTools): Route {
  return readRoute({
    path: "/v1/billing",
    scope: "billing:read",
    tag: "Billing",
    summary: "Get the account's plan",
    description:
      "Its terms, the period that lasts now and what it costs so far, the account's credits, and how it pays. Operators change them, and people who pay.",
    success: { status: 200, schema: Billing, description: "What the account has." },
    handler: async ({ ctx }) => ({ status: 200, body: await readBilling(ctx, tools) }),
  });
}
