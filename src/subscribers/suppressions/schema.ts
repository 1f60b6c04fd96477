import { Type } from "typebox";
import { Nullable, oneOf, Page, PublicId, Strict, Timestamp } from "../../platform/http/schemas.ts";

export const SUPPRESSION_REASONS = ["hard_bounce", "soft_bounces", "complaint", "manual", "erased"] as const;
export type SuppressionReason = (typeof SUPPRESSION_REASONS)[number];
/** The kinds of mail that a suppression may stop. Campaigns and automations are among those of every suppression. */
export const SUPPRESSED_STREAMS = ["campaign", "automation", "transactional"] as const;
export type SuppressedStream = (typeof SUPPRESSED_STREAMS)[number];
export const Suppression = Type.Object(
  {
    object: Type.Literal("suppression"),
    id: PublicId("sup"),
    contact_id: PublicId("con"),
    email: Nullable(
      Type.String({
        description: "null where nobody named the address to suppress it, and no subscriber has it any more.",
      }),
    ),
    reason: oneOf(SUPPRESSION_REASONS),
    streams: Type.Array(oneOf(SUPPRESSED_STREAMS), {
      description: "What is not sent. A complaint about a campaign leaves transactional mail alone.",
    }),
    source: Type.String(),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  {
    title: "Suppression",
    examples: [
      {
        object: "suppression",
        id: "sup_01k9zq4t3xe8k8y0v6d3m2n1pq",
        contact_id: "con_01k9zq4t3xe8k8y0v6d3m2n1pq",
        email: "ada@example.com",
        reason: "manual",
        streams: ["campaign", "automation", "transactional"],
        source: "api",
        created_at: "2026-11-14T09:30:00.000Z",
        updated_at: "2026-11-14T09:30:00.000Z",
      },
    ],
  },
);
export const SuppressionPage = Page(Suppression, "SuppressionPage");
export const SuppressionUndo = Strict(
  {
    domain: Type.String({ minLength: 1, maxLength: 253, examples: ["example.com"] }),
    from: Timestamp,
    to: Type.String({ format: "date-time", description: "This moment itself is left out." }),
    reason: Type.Optional(oneOf(["hard_bounce", "soft_bounces"], { description: "hard_bounce by default." })),
    dry_run: Type.Optional(Type.Boolean({ description: "Only count them." })),
  },
  {
    title: "SuppressionUndo",
    examples: [{ domain: "example.com", from: "2026-11-14T09:00:00.000Z", to: "2026-11-14T10:00:00.000Z" }],
  },
);
export const SuppressionsUndone = Type.Object(
  {
    object: Type.Literal("suppressions_undone"),
    matched: Type.Integer({ description: "How many fit what was asked for." }),
    undone: Type.Integer({ description: "How many of them were taken back; the others need another call." }),
  },
  { title: "SuppressionsUndone", examples: [{ object: "suppressions_undone", matched: 42, undone: 42 }] },
);
export const SuppressionCreate = Strict(
  {
    email: Type.String({ minLength: 1, examples: ["ada@example.com"] }),
    reason: Type.Optional(oneOf(["manual", "hard_bounce", "complaint"])),
  },
  { title: "SuppressionCreate", examples: [{ email: "ada@example.com" }] },
);
