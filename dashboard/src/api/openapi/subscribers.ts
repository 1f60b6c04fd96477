// Made by `npm run client-types` from the OpenAPI document. Don't edit it: `npm run check` compares.

export type List = { object: "list"; id: string; name: string; from_name: string | null; from_email: string | null; reply_to: string | null; postal_address: string | null; double_opt_in: boolean; public: boolean; tracking: "individual" | "consented" | "aggregate" | "off" | null; archive_slug: string | null; archive_indexed: boolean; welcome_template_id: string | null; sample: boolean; counts: { pending: number; active: number; unsubscribed: number; bounced: number; complained: number; total: number }; created_at: string; updated_at: string; updated_by: { kind: "user" | "api_key" | "import" | "system"; id: string | null; name: string | null } | null };

export type ListPage = { object: "list"; data: readonly (List)[]; has_more: boolean; next_cursor: string | null; total?: number };

export type ListCreate = { name: string; from_name?: string | null; from_email?: string | null; reply_to?: string | null; postal_address?: string | null; double_opt_in?: boolean; public?: boolean; tracking?: "individual" | "consented" | "aggregate" | "off" | null; archive_slug?: string | null; archive_indexed?: boolean; welcome_template_id?: string | null };

export type ListPatch = { name?: string; from_name?: string | null; from_email?: string | null; reply_to?: string | null; postal_address?: string | null; double_opt_in?: boolean; public?: boolean; tracking?: "individual" | "consented" | "aggregate" | "off" | null; archive_slug?: string | null; archive_indexed?: boolean; welcome_template_id?: string | null };

export type Growth = { object: "growth"; list_id: string | null; time_zone: string; as_of: string; active: number; gained: number; lost: number; data: readonly ({ date: string; active: number; gained: number; lost: number })[] };

export type SunsetPolicy = { object: "sunset_policy"; list_id: string; days: number; mails: number; grace_days: number; paused: boolean; paused_at: string | null; counts: { warned: number; dormant: number }; created_at: string; updated_at: string };

export type SunsetPolicyInput = { days: number; mails: number; grace_days: number; paused: boolean };

export type SunsetPreviewInput = { days: number; mails: number };

export type SunsetPreview = { object: "sunset_preview"; list_id: string; count: number | null; silent: number | null; not_judged: number | null };

export type Subscriber = { object: "subscriber"; id: string; email: string; list_id: string; contact_id: string; first_name: string | null; last_name: string | null; locale: string | null; time_zone: string | null; tags: readonly (string)[]; fields: Record<string, string | number | boolean | null>; status: "pending" | "active" | "unsubscribed" | "bounced" | "complained"; status_reason: string | null; sendable: boolean; paused_until: string | null; dormancy: "warned" | "dormant" | null; eai: boolean; source: string; consent: { action: string; attested: boolean; source: string | null; wording: string | null; ip: string | null; at: string } | null; tracking_consent: boolean | null; tracking_consent_at: string | null; confirmed_at: string | null; unsubscribed_at: string | null; created_at: string; updated_at: string; updated_by: { kind: "user" | "api_key" | "import" | "system"; id: string | null; name: string | null } | null };

export type SubscriberPage = { object: "list"; data: readonly (Subscriber)[]; has_more: boolean; next_cursor: string | null; total?: number };

export type ConsentInput = { attested?: boolean; source?: string; wording?: string; ip?: string };

export type SubscriberCreate = { email: string; list_id: string; first_name?: string | null; last_name?: string | null; locale?: string | null; time_zone?: string | null; tags?: readonly (string)[]; fields?: Record<string, string | number | boolean | null>; tracking_consent?: boolean | null; tracking_evidence?: ConsentInput; source?: string; consent?: ConsentInput };

export type SubscriberCounts = { object: "subscriber_counts"; total: number; pending: number; active: number; unsubscribed: number; bounced: number; complained: number };

export type SubscriberBatch = { subscribers: readonly (unknown)[]; on_conflict?: "update" | "skip" };

export type SubscriberBatchResult = { object: "batch"; results: readonly ({ status: number; subscriber?: { id: string; status: "pending" | "active" | "unsubscribed" | "bounced" | "complained" }; error?: { code: string; detail: string } })[] };

export type SubscriberPatch = { email?: string; first_name?: string | null; last_name?: string | null; locale?: string | null; time_zone?: string | null; tags?: readonly (string)[] | null; fields?: Record<string, string | number | boolean | null> | null; tracking_consent?: boolean | null; tracking_evidence?: ConsentInput; list_id?: unknown; status?: unknown };

export type Unsubscribe = { scope?: "list" | "all"; reason?: string; campaign_id?: string };

export type Resubscribe = { consent?: ConsentInput };

export type TagChange = { add?: readonly (string)[]; remove?: readonly (string)[] };

