/** What an account sends, what became of it, and what came back. */
import { sql } from "../../platform/db/db.ts";
import { exported, leftOut, type Reading, type TableOfAccount } from "./table.ts";

const COMPARED = "it is another column in the form that is compared";
const WORK = "they say what senders are at work on";
const SECRET = "it is a secret";
const SUMS = "they are sums of what is exported row by row";

/** Loads what opens mails where there are any: it is large, and the thread of an export has little room. */
async function mailsOf({ db, accountId }: Reading) {
  const some = await db.many(sql`select from emails where account_id = ${accountId} limit 1`);
  return some.length === 0 ? undefined : import("../../emails/emails.ts");
}

export const mailTables: readonly TableOfAccount[] = [
  exported(
    "automations",
    "automation",
    "id:aut name list_id:lst draft state version state_changed_at paused_at created_at updated_at updated_by",
    {
      webhook_secret: SECRET,
      webhook_previous_secret: SECRET,
      webhook_previous_until: "it says until when a former secret is good",
    },
    { rowsAtOnce: 20 },
  ),
  exported(
    "automation_versions",
    "automation_version",
    "automation_id:aut number graph emails people waits mapping is_sandbox published_at published_by_kind published_by_id",
    {},
    { rowsAtOnce: 20 },
  ),
  exported(
    "automation_runs",
    "automation_run",
    `id:run automation_id:aut subscriber_id:sub key version node visit state ended_as woken_by cause_depth segments:seg[] entered_at
     arrived_at due_at ended_at`,
  ),
  exported(
    "automation_journal",
    "automation_visit",
    `run_id:run visit automation_id:aut version node way reason arrived_at left_at source_id contact_id:con`,
  ),
  leftOut("automation_gates", "they say when somebody entered last, as the runs do"),
  leftOut("automation_feeds", "it says how far the log of events was read"),
  leftOut("automation_feed_starts", "they say since when automations take people"),
  leftOut("automation_limits", "they say when it was last told that people were kept from entering"),
  leftOut("automation_date_looks", "they say how far automations were looked through for dates"),
  leftOut("automation_overdue", "it says how far steps that fell due in a pause were gone through"),
  leftOut("automation_segments", "they say how far segments were looked through for automations"),
  leftOut("automation_segment_members", "who is in a segment follows from its rules"),
  leftOut("automation_counts", SUMS),
  exported(
    "automation_waves",
    "automation_wave",
    "source_id automation_id:aut node revision_id opened_at closed_at",
  ),
  exported(
    "automation_enrollments",
    "automation_enrollment",
    `id:enr automation_id:aut status whom segment_id:seg spread_minutes total processed entered skipped error created_at updated_at
     finished_at`,
    {
      subscriber_ids: "the runs say who entered",
      after_created_at: "it says how far the list was gone through",
      after_id: "it says how far the list was gone through",
    },
  ),
  leftOut("automation_outbox", "it waits to be told, for a day at most"),
  exported(
    "campaigns",
    "campaign",
    `id:cmp name list_id:lst segment_id:seg topic_id:top subject preview_text from_name from_email reply_to html mjml blocks text
     template_id:tpl template_version track_opens track_clicks utm on_ambiguous checks version status paused_from scheduled_from
     pause_reason status_reason has_sent is_agreed archive archived_at is_sample send_at started_at finished_at created_at updated_at
     updated_by`,
    {},
    { rowsAtOnce: 20 },
  ),
  exported(
    "campaign_versions",
    "campaign_version",
    "campaign_id:cmp number subject content restored_from actor_kind actor_id created_at updated_at",
    {},
    { rowsAtOnce: 20 },
  ),
  exported(
    "revisions",
    "revision",
    "id content tracking created_at",
    { digest: "it is made from the rest" },
    {
      rowsAtOnce: 20,
    },
  ),
  exported(
    "sources",
    "source",
    `id owner_id stream transport_id refused_by state reason launch list_id:lst segment_id:seg segment_rules topic_id:top revision_id on_ambiguous
     is_given step goes_while_held is_metered review launched_at ended_at counted_from uncounted_sent uncounted_failed uncounted_hard guardrails_met`,
  ),
  exported("source_reviews", "source_review", "id:rev owner_id state created_at decided_at reason"),
  leftOut("plans", WORK),
  leftOut("batches", WORK),
  leftOut("runnable", WORK),
  leftOut("retries", WORK),
  leftOut("rates", WORK),
  exported(
    "deliveries",
    "delivery",
    `source_id contact_id:con subscriber_id:sub stream transport_id variant state why attempt dated_at not_before changed_at planned_at
     code reply flow_id`,
    { worker_id: "it names a process", epoch: "it names a process" },
  ),
  exported(
    "delivery_errors",
    "delivery_error",
    "source_id contact_id:con state attempt why code reply at flow_id",
  ),
  exported(
    "given_recipients",
    "given_recipient",
    "source_id contact_id:con person_id:con email values is_owed",
    {
      email_key: COMPARED,
    },
  ),
  exported(
    "provider_messages",
    "provider_message",
    "provider provider_id source_id contact_id:con created_at",
  ),
  leftOut("counters_by_time", SUMS),
  // Removing these adds to the ones before.
  leftOut("counters", SUMS),
  leftOut("source_domains", SUMS),
  leftOut("engagement_sums", SUMS),
  exported("mail_flows", "mail_flow", "id transport_id from_domain provider created_at"),
  leftOut("mail_flow_hours", SUMS),
  leftOut("mail_flow_days", SUMS),
  leftOut("mail_flow_spans", SUMS),
  leftOut("mail_flow_past_hours", SUMS),
  leftOut("usage_hours", SUMS),
  exported("test_mails", "test_mail", "id transport_id state created_at changed_at"),
  exported(
    "message_engagements",
    "message_engagement",
    `source_id contact_id:con pixels human_pixels clicks human_clicks first_at last_at first_click_at last_click_at domain
     first_human_at first_human_click_at flow_id mailed_at`,
  ),
  exported(
    "link_engagements",
    "link_engagement",
    "source_id contact_id:con link clicks human_clicks first_at",
  ),
  exported(
    "campaign_engagements",
    "campaign_engagement",
    "campaign_id:cmp contact_id:con human_opened prefetched clicked human_clicked links human_links",
  ),
  leftOut("hits", "they wait some seconds to be counted"),
  leftOut("counted_hits", "they keep a hit from being counted twice"),
  exported("source_feedback", "feedback", "source_id kind contact_id:con mailed_at at item_id:inb flow_id"),
  exported("source_unsubscribes", "source_unsubscribe", "source_id contact_id:con at"),
  exported("guardrail_holds", "guardrail_hold", "at source_id reason detail"),
  exported(
    "emails",
    "email",
    "id:msg wave_id transport_id:trn send_at canceled_at created_at updated_at",
    {
      content_id: "the content itself is there",
      recipients: "each recipient is there",
      attachments: "each is there",
    },
    {
      join: sql`left join email_contents c on c.account_id = t.account_id and c.id = t.content_id`,
      select: sql`t.id as email_id, t.content_id, t.recipients, t.attachments, c.envelope, c.body`,
      rowsAtOnce: 50,
      async finish(reading) {
        const { secrets, accountId } = reading;
        const mails = await mailsOf(reading);
        return (row) => mails?.openEmailForExport(secrets, accountId, row);
      },
    },
  ),
  leftOut("email_contents", "each mail has its own"),
  leftOut("email_terms", "they are keyed hashes by which mails are found"),
  exported(
    "email_attachments",
    "email_attachment",
    "email_id:msg n",
    { content: "it is opened first" },
    {
      join: sql`join emails e on e.account_id = t.account_id and e.id = t.email_id
        left join email_contents c on c.account_id = t.account_id and c.id = e.content_id`,
      select: sql`t.content, e.content_id, c.envelope`,
      rowsAtOnce: 1,
      async finish(reading) {
        const { secrets, accountId } = reading;
        const mails = await mailsOf(reading);
        return (row) => mails?.openAttachmentForExport(secrets, accountId, row);
      },
    },
  ),
  exported(
    "sandbox_messages",
    "sandbox_message",
    "id:msg owner_id contact_id:con envelope_from envelope_to raw:base64 stream created_at",
    { to_key: COMPARED, is_private: "only those are exported that aren't" },
    // A mail with a link that only its recipient may follow is shown to nobody else.
    { where: () => sql`not t.is_private`, rowsAtOnce: 10 },
  ),
  leftOut("own_mails", "they keep a mail of the product's own from being sent twice"),
  exported(
    "inbound_items",
    "inbound_item",
    `id:inb channel channel_id provider envelope_from address_kind source_id contact_id:con bytes received_at state attempts read_at
     failure kind outcome is_matched test_id:mtt session why`,
    {
      raw: "it may quote a mail with a link that is for its recipient alone",
      leased_until: "it says which process is at work on it",
    },
  ),
  exported(
    "inbound_reports",
    "inbound_report",
    `item_id:inb n kind class reason status matched_by source_id contact_id:con person_id:con domain outcome why storm_id:stm received_at`,
    { told: "it is sealed; what follows from it is there", address_hash: "an erasure finds the row by it" },
  ),
  leftOut("inbound_digests", "they keep what comes back from being stored twice"),
  exported(
    "bounce_storms",
    "bounce_storm",
    "id:stm domain state hard mails usual_share held created_at last_at decided_at",
  ),
  exported(
    "mail_tests",
    "mail_test",
    `id:mtt status campaign_id:cmp campaign_name subject from_address transport_id transport_name checks sent_at reply arrived_at
     item_id:inb failure has_others report score created_at expires_at finished_at`,
    { proofs: "they are hashes by which the mail is known" },
    { rowsAtOnce: 20 },
  ),
  exported(
    "dmarc_reports",
    "dmarc_report",
    `id:dmr domain_id:dom policy_domain reporter contact report_id begins_at ends_at day policy channel sender_domain messages
     aligned records records_left_out created_at`,
  ),
  exported(
    "dmarc_rows",
    "dmarc_row",
    "domain_id:dom day source_ip reporter selectors disposition dkim_aligned spf_aligned messages",
  ),
  exported("dmarc_sources", "dmarc_source", "source_ip host service last_day first_seen_at looked_up_at", {
    next_look_at: "it says when a process looks at it next",
  }),
  exported(
    "dmarc_daily",
    "dmarc_day",
    `domain_id:dom grouping day key messages aligned dkim_aligned spf_aligned none quarantined rejected`,
  ),
  exported(
    "dmarc_source_counts",
    "dmarc_source_count",
    `domain_id:dom span begins source_ip last_day messages aligned dkim_aligned spf_aligned quarantined rejected`,
  ),
  exported("blocklist_results", "blocklist_result", "subject zone status detail listed_since checked_at"),
  leftOut("blocklist_checks", "they say when a process looks next"),
  exported("complaint_rates", "complaint_rate", "provider day rate created_at updated_at"),
];
