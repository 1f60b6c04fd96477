// Made by `npm run client-types` from the OpenAPI document. Don't edit it: `npm run check` compares.

export type EmailCreate = { from: string; to: readonly (string)[]; cc?: readonly (string)[]; bcc?: readonly (string)[]; reply_to?: string; subject?: string; template_id?: string; variables?: Record<string, unknown>; html?: string; mjml?: string; text?: string; attachments?: readonly ({ filename: string; content: string; content_type?: string; content_id?: string })[]; headers?: Record<string, string>; tags?: readonly (string)[]; metadata?: Record<string, string>; tracking?: { opens?: boolean; clicks?: boolean }; transport_id?: string; send_at?: string };

export type Email = { object: "email"; id: string; from: string | null; to: readonly (string)[]; cc: readonly (string)[]; bcc: readonly (string)[]; reply_to: string | null; subject: string | null; status: "queued" | "scheduled" | "sent" | "deferred" | "bounced" | "complained" | "failed" | "skipped" | "unknown" | "canceled"; recipients: readonly ({ email: string | null; role: "to" | "cc" | "bcc" | null; status: "queued" | "scheduled" | "sent" | "deferred" | "bounced" | "complained" | "failed" | "skipped" | "unknown" | "canceled"; reason: string | null; code: number | null; reply: string | null; at: string })[]; attachments: readonly ({ filename: string; content_type: string; size: number })[]; tags: readonly (string)[]; metadata: Record<string, string>; tracking: { opens: boolean; clicks: boolean }; opens: number | null; clicks: number | null; transport_id: string | null; template: { id: string; version: number } | null; send_at: string | null; created_at: string; updated_at: string };

export type EmailPage = { object: "list"; data: readonly (Email)[]; has_more: boolean; next_cursor: string | null; total?: number };

export type EmailBatch = { emails: readonly (unknown)[] };

export type EmailBatchResult = { object: "batch"; results: readonly ({ status: number; email?: { id: string; status: "queued" | "scheduled" | "sent" | "deferred" | "bounced" | "complained" | "failed" | "skipped" | "unknown" | "canceled"; skipped?: readonly ({ email: string; reason: string })[] }; error?: { code: string; detail: string } })[] };

export type EmailDetail = { object: "email"; id: string; from: string | null; to: readonly (string)[]; cc: readonly (string)[]; bcc: readonly (string)[]; reply_to: string | null; subject: string | null; status: "queued" | "scheduled" | "sent" | "deferred" | "bounced" | "complained" | "failed" | "skipped" | "unknown" | "canceled"; recipients: readonly ({ email: string | null; role: "to" | "cc" | "bcc" | null; status: "queued" | "scheduled" | "sent" | "deferred" | "bounced" | "complained" | "failed" | "skipped" | "unknown" | "canceled"; reason: string | null; code: number | null; reply: string | null; at: string })[]; attachments: readonly ({ filename: string; content_type: string; size: number })[]; tags: readonly (string)[]; metadata: Record<string, string>; tracking: { opens: boolean; clicks: boolean }; opens: number | null; clicks: number | null; transport_id: string | null; template: { id: string; version: number } | null; send_at: string | null; created_at: string; updated_at: string; timeline: readonly ({ type: "queued" | "scheduled" | "sent" | "deferred" | "bounced" | "complained" | "failed" | "skipped" | "unknown" | "canceled" | "opened" | "clicked"; at: string; email: string | null; attempt: number | null; reason: string | null; code: number | null; reply: string | null; url: string | null })[] };

export type EmailContent = { object: "email_content"; email_id: string; subject: string; html: string | null; text: string | null; headers: readonly ({ name: string; value: string })[]; raw: string };

export type EmailsOperations = {
  /** Send a mail */
  "POST /v1/emails": {
    path: undefined;
    query: undefined;
    body: EmailCreate;
    answer: Email;
  };
  /** List mails */
  "GET /v1/emails": {
    path: undefined;
    query: { to?: string; tag?: string; status?: "queued" | "scheduled" | "sent" | "deferred" | "bounced" | "complained" | "failed" | "skipped" | "unknown" | "canceled"; subject?: string; created_after?: string; created_before?: string; limit?: number; cursor?: string; include_total?: boolean };
    body: undefined;
    answer: EmailPage;
  };
  /** Send up to 100 mails */
  "POST /v1/emails/batch": {
    path: undefined;
    query: undefined;
    body: EmailBatch;
    answer: EmailBatchResult;
  };
  /** Cancel a mail */
  "POST /v1/emails/{id}/cancel": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: EmailDetail;
  };
  /** Get a mail as it was made */
  "GET /v1/emails/{id}/content": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: EmailContent;
  };
  /** Show a mail as it was made */
  "GET /v1/emails/{id}/html": {
    path: { id: string };
    query: { pictures?: "own" | "all" };
    body: undefined;
    answer: unknown;
  };
  /** Watch a mail */
  "GET /v1/emails/{id}/events": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: unknown;
  };
  /** Get a mail */
  "GET /v1/emails/{id}": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: EmailDetail;
  };
};
