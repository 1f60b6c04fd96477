import { Type } from "typebox";
import { RECIPIENT_STATUSES, type RecipientStatus } from "../../delivery/delivery.ts";
import { Nullable, oneOf, PublicId, Strict, Timestamp } from "../../platform/http/schemas.ts";
import { RECIPIENT_EVENTS, type RecipientEvent } from "../../subscribers/subscribers.ts";

export const Recipient = Type.Object(
  {
    object: Type.Literal("campaign_recipient"),
    id: PublicId("con"),
    subscriber_id: Nullable(PublicId("sub")),
    email: Nullable(Type.String({ description: "Null once the subscriber is deleted." })),
    status: Type.Unsafe<RecipientStatus | null>({
      type: ["string", "null"],
      enum: [...RECIPIENT_STATUSES, null],
      description: "Null once its row is gone.",
    }),
    reason: Nullable(Type.String({ description: "Why it was skipped or failed." })),
    attempts: Nullable(Type.Integer()),
    reply: Type.Unsafe<{ code: number | null; text: string | null } | null>({
      type: ["object", "null"],
      properties: { code: { type: ["integer", "null"] }, text: { type: ["string", "null"] } },
      description: "What the next server said last.",
    }),
    event: Type.Unsafe<{ type: RecipientEvent; at: string; times: number; human: boolean } | null>({
      type: ["object", "null"],
      properties: {
        type: { type: "string", enum: [...RECIPIENT_EVENTS] },
        at: { type: "string", format: "date-time", description: "When it first happened." },
        times: { type: "integer", description: "How often." },
        human: { type: "boolean", description: "Whether a person had a part in it." },
      },
      description: "What was asked for with `event`; null otherwise.",
    }),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  {
    title: "CampaignRecipient",
    description:
      "`created_at` is when its row was planned, `updated_at` when its status last changed. Where the row is gone, which is kept for 13 " +
      "months, both are when the event first happened.",
  },
);

export const RecipientSegment = Type.Object(
  {
    object: Type.Literal("recipient_segment"),
    campaign_id: PublicId("cmp"),
    segment_id: PublicId("seg"),
    tag: Type.String(),
    event: oneOf(RECIPIENT_EVENTS),
    include_machines: Type.Boolean(),
    status: oneOf(["running", "completed"]),
    counts: Type.Object({
      processed: Type.Integer({ description: "Recipients looked at so far." }),
      tagged: Type.Integer({ description: "Those of them who are subscribers still and got the tag." }),
    }),
    created_at: Timestamp,
    updated_at: Timestamp,
    completed_at: Nullable(Timestamp),
  },
  {
    title: "RecipientSegment",
    description: "How far the making of a segment is. While it is `running`, the segment lacks some.",
  },
);

export const includeMachines = {
  description:
    "With `opened` and `clicked`: whether to have those too whose mail only machines opened or clicked.",
};
export const SegmentInput = Strict(
  {
    name: Type.String({
      minLength: 1,
      maxLength: 64,
      description: "Of the segment and of its tag, which must be new.",
    }),
    event: oneOf(RECIPIENT_EVENTS),
    include_machines: Type.Boolean({ default: false, ...includeMachines }),
  },
  { title: "RecipientSegmentCreate", examples: [{ name: "Opened the launch", event: "opened" }] },
);
