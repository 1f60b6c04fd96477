// Made by `npm run client-types` from the OpenAPI document. Don't edit it: `npm run check` compares.

import type { CampaignCheck } from "./sending.ts";

export type CampaignSummary = { object: "campaign"; id: string; name: string; list_id: string; segment_id: string | null; topic_id: string | null; subject: string; preview_text: string | null; from_name: string | null; from_email: string | null; reply_to: string | null; tracking: { opens: boolean; clicks: boolean }; utm: { source: string | null; medium: string | null; campaign: string | null; term: string | null; content: string | null } | null; status: "draft" | "scheduled" | "sending" | "paused" | "sent" | "canceled" | "failed"; paused_from: "scheduled" | "sending" | null; pause_reason: string | null; status_reason: string | null; send_at: string | null; started_at: string | null; finished_at: string | null; archived_at: string | null; progress: { phase: "planning" | "sending" | "retrying" | null; total: number; done: number; remaining: number; per_second: number | null; eta: string | null }; allowed_actions: readonly ("update" | "delete" | "send" | "schedule" | "unschedule" | "pause" | "resume" | "cancel" | "duplicate")[]; on_ambiguous: "resend" | "hold"; archive: boolean; created_at: string; updated_at: string; updated_by: { kind: "user" | "api_key" | "import" | "system"; id: string | null; name: string | null } | null; stats?: { recipients: number; queued: number; sent: number; delivered: number; deferred: number; failed: number; unknown: number; skipped: { suppressed: number; unsubscribed: number; invalid: number; canceled: number; deleted: number; total: number }; bounces: { hard: number; soft: number; block: number; total: number }; complaints: number; unsubscribes: number; opens: { total: number; machine_total: number; unique: number | null; machine_unique: number | null; human_unique: number | null }; clicks: { total: number; machine_total: number; unique: number | null; machine_unique: number | null; human_unique: number | null }; tracking: "individual" | "consented" | "aggregate" | "off" | null; rates: { delivery: number; bounce: number; unsubscribe: number; complaint: number; open: number | null; click: number | null; click_to_open: number | null }; first_open_at: string | null; last_open_at: string | null; last_click_at: string | null } | null };

export type CampaignPage = { object: "list"; data: readonly (CampaignSummary)[]; has_more: boolean; next_cursor: string | null; total?: number };

export type CampaignCreate = { name: string; list_id: string; subject: string; html?: string | null; mjml?: string | null; template_id?: string | null; text?: string | null; preview_text?: string | null; from_name?: string | null; from_email?: string | null; reply_to?: string | null; segment_id?: string | null; topic_id?: string | null; tracking?: { opens?: boolean; clicks?: boolean }; utm?: { source?: string | null; medium?: string | null; campaign?: string | null; term?: string | null; content?: string | null } | null; on_ambiguous?: "resend" | "hold"; archive?: boolean };

export type Campaign = { object: "campaign"; id: string; name: string; list_id: string; segment_id: string | null; topic_id: string | null; subject: string; preview_text: string | null; from_name: string | null; from_email: string | null; reply_to: string | null; tracking: { opens: boolean; clicks: boolean }; utm: { source: string | null; medium: string | null; campaign: string | null; term: string | null; content: string | null } | null; status: "draft" | "scheduled" | "sending" | "paused" | "sent" | "canceled" | "failed"; paused_from: "scheduled" | "sending" | null; pause_reason: string | null; status_reason: string | null; send_at: string | null; started_at: string | null; finished_at: string | null; archived_at: string | null; progress: { phase: "planning" | "sending" | "retrying" | null; total: number; done: number; remaining: number; per_second: number | null; eta: string | null }; allowed_actions: readonly ("update" | "delete" | "send" | "schedule" | "unschedule" | "pause" | "resume" | "cancel" | "duplicate")[]; on_ambiguous: "resend" | "hold"; archive: boolean; created_at: string; updated_at: string; updated_by: { kind: "user" | "api_key" | "import" | "system"; id: string | null; name: string | null } | null; html: string | null; mjml: string | null; template_id: string | null; template_version: number | null; text: string | null; checks: readonly (CampaignCheck)[] };

