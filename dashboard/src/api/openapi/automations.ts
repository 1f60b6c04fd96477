// Made by `npm run client-types` from the OpenAPI document. Don't edit it: `npm run check` compares.

import type { ConsentInput } from "./subscribers.ts";

export type AutomationPublishInput = { people?: "follow" | "stay"; waits?: "recount" | "keep"; mapping?: Record<string, string>; dry_run?: boolean };

export type AutomationPublication = { object: "automation_publication"; automation_id: string; version: number; dry_run: boolean; unchanged: boolean; published_at: string | null; sandbox: boolean; people: { inside: number; move: number; stay: number; due_now: number; due_now_is_exact: boolean }; steps: { added: readonly (string)[]; removed: readonly (string)[]; changed: readonly (string)[]; waits: readonly (string)[] }; nodes_in_use: readonly ({ node: string; people: number })[] };

export type DraftFault = { pointer: string; code: string; detail: string };

export type Automation = { object: "automation"; id: string; name: string; list_id: string; status: "draft" | "live" | "paused" | "draining" | "archived"; live_version: number | null; paused_at: string | null; overdue: { choice: "spread" | "skip"; people: number; done: number } | null; allowed_actions: readonly ("update" | "delete" | "publish" | "start" | "pause" | "resume" | "drain" | "cancel" | "archive" | "duplicate")[]; created_at: string; updated_at: string; updated_by: { kind: "user" | "api_key" | "import" | "system"; id: string | null; name: string | null } | null; draft: Record<string, unknown>; faults: readonly (DraftFault)[]; version_faults: readonly (DraftFault)[]; webhook_signing: { previous_until: string | null } | null };

export type AutomationResumeInput = { overdue?: "run" | "spread" | "skip"; spread_minutes?: number };

export type AutomationVersionSummary = { object: "automation_version"; automation_id: string; number: number; people: "follow" | "stay"; waits: "recount" | "keep"; mapping: Record<string, string>; sandbox: boolean; published_at: string; published_by: { kind: "api_key" | "user" | "system"; id: string | null } };

export type AutomationVersionPage = { object: "list"; data: readonly (AutomationVersionSummary)[]; has_more: boolean; next_cursor: string | null; total?: number };

export type AutomationVersion = { object: "automation_version"; automation_id: string; number: number; people: "follow" | "stay"; waits: "recount" | "keep"; mapping: Record<string, string>; sandbox: boolean; published_at: string; published_by: { kind: "api_key" | "user" | "system"; id: string | null }; graph: Record<string, unknown> };

export type AutomationWebhookSecret = { object: "automation_webhook_secret"; automation_id: string; secret: string | null; previous_until: string | null };

export type AutomationEnrollment = { object: "automation_enrollment"; id: string; automation_id: string; status: "queued" | "running" | "completed" | "canceled" | "failed"; whom: "subscribers" | "segment" | "everyone"; segment_id: string | null; spread_minutes: number; total: number | null; processed: number; entered: number; skipped: Record<string, number>; error: string | null; created_at: string; updated_at: string; finished_at: string | null };

export type AutomationEnrollmentPage = { object: "list"; data: readonly (AutomationEnrollment)[]; has_more: boolean; next_cursor: string | null; total?: number };

export type AutomationEnrollmentInput = { subscriber_ids?: readonly (string)[]; segment_id?: string; everyone?: true; spread_minutes?: number };

export type AutomationTestInput = { to: readonly (string)[]; subscriber_id?: string; node?: string };

export type AutomationTest = { object: "automation_test"; automation_id: string; nodes: readonly (string)[]; to: readonly (string)[] };

export type AutomationStats = { object: "automation_stats"; automation_id: string; status: "draft" | "live" | "paused" | "draining" | "archived"; as_of: string; overdue: { choice: "spread" | "skip"; people: number; done: number } | null; entered: number; active: number; completed: number; exited: Record<string, number>; nodes: readonly ({ node: string; entered: number; waiting: number; left: Record<string, number>; exited: Record<string, number> })[]; mails: readonly ({ node: string; recipients: number; queued: number; sent: number; delivered: number; deferred: number; failed: number; unknown: number; skipped: { suppressed: number; unsubscribed: number; invalid: number; canceled: number; deleted: number; total: number }; bounces: { hard: number; soft: number; block: number; total: number }; complaints: number; unsubscribes: number; opens: { total: number; machine_total: number; unique: number | null; machine_unique: number | null; human_unique: number | null }; clicks: { total: number; machine_total: number; unique: number | null; machine_unique: number | null; human_unique: number | null }; tracking: "individual" | "consented" | "aggregate" | "off" | null; rates: { delivery: number; bounce: number; unsubscribe: number; complaint: number; open: number | null; click: number | null; click_to_open: number | null }; first_open_at: string | null; last_open_at: string | null; last_click_at: string | null })[]; goals: { reached: number; conversion: number; data: readonly ({ node: string | null; name: string | null; reached: number; conversion: number })[] }; splits: readonly ({ node: string; ways: readonly ({ way: string; percent: number; taken: number; reached: number; conversion: number })[] })[] };

