// Made by `npm run client-types` from the OpenAPI document. Don't edit it: `npm run check` compares.

export type SandboxMessageSummary = { object: "sandbox_message"; id: string; campaign_id: string | null; email_id: string | null; from: string; to: string; subject: string | null; created_at: string; updated_at: string };

export type SandboxMessagePage = { object: "list"; data: readonly (SandboxMessageSummary)[]; has_more: boolean; next_cursor: string | null; total?: number };

export type SandboxMessage = { object: "sandbox_message"; id: string; campaign_id: string | null; email_id: string | null; from: string; to: string; subject: string | null; created_at: string; updated_at: string; headers: readonly ({ name: string; value: string })[]; html: string | null; text: string | null; size: number };

export type ProviderClosing = { provider: string; name: string; from_domain: string | null; reason: "rate" | "reputation" | "blocked" | "authentication" | "reverse_dns" | "tls" | "refusals"; reply: string | null; since: string; until: string };

export type Transport = { object: "transport"; id: string; name: string; host: string; port: number; tls: "implicit" | "required" | "opportunistic" | "never"; verify_certificate: boolean; username: string | null; has_password: boolean; ehlo_name: string | null; max_connections: number; rate_per_second: number | null; max_per_day: number | null; has_warmup: boolean; streams: readonly ("campaign" | "transactional" | "automation")[]; closings: readonly (ProviderClosing)[]; last_test: { tested_at: string; ok: boolean; phase: "connect" | "tls" | "greeting" | "ehlo" | "auth" | "mail" | "rcpt" | "data" | "message" | null; code: number | null; text: string | null } | null; out: { since: string; reason: "refused" | "unreachable"; detail: string | null; next_try_at: string | null } | null; created_at: string; updated_at: string; updated_by: { kind: "user" | "api_key" | "import" | "system"; id: string | null; name: string | null } | null };

export type TransportPage = { object: "list"; data: readonly (Transport)[]; has_more: boolean; next_cursor: string | null; total?: number };

export type TransportCreate = { name: string; host: string; port?: number; tls?: "implicit" | "required" | "opportunistic" | "never"; verify_certificate?: boolean; username?: string | null; password?: string | null; ehlo_name?: string | null; max_connections?: number; rate_per_second?: number | null; max_per_day?: number | null; streams?: readonly ("campaign" | "transactional" | "automation")[] };

export type TransportPatch = { name?: string; host?: string; port?: number; tls?: "implicit" | "required" | "opportunistic" | "never"; verify_certificate?: boolean; username?: string | null; password?: string | null; ehlo_name?: string | null; max_connections?: number; rate_per_second?: number | null; max_per_day?: number | null; streams?: readonly ("campaign" | "transactional" | "automation")[] };

export type TransportReopen = { provider: "google" | "microsoft" | "microsoft365" | "yahoo" | "apple" | "gmx" | "ionos" | "telekom" | "orange" | "free" | "sfr" | "laposte" | "italiaonline" | "seznam" | "wp" | "onet" | "btinternet" | "comcast" | "charter" | "cox" | "att" | "proton" | "fastmail" | "zoho" | "yandex" | "mailru" | "qq" | "netease" | "alibaba" | "naver" | "kakao" | "yahoo_japan" | "docomo" | "kddi" | "softbank" | "ovh" | "godaddy" | "rackspace" | "cloudflare" | "mimecast" | "proofpoint" | "barracuda" | "cisco" | "broadcom" | "trendmicro" | "sophos" | "hornetsecurity" };

export type TransportTestInput = { to?: string; from?: string };

export type TransportTest = { object: "transport_test"; transport_id: string; ok: boolean; phase: "connect" | "tls" | "greeting" | "ehlo" | "auth" | "mail" | "rcpt" | "data" | "message" | null; code: number | null; text: string | null; advice: string | null; encrypted: boolean; to: string | null; steps: readonly ({ phase: "connect" | "tls" | "greeting" | "ehlo" | "auth" | "mail" | "rcpt" | "data" | "message"; duration_ms: number })[]; tested_at: string };

export type TransportPool = { object: "transport_pool"; stream: "campaign" | "transactional" | "automation"; transports: readonly (string)[]; leaves_by: string | null };

export type TransportPoolList = { object: "list"; data: readonly (TransportPool)[]; has_more: false; next_cursor: null };

export type TransportPoolInput = { transports: readonly (string)[] };

