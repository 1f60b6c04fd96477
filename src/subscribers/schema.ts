import { type Static, Type } from "typebox";
import { UpdatedBy } from "../accounts/accounts.ts";
import { BodyId, Nullable, oneOf, Page, PublicId, Strict, Timestamp } from "../platform/http/schemas.ts";
import { eachPlain } from "./columns.ts";
import { Tag } from "./fields/schema.ts";
import { HELD_BACK } from "./mailable.ts";
import { STATUSES } from "./status.ts";

export const HeldBackFilter = oneOf(HELD_BACK, {
  description:
    "Only those who are active and get no mail all the same: they want none of this list or of any, their address is suppressed, they have paused mail, or the list's sunset policy took them for dormant.",
});

/** The parser of addresses judges the length, and says `invalid_email` to whatever is no address. */
const Email = Type.String({ minLength: 1, examples: ["ada@example.com"] });
const Tags = Type.Array(Tag, { maxItems: 100 });
const FieldValue = Type.Unsafe<string | number | boolean | null>({
  type: ["string", "number", "boolean", "null"],
});
const fieldValues = {
  additionalProperties: FieldValue,
  maxProperties: 200,
  description: "Custom fields by key. null clears one.",
  examples: [{ company: "Acme" }],
};
type FieldValues = Record<string, string | number | boolean | null>;
const FieldValues = Type.Unsafe<FieldValues>({ type: "object", ...fieldValues });

export const ConsentInput = Strict(
  {
    attested: Type.Optional(Type.Boolean({ description: "You vouch that this person agreed." })),
    source: Type.Optional(Type.String({ maxLength: 200, examples: ["sign-up form"] })),
    wording: Type.Optional(Type.String({ maxLength: 2_000, examples: ["Send me the newsletter."] })),
    ip: Type.Optional(Type.String({ maxLength: 45, examples: ["192.0.2.7"] })),
  },
  { title: "ConsentInput" },
);
export type ConsentInput = Static<typeof ConsentInput>;

const TrackingConsent = Nullable(
  Type.Boolean({
    description:
      "Whether this person agreed that their opens and clicks are recorded as theirs. null: never asked. false stops it also " +
      "for mail that was sent before, whatever the account's and the list's `tracking`.",
  }),
);

const Consent = Nullable(
  Type.Object({
    action: Type.String(),
    attested: Type.Boolean(),
    source: Nullable(Type.String()),
    wording: Nullable(Type.String()),
    ip: Nullable(Type.String()),
    at: Timestamp,
  }),
);

