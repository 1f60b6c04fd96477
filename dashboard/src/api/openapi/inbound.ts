// Made by `npm run client-types` from the OpenAPI document. Don't edit it: `npm run check` compares.

export type BounceStorm = { object: "bounce_storm"; id: string; domain: string; status: "open" | "released" | "dismissed"; hard_bounces: number; mails: number; usual_share: number; held: number; decided_at: string | null; created_at: string; updated_at: string };

export type BounceStormPage = { object: "list"; data: readonly (BounceStorm)[]; has_more: boolean; next_cursor: string | null; total?: number };

export type InboundEndpoint = { object: "inbound_endpoint"; id: string; provider: "ses" | "postmark" | "mailgun" | "sendgrid" | "brevo" | "sparkpost"; name: string; has_secret: boolean; topic_arn: string | null; last_received_at: string | null; last_refused_at: string | null; last_refused_why: "unsigned" | "bad_signature" | "too_old" | "replayed" | "bad_certificate" | "certificate_unreachable" | "bad_subscribe_url" | "subscribe_unreachable" | "unconfirmed" | "other_topic" | "secret_unreadable" | null; created_at: string; updated_at: string };

export type InboundEndpointPage = { object: "list"; data: readonly (InboundEndpoint)[]; has_more: boolean; next_cursor: string | null; total?: number };

export type InboundEndpointCreate = { provider: "ses" | "postmark" | "mailgun" | "sendgrid" | "brevo" | "sparkpost"; name?: string; secret?: string };

export type InboundEndpointWithUrl = { object: "inbound_endpoint"; id: string; provider: "ses" | "postmark" | "mailgun" | "sendgrid" | "brevo" | "sparkpost"; name: string; has_secret: boolean; topic_arn: string | null; last_received_at: string | null; last_refused_at: string | null; last_refused_why: "unsigned" | "bad_signature" | "too_old" | "replayed" | "bad_certificate" | "certificate_unreachable" | "bad_subscribe_url" | "subscribe_unreachable" | "unconfirmed" | "other_topic" | "secret_unreadable" | null; created_at: string; updated_at: string; url: string };

export type InboundEndpointRotate = { secret?: string };

export type Mailbox = { object: "mailbox"; id: string; name: string; host: string; port: number; tls: "implicit" | "starttls" | "none"; username: string; folder: string; after: string; paused: boolean; state: "waiting" | "ok" | "failing" | "paused"; last_checked_at: string | null; last_error: { reason: "secret_key" | "internal_host" | "unresolved" | "unreachable" | "certificate" | "tls" | "sign_in" | "no_folder" | "timeout" | "closed" | "too_much" | "protocol" | "unstable" | "not_settled" | null; text: string; at: string } | null; counts: { taken: number; left: number; cut: number }; created_at: string; updated_at: string; updated_by: { kind: "user" | "api_key" | "import" | "system"; id: string | null; name: string | null } | null };

export type MailboxPage = { object: "list"; data: readonly (Mailbox)[]; has_more: boolean; next_cursor: string | null; total?: number };

export type MailboxCreate = { name: string; host: string; username: string; password: string; port?: number; tls?: "implicit" | "starttls" | "none"; folder?: string; after?: string; paused?: boolean };

export type MailboxPatch = { name?: string; host?: string; username?: string; password?: string; port?: number; tls?: "implicit" | "starttls" | "none"; folder?: string; after?: string; paused?: boolean };

export type MailboxTest = { object: "mailbox_test"; mailbox_id: string; ok: boolean; reason: "secret_key" | "internal_host" | "unresolved" | "unreachable" | "certificate" | "tls" | "sign_in" | "no_folder" | "timeout" | "closed" | "too_much" | "protocol" | "unstable" | "not_settled" | null; text: string | null; encrypted: boolean; idle: boolean; messages: number | null; tested_at: string };

export type InboundItemSummary = { object: "inbound_item"; id: string; channel: "smtp" | "mailbox" | "webhook"; provider: "ses" | "postmark" | "mailgun" | "sendgrid" | "brevo" | "sparkpost" | null; address_kind: "bounce" | "unsubscribe" | "dmarc_report" | "mail_test" | null; envelope_from: string | null; bytes: number; state: "waiting" | "read" | "failed"; failure: string | null; attempts: number; kind: "bounce" | "delay" | "delivered" | "complaint" | "unsubscribe" | "auto_reply" | "other" | "dmarc_report" | "mail_test" | "tls_report" | null; outcome: string | null; why: string | null; matched: boolean | null; campaign_id: string | null; email_id: string | null; read_at: string | null; created_at: string; updated_at: string };

export type InboundPage = { object: "list"; data: readonly (InboundItemSummary)[]; has_more: boolean; next_cursor: string | null; total?: number };