export type Warmup = { object: "warmup"; transport_id: string; status: "running" | "paused"; start_per_day: number; growth: number; target_per_day: number; paused_at: string | null; began_at: string; updated_at: string; providers: readonly ({ provider: string; name: string; per_day: number; is_at_target: boolean; reason: "first_day" | "good_day" | "at_target" | "paused" | "too_little_sent" | "hard_bounces" | "deferrals" | "complaints" | "many_complaints" | null; next: { per_day: number; reason: "first_day" | "good_day" | "at_target" | "paused" | "too_little_sent" | "hard_bounces" | "deferrals" | "complaints" | "many_complaints" }; days: readonly ({ day: string; planned: number; sent: number; hard_bounces: number; deferred: number; complaints: number | null })[] })[] };

export type WarmupInput = { start_per_day: number; growth: number; target_per_day: number };

export type CampaignCheck = { code: string; severity: "error" | "warning" | "info"; message: string; remedy: string; place: { part: string; line: number; column: number; excerpt: string } | null; count: number };

export type Sending = { object: "sending"; leaves_by: "sandbox" | "transport" | "instance"; host: string | null; rate_per_second: number | null; has_instance_server: boolean; closings: readonly (ProviderClosing)[]; checks: readonly (CampaignCheck)[] };

export type SendingOperations = {
  /** List caught messages */
  "GET /v1/sandbox/messages": {
    path: undefined;
    query: { to?: string; limit?: number; cursor?: string; include_total?: boolean };
    body: undefined;
    answer: SandboxMessagePage;
  };
  /** Empty the sandbox */
  "DELETE /v1/sandbox/messages": {
    path: undefined;
    query: undefined;
    body: undefined;
    answer: undefined;
  };
  /** Get a caught message */
  "GET /v1/sandbox/messages/{id}": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: SandboxMessage;
  };
  /** Get a caught message as it was sent */
  "GET /v1/sandbox/messages/{id}/raw": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: unknown;
  };
  /** Show a caught message */
  "GET /v1/sandbox/messages/{id}/html": {
    path: { id: string };
    query: { pictures?: "own" | "all" };
    body: undefined;
    answer: unknown;
  };
  /** List transports */
  "GET /v1/transports": {
    path: undefined;
    query: { stream?: "campaign" | "transactional" | "automation"; limit?: number; cursor?: string; include_total?: boolean };
    body: undefined;
    answer: TransportPage;
  };
  /** Make a transport */
  "POST /v1/transports": {
    path: undefined;
    query: undefined;
    body: TransportCreate;
    answer: Transport;
  };
  /** Get a transport */
  "GET /v1/transports/{id}": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: Transport;
  };
  /** Change a transport */
  "PATCH /v1/transports/{id}": {
    path: { id: string };
    query: undefined;
    body: TransportPatch;
    answer: Transport;
  };
  /** Delete a transport */
  "DELETE /v1/transports/{id}": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: undefined;
  };
  /** Open a mailbox provider for a transport */
  "POST /v1/transports/{id}/reopen": {
    path: { id: string };
    query: undefined;
    body: TransportReopen;
    answer: Transport;
  };
  /** Reinstate a transport */
  "POST /v1/transports/{id}/reinstate": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: Transport;
  };
  /** Test a transport */
  "POST /v1/transports/{id}/test": {
    path: { id: string };
    query: undefined;
    body: TransportTestInput | undefined;
    answer: TransportTest;
  };
  /** List the orders of transports */
  "GET /v1/transport_pools": {
    path: undefined;
    query: undefined;
    body: undefined;
    answer: TransportPoolList;
  };
  /** Get a stream's order of transports */
  "GET /v1/transport_pools/{stream}": {
    path: { stream: "campaign" | "transactional" | "automation" };
    query: undefined;
    body: undefined;
    answer: TransportPool;
  };
  /** Set a stream's order of transports */
  "PUT /v1/transport_pools/{stream}": {
    path: { stream: "campaign" | "transactional" | "automation" };
    query: undefined;
    body: TransportPoolInput;
    answer: TransportPool;
  };
  /** Get a warm-up */
  "GET /v1/transports/{id}/warmup": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: Warmup;
  };
  /** Warm a transport up */
  "PUT /v1/transports/{id}/warmup": {
    path: { id: string };
    query: undefined;
    body: WarmupInput;
    answer: Warmup;
  };
  /** End a warm-up */
  "DELETE /v1/transports/{id}/warmup": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: undefined;
  };
  /** Pause a warm-up */
  "POST /v1/transports/{id}/warmup/pause": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: Warmup;
  };
  /** Resume a warm-up */
  "POST /v1/transports/{id}/warmup/resume": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: Warmup;
  };
  /** Tell how campaigns leave */
  "GET /v1/sending": {
    path: undefined;
    query: undefined;
    body: undefined;
    answer: Sending;
  };
};
