// Made by `npm run client-types` from the OpenAPI document. Don't edit it: `npm run check` compares.

export type BulkActionShown = { type: "add_tags" | "remove_tags" | "set_field" | "add_to_list" | "unsubscribe" | "delete"; tags?: readonly (string)[]; field?: string; value?: string | number | boolean | null; list_id?: string };

export type BulkChange = { object: "bulk_change"; id: string; status: "pending" | "running" | "completed" | "failed" | "canceled" | "undoing" | "undone"; filter: { list_id?: string; status?: "pending" | "active" | "unsubscribed" | "bounced" | "complained"; tag?: readonly (string)[]; segment_id?: string; created_after?: string; created_before?: string; updated_after?: string; updated_before?: string; held_back?: "opted_out" | "suppressed" | "paused" | "dormant" } | null; action: BulkActionShown; counts: { total: number | null; processed: number; changed: number; skipped: number; failed: number; undone: number }; progress: { percent: number; per_second: number | null; eta: string | null }; undo_until: string | null; error: { code: string; detail: string } | null; created_at: string; updated_at: string; started_at: string | null; finished_at: string | null };

export type BulkChangePage = { object: "list"; data: readonly (BulkChange)[]; has_more: boolean; next_cursor: string | null; total?: number };

export type BulkFilter = { list_id?: string; status?: "pending" | "active" | "unsubscribed" | "bounced" | "complained"; tag?: readonly (string)[]; segment_id?: string; created_after?: string; created_before?: string; updated_after?: string; updated_before?: string; held_back?: "opted_out" | "suppressed" | "paused" | "dormant" };

export type BulkAction = { type: "add_tags" | "remove_tags" | "set_field" | "add_to_list" | "unsubscribe" | "delete"; tags?: readonly (string)[]; field?: string; value?: string | number | boolean | null; list_id?: string };

export type BulkChangeCreate = { filter?: BulkFilter; ids?: readonly (string)[]; action: BulkAction };

export type Import = { object: "import"; id: string; status: "pending" | "running" | "completed" | "failed" | "canceled" | "undoing" | "undone"; target: "subscribers" | "suppressions"; preset: "postrider" | "mailchimp" | "listmonk" | "brevo" | "mautic" | "mailerlite" | "kit" | null; list_id: string | null; file_name: string; file_bytes: number; dry_run: boolean; mapping: Record<string, string>; options: { on_conflict: "skip" | "update"; tags: readonly (string)[]; consent: { attested: boolean; source?: string; wording?: string } | null; trigger_automations: boolean; has_header: boolean; delimiter: "," | ";" | "\t" | "|"; encoding: "utf-8" | "utf-16le" | "utf-16be" | "windows-1252"; default_status: "active" | "skip" | "bounced" | "unsubscribed" | "suppressed" | "complained"; status_values: Record<string, "active" | "skip" | "bounced" | "unsubscribed" | "suppressed" | "complained">; date_order: "dmy" | "mdy"; checks: "off" | "report" | "skip_bad" }; checks: { ok: number; risky: number; bad: number; unknown: number; reasons: Record<string, number> } | null; effects: { opted_out: number; suppressed: number }; counts: { total: number | null; processed: number; created: number; updated: number; skipped: number; failed: number; removed: number }; progress: { percent: number; rows_per_second: number | null; eta: string | null }; warnings: readonly ({ code: string; detail: string })[]; error: { code: string; detail: string } | null; created_at: string; updated_at: string; started_at: string | null; finished_at: string | null };

export type ImportPage = { object: "list"; data: readonly (Import)[]; has_more: boolean; next_cursor: string | null; total?: number };

export type ImportConsent = { attested: boolean; source?: string; wording?: string };

export type ImportOptions = { list_id?: string; target?: "subscribers" | "suppressions"; default_status?: "active" | "skip" | "bounced" | "unsubscribed" | "suppressed" | "complained"; status_values?: Record<string, "active" | "skip" | "bounced" | "unsubscribed" | "suppressed" | "complained">; date_order?: "dmy" | "mdy"; mapping?: Record<string, string>; has_header?: boolean; delimiter?: "," | ";" | "\t" | "|"; encoding?: "utf-8" | "utf-16le" | "utf-16be" | "windows-1252"; on_conflict?: "skip" | "update"; tags?: readonly (string)[]; consent?: ImportConsent; checks?: "off" | "report" | "skip_bad"; trigger_automations?: boolean; dry_run?: boolean };

export type ImportPreviewOptions = { target?: "subscribers" | "suppressions"; file_bytes?: number; has_header?: boolean; delimiter?: "," | ";" | "\t" | "|"; encoding?: "utf-8" | "utf-16le" | "utf-16be" | "windows-1252" };

