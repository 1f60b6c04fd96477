/** What custom events look like from outside. */
import { type Static, Type } from "typebox";
import { BodyId, PublicId, Strict, Timestamp } from "../../platform/http/schemas.ts";
import { EVENT_NAME, KEPT_DAYS, LONGEST_EVENT_NAME, LONGEST_KEY, MOST_ITEMS } from "./limits.ts";

const Name = Type.String({
  minLength: 1,
  maxLength: LONGEST_EVENT_NAME,
  pattern: EVENT_NAME.source,
  "x-error-code": "invalid_value",
  "x-error-detail": `must be a name such as order.placed: a letter, then letters, digits and _ . - up to ${LONGEST_EVENT_NAME}`,
  examples: ["order.placed"],
});

const Properties = Type.Unsafe<Record<string, unknown>>({
  type: "object",
  additionalProperties: true,
  description:
    "What is to be known of it: at most 8 KB as JSON and 10 levels. They are deleted with the subscriber.",
  examples: [{ total: 49.9, currency: "EUR" }],
});

const example = {
  email: "ada@example.com",
  name: "order.placed",
  key: "order-4711",
  properties: { total: 49.9, currency: "EUR" },
};

export const TrackInput = Strict(
  {
    subscriber_id: Type.Optional(BodyId("sub", "Whose event it is; give this or `email`.")),
    email: Type.Optional(
      Type.String({ minLength: 1, maxLength: 320, description: "The address of a subscriber." }),
    ),
    list_id: Type.Optional(
      BodyId(
        "lst",
        "With `email`: on which list. It may be left out where the address is on one list alone.",
      ),
    ),
    name: Name,
    key: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: LONGEST_KEY,
        description:
          "What you call this one event. The same subscriber, name and key again is the same event, and changes nothing.",
      }),
    ),
    properties: Type.Optional(Properties),
    occurred_at: Type.Optional(
      Type.String({
        format: "date-time",
        description: `When it happened, by default now; at most ${KEPT_DAYS} days ago, and not in the future.`,
      }),
    ),
  },
  { title: "Track", examples: [example] },
);
export type TrackInput = Static<typeof TrackInput>;

export const TrackBatch = Strict(
  { events: Type.Array(Type.Unknown(), { minItems: 1, maxItems: MOST_ITEMS }) },
  { title: "TrackBatch", examples: [{ events: [example] }] },
);

export const TrackedEvent = Type.Object(
  {
    object: Type.Literal("custom_event"),
    id: PublicId("cev"),
    subscriber_id: PublicId("sub"),
    name: Name,
    is_new: Type.Boolean({ description: "False where it had been told before, by its `key`." }),
    occurred_at: Timestamp,
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: "TrackedEvent" },
);
export type TrackedEvent = Static<typeof TrackedEvent>;

const TrackItem = Type.Object({
  status: Type.Integer({ description: "What a single request would have answered.", examples: [202] }),
  event: Type.Optional(
    Type.Object({ id: PublicId("cev"), subscriber_id: PublicId("sub"), is_new: Type.Boolean() }),
  ),
  error: Type.Optional(
    Type.Object({ code: Type.String(), detail: Type.String() }, { additionalProperties: true }),
  ),
});
export type TrackItem = Static<typeof TrackItem>;

export const TrackBatchResult = Type.Object(
  { object: Type.Literal("batch"), results: Type.Array(TrackItem) },
  { title: "TrackBatchResult" },
);
