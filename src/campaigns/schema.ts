/** What campaigns look like from outside. */

import { type Static, Type } from "typebox";
import { UpdatedBy } from "../accounts/accounts.ts";
import { senderFields } from "../accounts/schema.ts";
import { BlocksDocument } from "../content/content.ts";
import { Check } from "../messages/schema.ts";
import {
  BodyId,
  Name,
  Nullable,
  oneOf,
  PublicId,
  Strict,
  Timestamp,
  Words,
} from "../platform/http/schemas.ts";
import { ACTIONS, STATUSES } from "./status.ts";

function oneOfOrNull<const T extends string>(values: readonly T[]) {
  return Type.Unsafe<T | null>({ type: ["string", "null"], enum: [...values, null] });
}

const CampaignName = Name(200, "November news");
const Subject = Words(998, "{{ first_name | default: 'Hello' }}, the news of November");
const PreviewText = Nullable(Type.String({ maxLength: 998, examples: ["And three dates to remember"] }));
const FromName = senderFields.from_name;
const Address = Nullable(Type.String({ maxLength: 1_000, examples: ["news@example.com"] }));
const Html = Nullable(
  Type.String({
    description: "HTML with Liquid, at most 512 KB.",
    examples: ["<p>Hello {{ first_name }}!</p>"],
  }),
);
const Mjml = Nullable(Type.String({ description: "MJML with Liquid in place of `html`, at most 512 KB." }));
const Blocks = Nullable(BlocksDocument);
const Text = Nullable(Type.String({ description: "The text part; null makes it from the HTML." }));
const OnAmbiguous = oneOf(["resend", "hold"], {
  description:
    "When the connection died between the end of a message and its acceptance: send it again (nobody is lost), " +
    "or hold it (nobody gets it twice; the recipient is `unknown`).",
});
const UtmValue = (example: string) => Nullable(Type.String({ maxLength: 200, examples: [example] }));
const utmValues = {
  source: UtmValue("newsletter"),
  medium: UtmValue("email"),
  campaign: UtmValue("november"),
  term: UtmValue("shoes"),
  content: UtmValue("top"),
};
const UTM_DESCRIPTION =
  "Added to the http(s) links of its mail as `utm_source` and so on, where a link has no such parameter of its own; null adds nothing.";
const Utm = Nullable(Type.Object(utmValues, { description: UTM_DESCRIPTION }));
const Archive = Type.Boolean({
  description:
    "Show it in the public archive of its list, once it is sent. This alone may be changed afterwards too, whatever the status.",
});
const SegmentId = Nullable(Type.String({ description: "Only those of the list whom this segment matches." }));

const TOPIC_DESCRIPTION =
  "What it is about. Only those get it who get this topic, and its unsubscribe link leaves the topic.";
const TopicId = Nullable(Type.String({ description: TOPIC_DESCRIPTION }));

const progress = Type.Object(
  {
    phase: oneOfOrNull(["planning", "sending", "held", "waiting", "retrying"]),
    total: Type.Integer({ description: "An estimate while planning." }),
    done: Type.Integer(),
    remaining: Type.Integer(),
    per_second: Nullable(Type.Number()),
    eta: Nullable(Timestamp),
    daily_limit: Nullable(
      Type.Object(
        {
          allowed: Type.Integer(),
          used: Type.Integer({ description: "By all mail of the account, transactional mail too." }),
          until: Timestamp,
        },
        {
          description:
            "What a new account may send in a day of UTC, on an instance with several; null where there is no limit, or nothing is being sent. Once it is used up the phase is `waiting`, and sending goes on by itself at `until`.",
        },
      ),
    ),
    held: Nullable(
      Type.Object(
        {
          by: oneOf(["transport", "plan", "provider"], {
            description:
              "The transport, by its warm-up plan or its `max_per_day`; the mails of the account's plan for the day or the period; or mailbox providers that said they take no mail from the transport for a while. Of several it is the first that isn't the provider.",
          }),
          until: Timestamp,
          providers: Type.Array(Type.String(), {
            description:
              "The mailbox providers of those who wait, such as `google`; none where they wait whatever their provider.",
          }),
        },
        {
          description:
            "Who waits, and for what; null where nobody does. Sending to them goes on by itself at `until`.",
        },
      ),
    ),
  },
  {
    description:
      "How far sending is. `waiting` means that the account has sent what it may today, and `held` that its transport has to all who are left, that the mails of the account's plan are used up for the day, or that the providers of all who are left are closed: `held` says which, and until when.",
  },
);