export const Subscriber = Type.Object(
  {
    object: Type.Literal("subscriber"),
    id: PublicId("sub"),
    email: Email,
    list_id: PublicId("lst"),
    contact_id: PublicId("con"),
    ...eachPlain((_name, { schema }) => schema),
    tags: Tags,
    fields: FieldValues,
    status: oneOf(STATUSES),
    status_reason: Nullable(
      Type.String({ description: "Why it has this status, or why it can't be mailed despite it." }),
    ),
    sendable: Type.Boolean({ description: "Would a campaign on this list reach it now?" }),
    paused_until: Nullable(Timestamp),
    dormancy: Type.Unsafe<"warned" | "dormant" | null>({
      type: ["string", "null"],
      enum: ["warned", "dormant", null],
      description:
        "What the list's sunset policy says of it. Warned, it is mailed and will be dormant soon; dormant, campaigns leave it out until it wakes.",
    }),
    eai: Type.Boolean({
      description:
        "The part before the @ isn't ASCII, so every mail server on the way must offer SMTPUTF8; where the next one doesn't, a " +
        "campaign skips it as `invalid`.",
    }),
    source: Type.String(),
    consent: Consent,
    tracking_consent: TrackingConsent,
    tracking_consent_at: Nullable(Timestamp),
    confirmed_at: Nullable(Timestamp),
    unsubscribed_at: Nullable(Timestamp),
    created_at: Timestamp,
    updated_at: Timestamp,
    updated_by: UpdatedBy,
  },
  {
    title: "Subscriber",
    examples: [
      {
        object: "subscriber",
        id: "sub_01k9zq4t3xe8k8y0v6d3m2n1pq",
        email: "ada@example.com",
        list_id: "lst_01k9zq4t3xe8k8y0v6d3m2n1pq",
        contact_id: "con_01k9zq4t3xe8k8y0v6d3m2n1pq",
        ...eachPlain((_name, { example }) => example),
        tags: ["beta"],
        fields: { company: "Acme" },
        status: "active",
        status_reason: null,
        sendable: true,
        paused_until: null,
        dormancy: null,
        eai: false,
        source: "api",
        consent: {
          action: "granted",
          attested: false,
          source: "sign-up form",
          wording: "Send me the newsletter.",
          ip: "192.0.2.7",
          at: "2026-11-14T09:30:00.000Z",
        },
        tracking_consent: null,
        tracking_consent_at: null,
        confirmed_at: null,
        unsubscribed_at: null,
        created_at: "2026-11-14T09:30:00.000Z",
        updated_at: "2026-11-14T09:30:00.000Z",
      },
    ],
  },
);
export type Subscriber = Static<typeof Subscriber>;
export const SubscriberPage = Page(Subscriber, "SubscriberPage");

const count = Type.Integer();
export const SubscriberCounts = Type.Object(
  {
    object: Type.Literal("subscriber_counts"),
    total: count,
    pending: count,
    active: count,
    unsubscribed: count,
    bounced: count,
    complained: count,
  },
  {
    title: "SubscriberCounts",
    examples: [
      {
        object: "subscriber_counts",
        total: 3,
        pending: 1,
        active: 2,
        unsubscribed: 0,
        bounced: 0,
        complained: 0,
      },
    ],
  },
);

const subscriberOptional = {
  ...eachPlain((_name, { schema }) => Type.Optional(schema)),
  tags: Type.Optional(Tags),
  fields: Type.Optional(FieldValues),
  tracking_consent: Type.Optional(TrackingConsent),
  tracking_evidence: Type.Optional(ConsentInput),
};
const subscriberInput = {
  email: Email,
  list_id: BodyId("lst"),
  ...subscriberOptional,
  source: Type.Optional(Type.String({ minLength: 1, maxLength: 100, examples: ["website"] })),
  consent: Type.Optional(ConsentInput),
};
export const SubscriberCreate = Strict(subscriberInput, {
  title: "SubscriberCreate",
  examples: [
    {
      email: "ada@example.com",
      list_id: "lst_01k9zq4t3xe8k8y0v6d3m2n1pq",
      first_name: "Ada",
      tags: ["beta"],
    },
  ],
});
export type SubscriberCreate = Static<typeof SubscriberCreate>;

/** Somebody who isn't there, with what is known of a subscriber beside the address. */
export const MadeUpSubscriber = Strict(subscriberOptional, {
  title: "MadeUpSubscriber",
  examples: [{ first_name: "Ada", time_zone: "Europe/Berlin", tags: ["vip"] }],
});

/** `list_id` and `status` are named so that the answer can say which action does it. */
export const SubscriberPatch = Strict(
  {
    email: Type.Optional(Email),
    ...subscriberOptional,
    tags: Type.Optional(Nullable(Tags)),
    fields: Type.Optional(Type.Unsafe<FieldValues | null>({ type: ["object", "null"], ...fieldValues })),
    list_id: Type.Optional(Type.Unknown()),
    status: Type.Optional(Type.Unknown()),
  },
  {
    title: "SubscriberPatch",
    examples: [{ first_name: "Ada", tags: ["beta", "vip"], fields: { company: null } }],
  },
);
export type SubscriberPatch = Static<typeof SubscriberPatch>;

