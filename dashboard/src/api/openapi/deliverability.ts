// Made by `npm run client-types` from the OpenAPI document. Don't edit it: `npm run check` compares.

export type Alert = { object: "alert"; id: string; kind: "domain_failing" | "domain_unverified" | "blocklisted" | "dmarc_unknown_source" | "dmarc_failing" | "storm"; subject: string; status: "open" | "acknowledged" | "closed"; severity: "warning" | "critical"; title: string; detail: string; remedy: string; data: Record<string, unknown>; acknowledged_at: string | null; closed_at: string | null; created_at: string; updated_at: string };

export type AlertPage = { object: "list"; data: readonly (Alert)[]; has_more: boolean; next_cursor: string | null; total?: number };

export type DeliverabilityOperations = {
  /** List alerts */
  "GET /v1/deliverability/alerts": {
    path: undefined;
    query: { status?: "open" | "acknowledged" | "closed"; kind?: "domain_failing" | "domain_unverified" | "blocklisted" | "dmarc_unknown_source" | "dmarc_failing" | "storm"; limit?: number; cursor?: string; include_total?: boolean };
    body: undefined;
    answer: AlertPage;
  };
  /** Get an alert */
  "GET /v1/deliverability/alerts/{id}": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: Alert;
  };
  /** Acknowledge an alert */
  "POST /v1/deliverability/alerts/{id}/acknowledge": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: Alert;
  };
};
