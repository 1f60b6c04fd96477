import { type Static, Type } from "typebox";
import { Nullable } from "../platform/http/schemas.ts";
import { CreditTotals } from "./credits/schema.ts";
import { Allowance } from "./limits/schema.ts";
import { PlanTaken } from "./plans/schema.ts";
import { Statement } from "./statements/schema.ts";
import { Payment } from "./stripe/schema.ts";
import { PlanSubscription } from "./subscriptions/schema.ts";

export const Billing = Type.Object(
  {
    object: Type.Literal("billing"),
    subscription: Nullable({
      ...PlanSubscription,
      description:
        "The plan that the account has, with the terms under which it took it; null where it has none.",
    }),
    follows: Nullable({
      ...PlanTaken,
      description:
        "The plan that the account gets by itself when this one ends; null where there is none, and where it has that already.",
    }),
    credits: CreditTotals,
    statement: Nullable({
      ...Statement,
      description: "What the period that lasts now costs so far; null where the account has no plan.",
    }),
    allowance: Nullable({
      ...Allowance,
      description:
        "How many mails the account may send, and has; null where nothing limits it and none are counted as included.",
    }),
    payment: Nullable({
      ...Payment,
      description: "How the account pays; null where nobody is charged by this service.",
    }),
  },
  { title: "Billing" },
);
export type Billing = Static<typeof Billing>;