export type InboundReport = { kind: "bounce" | "delay" | "delivered" | "complaint" | "unsubscribe" | "auto_reply" | "other"; class: string | null; reason: string | null; status: string | null; diagnostic: string; recipient: string | null; outcome: string; why: string; matched_by: "return_path" | "token" | "provider_id" | "message_id" | null; storm_id: string | null; campaign_id: string | null; email_id: string | null };

export type InboundItem = { object: "inbound_item"; id: string; channel: "smtp" | "mailbox" | "webhook"; provider: "ses" | "postmark" | "mailgun" | "sendgrid" | "brevo" | "sparkpost" | null; address_kind: "bounce" | "unsubscribe" | "dmarc_report" | "mail_test" | null; envelope_from: string | null; bytes: number; state: "waiting" | "read" | "failed"; failure: string | null; attempts: number; kind: "bounce" | "delay" | "delivered" | "complaint" | "unsubscribe" | "auto_reply" | "other" | "dmarc_report" | "mail_test" | "tls_report" | null; outcome: string | null; why: string | null; matched: boolean | null; campaign_id: string | null; email_id: string | null; read_at: string | null; created_at: string; updated_at: string; reports: readonly (InboundReport)[] };

export type InboundOperations = {
  /** List storms of bounces */
  "GET /v1/inbound/storms": {
    path: undefined;
    query: { status?: "open" | "released" | "dismissed"; limit?: number; cursor?: string; include_total?: boolean };
    body: undefined;
    answer: BounceStormPage;
  };
  /** Get a storm of bounces */
  "GET /v1/inbound/storms/{id}": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: BounceStorm;
  };
  /** Release a storm: suppress the addresses */
  "POST /v1/inbound/storms/{id}/release": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: BounceStorm;
  };
  /** Dismiss a storm: keep the addresses */
  "POST /v1/inbound/storms/{id}/dismiss": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: BounceStorm;
  };
  /** List addresses for providers' webhooks */
  "GET /v1/inbound/endpoints": {
    path: undefined;
    query: { limit?: number; cursor?: string; include_total?: boolean };
    body: undefined;
    answer: InboundEndpointPage;
  };
  /** Make an address for a provider's webhook */
  "POST /v1/inbound/endpoints": {
    path: undefined;
    query: undefined;
    body: InboundEndpointCreate;
    answer: InboundEndpointWithUrl;
  };
  /** Get an address for a provider's webhook */
  "GET /v1/inbound/endpoints/{id}": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: InboundEndpoint;
  };
  /** Delete an address for a provider's webhook */
  "DELETE /v1/inbound/endpoints/{id}": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: undefined;
  };
  /** Give it another URL */
  "POST /v1/inbound/endpoints/{id}/rotate": {
    path: { id: string };
    query: undefined;
    body: InboundEndpointRotate | undefined;
    answer: InboundEndpointWithUrl;
  };
  /** List mailboxes */
  "GET /v1/inbound/mailboxes": {
    path: undefined;
    query: { limit?: number; cursor?: string; include_total?: boolean };
    body: undefined;
    answer: MailboxPage;
  };
  /** Make a mailbox */
  "POST /v1/inbound/mailboxes": {
    path: undefined;
    query: undefined;
    body: MailboxCreate;
    answer: Mailbox;
  };
  /** Get a mailbox */
  "GET /v1/inbound/mailboxes/{id}": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: Mailbox;
  };
  /** Edit a mailbox */
  "PATCH /v1/inbound/mailboxes/{id}": {
    path: { id: string };
    query: undefined;
    body: MailboxPatch;
    answer: Mailbox;
  };
  /** Delete a mailbox */
  "DELETE /v1/inbound/mailboxes/{id}": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: undefined;
  };
  /** Test a mailbox */
  "POST /v1/inbound/mailboxes/{id}/test": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: MailboxTest;
  };
  /** List what came back */
  "GET /v1/inbound": {
    path: undefined;
    query: { channel?: "smtp" | "mailbox" | "webhook"; state?: "waiting" | "read" | "failed"; kind?: "bounce" | "delay" | "delivered" | "complaint" | "unsubscribe" | "auto_reply" | "other" | "dmarc_report" | "mail_test" | "tls_report"; outcome?: string; matched?: boolean; created_after?: string; created_before?: string; limit?: number; cursor?: string; include_total?: boolean };
    body: undefined;
    answer: InboundPage;
  };
  /** Get something that came back */
  "GET /v1/inbound/{id}": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: InboundItem;
  };
  /** Get something that came back, as it came */
  "GET /v1/inbound/{id}/raw": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: unknown;
  };
  /** Read something once more */
  "POST /v1/inbound/{id}/reread": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: InboundItem;
  };
};