export type ImportPreview = { object: "import_preview"; target: "subscribers" | "suppressions"; file_name: string; format: { delimiter: "," | ";" | "\t" | "|"; encoding: "utf-8" | "utf-16le" | "utf-16be" | "windows-1252"; has_header: boolean }; preset: { id: "postrider" | "mailchimp" | "listmonk" | "brevo" | "mautic" | "mailerlite" | "kit"; name: string; kind: "subscribed" | "unsubscribed" | "cleaned" | "non_subscribed" | null } | null; columns: readonly ({ name: string; target: string; guessed_from: "preset" | "heading" | "content" | "nothing"; filled: number; field: { key: string; name: string; type: "text" | "number" | "date" | "boolean" } | null })[]; mapping: Record<string, string>; default_status: "active" | "skip" | "bounced" | "unsubscribed" | "suppressed" | "complained"; status_values: Record<string, "active" | "skip" | "bounced" | "unsubscribed" | "suppressed" | "complained" | null>; date_order: "dmy" | "mdy"; attributes: readonly ({ path: string; field: { key: string; name: string; type: "text" | "number" | "date" | "boolean" }; exists: boolean })[]; warnings: readonly ({ code: string; column: string | null; detail: string })[]; rows_sampled: number; rows: readonly (readonly (string)[])[] | null };

export type Export = { object: "export"; id: string; resource: "subscribers" | "campaign_recipients" | "suppressions"; list_id: string | null; segment_id: string | null; campaign_id: string | null; event: "sent" | "failed" | "unknown" | "skipped" | "bounced" | "opened" | "clicked" | "complained" | "unsubscribed" | null; include_machines: boolean; download_url: string | null; expires_at: string; created_at: string; updated_at: string };

export type ExportPage = { object: "list"; data: readonly (Export)[]; has_more: boolean; next_cursor: string | null; total?: number };

export type ExportCreate = { resource?: "subscribers" | "campaign_recipients" | "suppressions"; list_id?: string; segment_id?: string; campaign_id?: string; event?: "sent" | "failed" | "unknown" | "skipped" | "bounced" | "opened" | "clicked" | "complained" | "unsubscribed"; include_machines?: boolean };

export type TransfersOperations = {
  /** List bulk changes */
  "GET /v1/bulk_changes": {
    path: undefined;
    query: { status?: "pending" | "running" | "completed" | "failed" | "canceled" | "undoing" | "undone"; limit?: number; cursor?: string; include_total?: boolean };
    body: undefined;
    answer: BulkChangePage;
  };
  /** Change many subscribers */
  "POST /v1/bulk_changes": {
    path: undefined;
    query: undefined;
    body: BulkChangeCreate;
    answer: BulkChange;
  };
  /** Get a bulk change */
  "GET /v1/bulk_changes/{id}": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: BulkChange;
  };
  /** Cancel a bulk change */
  "POST /v1/bulk_changes/{id}/cancel": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: BulkChange;
  };
  /** Undo a bulk change */
  "POST /v1/bulk_changes/{id}/undo": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: BulkChange;
  };
  /** List imports */
  "GET /v1/imports": {
    path: undefined;
    query: { limit?: number; cursor?: string; include_total?: boolean };
    body: undefined;
    answer: ImportPage;
  };
  /** Import a file */
  "POST /v1/imports": {
    path: undefined;
    query: undefined;
    body: FormData;
    answer: Import;
  };
  /** Preview an import */
  "POST /v1/imports/preview": {
    path: undefined;
    query: undefined;
    body: FormData;
    answer: ImportPreview;
  };
  /** Get an import */
  "GET /v1/imports/{id}": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: Import;
  };
  /** Watch an import */
  "GET /v1/imports/{id}/progress": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: unknown;
  };
  /** Download the rows that failed */
  "GET /v1/imports/{id}/errors": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: unknown;
  };
  /** Download the rows that may not be reached */
  "GET /v1/imports/{id}/checks": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: unknown;
  };
  /** Cancel an import */
  "POST /v1/imports/{id}/cancel": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: Import;
  };
  /** Undo an import */
  "POST /v1/imports/{id}/undo": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: Import;
  };
  /** List exports */
  "GET /v1/exports": {
    path: undefined;
    query: { limit?: number; cursor?: string; include_total?: boolean };
    body: undefined;
    answer: ExportPage;
  };
  /** Export a list, a segment, a campaign's recipients or the suppressions */
  "POST /v1/exports": {
    path: undefined;
    query: undefined;
    body: ExportCreate;
    answer: Export;
  };
  /** Get an export */
  "GET /v1/exports/{id}": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: Export;
  };
  /** Delete an export */
  "DELETE /v1/exports/{id}": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: undefined;
  };
};
