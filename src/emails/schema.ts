/** Describes transactional mail as clients send it and get it. */
import { type Static, Type } from "typebox";
import {
  BodyId,
  Nullable,
  oneOf,
  Page,
  PageQuery,
  PublicId,
  Strict,
  Timestamp,
} from "../platform/http/schemas.ts";
import { VariableValues } from "../templates/schema.ts";

const LONGEST_TEXT = 512 * 1_024;

const RECIPIENT_ROLES = ["to", "cc", "bcc"] as const;
export type RecipientRole = (typeof RECIPIENT_ROLES)[number];

const EMAIL_STATUSES = [
  "queued",
  "scheduled",
  "sent",
  "deferred",
  "bounced",
  "complained",
  "failed",
  "skipped",
  "unknown",
  "canceled",
] as const;
export type EmailStatus = (typeof EMAIL_STATUSES)[number];

const Mailbox = Type.String({
  minLength: 1,
  maxLength: 1_000,
  description: "An address, alone or behind a name: `Ada Lovelace <ada@example.com>`.",
  examples: ["Ada Lovelace <ada@example.com>"],
});
const Mailboxes = (description: string) => Type.Array(Mailbox, { maxItems: 50, description });
const Body = Type.String({ maxLength: LONGEST_TEXT });

const Metadata = Type.Record(Type.String({ minLength: 1, maxLength: 40 }), Type.String({ maxLength: 500 }), {
  maxProperties: 20,
  description: "What you know the mail by, such as the number of an order. Mails are found by it.",
  examples: [{ order: "4711" }],
});
const Tags = Type.Array(Type.String({ minLength: 1, maxLength: 50 }), {
  maxItems: 10,
  examples: [["receipt"]],
});

const AttachmentInput = Strict({
  filename: Type.String({ minLength: 1, maxLength: 255, examples: ["receipt.pdf"] }),
  content: Type.String({ description: "Base64.", examples: ["JVBERi0xLjcK"] }),
  content_type: Type.Optional(
    Type.String({ maxLength: 255, description: "`application/octet-stream` where none is given." }),
  ),
  content_id: Type.Optional(
    Type.String({
      maxLength: 201,
      description: "For a picture that the HTML shows by `cid:` and this word.",
    }),
  ),
});

export const EmailCreate = Strict(
  {
    from: Mailbox,
    to: Type.Array(Mailbox, { minItems: 1, maxItems: 50 }),
    cc: Type.Optional(Mailboxes("Everybody sees them.")),
    bcc: Type.Optional(Mailboxes("Nobody sees them.")),
    reply_to: Type.Optional(Mailbox),
    subject: Type.Optional(
      Type.String({
        maxLength: 998,
        description: "Required, unless the template has one; it goes before the template's.",
        examples: ["Your receipt"],
      }),
    ),
    template_id: Type.Optional(
      BodyId(
        "tpl",
        "Make the texts from the published version of this template, in place of `html`, `mjml` and `text`.",
      ),
    ),
    variables: Type.Optional(VariableValues),
    html: Type.Optional(Body),
    mjml: Type.Optional(Body),
    text: Type.Optional(
      Type.String({ maxLength: LONGEST_TEXT, description: "Made from the HTML where it is missing." }),
    ),
    attachments: Type.Optional(
      Type.Array(AttachmentInput, { maxItems: 50, description: "Together 18 MB before encoding." }),
    ),
    headers: Type.Optional(
      Type.Record(Type.String({ maxLength: 50 }), Type.String({ maxLength: 900 }), {
        maxProperties: 50,
        description: "Further headers, of a list of those that are allowed, or beginning with X-.",
        examples: [{ "X-Order": "4711" }],
      }),
    ),
    tags: Type.Optional(Tags),
    metadata: Type.Optional(Metadata),
    tracking: Type.Optional(
      Strict(
        { opens: Type.Optional(Type.Boolean()), clicks: Type.Optional(Type.Boolean()) },
        {
          description:
            "Whether opens are counted by a pixel, and clicks on links of the HTML. Both are off where they aren't given. Nothing is " +
            "tracked unless the account's `tracking` is `individual`; the answer says what is.",
          examples: [{ opens: true, clicks: true }],
        },
      ),
    ),
    transport_id: Type.Optional(
      BodyId("trn", "One of the account's transports, to leave by it rather than by that of the stream."),
    ),
    send_at: Type.Optional(
      Type.String({
        format: "date-time",
        description: "When it is to leave, at most 30 days ahead.",
        examples: ["2026-11-14T09:30:00.000Z"],
      }),
    ),
  },
  {
    title: "EmailCreate",
    examples: [
      {
        from: "Acme <billing@acme.example>",
        to: ["Ada Lovelace <ada@example.com>"],
        subject: "Your receipt",
        text: "Thank you.",
      },
    ],
  },
);
export type EmailCreate = Static<typeof EmailCreate>;

const Recipient = Type.Object({
  email: Nullable(
    Type.String({ description: "null once the person was erased, or the mail is no longer kept." }),
  ),
  role: Type.Unsafe<RecipientRole | null>({ type: ["string", "null"], enum: [...RECIPIENT_ROLES, null] }),
  status: oneOf(EMAIL_STATUSES),
  reason: Nullable(Type.String({ description: "Why it was skipped, bounced or failed, in one word." })),
  code: Nullable(Type.Integer({ description: "Of the server's last reply." })),
  reply: Nullable(Type.String({ description: "The server's last words." })),
  at: Timestamp,
});

