// Made by `npm run client-types` from the OpenAPI document. Don't edit it: `npm run check` compares.

export type InboundEndpoint = { object: "inbound_endpoint"; id: string; provider: "ses" | "postmark" | "mailgun" | "sendgrid" | "brevo" | "sparkpost"; name: string; has_secret: boolean; topic_arn: string | null; last_received_at: string | null; last_refused_at: string | null; last_refused_why: "unsigned" | "bad_signature" | "too_old" | "replayed" | "bad_certificate" | "certificate_unreachable" | "bad_subscribe_url" | "subscribe_unreachable" | "unconfirmed" | "other_topic" | "secret_unreadable" | null; created_at: string; updated_at: string };

export type InboundEndpointPage = { object: "list"; data: readonly (InboundEndpoint)[]; has_more: boolean; next_cursor: string | null; total?: number };

export type InboundEndpointCreate = { provider: "ses" | "postmark" | "mailgun" | "sendgrid" | "brevo" | "sparkpost"; name?: string; secret?: string };

export type InboundEndpointWithUrl = { object: "inbound_endpoint"; id: string; provider: "ses" | "postmark" | "mailgun" | "sendgrid" | "brevo" | "sparkpost"; name: string; has_secret: boolean; topic_arn: string | null; last_received_at: string | null; last_refused_at: string | null; last_refused_why: "unsigned" | "bad_signature" | "too_old" | "replayed" | "bad_certificate" | "certificate_unreachable" | "bad_subscribe_url" | "subscribe_unreachable" | "unconfirmed" | "other_topic" | "secret_unreadable" | null; created_at: string; updated_at: string; url: string };

export type InboundEndpointRotate = { secret?: string };

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
};
