// Made by `npm run client-types` from the OpenAPI document. Don't edit it: `npm run check` compares.

export type MergeNames = { object: "merge_names"; variables: readonly ({ name: string; label: string | null; type: "text" | "number" | "date" | "boolean" | "url" | "list"; value: string | null })[]; tags: readonly ({ name: string; end: string | null })[]; filters: readonly (string)[] };

export type StarterSummary = { object: "starter"; id: string; name: string; description: string; format: "html" | "mjml"; subject: string; preview_text: string };

export type StarterList = { object: "starters"; data: readonly (StarterSummary)[] };

export type Starter = { object: "starter"; id: string; name: string; description: string; format: "html" | "mjml"; subject: string; preview_text: string; html: string | null; mjml: string | null };

export type File = { object: "file"; id: string; name: string; content_type: string; bytes: number; width: number; height: number; url: string; created_at: string; updated_at: string };

export type FilePage = { object: "list"; data: readonly (File)[]; has_more: boolean; next_cursor: string | null; total?: number };

export type ContentOperations = {
  /** List what Liquid may name */
  "GET /v1/merge_names": {
    path: undefined;
    query: { list_id?: string; subscriber_id?: string };
    body: undefined;
    answer: MergeNames;
  };
  /** List starters */
  "GET /v1/starters": {
    path: undefined;
    query: { for?: "campaign" | "template" };
    body: undefined;
    answer: StarterList;
  };
  /** Get a starter */
  "GET /v1/starters/{starter}": {
    path: { starter: string };
    query: undefined;
    body: undefined;
    answer: Starter;
  };
  /** Show a starter */
  "GET /v1/starters/{starter}/html": {
    path: { starter: string };
    query: undefined;
    body: undefined;
    answer: unknown;
  };
  /** List files */
  "GET /v1/files": {
    path: undefined;
    query: { limit?: number; cursor?: string; include_total?: boolean };
    body: undefined;
    answer: FilePage;
  };
  /** Upload an image */
  "POST /v1/files": {
    path: undefined;
    query: undefined;
    body: FormData;
    answer: File;
  };
  /** Get a file */
  "GET /v1/files/{id}": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: File;
  };
  /** Delete a file */
  "DELETE /v1/files/{id}": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: undefined;
  };
};
