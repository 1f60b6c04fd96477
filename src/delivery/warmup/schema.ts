import { type Static, Type } from "typebox";
import { Nullable, oneOf, PublicId, Strict, Timestamp } from "../../platform/http/schemas.ts";
import { STEP_REASONS } from "./plan-rules.ts";

const PerDay = (description: string, example: number) =>
  Type.Integer({ minimum: 1, maximum: 10_000_000, description, examples: [example] });
const fields = {
  start_per_day: PerDay("Messages to each mailbox provider on the first day of UTC.", 200),
  growth: Type.Number({
    exclusiveMinimum: 1,
    exclusiveMaximum: 2,
    description: "A good day allows the next one so many times as much.",
    examples: [1.5],
  }),
  target_per_day: PerDay("No day allows more than this to a provider. At least `start_per_day`.", 50_000),
};

export const WarmupInput = Strict(fields, {
  title: "WarmupInput",
  examples: [{ start_per_day: 200, growth: 1.5, target_per_day: 50_000 }],
});
export type WarmupInput = Static<typeof WarmupInput>;

const count = (description: string) => Type.Integer({ description });
const WarmupDay = Type.Object({
  day: Type.String({ format: "date", description: "A day of UTC." }),
  planned: count("So many might be sent."),
  sent: count(
    "Taken, perhaps taken, or refused for good; what is being sent just now counts too, and so does what a sender had taken on when it was killed.",
  ),
  hard_bounces: count("Of them, refused because the address will never work."),
  deferred: count("Attempts that the server put off."),
  complaints: Nullable(count("Complaints that came on this day; null until the next day that is sent on.")),
});
const WarmupProvider = Type.Object({
  provider: Type.String({ description: "A `key` of `GET /v1/providers`, or `other`.", examples: ["google"] }),
  name: Type.String(),
  per_day: count("What its last day allowed."),
  is_at_target: Type.Boolean(),
  reason: Type.Unsafe<(typeof STEP_REASONS)[number] | null>({
    type: ["string", "null"],
    enum: [...STEP_REASONS, null],
    description:
      "Why its last day allowed what it did: what became of the day before, or that it was the first. Null where the plan was changed since.",
  }),
  next: Type.Object(
    { per_day: count("What it allows."), reason: oneOf(STEP_REASONS) },
    {
      description:
        "The next day on which it is sent to, and why, by what is known now of the last one. Bounces and complaints that come by mail are counted when that day begins.",
    },
  ),
  days: Type.Array(WarmupDay, { description: "Of the last 30 days, those on which it was sent to." }),
});

export const Warmup = Type.Object(
  {
    object: Type.Literal("warmup"),
    transport_id: PublicId("trn"),
    status: oneOf(["running", "paused"], {
      description: "Paused, no day takes a step: what each provider may be sent stays as it is.",
    }),
    ...fields,
    paused_at: Nullable(Timestamp),
    began_at: Timestamp,
    updated_at: Timestamp,
    providers: Type.Array(WarmupProvider, { description: "Those that were sent to, by their keys." }),
  },
  { title: "Warmup" },
);
export type Warmup = Static<typeof Warmup>;