export type CampaignCounts = { object: "campaign_counts"; total: number; draft: number; scheduled: number; sending: number; paused: number; sent: number; canceled: number; failed: number };

export type CampaignVersionSummary = { object: "campaign_version"; campaign_id: string; number: number; subject: string; restored_from: number | null; actor: { kind: "api_key" | "user" | "system"; id: string | null; name: string | null }; created_at: string; updated_at: string };

export type CampaignVersionPage = { object: "list"; data: readonly (CampaignVersionSummary)[]; has_more: boolean; next_cursor: string | null; total?: number };

export type CampaignVersion = { object: "campaign_version"; campaign_id: string; number: number; subject: string; restored_from: number | null; actor: { kind: "api_key" | "user" | "system"; id: string | null; name: string | null }; created_at: string; updated_at: string; name: string; preview_text: string | null; from_name: string | null; from_email: string | null; reply_to: string | null; html: string | null; mjml: string | null; text: string | null; tracking: { opens: boolean; clicks: boolean }; utm: { source: string | null; medium: string | null; campaign: string | null; term: string | null; content: string | null } | null };

export type CampaignPatch = { name?: string; list_id?: string; subject?: string; html?: string | null; mjml?: string | null; template_id?: string | null; text?: string | null; preview_text?: string | null; from_name?: string | null; from_email?: string | null; reply_to?: string | null; segment_id?: string | null; topic_id?: string | null; tracking?: { opens?: boolean; clicks?: boolean }; utm?: { source?: string | null; medium?: string | null; campaign?: string | null; term?: string | null; content?: string | null } | null; on_ambiguous?: "resend" | "hold"; archive?: boolean };

export type CampaignSend = { undo_seconds?: number };

export type CampaignSchedule = { send_at: string };

export type CampaignResume = { if_elapsed?: "refuse" | "send_now" };

export type CampaignStats = { object: "campaign_stats"; campaign_id: string; status: "draft" | "scheduled" | "sending" | "paused" | "sent" | "canceled" | "failed"; as_of: string; recipients: number; queued: number; sent: number; delivered: number; deferred: number; failed: number; unknown: number; skipped: { suppressed: number; unsubscribed: number; invalid: number; canceled: number; deleted: number; total: number }; bounces: { hard: number; soft: number; block: number; total: number }; complaints: number; unsubscribes: number; opens: { total: number; machine_total: number; unique: number | null; machine_unique: number | null; human_unique: number | null }; clicks: { total: number; machine_total: number; unique: number | null; machine_unique: number | null; human_unique: number | null }; tracking: "individual" | "consented" | "aggregate" | "off" | null; rates: { delivery: number; bounce: number; unsubscribe: number; complaint: number; open: number | null; click: number | null; click_to_open: number | null }; first_open_at: string | null; last_open_at: string | null; last_click_at: string | null; top_links: readonly ({ url: string; clicks: number })[] };

export type CampaignAudience = { object: "campaign_audience"; campaign_id: string; on_list: number; excluded: readonly ({ rule: string; count: number })[]; will_get: number };

export type CampaignChecks = { object: "campaign_checks"; campaign_id: string; blocks_send: boolean; checks: readonly (CampaignCheck)[] };

export type CampaignPreviewInput = { subscriber_id?: string | null; sketch?: boolean; name?: string; list_id?: string; subject?: string; html?: string | null; mjml?: string | null; template_id?: string | null; text?: string | null; preview_text?: string | null; from_name?: string | null; from_email?: string | null; reply_to?: string | null; segment_id?: string | null; topic_id?: string | null; tracking?: { opens?: boolean; clicks?: boolean }; utm?: { source?: string | null; medium?: string | null; campaign?: string | null; term?: string | null; content?: string | null } | null; on_ambiguous?: "resend" | "hold"; archive?: boolean };

