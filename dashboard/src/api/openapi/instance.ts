// Made by `npm run client-types` from the OpenAPI document. Don't edit it: `npm run check` compares.

export type SampleData = { object: "sample_data"; list_id: string | null; campaign_id: string | null; subscribers: number; own_subscribers: number; drafts: number; campaigns: number };

export type Instance = { object: "instance"; version: string; may_read_health: boolean; submission: { host: string; port: number; tls_port: number | null; tls: boolean } | null };

export type HealthCheck = { name: string; group: "machine" | "network" | "database" | "work"; status: "ok" | "warn" | "fail" | "info"; finding: string; remedy: string | null };

export type InstanceHealth = { object: "instance_health"; version: string; checked_at: string; checks: readonly (HealthCheck)[]; report: string };

export type InstanceOperations = {
  /** Tell what sample data there is */
  "GET /v1/sample_data": {
    path: undefined;
    query: undefined;
    body: undefined;
    answer: SampleData;
  };
  /** Add sample data */
  "POST /v1/sample_data": {
    path: undefined;
    query: undefined;
    body: undefined;
    answer: SampleData;
  };
  /** Remove sample data */
  "DELETE /v1/sample_data": {
    path: undefined;
    query: undefined;
    body: undefined;
    answer: undefined;
  };
  /** Get the instance */
  "GET /v1/instance": {
    path: undefined;
    query: undefined;
    body: undefined;
    answer: Instance;
  };
  /** Say what is wrong with the instance */
  "GET /v1/instance/health": {
    path: undefined;
    query: undefined;
    body: undefined;
    answer: InstanceHealth;
  };
};
