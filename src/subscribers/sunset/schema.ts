/** What sunset policies look like from outside. */
import { type Static, Type } from "typebox";
import { Nullable, PublicId, Strict, Timestamp } from "../../platform/http/schemas.ts";

const judged = {
  days: Type.Integer({
    minimum: 30,
    maximum: 1_095,
    description: "Who showed no sign of life for so many days is marked.",
    examples: [365],
  }),
  mails: Type.Integer({
    minimum: 1,
    maximum: 50,
    description:
      "Only who was sent mail of at least so many campaigns of the list within these days, in which a click could have been seen. Campaigns of " +
      "the last three days don't count yet: there must have been time to read them. The ledger goes back 395 days.",
    examples: [12],
  }),
};
const graceDays = {
  minimum: 0,
  maximum: 90,
  description:
    "Who is marked is `warned` for so many days, in which campaigns still reach them, and `dormant` then. 0 is at once.",
  examples: [30],
};

export const SunsetInput = Strict(
  {
    ...judged,
    grace_days: Type.Integer({ ...graceDays, default: 30 }),
    paused: Type.Boolean({
      default: false,
      description:
        "While it is true nobody is marked, and who is marked stays so. A sign of life still wakes.",
    }),
  },
  { title: "SunsetPolicyInput", examples: [{ days: 365, mails: 12, grace_days: 30, paused: false }] },
);
export type SunsetInput = Static<typeof SunsetInput>;

export const SunsetPolicy = Type.Object(
  {
    object: Type.Literal("sunset_policy"),
    list_id: PublicId("lst"),
    ...judged,
    grace_days: Type.Integer(graceDays),
    paused: Type.Boolean(),
    paused_at: Nullable(Timestamp),
    counts: Type.Object({
      warned: Type.Integer({ description: "So many are in the grace. Campaigns reach them." }),
      dormant: Type.Integer({ description: "So many are left out of campaigns until they wake." }),
    }),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: "SunsetPolicy" },
);
export type SunsetPolicy = Static<typeof SunsetPolicy>;

export const SunsetPreviewInput = Strict(judged, {
  title: "SunsetPreviewInput",
  examples: [{ days: 365, mails: 12 }],
});
export type SunsetPreviewInput = Static<typeof SunsetPreviewInput>;

const count = (description: string) => Nullable(Type.Integer({ description }));
export const SunsetPreview = Type.Object(
  {
    object: Type.Literal("sunset_preview"),
    list_id: PublicId("lst"),
    count: count("So many would be marked now. Null where counting took too long, as the others are then."),
    silent: count(
      "So many could be mailed, came to the list before these days began, and gave no sign of life that could be seen.",
    ),
    not_judged: count(
      "Of them, so many were sent too few mails in which a click could have been seen, and aren't marked.",
    ),
  },
  { title: "SunsetPreview" },
);