export type Activity = { object: "activity"; id: string; type: string; data: Record<string, unknown>; created_at: string; updated_at: string };

export type ActivityPage = { object: "list"; data: readonly (Activity)[]; has_more: boolean; next_cursor: string | null; total?: number };

export type Erasure = { object: "erasure"; id: string; contact_id: string; subscribers_removed: number; created_at: string; updated_at: string };

export type Track = { subscriber_id?: string; email?: string; list_id?: string; name: string; key?: string; properties?: Record<string, unknown>; occurred_at?: string };

export type TrackedEvent = { object: "custom_event"; id: string; subscriber_id: string; name: string; is_new: boolean; occurred_at: string; created_at: string; updated_at: string };

export type TrackBatch = { events: readonly (unknown)[] };

export type TrackBatchResult = { object: "batch"; results: readonly ({ status: number; event?: { id: string; subscriber_id: string; is_new: boolean }; error?: { code: string; detail: string } })[] };

export type Field = { object: "field"; id: string; key: string; name: string; type: "text" | "number" | "date" | "boolean" | "url"; created_at: string; updated_at: string; updated_by: { kind: "user" | "api_key" | "import" | "system"; id: string | null; name: string | null } | null };

export type FieldPage = { object: "list"; data: readonly (Field)[]; has_more: boolean; next_cursor: string | null; total?: number };

export type FieldCreate = { key: string; name?: string; type: "text" | "number" | "date" | "boolean" | "url" };

export type FieldPatch = { key?: string; name?: string };

export type Tag = { object: "tag"; id: string; name: string; created_at: string; updated_at: string };

export type TagPage = { object: "list"; data: readonly (Tag)[]; has_more: boolean; next_cursor: string | null; total?: number };

export type Suppression = { object: "suppression"; id: string; contact_id: string; email: string | null; reason: "hard_bounce" | "soft_bounces" | "complaint" | "manual" | "erased"; streams: readonly ("campaign" | "automation" | "transactional")[]; source: string; created_at: string; updated_at: string };

export type SuppressionPage = { object: "list"; data: readonly (Suppression)[]; has_more: boolean; next_cursor: string | null; total?: number };

export type SuppressionCreate = { email: string; reason?: "manual" | "hard_bounce" | "complaint" };

export type SuppressionUndo = { domain: string; from: string; to: string; reason?: "hard_bounce" | "soft_bounces"; dry_run?: boolean };

export type SuppressionsUndone = { object: "suppressions_undone"; matched: number; undone: number };

