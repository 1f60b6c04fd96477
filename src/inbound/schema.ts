/** Describes what came back as clients get it. */
import { type Static, Type } from "typebox";
import { Nullable, oneOf, Page, PageQuery, PublicId, Strict, Timestamp } from "../platform/http/schemas.ts";
import { CHANNELS, OTHER_KINDS, PROVIDERS } from "./types.ts";

const KINDS = ["bounce", "delay", "delivered", "complaint", "unsubscribe", "auto_reply", "other"] as const;
const ITEM_KINDS = [...KINDS, ...OTHER_KINDS, "tls_report"] as const;
const STATES = ["waiting", "read", "failed"] as const;
const Outcome = Type.String({ maxLength: 40, pattern: "^[a-z_]+$", examples: ["suppressed"] });

const oneOfOrNull = <const T extends string>(values: readonly T[], description?: string) =>
  Type.Unsafe<T | null>({
    type: ["string", "null"],
    enum: [...values, null],
    ...(description !== undefined && { description }),
  });

const about = {
  campaign_id: Nullable(PublicId("cmp", "The campaign whose mail it is about.")),
  email_id: Nullable(PublicId("msg", "The transactional mail that it is about.")),
};

export const InboundReport = Strict(
  {
    kind: oneOf(KINDS),
    class: Nullable(Type.String({ description: "Of a bounce: `hard`, `soft` or `block`." })),
    reason: Nullable(Type.String()),
    status: Nullable(Type.String({ description: "The enhanced status, such as `5.1.1`." })),
    diagnostic: Type.String({ description: "What the server said." }),
    recipient: Nullable(Type.String({ description: "Whom it is about, as it is told." })),
    outcome: Type.String({ description: "What was made of it.", examples: ["suppressed"] }),
    why: Type.String({ description: "Why that was made of it." }),
    matched_by: oneOfOrNull(
      ["return_path", "token", "provider_id", "message_id"],
      "By what the mail was found that it is about.",
    ),
    storm_id: Nullable(PublicId("stm", "The storm that holds it, or held it.")),
    ...about,
  },
  { title: "InboundReport" },
);
export type InboundReport = Static<typeof InboundReport>;

const itemProperties = {
  object: Type.Literal("inbound_item"),
  id: PublicId("inb"),
  channel: oneOf(CHANNELS, { description: "The way that it came by." }),
  provider: oneOfOrNull(PROVIDERS),
  address_kind: oneOfOrNull(
    ["bounce", "unsubscribe", ...OTHER_KINDS],
    "Which of our addresses it came to: a return path, the address of a `mailto:`, the one for DMARC reports, or one of a mail test.",
  ),
  envelope_from: Nullable(
    Type.String({ description: "Who sent it by SMTP; empty for a bounce, null where nobody knows." }),
  ),
  bytes: Type.Integer(),
  state: oneOf(STATES, { description: "`failed` says that it could not be read; `failure` says why." }),
  failure: Nullable(Type.String()),
  attempts: Type.Integer({ description: "How often reading it was begun." }),
  kind: oneOfOrNull(ITEM_KINDS, "The weightiest of what it says; null until it is read."),
  outcome: Nullable(Type.String({ description: "What was made of that." })),
  why: Nullable(
    Type.String({
      description: "Why, where it is about no mail, as a DMARC report; null where `reports` say it.",
    }),
  ),
  matched: Nullable(Type.Boolean({ description: "Whether a message of yours was found that it is about." })),
  ...about,
  read_at: Nullable(Timestamp),
  created_at: Timestamp,
  updated_at: Timestamp,
};

export const InboundItemSummary = Strict(itemProperties, { title: "InboundItemSummary" });
export type InboundItemSummary = Static<typeof InboundItemSummary>;

export const InboundItemDetail = Strict(
  {
    ...itemProperties,
    reports: Type.Array(InboundReport, { description: "What it says, and what was made of each." }),
  },
  { title: "InboundItem" },
);
export type InboundItemDetail = Static<typeof InboundItemDetail>;

export const InboundPage = Page(InboundItemSummary, "InboundPage");

export const InboundQuery = PageQuery({
  channel: Type.Optional(oneOf(CHANNELS)),
  state: Type.Optional(oneOf(STATES)),
  kind: Type.Optional(oneOf(ITEM_KINDS)),
  outcome: Type.Optional(Outcome),
  matched: Type.Optional(
    Type.Boolean({ description: "Whether a message of yours was found that it is about." }),
  ),
  created_after: Type.Optional(Timestamp),
  created_before: Type.Optional(Timestamp),
});