const EmailProperties = {
  object: Type.Literal("email"),
  id: PublicId("msg"),
  from: Nullable(Type.String()),
  to: Type.Array(Type.String()),
  cc: Type.Array(Type.String()),
  bcc: Type.Array(Type.String()),
  reply_to: Nullable(Type.String()),
  subject: Nullable(Type.String({ description: "null once the mail is no longer kept." })),
  status: oneOf(EMAIL_STATUSES, {
    description:
      "Of all recipients together: what is still to come goes before what has ended, and a trouble before a success.",
  }),
  recipients: Type.Array(Recipient),
  attachments: Type.Array(
    Type.Object({ filename: Type.String(), content_type: Type.String(), size: Type.Integer() }),
  ),
  tags: Type.Array(Type.String()),
  metadata: Type.Record(Type.String(), Type.String()),
  tracking: Type.Object({ opens: Type.Boolean(), clicks: Type.Boolean() }),
  opens: Nullable(
    Type.Integer({
      description: "How often people opened it, as far as can be seen; null where that isn't tracked.",
    }),
  ),
  clicks: Nullable(
    Type.Integer({ description: "How often people followed its links; null where that isn't tracked." }),
  ),
  transport_id: Nullable(PublicId("trn", "The transport that was asked for; null where none was.")),
  template: Nullable(
    Type.Object(
      { id: PublicId("tpl"), version: Type.Integer() },
      { description: "What it was made from; null where there was none, or the mail is no longer kept." },
    ),
  ),
  send_at: Nullable(Timestamp),
  created_at: Timestamp,
  updated_at: Timestamp,
};
export const Email = Type.Object(EmailProperties, { title: "Email" });
export type Email = Static<typeof Email>;
export const EmailPage = Page(Email, "EmailPage");

const TIMELINE_TYPES = [...EMAIL_STATUSES, "opened", "clicked"] as const;

const TimelineEntry = Type.Object({
  type: oneOf(TIMELINE_TYPES),
  at: Timestamp,
  email: Nullable(Type.String({ description: "The recipient; null for the mail as a whole." })),
  attempt: Nullable(Type.Integer()),
  reason: Nullable(
    Type.String({ description: "`machine` where no person opened or clicked, as far as can be told." }),
  ),
  code: Nullable(Type.Integer()),
  reply: Nullable(Type.String()),
  url: Nullable(
    Type.String({ description: "Where the link leads that was clicked, while the mail is kept." }),
  ),
});
export type TimelineEntry = Static<typeof TimelineEntry>;
export const EmailDetail = Type.Object(
  {
    ...EmailProperties,
    timeline: Type.Array(TimelineEntry, { description: "What happened to it, in order." }),
  },
  { title: "EmailDetail" },
);
export type EmailDetail = Static<typeof EmailDetail>;

export const EmailContent = Type.Object(
  {
    object: Type.Literal("email_content"),
    email_id: PublicId("msg"),
    subject: Type.String(),
    html: Nullable(
      Type.String({ description: "With the links as they were given, also where clicks are tracked." }),
    ),
    text: Nullable(Type.String()),
    headers: Type.Array(Type.Object({ name: Type.String(), value: Type.String() }), {
      description: "In their order. A mail that has not left has no `Message-ID` yet.",
    }),
    raw: Type.String({
      description: "The whole mail as RFC 5322 has it, without its attachments and its signature.",
    }),
  },
  { title: "EmailContent" },
);
export type EmailContent = Static<typeof EmailContent>;

const METADATA_PARAMETER = "^metadata\\[[^\\]]{1,40}\\]$";
const Filters = PageQuery({
  to: Type.Optional(Type.String({ maxLength: 1_000, description: "One of its recipients, in any role." })),
  tag: Type.Optional(Type.String({ maxLength: 50 })),
  status: Type.Optional(oneOf(EMAIL_STATUSES, { description: "At least one recipient stands so." })),
  subject: Type.Optional(
    Type.String({ minLength: 1, maxLength: 998, description: "Whole words of it, in any case and order." }),
  ),
  created_after: Type.Optional(Timestamp),
  created_before: Type.Optional(Timestamp),
});
export type EmailQuery = Static<typeof Filters>;
export const EmailQuery: typeof Filters = Object.assign(Filters, {
  patternProperties: { [METADATA_PARAMETER]: Type.String({ maxLength: 500 }) },
});

const { attachments: _attachments, ...WITHOUT_ATTACHMENTS } = EmailCreate.properties;
/** A mail of a batch, which has no attachments. */
export const BatchEmail = Strict(WITHOUT_ATTACHMENTS, { title: "BatchEmail" });

export const EmailBatch = Strict(
  {
    emails: Type.Array(Type.Unknown(), {
      minItems: 1,
      maxItems: 100,
      description: "Mails without attachments.",
    }),
  },
  {
    title: "EmailBatch",
    examples: [
      {
        emails: [
          {
            from: "Acme <billing@acme.example>",
            to: ["ada@example.com"],
            subject: "Your receipt",
            text: "Thank you.",
          },
        ],
      },
    ],
  },
);
const BatchItem = Type.Object({
  status: Type.Integer({ description: "What a single request would have answered.", examples: [202] }),
  email: Type.Optional(
    Type.Object({
      id: PublicId("msg"),
      status: oneOf(EMAIL_STATUSES),
      skipped: Type.Optional(
        Type.Array(Type.Object({ email: Type.String(), reason: Type.String() }), {
          description: "The recipients who are suppressed.",
        }),
      ),
    }),
  ),
  error: Type.Optional(
    Type.Object({ code: Type.String(), detail: Type.String() }, { additionalProperties: true }),
  ),
});
export const EmailBatchResult = Type.Object(
  { object: Type.Literal("batch"), results: Type.Array(BatchItem) },
  { title: "EmailBatchResult" },
);
export type EmailBatchItem = Static<typeof BatchItem>;