export const OnConflict = oneOf(["update", "skip"], {
  description: "When the address is on the list already: merge what was given, or return it as it is.",
});

export const BatchCreate = Strict(
  {
    subscribers: Type.Array(Type.Unknown(), { minItems: 1, maxItems: 1_000 }),
    on_conflict: Type.Optional(OnConflict),
  },
  {
    title: "SubscriberBatch",
    examples: [{ subscribers: [{ email: "ada@example.com", list_id: "lst_01k9zq4t3xe8k8y0v6d3m2n1pq" }] }],
  },
);
const BatchItem = Type.Object({
  status: Type.Integer({ description: "What a single request would have answered.", examples: [201] }),
  subscriber: Type.Optional(Type.Object({ id: PublicId("sub"), status: oneOf(STATUSES) })),
  error: Type.Optional(
    Type.Object({ code: Type.String(), detail: Type.String() }, { additionalProperties: true }),
  ),
});
export const BatchResult = Type.Object(
  { object: Type.Literal("batch"), results: Type.Array(BatchItem) },
  {
    title: "SubscriberBatchResult",
    examples: [
      {
        object: "batch",
        results: [
          { status: 201, subscriber: { id: "sub_01k9zq4t3xe8k8y0v6d3m2n1pq", status: "active" } },
          { status: 422, error: { code: "validation_failed", detail: "one field is wrong; see errors" } },
        ],
      },
    ],
  },
);
export type BatchItem = Static<typeof BatchItem>;

export const UnsubscribeInput = Strict(
  {
    scope: Type.Optional(oneOf(["list", "all"])),
    reason: Type.Optional(Type.String({ maxLength: 500 })),
    campaign_id: Type.Optional(BodyId("cmp", "Whose mail made it leave.")),
  },
  { title: "Unsubscribe", examples: [{ scope: "list", reason: "too many mails" }] },
);
export const ResubscribeInput = Strict(
  { consent: Type.Optional(ConsentInput) },
  { title: "Resubscribe", examples: [{ consent: { attested: true, source: "telephone" } }] },
);
export const TagChange = Strict(
  { add: Type.Optional(Tags), remove: Type.Optional(Tags) },
  { title: "TagChange", examples: [{ add: ["vip"], remove: ["beta"] }] },
);

const Activity = Type.Object(
  {
    object: Type.Literal("activity"),
    id: Type.String({ examples: ["evt_01k9zq4t3xe8k8y0v6d3m2n1pq"] }),
    type: Type.String({ examples: ["subscriber.created", "consent.granted", "email.sent"] }),
    data: Type.Unsafe<Record<string, unknown>>({ type: "object", additionalProperties: true }),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  {
    title: "Activity",
    examples: [
      {
        object: "activity",
        id: "evt_01k9zq4t3xe8k8y0v6d3m2n1pq",
        type: "subscriber.unsubscribed",
        data: { subscriber_id: "sub_01k9zq4t3xe8k8y0v6d3m2n1pq", scope: "list" },
        created_at: "2026-11-14T09:30:00.000Z",
        updated_at: "2026-11-14T09:30:00.000Z",
      },
    ],
  },
);
export const ActivityPage = Page(Activity, "ActivityPage");

export const Erasure = Type.Object(
  {
    object: Type.Literal("erasure"),
    id: PublicId("ers", "The `erasure_id` of the events `subscriber.deleted` that come with it."),
    contact_id: PublicId("con"),
    subscribers_removed: Type.Integer(),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  {
    title: "Erasure",
    examples: [
      {
        object: "erasure",
        id: "ers_01k9zq4t3xe8k8y0v6d3m2n1pq",
        contact_id: "con_01k9zq4t3xe8k8y0v6d3m2n1pq",
        subscribers_removed: 2,
        created_at: "2026-11-14T09:30:00.000Z",
        updated_at: "2026-11-14T09:30:00.000Z",
      },
    ],
  },
);
