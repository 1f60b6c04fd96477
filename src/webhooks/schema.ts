import { type Static, Type } from "typebox";
import { UpdatedBy } from "../accounts/accounts.ts";
import { Nullable, oneOf, Page, PageQuery, PublicId, Strict, Timestamp } from "../platform/http/schemas.ts";

const INCLUDED = ["email"] as const;
export type Included = (typeof INCLUDED)[number];
const DISABLED_REASONS = ["by_user", "gone", "failing"] as const;
export type DisabledReason = (typeof DISABLED_REASONS)[number];
export const DELIVERY_STATES = ["waiting", "delivered", "failed"] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];
const ORIGINS = ["log", "replay", "test"] as const;
export type Origin = (typeof ORIGINS)[number];

const LONGEST_URL = 2_048;
const MOST_PATTERNS = 100;

const Url = Type.String({
  maxLength: LONGEST_URL,
  description: "An https address in the public network. Plain http only for hosts that INTERNAL_HOSTS lists.",
  examples: ["https://example.com/hooks/postrider"],
});
const Events = Type.Array(Type.String({ maxLength: 100 }), {
  minItems: 1,
  maxItems: MOST_PATTERNS,
  description: "Types of event: each whole, the beginning of several such as `email.*`, or `*` for all.",
  examples: [["campaign.sent", "email.*"]],
});
const Description = Type.String({ format: "one-line", maxLength: 500, examples: ["Our data warehouse"] });
const Include = Type.Array(oneOf(INCLUDED), {
  maxItems: INCLUDED.length,
  uniqueItems: true,
  description:
    "`email` adds `email` to `data` of every event about a person when it is posted. The address is not kept in the log of deliveries. " +
    "It takes the scope `subscribers:read` too and, with events of mails, `emails:read`.",
});
const Ordered = Type.Boolean({
  description:
    "An event is posted once those before it are delivered or given up. One that fails holds up the others.",
});
const BatchEngagement = Type.Boolean({
  description: "Opens and clicks are posted in batches of up to 100, of the type `email.batch`.",
});
const status = oneOf(["enabled", "disabled"]);

export const Webhook = Type.Object(
  {
    object: Type.Literal("webhook"),
    id: PublicId("whk"),
    url: Url,
    events: Events,
    description: Description,
    include: Include,
    ordered: Ordered,
    batch_engagement: BatchEngagement,
    status,
    disabled_reason: Type.Unsafe<DisabledReason | null>({
      type: ["string", "null"],
      enum: [...DISABLED_REASONS, null],
      description:
        "`gone`: it answered 410. `failing`: nothing could be delivered for five days. Enable it, and it goes on where it stopped.",
    }),
    disabled_at: Nullable(Timestamp),
    failing_since: Nullable({
      ...Timestamp,
      description: "The first failure since the last delivery; null where all is well.",
    }),
    last_delivered_at: Nullable(Timestamp),
    previous_secret_until: Nullable({
      ...Timestamp,
      description: "Until when what is posted is also signed with the secret before the last rotation.",
    }),
    replay: Type.Unsafe<{ started_at: string; delivered: number } | null>({
      type: ["object", "null"],
      properties: { started_at: Timestamp, delivered: Type.Integer() },
      required: ["started_at", "delivered"],
      description: "The replay that runs; null where none does.",
    }),
    created_at: Timestamp,
    updated_at: Timestamp,
    updated_by: UpdatedBy,
  },
  { title: "Webhook" },
);
export type Webhook = Static<typeof Webhook>;

const Secret = Nullable(
  Type.String({
    description:
      "Signs what is posted, as Standard Webhooks says. It is shown once: under the same idempotency key the second answer has null.",
    examples: ["whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD0PMyfO9hQ0Y="],
  }),
);
export const WebhookWithSecret = Type.Object(
  { ...Webhook.properties, secret: Secret },
  { title: "WebhookWithSecret" },
);
export type WebhookWithSecret = Static<typeof WebhookWithSecret>;

export const WebhookPage = Page(Webhook, "WebhookPage");
export const WebhookQuery = PageQuery({});

