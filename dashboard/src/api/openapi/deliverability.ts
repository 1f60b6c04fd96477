// Made by `npm run client-types` from the OpenAPI document. Don't edit it: `npm run check` compares.

export type Alert = { object: "alert"; id: string; kind: "domain_failing" | "domain_unverified" | "signing_key_unreadable" | "blocklisted" | "dmarc_unknown_source" | "dmarc_failing" | "storm" | "standing" | "provider" | "provider_closed" | "transport_out" | "automation_unreadable" | "automations_late"; subject: string; status: "open" | "acknowledged" | "closed"; severity: "warning" | "critical"; title: string; detail: string; remedy: string; data: Record<string, unknown>; acknowledged_at: string | null; closed_at: string | null; created_at: string; updated_at: string };

export type AlertPage = { object: "list"; data: readonly (Alert)[]; has_more: boolean; next_cursor: string | null; total?: number };

export type AddressesInput = { addresses: readonly (string)[] };

export type CheckedAddress = { address: string; result: "ok" | "risky" | "bad" | "unknown"; reasons: readonly ("syntax" | "no_such_domain" | "null_mx" | "no_mail_server" | "internal_mail_server" | "reserved_domain" | "no_mx" | "disposable" | "role" | "typo" | "dns_failed")[]; suggestion: string | null; provider: string | null };

export type AddressChecks = { object: "address_checks"; data: readonly (CheckedAddress)[] };

export type MailboxProvider = { key: string; name: string; domains: readonly (string)[]; servers: readonly (string)[]; source: string | null };

export type MailboxProviders = { object: "mailbox_providers"; data: readonly (MailboxProvider)[] };

export type Blocklist = { zone: string; name: string; kind: "address" | "domain"; is_proved: boolean; detail: string | null; url: string | null; checked_at: string | null };

export type BlocklistResult = { zone: string; status: "clear" | "listed" | "unknown"; detail: string | null; url: string | null; listed_since: string | null; checked_at: string | null };

export type BlocklistAddress = { address: string; transport_id: string | null; results: readonly (BlocklistResult)[] };

export type BlocklistDomain = { domain: string; results: readonly (BlocklistResult)[] };

export type Blocklists = { object: "blocklists"; is_on: boolean; why_off: string | null; lists: readonly (Blocklist)[]; addresses: readonly (BlocklistAddress)[]; domains: readonly (BlocklistDomain)[]; checked_at: string | null; next_check_at: string | null };

export type BlocklistCheck = { object: "blocklist_check"; requested_at: string; next_allowed_at: string };

export type ProviderBounces = { hard: number; soft: number; block: number; total: number };

export type ProviderTotals = { sent: number; delivered: number; deferred: number; bounces: ProviderBounces; complaints: number | null; opened: number; clicked: number };

export type ProviderPoint = { at: string; sent: number; delivered: number; deferred: number; bounces: ProviderBounces; complaints: number | null; opened: number; clicked: number };

export type ProviderSeries = { provider: string; name: string; totals: ProviderTotals; points: readonly (ProviderPoint)[] };

export type ProviderSender = { transport_id: string | null; domain: string };

export type ProviderCounts = { object: "provider_counts"; from: string; to: string; interval: "hour" | "day" | "week" | "month"; totals: ProviderTotals; data: readonly (ProviderSeries)[]; senders: readonly (ProviderSender)[] };

export type SenderRule = { code: string; group: "authentication" | "infrastructure" | "unsubscribe" | "complaints" | "content" | "lists"; providers: readonly ("gmail" | "yahoo" | "microsoft" | "apple")[]; is_required: boolean; status: "pass" | "fail" | "warn" | "unknown"; title: string; evidence: string; remedy: string | null; sources: readonly ({ provider: "gmail" | "yahoo" | "microsoft" | "apple"; title: string; url: string; date: string | null })[] };

export type ProviderVolume = { provider: "gmail" | "yahoo" | "microsoft" | "apple"; accepted: number; most_in_a_day: number; complaints: number | null; complaint_rate: number | null; complaint_rate_source: "feedback" | "entered" | null; is_bulk: boolean };

export type SenderChecklist = { object: "sender_checklist"; data: readonly (SenderRule)[]; volumes: readonly (ProviderVolume)[]; is_bulk: boolean; rules_as_of: string; as_of: string };

export type ComplaintRate = { object: "complaint_rate"; provider: "gmail" | "yahoo" | "microsoft" | "apple"; day: string; rate: number; created_at: string; updated_at: string };

export type ComplaintRates = { object: "list"; data: readonly (ComplaintRate)[] };

export type ComplaintRateInput = { provider: "gmail" | "yahoo" | "microsoft" | "apple"; day: string; rate: number };

export type DmarcGroup = { key: string; name: string; kind: "own_transport" | "known_service" | "unknown" | null; host: string | null; addresses: number | null; source_ips: readonly (string)[]; last_day: string; messages: number; aligned: number; dkim_aligned: number; spf_aligned: number; none: number; quarantined: number; rejected: number };

export type DmarcNumbers = { object: "dmarc_numbers"; group_by: "source" | "reporter" | "day" | "selector"; domain_id: string | null; from: string; to: string; totals: { messages: number; aligned: number; dkim_aligned: number; spf_aligned: number; none: number; quarantined: number; rejected: number; reports: number }; groups: number; data: readonly (DmarcGroup)[] };