export const summary = {
  object: Type.Literal("campaign"),
  id: PublicId("cmp"),
  name: CampaignName,
  list_id: PublicId("lst"),
  segment_id: SegmentId,
  topic_id: TopicId,
  subject: Subject,
  preview_text: PreviewText,
  from_name: FromName,
  from_email: Address,
  reply_to: Address,
  tracking: Type.Object({ opens: Type.Boolean(), clicks: Type.Boolean() }),
  utm: Utm,
  status: oneOf(STATUSES),
  paused_from: oneOfOrNull(["scheduled", "sending"]),
  pause_reason: Nullable(
    Type.String({
      description:
        "Why it was paused: requested, or by the service itself transport_rejected, where the mail server refuses us and not single recipients (nobody was failed or suppressed for it; `status_reason` has its words; mend it and resume), or transport_missing, where its transport is gone, or the sender has no SMTP_URL while it was launched where there is one; signing_key_unreadable, where the key of its sender's domain can't be opened under this SECRET_KEY; hard_bounces or complaints, where too many of its mails bounced or were complained about (the account's `guardrails`; `status_reason` has the figures, and a resume counts anew); account_held, where its time came while the account might not send; review, where the account is new on an instance with several, and its operators look at the campaign with which it comes to more than 100 recipients in 24 hours before any mail of that leaves (it goes on by itself once it is approved, and fails where it is refused); quota_reached, where the mails of the account's period are used up (`status_reason` has the figures; it goes on by itself, with those who haven't got it, as soon as there is room).",
    }),
  ),
  status_reason: Nullable(Type.String({ description: "Why it has its status, where that needs a reason." })),
  send_at: Nullable(Timestamp),
  started_at: Nullable(Timestamp),
  finished_at: Nullable(Timestamp),
  archived_at: Nullable(
    Type.String({
      format: "date-time",
      description:
        "Since when it is put away, as removed sample data is: pages leave it out. `archive` is another thing.",
    }),
  ),
  progress,
  allowed_actions: Type.Array(oneOf(ACTIONS), {
    description: "What would not be refused now because of its state.",
  }),
  on_ambiguous: OnAmbiguous,
  archive: Archive,
  created_at: Timestamp,
  updated_at: Timestamp,
  updated_by: UpdatedBy,
};
const CampaignSummary = Type.Object(summary);
export type CampaignSummary = Static<typeof CampaignSummary>;

export const Campaign = Type.Object(
  {
    ...summary,
    html: Html,
    mjml: Mjml,
    blocks: Blocks,
    template_id: Nullable(Type.String({ description: "The template that its content was taken from." })),
    template_version: Nullable(Type.Integer({ description: "Which version of it." })),
    text: Text,
    checks: Type.Array(Check, { description: "What was found when it was last saved." }),
  },
  {
    title: "Campaign",
    examples: [
      {
        object: "campaign",
        id: "cmp_01k9zq4t3xe8k8y0v6d3m2n1pq",
        name: "November news",
        list_id: "lst_01k9zq4t3xe8k8y0v6d3m2n1pq",
        segment_id: null,
        topic_id: null,
        subject: "The news of November",
        preview_text: "And three dates to remember",
        from_name: "Ada from Acme",
        from_email: "news@example.com",
        reply_to: null,
        html: "<p>Hello {{ first_name }}!</p>",
        mjml: null,
        blocks: null,
        template_id: null,
        template_version: null,
        text: null,
        tracking: { opens: true, clicks: true },
        utm: { source: "newsletter", medium: "email", campaign: "november", term: null, content: null },
        status: "draft",
        paused_from: null,
        pause_reason: null,
        status_reason: null,
        send_at: null,
        started_at: null,
        finished_at: null,
        archived_at: null,
        progress: {
          phase: null,
          total: 0,
          done: 0,
          remaining: 0,
          per_second: null,
          eta: null,
          daily_limit: null,
          held: null,
        },
        allowed_actions: ["update", "delete", "send", "schedule", "duplicate"],
        on_ambiguous: "resend",
        archive: false,
        checks: [],
        created_at: "2026-11-14T09:30:00.000Z",
        updated_at: "2026-11-14T09:30:00.000Z",
      },
    ],
  },
);
export type Campaign = Static<typeof Campaign>;