export type AutomationRunSummary = { object: "automation_run"; id: string; automation_id: string; subscriber_id: string; key: string; status: "active" | "completed" | "exited"; ended_as: string | null; version: number; node: string; visit: number; arrived_at: string; due_at: string | null; ended_at: string | null; created_at: string; updated_at: string };

export type AutomationRunPage = { object: "list"; data: readonly (AutomationRunSummary)[]; has_more: boolean; next_cursor: string | null; total?: number };

export type AutomationRunOfSubscriber = { object: "automation_run"; id: string; automation_id: string; subscriber_id: string; key: string; status: "active" | "completed" | "exited"; ended_as: string | null; version: number; node: string; visit: number; arrived_at: string; due_at: string | null; ended_at: string | null; created_at: string; updated_at: string; automation_name: string };

export type AutomationRunOfSubscriberPage = { object: "list"; data: readonly (AutomationRunOfSubscriber)[]; has_more: boolean; next_cursor: string | null; total?: number };

export type AutomationRun = { object: "automation_run"; id: string; automation_id: string; subscriber_id: string; key: string; status: "active" | "completed" | "exited"; ended_as: string | null; version: number; node: string; visit: number; arrived_at: string; due_at: string | null; ended_at: string | null; created_at: string; updated_at: string; journal: readonly ({ visit: number; version: number; node: string; way: string | null; reason: string; arrived_at: string; left_at: string })[] };

export type AutomationRunMoveInput = { node: string };

export type AutomationSummary = { object: "automation"; id: string; name: string; list_id: string; status: "draft" | "live" | "paused" | "draining" | "archived"; live_version: number | null; paused_at: string | null; overdue: { choice: "spread" | "skip"; people: number; done: number } | null; allowed_actions: readonly ("update" | "delete" | "publish" | "start" | "pause" | "resume" | "drain" | "cancel" | "archive" | "duplicate")[]; created_at: string; updated_at: string; updated_by: { kind: "user" | "api_key" | "import" | "system"; id: string | null; name: string | null } | null };

export type AutomationPage = { object: "list"; data: readonly (AutomationSummary)[]; has_more: boolean; next_cursor: string | null; total?: number };

export type AutomationCreate = { name: string; list_id: string; draft?: Record<string, unknown> };

export type AutomationPatch = { name?: string; draft?: Record<string, unknown> };

export type MadeUpSubscriber = { first_name?: string | null; last_name?: string | null; locale?: string | null; time_zone?: string | null; tags?: readonly (string)[]; fields?: Record<string, string | number | boolean | null>; tracking_consent?: boolean | null; tracking_evidence?: ConsentInput };

export type SimulationInput = { subscriber_id?: string; person?: MadeUpSubscriber; from?: string; events?: readonly ({ type: "event" | "email_opened" | "email_clicked" | "tag_added" | "tag_removed" | "field_changed"; at: string; name?: string; properties?: Record<string, unknown>; node?: string; tag?: string; field?: string; value?: string | number | boolean | null; campaign_id?: string })[] };

export type SimulatedVisit = { node: string; type: string; arrived_at: string; left_at: string; way: string | null; reason: "done" | "waited" | "happened" | "timeout" | "rule" | "share" | "goal" | "exit" | "end" };

export type Simulation = { object: "simulation"; path: readonly (SimulatedVisit)[]; sandbox: boolean; end: { as: "not_entered" | "completed" | "unsubscribed" | "bounced" | "suppressed" | "goal" | "exit" | "too_many_visits" | "out_of_time"; at: string } };

