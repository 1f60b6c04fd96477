import type { Ctx } from "../../platform/context.ts";
import { pageByAge } from "../../platform/http/paging/page-by-age.ts";
import { type Answer, type Route, readRoute, writeRoute } from "../../platform/http/route.ts";
import { AppError } from "../../platform/problems.ts";
import { countSoldPlans, listSoldPlans, shapeOffer } from "../plans/plans.ts";
import { PlanOfferPage, PlanOfferQuery } from "../plans/schema.ts";
import {
  alreadySubscribed,
  notSubscribed,
  paymentRefused,
  paymentsUnavailable,
  paymentsUnreachable,
  planArchived,
  planNotSold,
} from "../problems.ts";
import { Billing } from "../schema.ts";
import { applyLook } from "./apply.ts";
import {
  openCheckout,
  openPortal,
  readReturnUrls,
  requireNotPaying,
  requirePaying,
  requireSoldPlan,
} from "./checkout.ts";
import type { Payments } from "./client.ts";
import { countInvoices, listInvoices } from "./invoice-store.ts";
import { shapeInvoice } from "./invoices.ts";
import { cancelPlan, changePlan } from "./manage.ts";
import {
  BillingLink,
  CheckoutCreate,
  InvoicePage,
  InvoiceQuery,
  PlanCancel,
  PlanChange,
  PortalCreate,
} from "./schema.ts";

export type StripeRouteTools = {
  readonly payments: Payments | undefined;
  readonly publicUrl: () => string;
  readonly readBilling: (ctx: Ctx) => Promise<Billing>;
};

const common = { tag: "Billing" } as const;
const asking = [paymentsUnavailable, paymentsUnreachable, paymentRefused] as const;

export function stripeRoutes({ payments, publicUrl, readBilling }: StripeRouteTools): readonly Route[] {
  function requirePayments(): Payments {
    if (payments) return payments;
    throw new AppError(
      paymentsUnavailable,
      "nobody is charged by this service: its operators set STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET for that",
    );
  }

  return [
    writeRoute({
      ...common,
      method: "POST",
      path: "/v1/billing/checkout",
      scope: "billing:write",
      audit: { action: "billing.checkout_opened", of: "account" },
      summary: "Buy a plan",
      description:
        "Answers with the address of a page of Stripe's, at which the plan is paid for. It begins once Stripe says that it was. Asked for again, it is the " +
        "same page for a day. An account that pays already changes its plan by `POST /v1/billing/change`.",
      body: CheckoutCreate,
      success: { status: 200, schema: BillingLink, description: "Where to pay." },
      problems: [...asking, alreadySubscribed, planArchived, planNotSold],
      async prepare({ ctx, body, baseUrl }) {
        requirePayments();
        const urls = readReturnUrls(body, [baseUrl, publicUrl()]);
        const plan = await requireSoldPlan(ctx.sql, body.plan_id);
        await requireNotPaying(ctx, requirePayments());
        return { plan, urls };
      },
      act: ({ ctx }, { plan, urls }) => openCheckout(ctx, requirePayments(), plan, urls),
      handler: async (_call, url) => answerLink(url),
    }),
    writeRoute({
      ...common,
      method: "POST",
      path: "/v1/billing/portal",
      scope: "billing:write",
      worksWhileHeld: true,
      audit: { action: "billing.portal_opened", of: "account" },
      summary: "Change how the account pays",
      description:
        "Answers with the address of Stripe's portal, where cards, addresses and invoices are. It is good for a few minutes.",
      body: PortalCreate,
      bodyOptional: true,
      success: { status: 200, schema: BillingLink, description: "Where to change it." },
      problems: [...asking, notSubscribed],
      async prepare({ body, baseUrl }) {
        requirePayments();
        const given = body?.return_url === undefined ? {} : { cancel_url: body.return_url };
        return readReturnUrls(given, [baseUrl, publicUrl()]).cancel;
      },
      act: ({ ctx }, returnUrl) => openPortal(ctx, requirePayments(), returnUrl),
      handler: async (_call, url) => answerLink(url),
    }),
    writeRoute({
      ...common,
      method: "POST",
      path: "/v1/billing/change",
      scope: "billing:write",
      audit: { action: "billing.plan_changed", of: "account" },
      summary: "Take another plan",
      description:
        "A dearer one begins at once, with a period of its own: Stripe credits what is left of the one before, and what was sent beyond that is charged by its " +
        "own terms. Where it can't be paid nothing changes. So does one of another length. A smaller one (cheaper, or with fewer mails whatever it costs) is charged and holds from the next period on. A " +
        "cancellation that was to come is taken back, also by the plan that the account has already.",
      body: PlanChange,
      success: { status: 200, schema: Billing, description: "What the account now has." },
      problems: [...asking, notSubscribed, planArchived, planNotSold],
      async prepare({ ctx, body }) {
        requirePayments();
        const plan = await requireSoldPlan(ctx.sql, body.plan_id);
        await requirePaying(ctx.sql, requirePayments(), ctx.accountId);
        return plan;
      },
      act: ({ ctx }, plan) => changePlan(ctx, requirePayments(), plan),
      async handler({ ctx }, look) {
        if (look) await applyLook(ctx, look);
        return { status: 200, body: await readBilling(ctx) };
      },
    }),
    writeRoute({
      ...common,
      method: "POST",
      path: "/v1/billing/cancel",
      scope: "billing:write",
      worksWhileHeld: true,
      audit: { action: "billing.plan_canceled", of: "account" },
      summary: "Cancel the plan",
      description: "At the end of the period that is paid for, or at once, which pays nothing back.",
      body: PlanCancel,
      success: { status: 200, schema: Billing, description: "What the account now has." },
      problems: [...asking, notSubscribed],
      async prepare({ ctx }) {
        requirePayments();
        await requirePaying(ctx.sql, requirePayments(), ctx.accountId);
      },
      act: ({ ctx, body }) => cancelPlan(ctx, requirePayments(), body.at),
      async handler({ ctx }, look) {
        if (look) await applyLook(ctx, look);
        return { status: 200, body: await readBilling(ctx) };
      },
    }),
    readRoute({
      ...common,
      path: "/v1/billing/plans",
      scope: "billing:read",
      summary: "List the plans that can be bought",
      description: "Newest first. Empty where nobody is charged.",
      query: PlanOfferQuery,
      success: { status: 200, schema: PlanOfferPage, description: "A page of plans." },
      handler: (call) =>
        pageByAge(call, {
          list: async (db, _none, page) => (payments ? listSoldPlans(db, page) : []),
          count: async (db) => (payments ? countSoldPlans(db) : 0),
          shape: shapeOffer,
        }),
    }),
    readRoute({
      ...common,
      path: "/v1/billing/invoices",
      scope: "billing:read",
      summary: "List invoices",
      description: "Newest first, as Stripe last had them. Empty where nobody is charged.",
      query: InvoiceQuery,
      success: { status: 200, schema: InvoicePage, description: "A page of invoices." },
      handler: (call) => pageByAge(call, { list: listInvoices, count: countInvoices, shape: shapeInvoice }),
    }),
  ];
}

function answerLink(url: string): Answer<BillingLink> {
  return { status: 200, body: { object: "billing_link", url } };
}