const content = {
  html: Type.Optional(Html),
  mjml: Type.Optional(Mjml),
  blocks: Type.Optional(Blocks),
  template_id: Type.Optional(
    Nullable(
      BodyId(
        "tpl",
        "Takes the content of this template's published version in place of `html`, `mjml` or `blocks`; from then on it is the campaign's own. " +
          "Given again, it takes what is published then. Null forgets the template and leaves the content.",
      ),
    ),
  ),
  text: Type.Optional(Text),
  preview_text: Type.Optional(PreviewText),
  from_name: Type.Optional(FromName),
  from_email: Type.Optional(Address),
  reply_to: Type.Optional(Address),
  segment_id: Type.Optional(Nullable(BodyId("seg", "Only those of the list whom it matches."))),
  topic_id: Type.Optional(Nullable(BodyId("top", TOPIC_DESCRIPTION))),
  tracking: Type.Optional(
    Strict({ opens: Type.Optional(Type.Boolean()), clicks: Type.Optional(Type.Boolean()) }),
  ),
  utm: Type.Optional(
    Nullable(Strict(Type.Partial(Type.Object(utmValues)).properties, { description: UTM_DESCRIPTION })),
  ),
  on_ambiguous: Type.Optional(OnAmbiguous),
  archive: Type.Optional(Archive),
};
export const CampaignCreate = Strict(
  { name: CampaignName, list_id: BodyId("lst", "Whom it goes to."), subject: Subject, ...content },
  {
    title: "CampaignCreate",
    examples: [
      {
        name: "November news",
        list_id: "lst_01k9zq4t3xe8k8y0v6d3m2n1pq",
        subject: "The news of November",
        html: "<p>Hello {{ first_name }}!</p>",
      },
    ],
  },
);
export const CampaignPatch = Strict(
  {
    name: Type.Optional(CampaignName),
    list_id: Type.Optional(BodyId("lst", "Whom it goes to.")),
    subject: Type.Optional(Subject),
    ...content,
  },
  { title: "CampaignPatch", examples: [{ subject: "The news of November, at last" }] },
);
export type CampaignCreate = Static<typeof CampaignCreate>;
export type CampaignPatch = Static<typeof CampaignPatch>;

const MOST_UNDO_SECONDS = 600;
const onQuota = oneOf(["refuse", "pause"], {
  description:
    "Where more would get it than the account has mails left: refuse (the default), or send to as many as there are, pause, and go on by itself when there is room.",
});
export const SendInput = Strict(
  {
    on_quota: Type.Optional(onQuota),
    undo_seconds: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MOST_UNDO_SECONDS,
        description: "Wait this long before the first mail leaves; until then `cancel` takes it back.",
      }),
    ),
  },
  { title: "CampaignSend", examples: [{ undo_seconds: 30 }] },
);
export const ScheduleInput = Strict(
  {
    send_at: Type.String({ format: "date-time", examples: ["2030-01-02T09:00:00+01:00"] }),
    on_quota: Type.Optional(onQuota),
  },
  { title: "CampaignSchedule", examples: [{ send_at: "2030-01-02T09:00:00+01:00" }] },
);
export const ResumeInput = Strict(
  {
    if_elapsed: Type.Optional(
      oneOf(["refuse", "send_now"], {
        description: "When its time passed while it was paused: refuse (the default), or send it now.",
      }),
    ),
  },
  { title: "CampaignResume", examples: [{ if_elapsed: "send_now" }] },
);
export const PreviewInput = Strict(
  {
    subscriber_id: Type.Optional(
      Nullable(BodyId("sub", "As whom, which takes `campaigns:recipients`; null is a made-up recipient.")),
    ),
    sketch: Type.Optional(
      Type.Boolean({
        description:
          "For whoever looks at it while typing: `html` looks the same in a browser, but its style sheets aren't inlined, and " +
          "`text` is null unless the campaign has a text of its own. It takes half the time.",
      }),
    ),
    ...CampaignPatch.properties,
  },
  { title: "CampaignPreviewInput", examples: [{ subscriber_id: null }] },
);
export type PreviewInput = Static<typeof PreviewInput>;
export const CampaignPreview = Type.Object(
  {
    object: Type.Literal("campaign_preview"),
    campaign_id: PublicId("cmp"),
    subscriber_id: Nullable(Type.String()),
    from: Type.Object({ name: Nullable(Type.String()), email: Type.String() }),
    reply_to: Nullable(Type.String()),
    subject: Type.String(),
    preview_text: Nullable(Type.String({ description: "What mail programs show beside the subject." })),
    html: Nullable(Type.String()),
    text: Nullable(Type.String({ description: "It is null only in a sketch." })),
  },
  { title: "CampaignPreview" },
);
export const TestInput = Strict(
  {
    to: Type.Array(Type.String({ maxLength: 1_000 }), { minItems: 1, maxItems: 5, uniqueItems: true }),
    subscriber_id: Type.Optional(
      Nullable(BodyId("sub", "As whom, which takes `campaigns:recipients`; null is a made-up recipient.")),
    ),
  },
  { title: "CampaignTestInput", examples: [{ to: ["ada@example.com"] }] },
);
export const CampaignTest = Type.Object(
  { object: Type.Literal("campaign_test"), campaign_id: PublicId("cmp"), to: Type.Array(Type.String()) },
  { title: "CampaignTest" },
);
export const CampaignChecks = Type.Object(
  {
    object: Type.Literal("campaign_checks"),
    campaign_id: PublicId("cmp"),
    blocks_send: Type.Boolean({ description: "Whether one of them is an error." }),
    checks: Type.Array(Check),
  },
  { title: "CampaignChecks" },
);