export type AutomationsOperations = {
  /** Publish an automation */
  "POST /v1/automations/{id}/publish": {
    path: { id: string };
    query: undefined;
    body: AutomationPublishInput | undefined;
    answer: AutomationPublication;
  };
  /** Start an automation */
  "POST /v1/automations/{id}/start": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: Automation;
  };
  /** Pause an automation */
  "POST /v1/automations/{id}/pause": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: Automation;
  };
  /** Resume an automation */
  "POST /v1/automations/{id}/resume": {
    path: { id: string };
    query: undefined;
    body: AutomationResumeInput | undefined;
    answer: Automation;
  };
  /** Let an automation run empty */
  "POST /v1/automations/{id}/drain": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: Automation;
  };
  /** Cancel an automation */
  "POST /v1/automations/{id}/cancel": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: Automation;
  };
  /** Archive an automation */
  "POST /v1/automations/{id}/archive": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: Automation;
  };
  /** List an automation's versions */
  "GET /v1/automations/{id}/versions": {
    path: { id: string };
    query: { limit?: number; cursor?: string; include_total?: boolean };
    body: undefined;
    answer: AutomationVersionPage;
  };
  /** Get a version of an automation */
  "GET /v1/automations/{id}/versions/{number}": {
    path: { id: string; number: string };
    query: undefined;
    body: undefined;
    answer: AutomationVersion;
  };
  /** Give an automation's webhook steps another secret */
  "POST /v1/automations/{id}/rotate_webhook_secret": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: AutomationWebhookSecret;
  };
  /** List an automation's enrollments */
  "GET /v1/automations/{id}/enrollments": {
    path: { id: string };
    query: { limit?: number; cursor?: string; include_total?: boolean };
    body: undefined;
    answer: AutomationEnrollmentPage;
  };
  /** Put people into an automation */
  "POST /v1/automations/{id}/enrollments": {
    path: { id: string };
    query: undefined;
    body: AutomationEnrollmentInput;
    answer: AutomationEnrollment;
  };
  /** Get an enrollment */
  "GET /v1/automations/{id}/enrollments/{enrollment_id}": {
    path: { id: string; enrollment_id: string };
    query: undefined;
    body: undefined;
    answer: AutomationEnrollment;
  };
  /** Cancel an enrollment */
  "POST /v1/automations/{id}/enrollments/{enrollment_id}/cancel": {
    path: { id: string; enrollment_id: string };
    query: undefined;
    body: undefined;
    answer: AutomationEnrollment;
  };
  /** Send an automation's mails as a test */
  "POST /v1/automations/{id}/test": {
    path: { id: string };
    query: undefined;
    body: AutomationTestInput;
    answer: AutomationTest;
  };
  /** Count what became of people in an automation */
  "GET /v1/automations/{id}/stats": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: AutomationStats;
  };
  /** Watch the numbers of an automation */
  "GET /v1/automations/{id}/stats/stream": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: unknown;
  };
  /** List the runs of an automation */
  "GET /v1/automations/{id}/runs": {
    path: { id: string };
    query: { status?: "active" | "completed" | "exited"; node?: string; subscriber_id?: string; limit?: number; cursor?: string; include_total?: boolean };
    body: undefined;
    answer: AutomationRunPage;
  };
  /** List the runs of a subscriber */
  "GET /v1/automation_runs": {
    path: undefined;
    query: { subscriber_id: string; status?: "active" | "completed" | "exited"; limit?: number; cursor?: string; include_total?: boolean };
    body: undefined;
    answer: AutomationRunOfSubscriberPage;
  };
  /** Get a run */
  "GET /v1/automation_runs/{id}": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: AutomationRun;
  };
  /** End a run */
  "POST /v1/automation_runs/{id}/exit": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: AutomationRun;
  };
  /** Cut a run's wait short */
  "POST /v1/automation_runs/{id}/skip_wait": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: AutomationRun;
  };
  /** Put a run onto another step */
  "POST /v1/automation_runs/{id}/move": {
    path: { id: string };
    query: undefined;
    body: AutomationRunMoveInput;
    answer: AutomationRun;
  };
  /** List automations */
  "GET /v1/automations": {
    path: undefined;
    query: { list_id?: string; status?: "draft" | "live" | "paused" | "draining" | "archived"; q?: string; limit?: number; cursor?: string; include_total?: boolean };
    body: undefined;
    answer: AutomationPage;
  };
  /** Make an automation */
  "POST /v1/automations": {
    path: undefined;
    query: undefined;
    body: AutomationCreate;
    answer: Automation;
  };
  /** Get an automation */
  "GET /v1/automations/{id}": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: Automation;
  };
  /** Change an automation */
  "PATCH /v1/automations/{id}": {
    path: { id: string };
    query: undefined;
    body: AutomationPatch;
    answer: Automation;
  };
  /** Delete an automation */
  "DELETE /v1/automations/{id}": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: undefined;
  };
  /** Duplicate an automation */
  "POST /v1/automations/{id}/duplicate": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: Automation;
  };
  /** Simulate an automation */
  "POST /v1/automations/{id}/simulate": {
    path: { id: string };
    query: undefined;
    body: SimulationInput;
    answer: Simulation;
  };
};