export type CampaignPreview = { object: "campaign_preview"; campaign_id: string; subscriber_id: string | null; from: { name: string | null; email: string }; reply_to: string | null; subject: string; preview_text: string | null; html: string | null; text: string | null };

export type CampaignTestInput = { to: readonly (string)[]; subscriber_id?: string | null };

export type CampaignTest = { object: "campaign_test"; campaign_id: string; to: readonly (string)[] };

export type CampaignResend = { object: "campaign_resend"; campaign_id: string; sent: number; engaged: number; will_get: number; unseen: number; gone: number };

export type CampaignRecipient = { object: "campaign_recipient"; id: string; subscriber_id: string | null; email: string | null; status: "ready" | "inflight" | "sent" | "deferred" | "failed" | "skipped" | "unknown" | null; reason: string | null; attempts: number | null; reply: { code?: number | null; text?: string | null } | null; event: { type?: "sent" | "failed" | "unknown" | "skipped" | "bounced" | "opened" | "clicked" | "complained" | "unsubscribed"; at?: string; times?: number; human?: boolean } | null; created_at: string; updated_at: string };

export type CampaignRecipientPage = { object: "list"; data: readonly (CampaignRecipient)[]; has_more: boolean; next_cursor: string | null; total?: number };

export type RecipientSegmentCreate = { name: string; event: "sent" | "failed" | "unknown" | "skipped" | "bounced" | "opened" | "clicked" | "complained" | "unsubscribed"; include_machines: boolean };

export type RecipientSegment = { object: "recipient_segment"; campaign_id: string; segment_id: string; tag: string; event: "sent" | "failed" | "unknown" | "skipped" | "bounced" | "opened" | "clicked" | "complained" | "unsubscribed"; include_machines: boolean; status: "running" | "completed"; counts: { processed: number; tagged: number }; created_at: string; updated_at: string; completed_at: string | null };

export type SendingStats = { object: "sending_stats"; since: string; as_of: string; recipients: number; queued: number; sent: number; delivered: number; failed: number; unknown: number; bounces: { hard: number; soft: number; block: number; total: number }; complaints: number; unsubscribes: number; rates: { delivery: number; hard_bounce: number; complaint: number } };

export type CampaignDomains = { object: "campaign_domains"; campaign_id: string; as_of: string; data: readonly ({ domain: string; recipients: number; queued: number; sent: number; delivered: number; deferred: number; failed: number; unknown: number; skipped: number; bounces: { hard: number; soft: number; block: number; total: number }; complaints: number; opens: { total: number; machine_total: number; unique: number | null; machine_unique: number | null; human_unique: number | null }; clicks: { total: number; machine_total: number; unique: number | null; machine_unique: number | null; human_unique: number | null }; rates: { delivery: number; bounce: number; complaint: number; open: number | null; click: number | null; click_to_open: number | null } })[]; other: { recipients: number; queued: number; sent: number; delivered: number; deferred: number; failed: number; unknown: number; skipped: number; bounces: { hard: number; soft: number; block: number; total: number }; complaints: number; opens: { total: number; machine_total: number; unique: number | null; machine_unique: number | null; human_unique: number | null }; clicks: { total: number; machine_total: number; unique: number | null; machine_unique: number | null; human_unique: number | null }; rates: { delivery: number; bounce: number; complaint: number; open: number | null; click: number | null; click_to_open: number | null } } };

export type CampaignErrors = { object: "campaign_errors"; campaign_id: string; as_of: string; counted: number; data: readonly ({ status: "deferred" | "failed" | "unknown"; reason: string; bounce: "hard" | "soft" | "block" | null; count: number; next_try_at: string | null; domains: readonly ({ domain: string | null; count: number; reply: { code: number | null; text: string | null; count: number } })[]; replies: readonly ({ code: number | null; text: string | null; count: number })[] })[] };

export type CampaignLinks = { object: "campaign_links"; campaign_id: string; as_of: string; data: readonly ({ url: string; text: string | null; position: number; total: number; unique: number | null; human: number | null; machine: number; positions: readonly ({ text: string | null; position: number; total: number; unique: number | null; human: number | null; machine: number })[] })[] };

