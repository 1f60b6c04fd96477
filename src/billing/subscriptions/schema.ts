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
import { Amount, PlanTaken, PlanTerms } from "../plans/schema.ts";

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
    is_default: Type.Boolean({ description: "Whether the account got it by itself, as all accounts do." }),
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
    pending_change: Nullable(
      Type.Object(
        {
          plan: PlanTaken,
          at: Timestamp,
          is_default: Type.Boolean({
            description: "Whether nobody chose it: it is what accounts get by themselves when theirs ends.",
          }),
        },
        { description: "The plan that holds from then on; null where none is to come." },
      ),
    ),
    ends_at: Nullable(
      Type.String({ ...Timestamp, description: "When this subscription ends; null where it goes on." }),
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
    at: Type.Optional(
      oneOf(["now", "period_end"] as const, {
        description:
          "When the plan holds. Where this isn't said, a plan that is smaller holds from the next period, and any other at once. A smaller one that is " +
          "to hold now leaves the period to be billed by the dearest of the terms that held in it.",
      }),
    ),
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
