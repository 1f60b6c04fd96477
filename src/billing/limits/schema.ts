import { type Static, Type } from "typebox";
import { Nullable, oneOf, Timestamp } from "../../platform/http/schemas.ts";
import { Amount } from "../plans/schema.ts";

const AT_LIMIT = ["stop", "overage"] as const;

const count = (description: string) => Type.Integer({ minimum: 0, description });
const resets = Type.String({ ...Timestamp, description: "When it begins anew." });

export const Allowance = Type.Object(
  {
    limit: Nullable(count("The most mails of the period; null where only days are limited, or nothing is.")),
    included: Nullable(
      count(
        "How many mails of the period cost nothing beyond the plan's price, with those credited. Notices are told of these where there is no limit.",
      ),
    ),
    used: count("Mails of the period that a server took. What stays in the sandbox isn't counted."),
    reserved: count("Mails that are being sent at this moment, and may still turn out not to have been."),
    left: Nullable(count("What is left of the limit; null where the period has none.")),
    transactional_reserve: count("How many of the mails only transactional mail may use."),
    resets_at: resets,
    daily: Nullable(
      Type.Object(
        { limit: count("The most mails of a day."), used: count("Mails of this day."), resets_at: resets },
        { description: "Days are those of the subscription's time zone; null where they aren't limited." },
      ),
    ),
    spending: Nullable(
      Type.Object(
        {
          cap: Amount("The most that mails beyond those included may cost.", "100.00"),
          spent: Amount("What they cost so far, never more than the cap.", "12.50"),
          waived: Amount(
            "What they would have cost beyond the cap, and nobody is charged for: more than nothing where it was set below what was spent.",
            "0.00",
          ),
        },
        { description: "Null where there is no cap." },
      ),
    ),
    at_limit: oneOf(AT_LIMIT),
  },
  { title: "Allowance" },
);
export type Allowance = Static<typeof Allowance>;

/** The same without money, for those who may see usage alone. */
export const UsageAllowance = Type.Object(Type.Omit(Allowance, ["spending"]).properties, {
  title: "UsageAllowance",
});
export type UsageAllowance = Static<typeof UsageAllowance>;