export type CampaignComparison = { object: "campaign_comparison"; campaign_id: string; as_of: string; basis: "list" | "account" | null; compared_with: readonly ({ campaign_id: string; launched_at: string })[]; data: readonly ({ rate: "open" | "click" | "unsubscribe" | "bounce"; value: number; band: { from: number; to: number }; lowest: number; highest: number; average: number; standing: "usual" | "higher" | "lower" | "early"; since: string | null })[] };

export type CampaignTimeseries = { object: "campaign_timeseries"; campaign_id: string; interval: "hour" | "day"; time_zone: string; as_of: string; data: readonly ({ start: string; end: string; sent: number; failed: number; unknown: number; skipped: number; bounces: { hard: number; soft: number; block: number; total: number }; unsubscribes: number; opens: number; clicks: number; machine_opens: number; machine_clicks: number })[]; has_more: boolean };

export type CampaignsOperations = {
  /** List campaigns */
  "GET /v1/campaigns": {
    path: undefined;
    query: { list_id?: string; q?: string; archived?: boolean; created_after?: string; created_before?: string; updated_after?: string; updated_before?: string; send_at_after?: string; send_at_before?: string; status?: readonly ("draft" | "scheduled" | "sending" | "paused" | "sent" | "canceled" | "failed")[]; include_stats?: boolean; sort?: string; limit?: number; cursor?: string; include_total?: boolean };
    body: undefined;
    answer: CampaignPage;
  };
  /** Make a campaign */
  "POST /v1/campaigns": {
    path: undefined;
    query: undefined;
    body: CampaignCreate;
    answer: Campaign;
  };
  /** Count campaigns by status */
  "GET /v1/campaigns/counts": {
    path: undefined;
    query: { list_id?: string; q?: string; archived?: boolean; created_after?: string; created_before?: string; updated_after?: string; updated_before?: string; send_at_after?: string; send_at_before?: string };
    body: undefined;
    answer: CampaignCounts;
  };
  /** List a campaign's versions */
  "GET /v1/campaigns/{id}/versions": {
    path: { id: string };
    query: { limit?: number; cursor?: string; include_total?: boolean };
    body: undefined;
    answer: CampaignVersionPage;
  };
  /** Get a version of a campaign */
  "GET /v1/campaigns/{id}/versions/{number}": {
    path: { id: string; number: string };
    query: undefined;
    body: undefined;
    answer: CampaignVersion;
  };
  /** Restore a version of a campaign */
  "POST /v1/campaigns/{id}/versions/{number}/restore": {
    path: { id: string; number: string };
    query: undefined;
    body: undefined;
    answer: Campaign;
  };
  /** Get a campaign */
  "GET /v1/campaigns/{id}": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: Campaign;
  };
  /** Change a campaign */
  "PATCH /v1/campaigns/{id}": {
    path: { id: string };
    query: undefined;
    body: CampaignPatch;
    answer: Campaign;
  };
  /** Delete a draft */
  "DELETE /v1/campaigns/{id}": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: undefined;
  };
  /** Copy a campaign */
  "POST /v1/campaigns/{id}/duplicate": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: Campaign;
  };
  /** Send a campaign */
  "POST /v1/campaigns/{id}/send": {
    path: { id: string };
    query: undefined;
    body: CampaignSend | undefined;
    answer: Campaign;
  };
  /** Schedule a campaign */
  "POST /v1/campaigns/{id}/schedule": {
    path: { id: string };
    query: undefined;
    body: CampaignSchedule;
    answer: Campaign;
  };
  /** Take a campaign off the schedule */
  "POST /v1/campaigns/{id}/unschedule": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: Campaign;
  };
  /** Pause a campaign */
  "POST /v1/campaigns/{id}/pause": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: Campaign;
  };
  /** Resume a campaign */
  "POST /v1/campaigns/{id}/resume": {
    path: { id: string };
    query: undefined;
    body: CampaignResume | undefined;
    answer: Campaign;
  };
  /** Cancel a campaign */
  "POST /v1/campaigns/{id}/cancel": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: Campaign;
  };
  /** Get a campaign's statistics */
  "GET /v1/campaigns/{id}/stats": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: CampaignStats;
  };
  /** Watch a campaign */
  "GET /v1/campaigns/{id}/progress": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: unknown;
  };
  /** See who would get a campaign */
  "GET /v1/campaigns/{id}/audience": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: CampaignAudience;
  };
  /** Check a campaign */
  "GET /v1/campaigns/{id}/checks": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: CampaignChecks;
  };
  /** Preview a campaign */
  "POST /v1/campaigns/{id}/preview": {
    path: { id: string };
    query: undefined;
    body: CampaignPreviewInput | undefined;
    answer: CampaignPreview;
  };
  /** Send a test */
  "POST /v1/campaigns/{id}/test": {
    path: { id: string };
    query: undefined;
    body: CampaignTestInput;
    answer: CampaignTest;
  };
  /** Show what a campaign sent */
  "GET /v1/campaigns/{id}/html": {
    path: { id: string };
    query: { subscriber_id?: string; part?: "html" | "text"; clicks?: boolean; pictures?: "own" | "all" };
    body: undefined;
    answer: unknown;
  };
  /** See who neither opened nor clicked */
  "GET /v1/campaigns/{id}/resend": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: CampaignResend;
  };
  /** Make a draft for those who neither opened nor clicked */
  "POST /v1/campaigns/{id}/resend": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: Campaign;
  };
  /** List a campaign's recipients */
  "GET /v1/campaigns/{id}/recipients": {
    path: { id: string };
    query: { status?: "ready" | "inflight" | "sent" | "deferred" | "failed" | "skipped" | "unknown"; reason?: string; domain?: string; event?: "sent" | "failed" | "unknown" | "skipped" | "bounced" | "opened" | "clicked" | "complained" | "unsubscribed"; include_machines?: boolean; email?: string; limit?: number; cursor?: string; include_total?: boolean };
    body: undefined;
    answer: CampaignRecipientPage;
  };
  /** Download a campaign's recipients */
  "GET /v1/campaigns/{id}/recipients/download": {
    path: { id: string };
    query: { status?: "ready" | "inflight" | "sent" | "deferred" | "failed" | "skipped" | "unknown"; reason?: string; domain?: string };
    body: undefined;
    answer: unknown;
  };
  /** Make a segment of recipients */
  "POST /v1/campaigns/{id}/recipients/segments": {
    path: { id: string };
    query: undefined;
    body: RecipientSegmentCreate;
    answer: RecipientSegment;
  };
  /** See how far the making of a segment is */
  "GET /v1/campaigns/{id}/recipients/segments/{segment_id}": {
    path: { id: string; segment_id: string };
    query: undefined;
    body: undefined;
    answer: RecipientSegment;
  };
  /** Get the statistics of all recent campaigns */
  "GET /v1/stats/sending": {
    path: undefined;
    query: { days?: number; sandbox?: boolean };
    body: undefined;
    answer: SendingStats;
  };
  /** Get a campaign's statistics by domain */
  "GET /v1/campaigns/{id}/stats/domains": {
    path: { id: string };
    query: { limit?: number };
    body: undefined;
    answer: CampaignDomains;
  };
  /** Get a campaign's errors by reason */
  "GET /v1/campaigns/{id}/stats/errors": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: CampaignErrors;
  };
  /** Get a campaign's clicks by link */
  "GET /v1/campaigns/{id}/stats/links": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: CampaignLinks;
  };
  /** Compare a campaign with the last ones */
  "GET /v1/campaigns/{id}/stats/comparison": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: CampaignComparison;
  };
  /** Get a campaign's statistics by time */
  "GET /v1/campaigns/{id}/stats/timeseries": {
    path: { id: string };
    query: { interval?: "hour" | "day"; time_zone?: string; from?: string; to?: string };
    body: undefined;
    answer: CampaignTimeseries;
  };
};
