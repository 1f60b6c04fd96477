// Made by `npm run client-types` from the OpenAPI document. Don't edit it: `npm run check` compares.

export type Visit = { object: "visit"; id: string; account_id: string; reason: string; expires_at: string; created_at: string; updated_at: string };

export type VisitPage = { object: "list"; data: readonly (Visit)[]; has_more: boolean; next_cursor: string | null; total?: number };

export type Event = { object: "event"; id: string; type: "account.created" | "account.updated" | "account.deletion_requested" | "account.deletion_canceled" | "account.suspended" | "account.reinstated" | "account.payment_overdue" | "account.payment_settled" | "api_key.created" | "api_key.updated" | "api_key.revoked" | "invitation.created" | "invitation.deleted" | "user.created" | "user.updated" | "user.deleted" | "user.signed_in" | "user.password_changed" | "user.factor_added" | "user.factor_removed" | "user.recovery_code_used" | "user.sign_in_refused" | "list.created" | "list.updated" | "list.deleted" | "field.created" | "field.updated" | "field.deleted" | "topic.created" | "topic.updated" | "topic.deleted" | "subscriber.created" | "subscriber.updated" | "subscriber.deleted" | "subscriber.confirmed" | "subscriber.unsubscribed" | "subscriber.resubscribed" | "subscriber.suppressed" | "subscriber.unsuppressed" | "subscriber.tag_added" | "subscriber.tag_removed" | "subscriber.topics_changed" | "subscriber.event_tracked" | "subscriber.imported" | "subscriber.dormant" | "subscriber.woken" | "import.completed" | "import.failed" | "bulk_change.completed" | "bulk_change.failed" | "bulk_change.canceled" | "bulk_change.undone" | "campaign.created" | "campaign.updated" | "campaign.deleted" | "campaign.scheduled" | "campaign.unscheduled" | "campaign.sending" | "campaign.paused" | "campaign.warned" | "campaign.resumed" | "campaign.sent" | "campaign.canceled" | "campaign.failed" | "quota.threshold_reached" | "email.queued" | "email.sent" | "email.delivered" | "email.deferred" | "email.bounced" | "email.complained" | "email.failed" | "email.opened" | "email.clicked" | "form.created" | "form.updated" | "form.deleted" | "bounces.held" | "bounces.released" | "bounces.dismissed" | "template.created" | "template.updated" | "template.published" | "template.deleted" | "automation.created" | "automation.updated" | "automation.deleted" | "automation.published" | "automation.started" | "automation.paused" | "automation.resumed" | "automation.drained" | "automation.canceled" | "automation.archived" | "automation.entries_limited" | "automation.mail_stopped" | "automation.webhook_failed" | "automation.enrollment_completed" | "automation.enrollment_failed" | "section.created" | "section.updated" | "section.deleted" | "transport.created" | "transport.updated" | "transport.deleted" | "transport.put_out" | "transport.reinstated" | "transport_pool.updated" | "inbound_endpoint.created" | "inbound_endpoint.rotated" | "inbound_endpoint.deleted" | "inbound.mailbox_created" | "inbound.mailbox_updated" | "inbound.mailbox_deleted" | "inbound.mailbox_failing" | "inbound.mailbox_recovered" | "alert.opened" | "alert.acknowledged" | "alert.closed" | "domain.created" | "domain.updated" | "domain.deleted" | "domain.verified" | "domain.failing" | "domain.unverified" | "domain.key_rotated" | "webhook.created" | "webhook.updated" | "webhook.deleted" | "webhook.secret_rotated" | "webhook.enabled" | "webhook.disabled" | "webhook.replay_started" | "file.created" | "file.deleted"; timestamp: string; account_id: string; actor: { kind: "api_key" | "user" | "system"; id: string | null }; data: Record<string, unknown>; created_at: string; updated_at: string };

export type EventPage = { object: "list"; data: readonly (Event)[]; has_more: boolean; next_cursor: string | null; total?: number };

export type AuditEntry = { object: "audit_entry"; id: string; action: string; actor: { kind: "user" | "api_key" | "system" | "operator" | "stranger"; id: string | null; name: string | null }; target_id: string; fields: readonly (string)[]; network: string | null; user_agent: string | null; request_id: string | null; created_at: string; updated_at: string };

export type AuditPage = { object: "list"; data: readonly (AuditEntry)[]; has_more: boolean; next_cursor: string | null; total?: number };

export type Usage = { object: "usage"; from: string; to: string; time_zone: string; starts_at: string; ends_at: string; as_of: string; sent: number; sandbox: number; by_stream: { campaign: number; transactional: number; automation: number }; by_via: { instance: number; own: number }; cost: { amount: string; currency: string; per_1000: string } | null; month: { from: string; to: string; sent: number; cost: { amount: string; currency: string; per_1000: string } | null; forecast: { sent: number; cost: { amount: string; currency: string; per_1000: string } | null } }; allowance: { limit: number | null; included: number | null; used: number; reserved: number; left: number | null; transactional_reserve: number; resets_at: string; daily: { limit: number; used: number; resets_at: string } | null; at_limit: "stop" | "overage" } | null };

