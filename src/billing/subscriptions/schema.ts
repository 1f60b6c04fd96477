import { type Static, Type } from "typebox";
import {
  BodyId,
  Name,
  Nullable,
  oneOf,
  PublicId,
  Strict,
  Timestamp,
  TimeZone,
} from "../../platform/http/schemas.ts";
import { Amount, PlanTerms } from "../plans/schema.ts";

const Tax = Strict(
  {
    label: Name(50, "VAT"),
    rate: Type.String({
      maxLength: 8,
      description: "In percent, with at most four decimals.",
      examples: ["19"],
    }),
  },
  { description: "What is added to each bill." },
);
const cap = Amount(
  "The most that mails beyond those included may cost in a period; null is no limit.",
  "100.00",
);

export const PlanSubscription = Type.Object(
  {
    object: Type.Literal("plan_subscription"),
    id: PublicId("pls"),
    plan_id: PublicId("pln"),
    state: oneOf(["trialing", "active"] as const),
    terms: PlanTerms,
    time_zone: TimeZone,
    started_at: Timestamp,
    anchor: Type.String({
      ...Timestamp,
      description: "Periods are counted from it: its returns each month or year are where they meet.",
    }),
    period: Type.Object(
      {
        from: Timestamp,
        to: Type.String({ ...Timestamp, description: "The first moment of the next period." }),
      },
      { description: "The one that lasts now. A trial lasts until the first period begins." },
    ),
    spending_cap: Nullable(cap),
    tax: Nullable(Tax),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: "PlanSubscription" },
);
export type PlanSubscription = Static<typeof PlanSubscription>;

export const PlanSubscriptionPut = Strict(
  {
    plan_id: BodyId("pln"),
    spending_cap: Type.Optional(Nullable(cap)),
    tax: Type.Optional(Nullable(Tax)),
    renew_terms: Type.Optional(
      Type.Boolean({
        default: false,
        description: "Takes the terms of the plan as they now are, where the account has the plan already.",
      }),
    ),
  },
  {
    title: "PlanSubscriptionPut",
    examples: [
      {
        plan_id: "pln_01k9zq4t3xe8k8y0v6d3m2n1pq",
        spending_cap: "100.00",
        tax: { label: "VAT", rate: "19" },
      },
    ],
  },
);
export type PlanSubscriptionPut = Static<typeof PlanSubscriptionPut>;
