import { type Static, type TSchema, Type } from "typebox";
import { FEATURES } from "../../accounts/accounts.ts";
import {
  Name,
  Nullable,
  oneOf,
  Page,
  PageQuery,
  PublicId,
  Strict,
  Timestamp,
} from "../../platform/http/schemas.ts";
import { INTERVALS } from "../periods.ts";
import { AT_LIMIT } from "./terms.ts";

/** No plan has more of anything: so many mails at the highest price are still counted exactly. */
const MOST = 1_000_000_000;

/** A decimal text, since a JSON number is a float for most clients. */
export function Amount(description: string, example = "29.00") {
  return Type.String({ maxLength: 22, description, examples: [example] });
}

export const Currency = Type.String({
  pattern: "^[A-Z]{3}$",
  description: "The code of ISO 4217.",
  examples: ["EUR"],
  "x-error-code": "unknown_currency",
  "x-error-detail": "must be the code of a currency, such as EUR",
});

function Limit(description: string) {
  return Nullable(Type.Integer({ minimum: 0, maximum: MOST, description }));
}

const fields = {
  name: Name(100, "Growth"),
  price: Amount("What a period costs, in the currency's own decimals: `29.00` in EUR, `2900` in JPY."),
  currency: Currency,
  interval: oneOf(INTERVALS, { description: "How long a period is." }),
  included_mails: Limit("How many mails of a period the price includes; null is no limit."),
  overage_per_1000: Nullable(
    Amount("What a thousand mails beyond them cost, charged by the mail; null where none may be.", "0.95"),
  ),
  at_limit: oneOf(AT_LIMIT, {
    description: "Whether nothing more is sent once the mails are used up, or what is sent is charged.",
  }),
  transactional_reserve: Type.Integer({
    minimum: 0,
    maximum: MOST,
    description: "How many of the included mails are kept for transactional mail.",
  }),
  daily_mails: Limit("How many mails a day; null is no limit."),
  contacts: Limit(
    "How many subscribers the account may have on all lists together; nobody is added beyond them but who signs up by a form. Null is no limit.",
  ),
  members: Limit("How many people the account may have; null is no limit."),
  features: Nullable(
    Type.Array(oneOf(FEATURES), {
      uniqueItems: true,
      description:
        "What may be made and started beside what every account may. What runs already goes on without. Null is everything, and no names are none of them.",
      examples: [["automations", "webhooks"]],
    }),
  ),
};
const trialDays = Type.Integer({
  minimum: 0,
  maximum: 365,
  description: "How many days an account's first subscription is free before its first period begins.",
});

const stripePriceId = Nullable(
  Type.String({
    pattern: "^price_[A-Za-z0-9_]{1,200}$",
    description:
      "The price at Stripe by which accounts buy it: the same amount, currency and interval, or it is refused. Null where it isn't sold there.",
    examples: ["price_1PgafmB7WZ01zgkW6dKueIc5"],
  }),
);

const isDefault = Type.Boolean({
  description:
    "Whether accounts get it by themselves: new ones, and those whose subscription ends. One plan is it at most, and marking another takes the mark along.",
});

/** The terms that a subscription keeps. */
export const PlanTerms = Type.Object(fields, { title: "PlanTerms" });

export const Plan = Type.Object(
  {
    object: Type.Literal("plan"),
    id: PublicId("pln"),
    ...fields,
    trial_days: trialDays,
    stripe_price_id: stripePriceId,
    default: isDefault,
    subscriptions: Type.Integer({ description: "How many accounts have it now." }),
    archived_at: Nullable(Timestamp),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: "Plan" },
);
export type Plan = Static<typeof Plan>;
export const PlanPage = Page(Plan, "PlanPage");

export const PlanOffer = Type.Object(
  {
    object: Type.Literal("plan_offer"),
    id: PublicId("pln"),
    ...fields,
    trial_days: trialDays,
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: "PlanOffer" },
);
export type PlanOffer = Static<typeof PlanOffer>;
export const PlanOfferPage = Page(PlanOffer, "PlanOfferPage");
export const PlanOfferQuery = PageQuery({});

/** A plan with its terms, as an account has, will have or would have it. */
export const PlanTaken = Type.Object({ id: PublicId("pln"), terms: PlanTerms }, { title: "PlanTaken" });

export const PlanParams = Strict({ id: PublicId("pln") });
export const PlanQuery = PageQuery({ state: Type.Optional(oneOf(["active", "archived"] as const)) });

const EXAMPLE = {
  name: "Growth",
  price: "29.00",
  currency: "EUR",
  interval: "month",
  included_mails: 50_000,
  overage_per_1000: "0.95",
  at_limit: "overage",
  trial_days: 14,
};

/** What a plan is where whoever makes it doesn't say. */
export const DEFAULTS = {
  interval: "month",
  included_mails: null,
  overage_per_1000: null,
  at_limit: "stop",
  transactional_reserve: 0,
  daily_mails: null,
  contacts: null,
  members: null,
  features: null,
  trial_days: 0,
  stripe_price_id: null,
} as const;

function orDefault<N extends keyof typeof DEFAULTS, S extends TSchema>(name: N, schema: S) {
  return Type.Optional({ ...schema, default: DEFAULTS[name] } as S);
}

export const PlanCreate = Strict(
  {
    name: fields.name,
    price: fields.price,
    currency: fields.currency,
    interval: orDefault("interval", fields.interval),
    included_mails: orDefault("included_mails", fields.included_mails),
    overage_per_1000: orDefault("overage_per_1000", fields.overage_per_1000),
    at_limit: orDefault("at_limit", fields.at_limit),
    transactional_reserve: orDefault("transactional_reserve", fields.transactional_reserve),
    daily_mails: orDefault("daily_mails", fields.daily_mails),
    contacts: orDefault("contacts", fields.contacts),
    members: orDefault("members", fields.members),
    features: orDefault("features", fields.features),
    trial_days: orDefault("trial_days", trialDays),
    stripe_price_id: orDefault("stripe_price_id", stripePriceId),
  },
  { title: "PlanCreate", examples: [EXAMPLE] },
);
export type PlanCreate = Static<typeof PlanCreate>;

export const PlanPatch = Type.Partial(
  Strict({ ...fields, trial_days: trialDays, stripe_price_id: stripePriceId, default: isDefault }),
  {
    title: "PlanPatch",
    additionalProperties: false,
    examples: [{ price: "35.00" }],
  },
);
export type PlanPatch = Static<typeof PlanPatch>;
