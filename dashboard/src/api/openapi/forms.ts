// Made by `npm run client-types` from the OpenAPI document. Don't edit it: `npm run check` compares.

export type Form = { object: "form"; id: string; name: string; list_id: string; topic_ids: readonly (string)[]; fields: readonly ({ name: string; label: string | null; required: boolean })[]; double_opt_in: boolean; locale: string | null; texts: { title: string | null; intro: string | null; consent: string | null; tracking: string | null; button: string | null; note: string | null; privacy_url: string | null; done_title: string | null; done_text: string | null }; redirect_url: string | null; tags: readonly (string)[]; checks: "off" | "report" | "skip_bad"; status: "active" | "paused"; version: number; url: string; created_at: string; updated_at: string; updated_by: { kind: "user" | "api_key" | "import" | "system"; id: string | null; name: string | null } | null };

export type FormPage = { object: "list"; data: readonly (Form)[]; has_more: boolean; next_cursor: string | null; total?: number };

export type FormCreate = { name: string; list_id: string; topic_ids?: readonly (string)[]; fields?: readonly ({ name: string; label?: string | null; required?: boolean })[]; double_opt_in?: boolean; locale?: string | null; texts?: { title?: string | null; intro?: string | null; consent?: string | null; tracking?: string | null; button?: string | null; note?: string | null; privacy_url?: string | null; done_title?: string | null; done_text?: string | null }; redirect_url?: string | null; tags?: readonly (string)[]; checks?: "off" | "report" | "skip_bad"; status?: "active" | "paused" };

export type FormPatch = { name?: string; topic_ids?: readonly (string)[]; fields?: readonly ({ name: string; label?: string | null; required?: boolean })[]; double_opt_in?: boolean; locale?: string | null; texts?: { title?: string | null; intro?: string | null; consent?: string | null; tracking?: string | null; button?: string | null; note?: string | null; privacy_url?: string | null; done_title?: string | null; done_text?: string | null }; redirect_url?: string | null; tags?: readonly (string)[]; checks?: "off" | "report" | "skip_bad"; status?: "active" | "paused" };

export type FormSnippet = { object: "form_snippet"; form_id: string; version: number; locale: string; html: string; script_inline: string; script_popup: string };

export type FormPreview = { object: "form_preview"; html: string };

export type FormsOperations = {
  /** List forms */
  "GET /v1/forms": {
    path: undefined;
    query: { list_id?: string; limit?: number; cursor?: string; include_total?: boolean };
    body: undefined;
    answer: FormPage;
  };
  /** Make a form */
  "POST /v1/forms": {
    path: undefined;
    query: undefined;
    body: FormCreate;
    answer: Form;
  };
  /** Get a form */
  "GET /v1/forms/{id}": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: Form;
  };
  /** Change a form */
  "PATCH /v1/forms/{id}": {
    path: { id: string };
    query: undefined;
    body: FormPatch;
    answer: Form;
  };
  /** Delete a form */
  "DELETE /v1/forms/{id}": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: undefined;
  };
  /** Get the snippets of a form */
  "GET /v1/forms/{id}/snippet": {
    path: { id: string };
    query: { locale?: string };
    body: undefined;
    answer: FormSnippet;
  };
  /** Preview a form */
  "POST /v1/forms/{id}/preview": {
    path: { id: string };
    query: undefined;
    body: FormPatch | undefined;
    answer: FormPreview;
  };
};
