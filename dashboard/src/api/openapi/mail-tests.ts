// Made by `npm run client-types` from the OpenAPI document. Don't edit it: `npm run check` compares.

export type MailTestSummary = { object: "mail_test"; id: string; status: "waiting" | "done" | "failed" | "expired"; campaign_id: string; campaign_name: string; subject: string; from: string; transport_id: string | null; transport_name: string; address: string | null; sent_at: string | null; reply: string | null; arrived_at: string | null; failure: string | null; score: number | null; created_at: string; expires_at: string; finished_at: string | null; updated_at: string };

export type MailTestPage = { object: "list"; data: readonly (MailTestSummary)[]; has_more: boolean; next_cursor: string | null; total?: number };

export type MailTestCreate = { campaign_id: string };

export type MailTestItem = { key: string; status: "pass" | "warn" | "fail" | "unknown"; title: string; evidence: string; remedy: string | null };

export type MailTestGroup = { key: "connection" | "authentication" | "unsubscribe" | "content" | "spam_filter" | "blocklists"; items: readonly (MailTestItem)[] };

export type MailTest = { object: "mail_test"; id: string; status: "waiting" | "done" | "failed" | "expired"; campaign_id: string; campaign_name: string; subject: string; from: string; transport_id: string | null; transport_name: string; address: string | null; sent_at: string | null; reply: string | null; arrived_at: string | null; failure: string | null; score: number | null; created_at: string; expires_at: string; finished_at: string | null; updated_at: string; report: { score: number; deductions: readonly ({ key: string; points: number; most: number })[]; ip: string | null; helo: string | null; tls: string | null; bytes: number; is_egress_known: boolean; groups: readonly (MailTestGroup)[] } | null };

export type MailTestsOperations = {
  /** List mail tests */
  "GET /v1/deliverability/tests": {
    path: undefined;
    query: { campaign_id?: string; limit?: number; cursor?: string; include_total?: boolean };
    body: undefined;
    answer: MailTestPage;
  };
  /** Test a campaign's mail */
  "POST /v1/deliverability/tests": {
    path: undefined;
    query: undefined;
    body: MailTestCreate;
    answer: MailTest;
  };
  /** Get a mail test */
  "GET /v1/deliverability/tests/{id}": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: MailTest;
  };
};