export type DmarcPolicy = { p: string | null; sp: string | null; np: string | null; adkim: string | null; aspf: string | null; pct: number | null; testing: boolean | null };

export type DmarcReport = { object: "dmarc_report"; id: string; domain_id: string; policy_domain: string; reporter: string; contact: string | null; report_id: string; begins_at: string; ends_at: string; policy: DmarcPolicy; channel: "upload" | "mail" | "command"; sender_domain: string | null; messages: number; aligned: number; records: number; records_left_out: number; created_at: string; updated_at: string };

export type DmarcReportPage = { object: "list"; data: readonly (DmarcReport)[]; has_more: boolean; next_cursor: string | null; total?: number };

export type DmarcUpload = { object: "dmarc_upload"; data: readonly ({ report: DmarcReport; is_new: boolean })[] };

export type MailTestSummary = { object: "mail_test"; id: string; status: "waiting" | "done" | "failed" | "expired"; campaign_id: string; campaign_name: string; subject: string; from: string; transport_id: string | null; transport_name: string; address: string | null; sent_at: string | null; reply: string | null; arrived_at: string | null; failure: string | null; score: number | null; created_at: string; expires_at: string; finished_at: string | null; updated_at: string };

export type MailTestPage = { object: "list"; data: readonly (MailTestSummary)[]; has_more: boolean; next_cursor: string | null; total?: number };

export type MailTestCreate = { campaign_id: string };

export type MailTestItem = { key: string; status: "pass" | "warn" | "fail" | "unknown"; title: string; evidence: string; remedy: string | null };

export type MailTestGroup = { key: "connection" | "authentication" | "unsubscribe" | "content" | "spam_filter" | "blocklists"; items: readonly (MailTestItem)[] };

export type MailTest = { object: "mail_test"; id: string; status: "waiting" | "done" | "failed" | "expired"; campaign_id: string; campaign_name: string; subject: string; from: string; transport_id: string | null; transport_name: string; address: string | null; sent_at: string | null; reply: string | null; arrived_at: string | null; failure: string | null; score: number | null; created_at: string; expires_at: string; finished_at: string | null; updated_at: string; report: { score: number; deductions: readonly ({ key: string; points: number; most: number })[]; ip: string | null; helo: string | null; tls: string | null; bytes: number; is_egress_known: boolean; groups: readonly (MailTestGroup)[] } | null };

export type DeliverabilityOperations = {
  /** List alerts */
  "GET /v1/deliverability/alerts": {
    path: undefined;
    query: { status?: "open" | "acknowledged" | "closed"; kind?: "domain_failing" | "domain_unverified" | "signing_key_unreadable" | "blocklisted" | "dmarc_unknown_source" | "dmarc_failing" | "storm" | "standing" | "provider" | "provider_closed" | "transport_out" | "automation_unreadable" | "automations_late"; limit?: number; cursor?: string; include_total?: boolean };
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
  /** Check addresses */
  "POST /v1/addresses/check": {
    path: undefined;
    query: undefined;
    body: AddressesInput;
    answer: AddressChecks;
  };
  /** List mailbox providers */
  "GET /v1/providers": {
    path: undefined;
    query: undefined;
    body: undefined;
    answer: MailboxProviders;
  };
  /** Show what blocklists say */
  "GET /v1/deliverability/blocklists": {
    path: undefined;
    query: undefined;
    body: undefined;
    answer: Blocklists;
  };
  /** Look up the blocklists now */
  "POST /v1/deliverability/blocklists/check": {
    path: undefined;
    query: undefined;
    body: undefined;
    answer: BlocklistCheck;
  };
  /** See how mail fares by provider */
  "GET /v1/deliverability/providers": {
    path: undefined;
    query: { from?: string; to?: string; interval?: "hour" | "day" | "week" | "month"; transport_id?: string; domain?: string; provider?: string };
    body: undefined;
    answer: ProviderCounts;
  };
  /** Check the rules for bulk senders */
  "GET /v1/deliverability/checklist": {
    path: undefined;
    query: undefined;
    body: undefined;
    answer: SenderChecklist;
  };
  /** List complaint rates */
  "GET /v1/deliverability/complaint_rates": {
    path: undefined;
    query: undefined;
    body: undefined;
    answer: ComplaintRates;
  };
  /** Enter a complaint rate */
  "PUT /v1/deliverability/complaint_rates": {
    path: undefined;
    query: undefined;
    body: ComplaintRateInput;
    answer: ComplaintRate;
  };
  /** Who sends in your name */
  "GET /v1/deliverability/dmarc": {
    path: undefined;
    query: { domain_id?: string; from?: string; to?: string; group_by?: "source" | "reporter" | "day" | "selector"; source_ip?: string; limit?: number };
    body: undefined;
    answer: DmarcNumbers;
  };
  /** List DMARC reports */
  "GET /v1/deliverability/reports": {
    path: undefined;
    query: { domain_id?: string; limit?: number; cursor?: string; include_total?: boolean };
    body: undefined;
    answer: DmarcReportPage;
  };
  /** Upload a DMARC report */
  "POST /v1/deliverability/reports": {
    path: undefined;
    query: undefined;
    body: FormData;
    answer: DmarcUpload;
  };
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
