/** The account itself, its people and keys, and what they have set up. */
import { sql } from "../../platform/db/db.ts";
import { exported, leftOut, type TableOfAccount } from "./table.ts";

const HASH = "it is a hash of a secret";
const SECRET = "it is a secret";
const COMPARED = "it is another column in the form that is compared";
const LEASE = "it says which process is at work on it";
const SCHEDULE = "it says when a process looks at it next";

/** Those who are invited and haven't joined are shown by the address that the account typed, as everywhere. */
const ADDRESS = sql`case when t.joined_at is null then t.invited_as else p.email end as email, p.last_signed_in_at`;

export const settingsTables: readonly TableOfAccount[] = [
  exported(
    "accounts",
    "account",
    `account_id:acc name time_zone locale from_name from_email reply_to postal_address tracking honeypot_link require_two_factor
     brand_colour logo_file_id:fil blocks_style guardrails bounces checklist_dismissed checklist_skipped daily_mail_limit subscriber_limit created_at
     updated_at updated_by`,
  ),
  exported("account_holds", "account_hold", "kind stops since reason"),
  exported("account_probations", "account_probation", "began_at ended_at reviewed_at"),
  exported("account_days", "account_day", "day allowed probation_allowed operator_allowed drawn", {
    granted: "it is what the last draw got",
    is_warned: "it keeps a warning from being told twice",
  }),
  exported(
    "billing_subscriptions",
    "plan_subscription",
    "id:pls plan_id:pln is_default terms time_zone started_at anchor spending_cap tax_label tax_rate next_at next_plan_id:pln next_terms next_spending_cap next_tax_label next_tax_rate ended_at created_at updated_at",
    { statement_due_at: "it says when a job looks again" },
  ),
  exported(
    "billing_statements",
    "statement",
    "id:sta subscription_id:pls period_from period_to currency bill overage total spent_amount spent_mails closed_at",
  ),
  exported(
    "billing_statement_sources",
    "statement_source",
    "statement_id:sta of_statement_id:sta stream kind owner_id name accepted sent_in_all",
  ),
  exported(
    "billing_terms",
    "subscription_terms",
    "subscription_id:pls from_at plan_id:pln terms spending_cap tax_label tax_rate",
    { n: "it says which of two rows is later" },
  ),
  exported("billing_credits", "credit", "id:crd amount currency mails reason reverses:crd created_at", {
    operator_id: "an operator is nobody of the account",
  }),
  leftOut("plan_limits", "they follow from the subscription"),
  leftOut("allowance_notices", "they keep it from being told twice that mails are used up"),
  leftOut("allowance_grants", "they say what is being sent at this moment"),
  leftOut("allowance_periods", "they follow from the subscription"),
  leftOut("allowances", "they follow from the subscription"),
  exported(
    "billing_stripe_customers",
    "stripe_customer",
    `customer_id livemode stripe_account missing_as subscription_id plan_subscription_id:pls status cancels_at past_due_since grace_until created_at
     updated_at`,
    {
      looks: LEASE,
      looked_at: SCHEDULE,
      overdue_steps: "it keeps what follows an unpaid invoice from being done twice",
      stripe_anchor: "it says whether a plan has begun a period of its own",
    },
  ),
  exported(
    "billing_stripe_former_customers",
    "former_stripe_customer",
    "customer_id livemode stripe_account missing_as subscription_id plan_subscription_id:pls status cancels_at replaced_at",
    { stripe_anchor: "it says whether a plan has begun a period of its own" },
  ),
  exported(
    "billing_stripe_followers",
    "stripe_subscription",
    "plan_subscription_id:pls subscription_id customer_id",
  ),
  exported(
    "billing_overage_items",
    "overage_item",
    "statement_id:sta customer_id amount currency intended_at item_id made_at",
    { claimed_until: LEASE },
  ),
  leftOut(
    "billing_stripe_events",
    "it says what Stripe is to be asked about, and what came of that is in the other tables",
  ),
  exported(
    "billing_invoices",
    "invoice",
    `id:ivc stripe_id number status currency total amount_due amount_paid hosted_invoice_url invoice_pdf period_from period_to created_at
     updated_at`,
  ),
  exported("account_standings", "account_standing", "counted_from"),
  exported("account_deletions", "account_deletion", "requested_at requested_by due_at started_at", {
    deleted_at: "nobody exports an account that is gone",
    swept_at: "nobody exports an account that is gone",
  }),
  exported(
    "users",
    "user",
    "id:usr name role notices by_sso joined_at invited_as invitation_expires_at created_at updated_at updated_by",
    {
      person_id: "the address of the person is there in its place",
      visit_until: "an operator is nobody of the account",
    },
    {
      join: sql`join people p on p.id = t.person_id`,
      where: () => sql`t.visit_until is null`,
      select: ADDRESS,
      finish: async () => (row) => ({
        email: row["email"],
        last_signed_in_at: row["joined_at"] === null ? null : row["last_signed_in_at"],
      }),
    },
  ),
  exported("account_visits", "account_visit", "id:vis reason created_at expires_at", {
    person_id: "an operator is nobody of the account",
  }),
  leftOut("user_links", "they are links that set passwords, of which hashes are kept"),
  exported(
    "api_keys",
    "api_key",
    `id:key name scopes hint unlimited allowed_networks last_used_at expires_at previous_until made_by:usr previous_made_by:usr revoked_at created_at updated_at updated_by`,
    { secret_hash: HASH, previous_hash: HASH },
  ),
  exported(
    "files",
    "file",
    "id:fil name content_type bytes width height content:base64 created_at updated_at",
    {},
    {
      rowsAtOnce: 1,
    },
  ),
  leftOut("file_totals", "they are the sums of the files"),
  exported("page_words", "page_words", "locale texts updated_at"),
  leftOut("public_names", "they are names of lists and domains, which have them too"),
  exported(
    "transports",
    "transport",
    `id:trn name host port tls verify_certificate username ehlo_name max_connections rate_per_second max_per_day size_limit version
     tested_at test_ok test_phase test_code test_text out_since out_reason out_detail out_tries next_try_at back_at created_at
     updated_at updated_by`,
    { password: SECRET },
  ),
  exported("transport_streams", "transport_stream", "stream place transport_id:trn"),
  exported(
    "transport_addresses",
    "transport_address",
    "transport_id:trn address helo first_seen_at last_seen_at",
  ),
  exported(
    "warmup_plans",
    "warmup_plan",
    "transport_id:trn start_per_day growth target_per_day paused_at began_at updated_at",
  ),
  exported(
    "transport_days",
    "transport_day",
    "transport_id:trn day provider allowed reserved drawn drawn_urgent hard deferred complained plan_began_at",
    { granted: "it is what the last of the senders' draws was granted" },
  ),
  leftOut("transport_rates", "they say when a server may be given the next mail"),
  leftOut("provider_reports", "they are counted for an hour, and what came back is exported as such"),
  leftOut("provider_closings", "they say for a few hours to which mailboxes nothing is sent"),
  exported(
    "domains",
    "domain",
    `id:dom name status return_path tracking_host return_path_ok tracking_ok tracking_cname_ok ed25519 version verified_at
     failing_since records dns_host checked_at created_at updated_at updated_by`,
    {
      keys_version: "senders compare it to know whether their keys are old",
      looks: SCHEDULE,
      next_check_at: SCHEDULE,
      watched_until: SCHEDULE,
      verify_asked_at: SCHEDULE,
      leased_by: LEASE,
      leased_until: LEASE,
    },
  ),
  exported(
    "domain_keys",
    "domain_key",
    `id:dmk domain_id:dom algorithm selector state public_record seen_at activated_at retiring_since created_at`,
    { private_key: SECRET },
  ),
  exported(
    "webhooks",
    "webhook",
    `id:whk url events description include ordered batch_engagement is_enabled disabled_reason disabled_at previous_until version
     failing_since delivered_at created_at updated_at updated_by`,
    {
      secret: SECRET,
      previous_secret: SECRET,
      leased_by: LEASE,
      leased_until: LEASE,
      ...Object.fromEntries(
        [
          ...["xid", "event_id", "begins_xid", "begins_running", "replay_xid", "replay_event_id"],
          ...["replay_until_xid", "replay_since", "replay_until", "replay_types", "replay_started_at"],
          "replay_count",
        ].map((name) => [name, "it says how far the log was read for it"]),
      ),
    },
  ),
  exported(
    "webhook_deliveries",
    "webhook_delivery",
    "id:whd webhook_id:whk event_ids:evt[] message_id type origin state attempts next_attempt_at",
    { answer: "it is what somebody else's server answered, and may be anything" },
    { rowsAtOnce: 500 },
  ),
  leftOut("things_in_use", "they say what automations depend on, as their versions do"),
  leftOut("kept_events", "they say which types of event webhooks want, as the webhooks do"),
  exported(
    "inbound_endpoints",
    "inbound_endpoint",
    "id:iep provider name topic_arn received_at refused_at refused_why previous_until created_at updated_at",
    { token_hash: HASH, previous_hash: HASH, secret: SECRET },
  ),
  leftOut("inbound_nonces", "they keep a provider's message from being taken twice"),
  exported(
    "mailboxes",
    "mailbox",
    `id:mbx name host port tls username folder after is_paused version last_checked_at failures is_failing error_code error_text
     error_at count_taken count_left count_cut created_at updated_at updated_by`,
    {
      password: SECRET,
      uid_validity: "it says how far the mailbox was read",
      last_uid: "it says how far the mailbox was read",
      restarted_at: "it says how far the mailbox was read",
      to_settle: "it says how far the mailbox was read",
      leased_by: LEASE,
      leased_until: LEASE,
      next_check_at: SCHEDULE,
    },
  ),
  exported(
    "alerts",
    "alert",
    `id:alr kind subject status severity title detail remedy data acknowledged_at closed_at created_at updated_at`,
    { state_key: "alerts are compared by it" },
  ),
  exported(
    "sections",
    "section",
    "id:sec name blocks created_at updated_at updated_by",
    { name_key: COMPARED },
    {
      rowsAtOnce: 50,
    },
  ),
  exported(
    "templates",
    "template",
    `id:tpl name subject preview_text html mjml blocks text variables draft_version published_version published_at created_at
     updated_at updated_by`,
    {
      name_key: COMPARED,
      digest: "drafts are compared by it",
      published_digest: "drafts are compared by it",
    },
    { rowsAtOnce: 20 },
  ),
  exported(
    "template_versions",
    "template_version",
    "template_id:tpl number subject preview_text html mjml blocks text variables actor_kind actor_id created_at",
    { compiled: "it is made from the rest", digest: "it is made from the rest" },
    { rowsAtOnce: 20 },
  ),
];