export type UsageTimeseries = { object: "usage_timeseries"; from: string; to: string; time_zone: string; interval: "hour" | "day" | "month"; data: readonly ({ at: string; sent: number; sandbox: number; by_stream: { campaign: number; transactional: number; automation: number }; cost: { amount: string; currency: string; per_1000: string } | null })[] };

export type CampaignUsage = { object: "campaign_usage"; campaign_id: string; name: string; started_at: string; sent: number; sandbox: number; cost: { amount: string; currency: string; per_1000: string } | null };

export type CampaignUsagePage = { object: "list"; data: readonly (CampaignUsage)[]; has_more: boolean; next_cursor: string | null; total?: number };

export type StatementSource = { object: "statement_source"; kind: "campaign" | "automation" | "transactional" | "unattributed"; stream: "campaign" | "automation" | "transactional"; id: string | null; name: string | null; accepted: number; sent_in_all: number | null; late_of: string | null };

export type StatementProof = { object: "statement_proof"; statement_id: string; mails: number; sources: readonly (StatementSource)[]; has_more: boolean; next_cursor: string | null; total?: number };

export type LogsOperations = {
  /** List when operators looked in */
  "GET /v1/visits": {
    path: undefined;
    query: { limit?: number; cursor?: string; include_total?: boolean };
    body: undefined;
    answer: VisitPage;
  };
  /** List events */
  "GET /v1/events": {
    path: undefined;
    query: { type?: readonly ("account.created" | "account.updated" | "account.deletion_requested" | "account.deletion_canceled" | "account.suspended" | "account.reinstated" | "account.payment_overdue" | "account.payment_settled" | "api_key.created" | "api_key.updated" | "api_key.revoked" | "invitation.created" | "invitation.deleted" | "user.created" | "user.updated" | "user.deleted" | "user.signed_in" | "user.password_changed" | "user.factor_added" | "user.factor_removed" | "user.recovery_code_used" | "user.sign_in_refused" | "list.created" | "list.updated" | "list.deleted" | "field.created" | "field.updated" | "field.deleted" | "topic.created" | "topic.updated" | "topic.deleted" | "subscriber.created" | "subscriber.updated" | "subscriber.deleted" | "subscriber.confirmed" | "subscriber.unsubscribed" | "subscriber.resubscribed" | "subscriber.suppressed" | "subscriber.unsuppressed" | "subscriber.tag_added" | "subscriber.tag_removed" | "subscriber.topics_changed" | "subscriber.event_tracked" | "subscriber.imported" | "subscriber.dormant" | "subscriber.woken" | "import.completed" | "import.failed" | "bulk_change.completed" | "bulk_change.failed" | "bulk_change.canceled" | "bulk_change.undone" | "campaign.created" | "campaign.updated" | "campaign.deleted" | "campaign.scheduled" | "campaign.unscheduled" | "campaign.sending" | "campaign.paused" | "campaign.warned" | "campaign.resumed" | "campaign.sent" | "campaign.canceled" | "campaign.failed" | "quota.threshold_reached" | "email.queued" | "email.sent" | "email.delivered" | "email.deferred" | "email.bounced" | "email.complained" | "email.failed" | "email.opened" | "email.clicked" | "form.created" | "form.updated" | "form.deleted" | "bounces.held" | "bounces.released" | "bounces.dismissed" | "template.created" | "template.updated" | "template.published" | "template.deleted" | "automation.created" | "automation.updated" | "automation.deleted" | "automation.published" | "automation.started" | "automation.paused" | "automation.resumed" | "automation.drained" | "automation.canceled" | "automation.archived" | "automation.entries_limited" | "automation.mail_stopped" | "automation.webhook_failed" | "automation.enrollment_completed" | "automation.enrollment_failed" | "section.created" | "section.updated" | "section.deleted" | "transport.created" | "transport.updated" | "transport.deleted" | "transport.put_out" | "transport.reinstated" | "transport_pool.updated" | "inbound_endpoint.created" | "inbound_endpoint.rotated" | "inbound_endpoint.deleted" | "inbound.mailbox_created" | "inbound.mailbox_updated" | "inbound.mailbox_deleted" | "inbound.mailbox_failing" | "inbound.mailbox_recovered" | "alert.opened" | "alert.acknowledged" | "alert.closed" | "domain.created" | "domain.updated" | "domain.deleted" | "domain.verified" | "domain.failing" | "domain.unverified" | "domain.key_rotated" | "webhook.created" | "webhook.updated" | "webhook.deleted" | "webhook.secret_rotated" | "webhook.enabled" | "webhook.disabled" | "webhook.replay_started" | "file.created" | "file.deleted")[]; sort?: "-created_at" | "created_at"; limit?: number; cursor?: string; include_total?: boolean };
    body: undefined;
    answer: EventPage;
  };
  /** Get an event */
  "GET /v1/events/{id}": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: Event;
  };
  /** Watch events */
  "GET /v1/events/stream": {
    path: undefined;
    query: { type?: readonly ("account.created" | "account.updated" | "account.deletion_requested" | "account.deletion_canceled" | "account.suspended" | "account.reinstated" | "account.payment_overdue" | "account.payment_settled" | "api_key.created" | "api_key.updated" | "api_key.revoked" | "invitation.created" | "invitation.deleted" | "user.created" | "user.updated" | "user.deleted" | "user.signed_in" | "user.password_changed" | "user.factor_added" | "user.factor_removed" | "user.recovery_code_used" | "user.sign_in_refused" | "list.created" | "list.updated" | "list.deleted" | "field.created" | "field.updated" | "field.deleted" | "topic.created" | "topic.updated" | "topic.deleted" | "subscriber.created" | "subscriber.updated" | "subscriber.deleted" | "subscriber.confirmed" | "subscriber.unsubscribed" | "subscriber.resubscribed" | "subscriber.suppressed" | "subscriber.unsuppressed" | "subscriber.tag_added" | "subscriber.tag_removed" | "subscriber.topics_changed" | "subscriber.event_tracked" | "subscriber.imported" | "subscriber.dormant" | "subscriber.woken" | "import.completed" | "import.failed" | "bulk_change.completed" | "bulk_change.failed" | "bulk_change.canceled" | "bulk_change.undone" | "campaign.created" | "campaign.updated" | "campaign.deleted" | "campaign.scheduled" | "campaign.unscheduled" | "campaign.sending" | "campaign.paused" | "campaign.warned" | "campaign.resumed" | "campaign.sent" | "campaign.canceled" | "campaign.failed" | "quota.threshold_reached" | "email.queued" | "email.sent" | "email.delivered" | "email.deferred" | "email.bounced" | "email.complained" | "email.failed" | "email.opened" | "email.clicked" | "form.created" | "form.updated" | "form.deleted" | "bounces.held" | "bounces.released" | "bounces.dismissed" | "template.created" | "template.updated" | "template.published" | "template.deleted" | "automation.created" | "automation.updated" | "automation.deleted" | "automation.published" | "automation.started" | "automation.paused" | "automation.resumed" | "automation.drained" | "automation.canceled" | "automation.archived" | "automation.entries_limited" | "automation.mail_stopped" | "automation.webhook_failed" | "automation.enrollment_completed" | "automation.enrollment_failed" | "section.created" | "section.updated" | "section.deleted" | "transport.created" | "transport.updated" | "transport.deleted" | "transport.put_out" | "transport.reinstated" | "transport_pool.updated" | "inbound_endpoint.created" | "inbound_endpoint.rotated" | "inbound_endpoint.deleted" | "inbound.mailbox_created" | "inbound.mailbox_updated" | "inbound.mailbox_deleted" | "inbound.mailbox_failing" | "inbound.mailbox_recovered" | "alert.opened" | "alert.acknowledged" | "alert.closed" | "domain.created" | "domain.updated" | "domain.deleted" | "domain.verified" | "domain.failing" | "domain.unverified" | "domain.key_rotated" | "webhook.created" | "webhook.updated" | "webhook.deleted" | "webhook.secret_rotated" | "webhook.enabled" | "webhook.disabled" | "webhook.replay_started" | "file.created" | "file.deleted")[]; cursor?: string };
    body: undefined;
    answer: unknown;
  };
  /** List what was done */
  "GET /v1/audit": {
    path: undefined;
    query: { actor?: string; action?: string; target?: string; created_after?: string; created_before?: string; limit?: number; cursor?: string; include_total?: boolean };
    body: undefined;
    answer: AuditPage;
  };
  /** Export what was done */
  "GET /v1/audit/export": {
    path: undefined;
    query: { actor?: string; action?: string; target?: string; created_after?: string; created_before?: string; format?: "csv" | "jsonl" };
    body: undefined;
    answer: unknown;
  };
  /** See what was sent */
  "GET /v1/usage": {
    path: undefined;
    query: { from?: string; to?: string };
    body: undefined;
    answer: Usage;
  };
  /** See what was sent over time */
  "GET /v1/usage/timeseries": {
    path: undefined;
    query: { from?: string; to?: string; interval?: "hour" | "day" | "month" };
    body: undefined;
    answer: UsageTimeseries;
  };
  /** See what was sent by campaign */
  "GET /v1/usage/campaigns": {
    path: undefined;
    query: { from?: string; to?: string; limit?: number; cursor?: string; include_total?: boolean };
    body: undefined;
    answer: CampaignUsagePage;
  };
  /** See of what a statement's mails were */
  "GET /v1/usage/statements/{id}/proof": {
    path: { id: string };
    query: { limit?: number; cursor?: string; include_total?: boolean };
    body: undefined;
    answer: StatementProof;
  };
  /** Download of what a statement's mails were */
  "GET /v1/usage/statements/{id}/proof/export": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: unknown;
  };
};
