import { type Static, Type } from "typebox";
import {
  BodyId,
  Nullable,
  oneOf,
  Page,
  PageQuery,
  PublicId,
  Strict,
  Timestamp,
} from "../../platform/http/schemas.ts";
import { Amount, Currency } from "../plans/schema.ts";
import { PAYMENT_STATUSES } from "./payment-rules.ts";

export const Payment = Type.Object(
  {
    provider: Type.Literal("stripe"),
    status: oneOf(PAYMENT_STATUSES, {
      description: "none: it has bought nothing. past_due: something that was to be paid wasn't.",
    }),
    past_due_since: Nullable(Timestamp),
    campaigns_stop_at: Nullable({
      ...Timestamp,
      description:
        "When campaigns and automations stop, or have stopped, where something is owed. Not before `grace_until`.",
    }),
    transactional_stops_at: Nullable({
      ...Timestamp,
      description:
        "When transactional mail stops, or has stopped, where something is owed. Not before `grace_until`.",
    }),
    grace_until: Nullable({
      ...Timestamp,
      description: "Until then nothing is stopped for what is owed, because the operator said so.",
    }),
    cancels_at: Nullable({ ...Timestamp, description: "When the plan ends because it was canceled." }),
  },
  { title: "Payment" },
);
export type Payment = Static<typeof Payment>;

const ReturnUrl = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 2_000, description }));

export const CheckoutCreate = Strict(
  {
    plan_id: BodyId("pln"),
    success_url: ReturnUrl("Where people come back to who have paid: a page of this service."),
    cancel_url: ReturnUrl("Where people come back to who have not: a page of this service."),
  },
  { title: "CheckoutCreate", examples: [{ plan_id: "pln_01k9zq4t3xe8k8y0v6d3m2n1pq" }] },
);
export const PortalCreate = Strict(
  { return_url: ReturnUrl("Where people come back to: a page of this service.") },
  { title: "PortalCreate", examples: [{}] },
);
export const BillingLink = Type.Object(
  {
    object: Type.Literal("billing_link"),
    url: Type.String({ description: "A page of Stripe's. Lead the person there who asked for it." }),
  },
  { title: "BillingLink" },
);
export type BillingLink = Static<typeof BillingLink>;
export const PlanChange = Strict(
  { plan_id: BodyId("pln") },
  { title: "PlanChange", examples: [{ plan_id: "pln_01k9zq4t3xe8k8y0v6d3m2n1pq" }] },
);
export const PlanCancel = Strict(
  {
    at: oneOf(["period_end", "now"] as const, {
      description: "At the end of the period that is paid for, or at once, which pays nothing back.",
    }),
  },
  { title: "PlanCancel", examples: [{ at: "period_end" }] },
);

export const Invoice = Type.Object(
  {
    object: Type.Literal("invoice"),
    id: PublicId("ivc"),
    number: Nullable(Type.String({ description: "The number that stands on it; null for a draft." })),
    status: Type.String({
      description: "draft, open, paid, uncollectible or void.",
      examples: ["paid"],
    }),
    currency: Currency,
    total: Amount("What it is about, with tax."),
    amount_due: Amount("What is to be paid of it, or was."),
    amount_paid: Amount("What was paid."),
    period: Type.Object({ from: Timestamp, to: Timestamp }),
    hosted_invoice_url: Nullable(Type.String({ description: "A page of Stripe's that shows it." })),
    invoice_pdf: Nullable(Type.String({ description: "Where Stripe has it as a PDF." })),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: "Invoice" },
);
export type Invoice = Static<typeof Invoice>;
export const InvoicePage = Page(Invoice, "InvoicePage");
export const InvoiceQuery = PageQuery({});
