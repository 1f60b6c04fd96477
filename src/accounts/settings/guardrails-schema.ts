/** The schema of an account's guardrails, as they are shown and as they are changed. */
import { Type } from "typebox";
import { Nullable, Strict } from "../../platform/http/schemas.ts";
import { GUARDRAILS, type GuardrailsPatch as Patch } from "./guardrails.ts";

type LimitName = keyof typeof GUARDRAILS;
const meanings: Readonly<Record<LimitName, string>> = {
  hard_bounce_pause_rate:
    "A campaign is paused with the reason hard_bounces when this part of its mails bounced hard.",
  hard_bounce_after_mails: "Hard bounces are judged from so many mails on, sent and failed.",
  complaint_warn_rate: "campaign.warned is recorded when this part of those who got the mail complained.",
  complaint_pause_rate:
    "The campaign is paused with the reason complaints when this part of those who got the mail complained.",
  complaint_after_mails: "Complaints are judged from so many sent mails on.",
  complaint_after_complaints: "Fewer complaints than these never pause.",
};
/** A rate is any number between its bounds, and all else is counted. */
const limitType = (name: string) => (name.endsWith("_rate") ? "number" : "integer");
const limits = Object.entries(GUARDRAILS) as [LimitName, { default: number }][];
const limitFields = Object.fromEntries(
  limits.map(([name, bounds]) => [
    name,
    Type.Unsafe<number>({ type: limitType(name), ...bounds, description: meanings[name] }),
  ]),
) as Record<LimitName, ReturnType<typeof Type.Unsafe<number>>>;
/** A default of the schema would fill in what a patch leaves out. */
const limitPatches = Object.fromEntries(
  limits.map(([name, { default: _, ...bounds }]) => [
    name,
    Type.Optional(
      Type.Unsafe<number | null>({
        type: [limitType(name), "null"],
        ...bounds,
        description: meanings[name],
      }),
    ),
  ]),
);
const ReleasedAt = Nullable(
  Type.String({
    format: "date-time",
    description:
      "Bounces and complaints that came too late to pause their campaign hold the next one, unless they came up to this time. " +
      "It can't lie ahead.",
    examples: ["2026-11-14T09:30:00.000Z"],
  }),
);
export const Guardrails = Type.Object(
  { ...limitFields, released_at: ReleasedAt },
  {
    title: "Guardrails",
    description: "When campaigns are paused for the mail that comes back. One that is resumed counts anew.",
  },
);
export const GuardrailsPatch = Type.Unsafe<Patch | null>(
  Nullable(Strict({ ...limitPatches, released_at: Type.Optional(ReleasedAt) })),
);