export type SubscribersOperations = {
  /** List lists */
  "GET /v1/lists": {
    path: undefined;
    query: { q?: string; limit?: number; cursor?: string; include_total?: boolean };
    body: undefined;
    answer: ListPage;
  };
  /** Make a list */
  "POST /v1/lists": {
    path: undefined;
    query: undefined;
    body: ListCreate;
    answer: List;
  };
  /** Get a list */
  "GET /v1/lists/{id}": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: List;
  };
  /** Change a list */
  "PATCH /v1/lists/{id}": {
    path: { id: string };
    query: undefined;
    body: ListPatch;
    answer: List;
  };
  /** Delete a list and its subscribers */
  "DELETE /v1/lists/{id}": {
    path: { id: string };
    query: { force?: boolean };
    body: undefined;
    answer: undefined;
  };
  /** Get how lists grow */
  "GET /v1/stats/growth": {
    path: undefined;
    query: { list_id?: string; days?: number; time_zone?: string };
    body: undefined;
    answer: Growth;
  };
  /** Get a sunset policy */
  "GET /v1/lists/{id}/sunset": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: SunsetPolicy;
  };
  /** Set a sunset policy */
  "PUT /v1/lists/{id}/sunset": {
    path: { id: string };
    query: undefined;
    body: SunsetPolicyInput;
    answer: SunsetPolicy;
  };
  /** End a sunset policy */
  "DELETE /v1/lists/{id}/sunset": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: undefined;
  };
  /** Try a sunset policy out */
  "POST /v1/lists/{id}/sunset/preview": {
    path: { id: string };
    query: undefined;
    body: SunsetPreviewInput;
    answer: SunsetPreview;
  };
  /** List subscribers */
  "GET /v1/subscribers": {
    path: undefined;
    query: { list_id?: string; tag?: readonly (string)[]; segment_id?: string; created_after?: string; created_before?: string; updated_after?: string; updated_before?: string; held_back?: "opted_out" | "suppressed" | "paused" | "dormant"; status?: "pending" | "active" | "unsubscribed" | "bounced" | "complained"; sort?: string; limit?: number; cursor?: string; include_total?: boolean };
    body: undefined;
    answer: SubscriberPage;
  };
  /** Add a subscriber to a list */
  "POST /v1/subscribers": {
    path: undefined;
    query: { on_conflict?: "update" | "skip" };
    body: SubscriberCreate;
    answer: Subscriber;
  };
  /** Find an address on every list */
  "GET /v1/subscribers/search": {
    path: undefined;
    query: { email: string; list_id?: string; limit?: number; cursor?: string; include_total?: boolean };
    body: undefined;
    answer: SubscriberPage;
  };
  /** Count subscribers by status */
  "GET /v1/subscribers/counts": {
    path: undefined;
    query: { list_id?: string; tag?: readonly (string)[]; segment_id?: string; created_after?: string; created_before?: string; updated_after?: string; updated_before?: string; held_back?: "opted_out" | "suppressed" | "paused" | "dormant" };
    body: undefined;
    answer: SubscriberCounts;
  };
  /** Add up to 1,000 subscribers */
  "POST /v1/subscribers/batch": {
    path: undefined;
    query: undefined;
    body: SubscriberBatch;
    answer: SubscriberBatchResult;
  };
  /** Get a subscriber */
  "GET /v1/subscribers/{id}": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: Subscriber;
  };
  /** Change a subscriber */
  "PATCH /v1/subscribers/{id}": {
    path: { id: string };
    query: undefined;
    body: SubscriberPatch;
    answer: Subscriber;
  };
  /** Delete a subscriber */
  "DELETE /v1/subscribers/{id}": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: undefined;
  };
  /** Unsubscribe */
  "POST /v1/subscribers/{id}/unsubscribe": {
    path: { id: string };
    query: undefined;
    body: Unsubscribe | undefined;
    answer: Subscriber;
  };
  /** Bring a subscriber back */
  "POST /v1/subscribers/{id}/resubscribe": {
    path: { id: string };
    query: undefined;
    body: Resubscribe | undefined;
    answer: Subscriber;
  };
  /** Send the confirmation mail again */
  "POST /v1/subscribers/{id}/resend_confirmation": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: Subscriber;
  };
  /** Add and remove tags */
  "POST /v1/subscribers/{id}/tags": {
    path: { id: string };
    query: undefined;
    body: TagChange;
    answer: Subscriber;
  };
  /** Wake a subscriber */
  "POST /v1/subscribers/{id}/wake": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: Subscriber;
  };
  /** The timeline of a subscriber */
  "GET /v1/subscribers/{id}/activity": {
    path: { id: string };
    query: { limit?: number; cursor?: string; include_total?: boolean };
    body: undefined;
    answer: ActivityPage;
  };
  /** Erase a person */
  "POST /v1/subscribers/{id}/forget": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: Erasure;
  };
  /** Report what a subscriber did */
  "POST /v1/track": {
    path: undefined;
    query: undefined;
    body: Track;
    answer: TrackedEvent;
  };
  /** Report up to 1,000 events */
  "POST /v1/track/batch": {
    path: undefined;
    query: undefined;
    body: TrackBatch;
    answer: TrackBatchResult;
  };
  /** List custom fields */
  "GET /v1/fields": {
    path: undefined;
    query: { limit?: number; cursor?: string; include_total?: boolean };
    body: undefined;
    answer: FieldPage;
  };
  /** Make a custom field */
  "POST /v1/fields": {
    path: undefined;
    query: undefined;
    body: FieldCreate;
    answer: Field;
  };
  /** Get a custom field */
  "GET /v1/fields/{id}": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: Field;
  };
  /** Rename a custom field */
  "PATCH /v1/fields/{id}": {
    path: { id: string };
    query: undefined;
    body: FieldPatch;
    answer: Field;
  };
  /** Delete a custom field */
  "DELETE /v1/fields/{id}": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: undefined;
  };
  /** List tags */
  "GET /v1/tags": {
    path: undefined;
    query: { limit?: number; cursor?: string; include_total?: boolean };
    body: undefined;
    answer: TagPage;
  };
  /** List suppressions */
  "GET /v1/suppressions": {
    path: undefined;
    query: { reason?: "hard_bounce" | "soft_bounces" | "complaint" | "manual" | "erased"; email?: string; limit?: number; cursor?: string; include_total?: boolean };
    body: undefined;
    answer: SuppressionPage;
  };
  /** Suppress an address */
  "POST /v1/suppressions": {
    path: undefined;
    query: undefined;
    body: SuppressionCreate;
    answer: Suppression;
  };
  /** Undo the suppressions of a domain */
  "POST /v1/suppressions/undo": {
    path: undefined;
    query: undefined;
    body: SuppressionUndo;
    answer: SuppressionsUndone;
  };
  /** Get a suppression */
  "GET /v1/suppressions/{id}": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: Suppression;
  };
  /** Remove a suppression */
  "DELETE /v1/suppressions/{id}": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: undefined;
  };
};
