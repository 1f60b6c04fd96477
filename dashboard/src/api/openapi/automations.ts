// Made by `npm run client-types` from the OpenAPI document. Don't edit it: `npm run check` compares.

import type { ConsentInput } from "./subscribers.ts";

export type AutomationSummary = { object: "automation"; id: string; name: string; list_id: string; created_at: string; updated_at: string; updated_by: { kind: "user" | "api_key" | "import" | "system"; id: string | null; name: string | null } | null };

export type AutomationPage = { object: "list"; data: readonly (AutomationSummary)[]; has_more: boolean; next_cursor: string | null; total?: number };

export type AutomationCreate = { name: string; list_id: string; draft?: Record<string, unknown> };

export type DraftFault = { pointer: string; code: string; detail: string };

export type Automation = { object: "automation"; id: string; name: string; list_id: string; created_at: string; updated_at: string; updated_by: { kind: "user" | "api_key" | "import" | "system"; id: string | null; name: string | null } | null; draft: Record<string, unknown>; faults: readonly (DraftFault)[] };

export type AutomationPatch = { name?: string; draft?: Record<string, unknown> };

export type MadeUpSubscriber = { first_name?: string | null; last_name?: string | null; locale?: string | null; time_zone?: string | null; tags?: readonly (string)[]; fields?: Record<string, string | number | boolean | null>; tracking_consent?: boolean | null; tracking_evidence?: ConsentInput };

export type SimulationInput = { subscriber_id?: string; person?: MadeUpSubscriber; from?: string; events?: readonly ({ type: "event" | "email_opened" | "email_clicked"; at: string; name?: string; properties?: Record<string, unknown>; node?: string; campaign_id?: string })[] };

export type SimulatedVisit = { node: string; type: string; arrived_at: string; left_at: string; way: string | null; reason: "done" | "waited" | "happened" | "timeout" | "rule" | "share" | "exit" | "end" };

export type Simulation = { object: "simulation"; path: readonly (SimulatedVisit)[]; end: { as: "not_entered" | "completed" | "unsubscribed" | "bounced" | "suppressed" | "goal" | "exit" | "too_many_visits"; at: string } };

export type AutomationsOperations = {
  /** List automations */
  "GET /v1/automations": {
    path: undefined;
    query: { list_id?: string; q?: string; limit?: number; cursor?: string; include_total?: boolean };
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