const optional = {
  description: Type.Optional(Description),
  include: Type.Optional(Include),
  ordered: Type.Optional(Ordered),
  batch_engagement: Type.Optional(BatchEngagement),
};
export const WebhookCreate = Strict(
  { url: Url, events: Events, ...optional },
  {
    title: "WebhookCreate",
    examples: [{ url: "https://example.com/hooks/postrider", events: ["campaign.sent", "email.bounced"] }],
  },
);
export type WebhookCreate = Static<typeof WebhookCreate>;
export const WebhookPatch = Strict(
  { url: Type.Optional(Url), events: Type.Optional(Events), status: Type.Optional(status), ...optional },
  { title: "WebhookPatch", examples: [{ events: ["subscriber.*"] }] },
);
export type WebhookPatch = Static<typeof WebhookPatch>;

const LONGEST_GRACE_SECONDS = 604_800;
export const DEFAULT_GRACE_SECONDS = 86_400;
export const RotateSecret = Strict(
  {
    grace_seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: LONGEST_GRACE_SECONDS,
        default: DEFAULT_GRACE_SECONDS,
        description: "For so long what is posted is signed with the former secret too.",
      }),
    ),
  },
  { title: "RotateSecret", examples: [{ grace_seconds: 3600 }] },
);
export type RotateSecret = Static<typeof RotateSecret>;

export const WebhookTest = Strict(
  { type: Type.Optional(Type.String({ maxLength: 100, examples: ["campaign.sent"] })) },
  { title: "WebhookTest", examples: [{ type: "campaign.sent" }] },
);
export type WebhookTest = Static<typeof WebhookTest>;

export const ReplayRequest = Strict(
  {
    since: Type.String({
      maxLength: 1_000,
      description:
        "A time, or a cursor of `GET /v1/events?sort=created_at` without other filters: what came after it is posted again.",
      examples: ["2026-11-14T09:30:00.000Z"],
    }),
    until: Type.Optional({
      ...Timestamp,
      description: "Up to this time, which isn't before `since` nor in the future; without it, up to now.",
    }),
    types: Type.Optional(
      Type.Array(Type.String({ maxLength: 100 }), {
        minItems: 1,
        maxItems: MOST_PATTERNS,
        description: "Only these of the endpoint's types.",
      }),
    ),
  },
  { title: "ReplayRequest", examples: [{ since: "2026-11-14T09:30:00.000Z" }] },
);
export type ReplayRequest = Static<typeof ReplayRequest>;

const Attempt = Type.Object({
  at: Timestamp,
  duration_ms: Type.Integer(),
  status: Nullable(Type.Integer({ description: "The status of the answer; null where none came." })),
  failure: Nullable(
    Type.String({
      description:
        "Why nothing came of it, such as `timeout`, `untrusted` or `internal`; null where an answer came.",
    }),
  ),
});

export const WebhookDelivery = Type.Object(
  {
    object: Type.Literal("webhook_delivery"),
    id: PublicId("whd"),
    webhook_id: PublicId("whk"),
    message_id: Type.String({ description: "`webhook-id` of every try." }),
    type: Type.String({ examples: ["campaign.sent"] }),
    event_ids: Type.Array(PublicId("evt")),
    origin: oneOf(ORIGINS),
    status: oneOf(DELIVERY_STATES, {
      description: "`waiting` for another try; `failed` once all are used up.",
    }),
    attempts: Type.Array(Attempt),
    next_attempt_at: Nullable(Timestamp),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: "WebhookDelivery" },
);
export type WebhookDelivery = Static<typeof WebhookDelivery>;

export const WebhookDeliveryDetail = Type.Object(
  {
    ...WebhookDelivery.properties,
    request: Type.Object({
      url: { ...Url, description: "Where it is posted to now." },
      body: Nullable(
        Type.String({
          description:
            "What is posted, without what `include` adds; null where its events are no longer kept.",
        }),
      ),
    }),
    answer: Nullable(
      Type.String({
        description:
          "The first 4 KB of the last answer; null where none came, and where the endpoint includes addresses, since an answer may repeat them.",
      }),
    ),
  },
  { title: "WebhookDeliveryDetail" },
);
export type WebhookDeliveryDetail = Static<typeof WebhookDeliveryDetail>;

export const WebhookDeliveryPage = Page(WebhookDelivery, "WebhookDeliveryPage");
export const WebhookDeliveryQuery = PageQuery({
  status: Type.Optional(oneOf(DELIVERY_STATES)),
  type: Type.Optional(Type.String({ maxLength: 100 })),
});
