/** The people that an account writes to, and what is known of them. */
import { sql } from "../../platform/db/db.ts";
import { exported, leftOut, type Row, type TableOfAccount } from "./table.ts";

const COMPARED = "it is another column in the form that is compared";
const FORMER = "it says what a suppression changed, for when it is taken back";

/** Tags stand in each subscriber, in the order that the API has. */
const TAGS = sql`array(
  select tag.name from subscriber_tags st join tags tag on tag.account_id = st.account_id and tag.id = st.tag_id
  where st.account_id = t.account_id and st.subscriber_id = t.id order by tag.name_key) as tags`;

/** Values are stored by slot; one whose field was deleted has no name any more. */
function nameValues(fields: readonly { slot: number; key: string }[], slots: Row): Row {
  const named: Row = {};
  for (const { slot, key } of fields) {
    const value = slots[slot];
    if (value !== undefined && value !== null) named[key] = value;
  }
  return named;
}

export const audienceTables: readonly TableOfAccount[] = [
  leftOut(
    "contacts",
    "a contact is an id and a keyed hash of an address; its id stands in whatever is about it",
  ),
  exported("tags", "tag", "id:tag name created_at", { name_key: COMPARED }),
  exported("fields", "field", "id:fld key name type created_at updated_at deleted_at updated_by", {
    slot: "values stand under the field's key instead",
  }),
  exported(
    "topics",
    "topic",
    "id:top name description is_default created_at updated_at deleted_at updated_by",
  ),
  exported(
    "lists",
    "list",
    `id:lst name from_name from_email reply_to postal_address double_opt_in is_public tracking archive_slug archive_indexed
     welcome_template_id:tpl is_sample created_at updated_at deleted_at updated_by`,
  ),
  leftOut("list_counts", "they are the numbers of the subscribers"),
  exported("list_growth", "list_growth", "list_id:lst at gained lost", {
    shard: "several rows share a number, so that nobody waits for another",
  }),
  exported("segments", "segment", "id:seg name list_id:lst rules created_at updated_at updated_by"),
  exported(
    "recipient_segments",
    "recipient_segment",
    `segment_id:seg campaign_id:cmp tag_id:tag tag_name event include_machines processed tagged created_at updated_at completed_at`,
    { after: "it says how far the work is" },
  ),
  exported(
    "subscribers",
    "subscriber",
    `id:sub email list_id:lst contact_id:con first_name last_name locale time_zone status status_reason source consented_at
     confirmed_at unsubscribed_at tracking_consent tracking_consent_at created_at updated_at updated_by`,
    { email_key: COMPARED, fields: "the values stand under the names of their fields" },
    {
      select: sql`t.fields, ${TAGS}`,
      // A list whose delete is under way is gone for everybody; a job takes its subscribers away.
      where: (accountId) => sql`t.list_id <> all(array(
        select id from lists gone where gone.account_id = ${accountId} and gone.deleted_at is not null))`,
      async finish({ db, accountId }) {
        const fields = await db.many<{ slot: number; key: string }>(sql`
          select slot, key from fields where account_id = ${accountId} and deleted_at is null`);
        return (row) => ({ tags: row["tags"], fields: nameValues(fields, row["fields"] as Row) });
      },
    },
  ),
  leftOut("subscriber_tags", "each subscriber has its tags"),
  exported(
    "consents",
    "consent",
    "id subscriber_id:sub action attested source wording ip given_at actor_kind actor_id created_at",
  ),
  exported(
    "confirmations",
    "confirmation",
    "id subscriber_id:sub contact_id:con requested_at sent_at form_id:frm locale after_url topic_ids:top[]",
  ),
  exported(
    "suppressions",
    "suppression",
    "id:sup contact_id:con email domain reason source streams asked_reason asked_source created_at updated_at",
    { former: FORMER },
  ),
  exported("opt_outs", "opt_out", "contact_id:con list_id:lst reason source created_at", { former: FORMER }),
  exported("topic_choices", "topic_choice", "contact_id:con topic_id:top is_on was_on reason source at"),
  exported(
    "sunset_policies",
    "sunset_policy",
    "list_id:lst days mails grace_days paused_at created_at updated_at",
  ),
  exported("dormancies", "dormancy", "subscriber_id:sub list_id:lst state marked_at changed_at"),
  exported("contact_pauses", "contact_pause", "contact_id:con until"),
  exported("tracking_withdrawals", "tracking_withdrawal", "contact_id:con list_id:lst created_at"),
  exported("reached_addresses", "reached_address", "contact_id:con at"),
  exported("soft_bounces", "soft_bounce", "contact_id:con source_id message_id at"),
  leftOut("preference_links", "they are links that were mailed to people, each good for an hour"),
  leftOut("subscriber_mails", "they keep a mail to a subscriber from being sent twice"),
  exported(
    "contact_engagements",
    "contact_engagement",
    "contact_id:con last_open_at last_human_open_at last_click_at last_human_click_at last_prefetch_at",
  ),
  exported(
    "custom_events",
    "custom_event",
    "id:cev subscriber_id:sub name key properties occurred_at created_at",
  ),
  leftOut("custom_event_keys", "each custom event has its key"),
  exported(
    "forms",
    "form",
    `id:frm name list_id:lst topic_ids:top[] fields double_opt_in locale texts redirect_url tags checks status version created_at updated_at
     updated_by`,
  ),
  leftOut("form_submissions", "they wait for a job for some seconds, and are subscribers then"),
  leftOut("form_limits", "they count what networks send in, by keyed hashes"),
  leftOut("form_proofs", "they keep a proof of work from being used twice"),
  exported(
    "imports",
    "import",
    `id:imp list_id:lst status dry_run file_name file_bytes options columns total created updated skipped failed removed opted_out
     suppressed checked warnings error_code error_detail actor_kind actor_id created_at updated_at started_at finished_at`,
    { position: "it says how far the work is", rows_per_second: "it says how far the work is" },
  ),
  exported(
    "import_errors",
    "import_error",
    "import_id:imp row_number column_name code detail cells result reasons suggestion",
    {
      address_hash: "an erasure finds the row by it",
    },
  ),
  leftOut("import_dry_rows", "they are keyed hashes, for the time of a dry run"),
  exported(
    "exports",
    "export",
    `id:exp resource list_id:lst segment_id:seg campaign_id:cmp event include_machines created_at
     updated_at expires_at`,
  ),
  exported(
    "bulk_changes",
    "bulk_change",
    `id:blk status filter action total changed skipped failed undone error_code error_detail actor_kind actor_id created_at
     updated_at started_at finished_at`,
    { position: "it says how far the work is" },
  ),
  leftOut("bulk_change_rows", "they say what a bulk change did to each, for when it is taken back"),
];
