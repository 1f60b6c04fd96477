// Made by `npm run client-types` from the OpenAPI document. Don't edit it: `npm run check` compares.

export type Visit = { object: "visit"; id: string; account_id: string; reason: string; expires_at: string; created_at: string; updated_at: string };

export type VisitPage = { object: "list"; data: readonly (Visit)[]; has_more: boolean; next_cursor: string | null; total?: number };

export type AuditEntry = { object: "audit_entry"; id: string; action: string; actor: { kind: "user" | "api_key" | "system" | "operator" | "stranger"; id: string | null; name: string | null }; target_id: string; fields: readonly (string)[]; network: string | null; user_agent: string | null; request_id: string | null; created_at: string; updated_at: string };

export type AuditPage = { object: "list"; data: readonly (AuditEntry)[]; has_more: boolean; next_cursor: string | null; total?: number };

export type AuditOperations = {
  /** List when operators looked in */
  "GET /v1/visits": {
    path: undefined;
    query: { limit?: number; cursor?: string; include_total?: boolean };
    body: undefined;
    answer: VisitPage;
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
};
