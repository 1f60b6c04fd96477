/** Describes the checklist of what mailbox providers ask of bulk senders, as clients get it. */
import { type Static, Type } from "typebox";
import { Nullable, oneOf, Strict, Timestamp } from "../../platform/http/schemas.ts";

export const PROVIDERS = ["gmail", "yahoo", "microsoft", "apple"] as const;
export type Provider = (typeof PROVIDERS)[number];
const RULE_STATUSES = ["pass", "fail", "warn", "unknown"] as const;
export type RuleStatus = (typeof RULE_STATUSES)[number];

const Day = Type.String({ pattern: "^\\d{4}-\\d{2}-\\d{2}$", examples: ["2026-11-14"] });
const ProviderName = oneOf(PROVIDERS);
const Rate = Type.Number({
  minimum: 0,
  maximum: 1,
  description: "The share of mails that were reported as spam, from 0 to 1: 0.001 is 0.1%.",
  examples: [0.0008],
});

const Rule = Type.Object(
  {
    code: Type.String({ examples: ["dmarc_record"] }),
    group: oneOf(["authentication", "infrastructure", "unsubscribe", "complaints", "content", "lists"]),
    providers: Type.Array(ProviderName, { description: "Who asks for it." }),
    is_required: Type.Boolean({ description: "False where it is advice, and no mail is refused for it." }),
    status: oneOf(RULE_STATUSES, {
      description:
        "`unknown` where nothing that we have says whether it is so. A `fail` of a sender that isn't a bulk sender is one all the same.",
    }),
    title: Type.String({ description: "The rule, in our words." }),
    evidence: Type.String({ description: "What of the account's own data says so." }),
    remedy: Nullable(Type.String({ description: "What to do; null for a `pass`." })),
    sources: Type.Array(
      Type.Object({
        provider: ProviderName,
        title: Type.String(),
        url: Type.String(),
        date: Nullable(Day),
      }),
      {
        description:
          "Where each provider says so, and the day of the version that the rule was written from.",
      },
    ),
  },
  { title: "SenderRule" },
);

export const Checklist = Type.Object(
  {
    object: Type.Literal("sender_checklist"),
    data: Type.Array(Rule),
    volumes: Type.Array(
      Type.Object(
        {
          provider: ProviderName,
          accepted: Type.Integer({ description: "Mails that its servers accepted in the last 30 days." }),
          most_in_a_day: Type.Integer({ description: "The most in a day of the last 30 days (UTC)." }),
          complaints: Nullable(
            Type.Integer({ description: "Complaints of its users; null where it sends none." }),
          ),
          complaint_rate: Nullable(Rate),
          complaint_rate_source: Type.Unsafe<"feedback" | "entered" | null>({
            type: ["string", "null"],
            enum: ["feedback", "entered", null],
            description: "`feedback` is counted from complaints, `entered` was told to us.",
          }),
          is_bulk: Type.Boolean({
            description:
              "5,000 mails or more on one of these days: the provider's rules for bulk senders apply.",
          }),
        },
        { title: "ProviderVolume" },
      ),
    ),
    is_bulk: Type.Boolean(),
    rules_as_of: Type.String({
      description: "The day on which the rules were last gone through.",
    }),
    as_of: Timestamp,
  },
  { title: "SenderChecklist" },
);
export type Checklist = Static<typeof Checklist>;

export const ComplaintRateInput = Strict(
  { provider: ProviderName, day: Day, rate: Rate },
  { title: "ComplaintRateInput", examples: [{ provider: "gmail", day: "2026-11-14", rate: 0.0008 }] },
);
export const ComplaintRate = Type.Object(
  {
    object: Type.Literal("complaint_rate"),
    provider: ProviderName,
    day: Day,
    rate: Rate,
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: "ComplaintRate" },
);
export type ComplaintRate = Static<typeof ComplaintRate>;
export const ComplaintRates = Type.Object(
  { object: Type.Literal("list"), data: Type.Array(ComplaintRate) },
  { title: "ComplaintRates" },
);
