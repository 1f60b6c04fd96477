/**
 * What each type of event says, and what its `data` has. It documents events, makes the examples of tests, and is held against what is
 * really emitted whenever a test ends.
 */
import type { EventType } from "./types.ts";

/** An example of each member that `data` of some event has; the same name means the same everywhere. */
const MEMBERS = {
  account_id: idOf("acc"),
  action: "add_tags",
  api_key_id: idOf("key"),
  alert_id: idOf("alr"),
  at: "2026-11-14T09:30:00.000Z",
  attempt: 1,
  bulk_change_id: idOf("blk"),
  campaign_id: idOf("cmp"),
  cause: "user_unknown",
  changed: ["name"],
  code: 250,
  campaigns_stop_at: "2026-11-14T09:30:00.000Z",
  contact_id: idOf("con"),
  count: 12,
  custom_event_id: idOf("cev"),
  day: 7,
  counts: { total: 120, processed: 120, failed: 0 },
  detail: "3 of 47 mails bounced hard (6.38%); the limit is 5%",
  domain: "example.com",
  domain_id: idOf("dom"),
  dry_run: false,
  due_at: "2026-11-14T09:30:00.000Z",
  email_id: idOf("msg"),
  enrollment_id: idOf("enr"),
  erasure_id: idOf("ers"),
  error: "list_deleted",
  factor: "totp",
  failing_until: "2026-11-14T09:30:00.000Z",
  field_id: idOf("fld"),
  field_ids: [idOf("fld")],
  file_id: idOf("fil"),
  form_id: idOf("frm"),
  hard: 20,
  holds_next: false,
  import_id: idOf("imp"),
  invitation_id: idOf("inv"),
  inbound_endpoint_id: idOf("iep"),
  human: true,
  is_new: true,
  joined: [idOf("top")],
  late_by_seconds: 3_600,
  left: [idOf("top")],
  percent: 80,
  position: 1,
  url: "https://example.com/offer",
  limit: 50_000,
  list_id: idOf("lst"),
  kind: "domain_failing",
  mailbox_id: idOf("mbx"),
  mails: 24,
  name: "order.placed",
  node: "welcome",
  problems: ["unsubscribe_not_served"],
  provider: "ses",
  reason: "requested",
  recipients: 2,
  resets_at: "2026-12-01T00:00:00.000Z",
  scope: "list",
  automation_id: idOf("aut"),
  section_id: idOf("sec"),
  send_at: "2026-11-14T09:30:00.000Z",
  session_id: idOf("ses"),
  severity: "warning",
  source: "api",
  status: "active",
  stops: true,
  storm_id: idOf("stm"),
  subscriber_id: idOf("sub"),
  subscribers: 120,
  stream: "campaign",
  tag_id: idOf("tag"),
  tag_ids: [idOf("tag")],
  template_id: idOf("tpl"),
  topic_id: idOf("top"),
  transactional_stops_at: "2026-11-21T09:30:00.000Z",
  transport_id: idOf("trn"),
  trigger_automations: false,
  used: 40_000,
  user_id: idOf("usr"),
  usual_share: 0.02,
  version: 1,
  was: "dormant",
  webhook_id: idOf("whk"),
} as const;

function idOf(prefix: string): string {
  return `${prefix}_01k9zq4t3xe8k8y0v6d3m2n1pq`;
}

type Member = keyof typeof MEMBERS;

/** A sentence, and the members of `data`; one with a question mark may be missing, and one with `|null` may be null. */
type Entry = readonly [says: string, members: string];

const PERSON = "subscriber_id contact_id list_id";
const MAIL = "campaign_id? automation_id? email_id? subscriber_id? contact_id?";
const BULK = "bulk_change_id action counts";

