// Made by `npm run client-types` from the OpenAPI document. Don't edit it: `npm run check` compares.

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

export type InboundOperations = {
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
};
