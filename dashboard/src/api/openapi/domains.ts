// Made by `npm run client-types` from the OpenAPI document. Don't edit it: `npm run check` compares.

export type DomainKey = { id: string; algorithm: "rsa" | "ed25519"; selector: string; state: "standby" | "active" | "retiring" | "retired"; seen_at: string | null; activated_at: string | null; retiring_since: string | null; created_at: string };

export type DomainRecord = { kind: "dkim" | "return_path" | "spf" | "dmarc" | "tracking"; type: "TXT" | "CNAME" | "MX"; name: string; host_label: string; expected: string | null; strings: readonly (string)[]; found: readonly (string)[]; status: "ok" | "missing" | "wrong" | "duplicate" | "unknown"; required: boolean; advice: string; provider_hint: string | null; details: Record<string, unknown> | null };

export type Domain = { object: "domain"; id: string; name: string; status: "pending" | "verified" | "failing" | "unverified"; return_path: string | null; tracking_host: string | null; ed25519: boolean; keys: readonly (DomainKey)[]; records: readonly (DomainRecord)[]; dns_host: { name: string; hint: string } | null; checked_at: string | null; next_check_at: string; verified_at: string | null; failing_since: string | null; failing_until: string | null; created_at: string; updated_at: string; updated_by: { kind: "user" | "api_key" | "import" | "system"; id: string | null; name: string | null } | null };

export type DomainPage = { object: "list"; data: readonly (Domain)[]; has_more: boolean; next_cursor: string | null; total?: number };

export type DomainCreate = { name: string; return_path?: string | null; tracking_host?: string | null; ed25519?: boolean };

export type DomainPatch = { return_path?: string | null; tracking_host?: string | null; ed25519?: boolean };

export type DomainsOperations = {
  /** List domains */
  "GET /v1/domains": {
    path: undefined;
    query: { status?: "pending" | "verified" | "failing" | "unverified"; limit?: number; cursor?: string; include_total?: boolean };
    body: undefined;
    answer: DomainPage;
  };
  /** Add a domain */
  "POST /v1/domains": {
    path: undefined;
    query: undefined;
    body: DomainCreate;
    answer: Domain;
  };
  /** Get a domain */
  "GET /v1/domains/{id}": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: Domain;
  };
  /** Change a domain */
  "PATCH /v1/domains/{id}": {
    path: { id: string };
    query: undefined;
    body: DomainPatch;
    answer: Domain;
  };
  /** Delete a domain */
  "DELETE /v1/domains/{id}": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: undefined;
  };
  /** Look into the DNS now */
  "POST /v1/domains/{id}/verify": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: Domain;
  };
  /** Rotate the keys */
  "POST /v1/domains/{id}/rotate_key": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: Domain;
  };
  /** Get the records as a zone file */
  "GET /v1/domains/{id}/zone": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: unknown;
  };
};