const entries: Readonly<Record<EventType, Entry>> = {
  "account.created": ["The account was made.", ""],
  "account.updated": ["The account's settings were changed.", "changed"],
  "account.deletion_requested": ["An owner asked for the account to be deleted.", "due_at"],
  "account.deletion_canceled": ["The deletion of the account was taken back.", ""],
  "account.suspended": ["An operator suspended the account; `GET /v1/account` says why.", ""],
  "account.reinstated": ["An operator took the suspension of the account back.", ""],
  "account.payment_overdue": [
    "What the account owes wasn't paid: told on days 0, 3, 7 and 14.",
    "day campaigns_stop_at transactional_stops_at",
  ],
  "account.payment_settled": ["Nothing is owed any more, and what was stopped for it goes on.", ""],
  "api_key.created": ["An API key was made.", "api_key_id"],
  "api_key.updated": ["An API key was changed.", "api_key_id changed"],
  "api_key.revoked": ["An API key was revoked.", "api_key_id"],
  "invitation.created": ["Somebody was invited.", "invitation_id"],
  "invitation.deleted": ["An invitation was revoked.", "invitation_id"],
  "user.created": ["A user has joined.", "user_id"],
  "user.updated": ["A user was changed.", "user_id changed"],
  "user.deleted": ["A user was deleted.", "user_id"],
  "user.signed_in": ["A user signed in.", "user_id session_id"],
  "user.password_changed": ["A user's password was changed.", "user_id"],
  "user.factor_added": ["A user added a second factor.", "user_id factor"],
  "user.factor_removed": ["A second factor of a user was removed.", "user_id factor"],
  "user.recovery_code_used": ["A user gave a recovery code in the place of a factor.", "user_id"],
  "user.sign_in_refused": ["A sign-in with the right password got five wrong second factors.", "user_id"],
  "list.created": ["A list was made.", "list_id"],
  "list.updated": ["A list was changed.", "list_id changed"],
  "list.deleted": ["A list was deleted, with that many subscribers.", "list_id subscribers"],
  "field.created": ["A field was made.", "field_id"],
  "field.updated": ["A field was changed.", "field_id changed"],
  "field.deleted": ["A field was deleted.", "field_id"],
  "topic.created": ["A topic was made.", "topic_id"],
  "topic.updated": ["A topic was changed.", "topic_id changed"],
  "topic.deleted": ["A topic was deleted.", "topic_id"],
  "subscriber.created": ["Somebody was added to a list.", `${PERSON} status tag_ids?`],
  "subscriber.updated": ["A subscriber was changed.", `${PERSON} changed field_ids?`],
  "subscriber.deleted": ["A subscriber was deleted.", `${PERSON} erasure_id?`],
  "subscriber.confirmed": ["Somebody confirmed that they want the mail.", PERSON],
  "subscriber.unsubscribed": ["Somebody unsubscribed.", `${PERSON} scope campaign_id? automation_id?`],
  "subscriber.resubscribed": ["Somebody who had unsubscribed is back.", `${PERSON} status?`],
  "subscriber.suppressed": ["An address gets no mail any more.", "subscriber_id? contact_id list_id? reason"],
  "subscriber.unsuppressed": ["An address may get mail again.", "subscriber_id? contact_id list_id?"],
  "subscriber.tag_added": ["A subscriber got a tag.", `${PERSON} tag_id`],
  "subscriber.tag_removed": ["A subscriber lost a tag.", `${PERSON} tag_id`],
  "subscriber.topics_changed": [
    "Somebody chose other topics.",
    "subscriber_id? contact_id list_id? joined left source campaign_id? automation_id?",
  ],
  "subscriber.event_tracked": [
    "A program of the account reported that somebody did something.",
    `${PERSON} custom_event_id name at`,
  ],
  "subscriber.imported": [
    "An import added or changed a subscriber. It is written only where somebody wants it.",
    `${PERSON} import_id trigger_automations`,
  ],
  "subscriber.dormant": [
    "The sunset policy of its list took a subscriber for dormant: campaigns leave it out until it wakes.",
    PERSON,
  ],
  "subscriber.woken": [
    "A subscriber that a sunset policy had warned, or taken for dormant, showed a sign of life or was woken by hand.",
    `${PERSON} was reason`,
  ],
  "import.completed": ["An import is done.", "import_id list_id|null counts dry_run"],
  "import.failed": ["An import could not be done.", "import_id list_id|null counts dry_run error"],
  "bulk_change.completed": ["A change of many subscribers is done.", BULK],
  "bulk_change.failed": ["A change of many subscribers could not be done.", `${BULK} error`],
  "bulk_change.canceled": ["A change of many subscribers was cancelled.", BULK],
  "bulk_change.undone": ["A change of many subscribers was undone.", BULK],
  "campaign.created": ["A campaign was made.", "campaign_id list_id?"],
  "campaign.updated": ["A campaign was changed.", "campaign_id list_id? changed"],
  "campaign.deleted": ["A campaign was deleted.", "campaign_id list_id?"],
  "campaign.scheduled": ["A campaign is to be sent at a time.", "campaign_id list_id? send_at"],
  "campaign.unscheduled": ["A campaign is no longer to be sent by itself.", "campaign_id list_id?"],
  "campaign.sending": ["A campaign is being sent.", "campaign_id list_id? late_by_seconds?"],
  "campaign.paused": ["A campaign was paused.", "campaign_id list_id? reason detail?"],
  "campaign.warned": ["A campaign came near a guardrail.", "campaign_id list_id? reason detail holds_next"],
  "campaign.resumed": ["A campaign goes on.", "campaign_id list_id? reason?"],
  "campaign.sent": ["A campaign is sent: every recipient is accounted for.", "campaign_id list_id?"],
  "campaign.canceled": ["A campaign was cancelled.", "campaign_id list_id?"],
  "campaign.failed": ["A campaign could not be sent.", "campaign_id list_id? reason detail? problems?"],
  "quota.threshold_reached": [
    "A part of the mails of a period is used up: 50, 80, 90 or 100 percent of `limit`, each told once of as many mails in a period. Where sending goes on beyond them and is charged, `stops` is false.",
    "percent limit used resets_at stops",
  ],
  "email.queued": ["A mail is to be sent, to a person or to that many.", `${MAIL} attempt recipients?`],
  "email.sent": ["The next server took a mail.", `${MAIL} attempt code? reason?`],
  "email.delivered": [
    "The recipient's server, or a provider, says that a mail arrived.",
    `${MAIL} at status?`,
  ],
  "email.deferred": ["A mail is to be tried again.", `${MAIL} attempt code? reason?`],
  "email.bounced": ["A mail came back.", `${MAIL} attempt? code? reason cause? status?`],
  "email.complained": ["Somebody complained about a mail.", `${MAIL} cause? status?`],
  "email.failed": ["A mail could not be sent.", `${MAIL} attempt code? reason?`],
  "email.opened": ["Somebody opened a mail.", `${MAIL} node? at human reason?`],
  "email.clicked": [
    "Somebody followed a link of a mail.",
    `${MAIL} node? at human reason? position url|null`,
  ],
  "form.created": ["A form was made.", "form_id"],
  "form.updated": ["A form was changed.", "form_id changed"],
  "form.deleted": ["A form was deleted.", "form_id"],
  "bounces.held": [
    "Bounces of a domain are held, because they are too many.",
    "storm_id domain hard mails usual_share",
  ],
  "bounces.released": ["Bounces that were held are acted upon.", "storm_id domain count"],
  "bounces.dismissed": ["Bounces that were held are ignored.", "storm_id domain count"],
  "template.created": ["A template was made.", "template_id"],
  "template.updated": ["A template was changed.", "template_id changed"],
  "template.published": ["A version of a template was published.", "template_id version"],
  "template.deleted": ["A template was deleted.", "template_id"],
  "automation.created": ["An automation was made.", "automation_id"],
  "automation.updated": ["An automation was changed.", "automation_id changed"],
  "automation.deleted": ["An automation was deleted.", "automation_id"],
  "automation.published": ["A version of an automation was published.", "automation_id version"],
  "automation.started": ["An automation was started: people enter it.", "automation_id"],
  "automation.paused": [
    "An automation was paused: nobody in it moves. With a reason where its mail was stopped by itself.",
    "automation_id reason? detail?",
  ],
  "automation.resumed": ["An automation that was paused goes on.", "automation_id"],
  "automation.drained": ["Nobody enters an automation any more; those inside finish.", "automation_id"],
  "automation.canceled": ["An automation was canceled: everybody inside leaves it.", "automation_id"],
  "automation.archived": [
    "An automation is over: it was archived, or the last person inside has finished.",
    "automation_id",
  ],
  "automation.enrollment_completed": [
    "Everybody who was put into an automation by hand has entered it, or was skipped.",
    "automation_id enrollment_id counts",
  ],
  "automation.enrollment_failed": [
    "People who were put into an automation by hand could not all enter it.",
    "automation_id enrollment_id counts error",
  ],
  "automation.entries_limited": [
    "People were kept from entering an automation: more than 50 times on a day, or where five automations brought each other about. Told once an hour at most.",
    "automation_id count",
  ],
  "automation.mail_stopped": [
    "The mail of an automation that is draining was stopped by itself; resume it once you have looked at why.",
    "automation_id reason detail?",
  ],
  "automation.webhook_failed": [
    "What a webhook step posts for somebody was refused for a day, and is given up.",
    "automation_id subscriber_id node reason",
  ],
  "section.created": ["A section was saved.", "section_id"],
  "section.updated": ["A section was changed.", "section_id changed"],
  "section.deleted": ["A section was deleted.", "section_id"],
  "transport.created": ["A sending server was added.", "transport_id"],
  "transport.updated": ["A sending server was changed.", "transport_id changed"],
  "transport.deleted": ["A sending server was deleted.", "transport_id"],
  "transport.put_out": [
    "A sending server refuses us or can't be reached; mail leaves by the next in the order.",
    "transport_id reason",
  ],
  "transport.reinstated": [
    "Mail may leave again by a sending server that was put out: a probe, somebody or an edit brought it back.",
    "transport_id cause",
  ],
  "transport_pool.updated": ["The order of a stream's sending servers was changed.", "stream"],
  "inbound_endpoint.created": [
    "An address for a provider's webhook was made.",
    "inbound_endpoint_id provider",
  ],
  "inbound_endpoint.rotated": [
    "An address for a provider's webhook was replaced.",
    "inbound_endpoint_id provider",
  ],
  "inbound_endpoint.deleted": [
    "An address for a provider's webhook was deleted.",
    "inbound_endpoint_id provider",
  ],
  "inbound.mailbox_created": ["A mailbox was added.", "mailbox_id"],
  "inbound.mailbox_updated": ["A mailbox was changed.", "mailbox_id changed"],
  "inbound.mailbox_deleted": ["A mailbox was deleted.", "mailbox_id"],
  "inbound.mailbox_failing": ["A mailbox can't be read.", "mailbox_id reason"],
  "inbound.mailbox_recovered": ["A mailbox can be read again.", "mailbox_id"],
  "alert.opened": ["Something wants attention.", "alert_id kind severity is_new"],
  "alert.acknowledged": ["Somebody has seen an alert.", "alert_id kind severity"],
  "alert.closed": ["What an alert was about is over.", "alert_id kind severity"],
  "domain.created": ["A sender domain was added.", "domain_id"],
  "domain.updated": ["A sender domain was changed.", "domain_id changed"],
  "domain.deleted": ["A sender domain was deleted.", "domain_id"],
  "domain.verified": ["A sender domain is proved.", "domain_id"],
  "domain.failing": ["The proof of a sender domain is gone.", "domain_id failing_until"],
  "domain.unverified": ["A sender domain is no longer proved.", "domain_id"],
  "domain.key_rotated": ["A sender domain has another key.", "domain_id"],
  "webhook.created": ["An endpoint for events was added.", "webhook_id"],
  "webhook.updated": ["An endpoint for events was changed.", "webhook_id changed"],
  "webhook.deleted": ["An endpoint for events was deleted.", "webhook_id"],
  "webhook.secret_rotated": ["An endpoint for events has a new secret.", "webhook_id"],
  "webhook.enabled": ["An endpoint for events was enabled.", "webhook_id"],
  "webhook.disabled": ["An endpoint for events was disabled.", "webhook_id reason"],
  "webhook.replay_started": ["Events are posted to an endpoint again.", "webhook_id"],
  "file.created": ["A file was added.", "file_id"],
  "file.deleted": ["A file was deleted.", "file_id"],
};

export type CatalogueEntry = {
  readonly says: string;
  /** An example with every member. */
  readonly example: Readonly<Record<string, unknown>>;
  readonly required: readonly string[];
  readonly nullable: readonly string[];
};

export function entryOf(type: EventType): CatalogueEntry {
  const [says, members] = entries[type];
  const words = members
    .split(" ")
    .filter((word) => word !== "")
    .map((word) => ({
      name: word.replace(/\?|\|null/g, ""),
      isOptional: word.includes("?"),
      isNullable: word.endsWith("|null"),
    }));
  const namesOf = (some: typeof words) => some.map(({ name }) => name);
  return {
    says,
    example: Object.fromEntries(namesOf(words).map((name) => [name, MEMBERS[name as Member]])),
    required: namesOf(words.filter(({ isOptional }) => !isOptional)),
    nullable: namesOf(words.filter(({ isNullable }) => isNullable)),
  };
}
