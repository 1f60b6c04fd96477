// Made by `npm run client-types` from the OpenAPI document. Don't edit it: `npm run check` compares.

export type Webhook = { object: "webhook"; id: string; url: string; events: readonly (string)[]; description: string; include: readonly ("email")[]; ordered: boolean; batch_engagement: boolean; status: "enabled" | "disabled"; disabled_reason: "by_user" | "gone" | "failing" | null; disabled_at: string | null; failing_since: string | null; last_delivered_at: string | null; previous_secret_until: string | null; replay: { started_at: string; delivered: number } | null; created_at: string; updated_at: string; updated_by: { kind: "user" | "api_key" | "import" | "system"; id: string | null; name: string | null } | null };

export type WebhookPage = { object: "list"; data: readonly (Webhook)[]; has_more: boolean; next_cursor: string | null; total?: number };

export type WebhookCreate = { url: string; events: readonly (string)[]; description?: string; include?: readonly ("email")[]; ordered?: boolean; batch_engagement?: boolean };

export type WebhookWithSecret = { object: "webhook"; id: string; url: string; events: readonly (string)[]; description: string; include: readonly ("email")[]; ordered: boolean; batch_engagement: boolean; status: "enabled" | "disabled"; disabled_reason: "by_user" | "gone" | "failing" | null; disabled_at: string | null; failing_since: string | null; last_delivered_at: string | null; previous_secret_until: string | null; replay: { started_at: string; delivered: number } | null; created_at: string; updated_at: string; updated_by: { kind: "user" | "api_key" | "import" | "system"; id: string | null; name: string | null } | null; secret: string | null };

export type WebhookPatch = { url?: string; events?: readonly (string)[]; status?: "enabled" | "disabled"; description?: string; include?: readonly ("email")[]; ordered?: boolean; batch_engagement?: boolean };

export type RotateSecret = { grace_seconds?: number };

export type WebhookTest = { type?: string };

export type WebhookDelivery = { object: "webhook_delivery"; id: string; webhook_id: string; message_id: string; type: string; event_ids: readonly (string)[]; origin: "log" | "replay" | "test"; status: "waiting" | "delivered" | "failed"; attempts: readonly ({ at: string; duration_ms: number; status: number | null; failure: string | null })[]; next_attempt_at: string | null; created_at: string; updated_at: string };

export type ReplayRequest = { since: string; until?: string; types?: readonly (string)[] };

export type WebhookDeliveryPage = { object: "list"; data: readonly (WebhookDelivery)[]; has_more: boolean; next_cursor: string | null; total?: number };

export type WebhookDeliveryDetail = { object: "webhook_delivery"; id: string; webhook_id: string; message_id: string; type: string; event_ids: readonly (string)[]; origin: "log" | "replay" | "test"; status: "waiting" | "delivered" | "failed"; attempts: readonly ({ at: string; duration_ms: number; status: number | null; failure: string | null })[]; next_attempt_at: string | null; created_at: string; updated_at: string; request: { url: string; body: string | null }; answer: string | null };

export type WebhooksOperations = {
  /** List webhooks */
  "GET /v1/webhooks": {
    path: undefined;
    query: { limit?: number; cursor?: string; include_total?: boolean };
    body: undefined;
    answer: WebhookPage;
  };
  /** Add a webhook */
  "POST /v1/webhooks": {
    path: undefined;
    query: undefined;
    body: WebhookCreate;
    answer: WebhookWithSecret;
  };
  /** Get a webhook */
  "GET /v1/webhooks/{id}": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: Webhook;
  };
  /** Edit a webhook */
  "PATCH /v1/webhooks/{id}": {
    path: { id: string };
    query: undefined;
    body: WebhookPatch;
    answer: Webhook;
  };
  /** Delete a webhook */
  "DELETE /v1/webhooks/{id}": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: undefined;
  };
  /** Give a webhook another secret */
  "POST /v1/webhooks/{id}/rotate_secret": {
    path: { id: string };
    query: undefined;
    body: RotateSecret | undefined;
    answer: WebhookWithSecret;
  };
  /** Enable a webhook */
  "POST /v1/webhooks/{id}/enable": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: Webhook;
  };
  /** Test a webhook */
  "POST /v1/webhooks/{id}/test": {
    path: { id: string };
    query: undefined;
    body: WebhookTest | undefined;
    answer: WebhookDelivery;
  };
  /** Replay events */
  "POST /v1/webhooks/{id}/replay": {
    path: { id: string };
    query: undefined;
    body: ReplayRequest;
    answer: Webhook;
  };
  /** List deliveries */
  "GET /v1/webhooks/{id}/deliveries": {
    path: { id: string };
    query: { status?: "waiting" | "delivered" | "failed"; type?: string; limit?: number; cursor?: string; include_total?: boolean };
    body: undefined;
    answer: WebhookDeliveryPage;
  };
  /** Get a delivery */
  "GET /v1/webhooks/{id}/deliveries/{delivery_id}": {
    path: { id: string; delivery_id: string };
    query: undefined;
    body: undefined;
    answer: WebhookDeliveryDetail;
  };
  /** Retry a delivery */
  "POST /v1/webhooks/{id}/deliveries/{delivery_id}/retry": {
    path: { id: string; delivery_id: string };
    query: undefined;
    body: undefined;
    answer: WebhookDelivery;
  };
};
