// Made by `npm run client-types` from the OpenAPI document. Don't edit it: `npm run check` compares.

import type { Visit, AuditPage, Usage } from "./logs.ts";

export type PlanTerms = { name: string; price: string; currency: string; interval: "month" | "year"; included_mails: number | null; overage_per_1000: string | null; at_limit: "stop" | "overage"; transactional_reserve: number; daily_mails: number | null; contacts: number | null; members: number | null; features: readonly ("automations" | "smtp_submission" | "transports" | "webhooks")[] | null };

export type PlanTaken = { id: string; terms: PlanTerms };

export type CreditTotals = { mails: number; amounts: readonly ({ amount: string; currency: string })[] };

export type StatementLine = { kind: "base" | "mails" | "late" | "credit" | "tax"; amount: string; stream?: "campaign" | "automation" | "transactional"; mails?: number; included?: number; credited?: number; charged?: number; statement_id?: string; label?: string; rate?: string };

export type Billing = { object: "billing"; subscription: { object: "plan_subscription"; id: string; plan_id: string; state: "trialing" | "active"; is_default: boolean; terms: PlanTerms; time_zone: string; started_at: string; anchor: string; period: { from: string; to: string }; pending_change: { plan: PlanTaken; at: string; is_default: boolean } | null; ends_at: string | null; spending_cap: string | null; tax: { label: string; rate: string } | null; created_at: string; updated_at: string } | null; follows: { id: string; terms: PlanTerms } | null; credits: CreditTotals; statement: { object: "statement"; id: string; state: "open" | "closed"; period: { from: string; to: string }; is_trial: boolean; plan_name: string; currency: string; mails: number; lines: readonly (StatementLine)[]; subtotal: string; overage: string; tax: string; total: string; closed_at: string | null; created_at: string; updated_at: string } | null; allowance: { limit: number | null; included: number | null; used: number; reserved: number; left: number | null; transactional_reserve: number; resets_at: string; daily: { limit: number; used: number; resets_at: string } | null; spending: { cap: string; spent: string; waived: string } | null; at_limit: "stop" | "overage" } | null; payment: { provider: "stripe"; status: "none" | "active" | "past_due" | "canceled"; past_due_since: string | null; campaigns_stop_at: string | null; transactional_stops_at: string | null; grace_until: string | null; cancels_at: string | null } | null };

export type Plan = { object: "plan"; id: string; name: string; price: string; currency: string; interval: "month" | "year"; included_mails: number | null; overage_per_1000: string | null; at_limit: "stop" | "overage"; transactional_reserve: number; daily_mails: number | null; contacts: number | null; members: number | null; features: readonly ("automations" | "smtp_submission" | "transports" | "webhooks")[] | null; trial_days: number; stripe_price_id: string | null; default: boolean; subscriptions: number; archived_at: string | null; created_at: string; updated_at: string };

export type PlanPage = { object: "list"; data: readonly (Plan)[]; has_more: boolean; next_cursor: string | null; total?: number };

export type PlanCreate = { name: string; price: string; currency: string; interval?: "month" | "year"; included_mails?: number | null; overage_per_1000?: string | null; at_limit?: "stop" | "overage"; transactional_reserve?: number; daily_mails?: number | null; contacts?: number | null; members?: number | null; features?: readonly ("automations" | "smtp_submission" | "transports" | "webhooks")[] | null; trial_days?: number; stripe_price_id?: string | null };

export type PlanPatch = { name?: string; price?: string; currency?: string; interval?: "month" | "year"; included_mails?: number | null; overage_per_1000?: string | null; at_limit?: "stop" | "overage"; transactional_reserve?: number; daily_mails?: number | null; contacts?: number | null; members?: number | null; features?: readonly ("automations" | "smtp_submission" | "transports" | "webhooks")[] | null; trial_days?: number; stripe_price_id?: string | null; default?: boolean };

export type PlanSubscription = { object: "plan_subscription"; id: string; plan_id: string; state: "trialing" | "active"; is_default: boolean; terms: PlanTerms; time_zone: string; started_at: string; anchor: string; period: { from: string; to: string }; pending_change: { plan: PlanTaken; at: string; is_default: boolean } | null; ends_at: string | null; spending_cap: string | null; tax: { label: string; rate: string } | null; created_at: string; updated_at: string };

export type PlanSubscriptionPut = { plan_id: string; spending_cap?: string | null; tax?: { label: string; rate: string } | null; at?: "now" | "period_end"; renew_terms?: boolean };

export type Credit = { object: "credit"; id: string; amount: string | null; currency: string | null; mails: number | null; reason: string; reverses: string | null; by: string; created_at: string; updated_at: string };

export type CreditPage = { object: "list"; data: readonly (Credit)[]; has_more: boolean; next_cursor: string | null; total?: number };

export type CreditCreate = { amount?: string; currency?: string; mails?: number; reverses?: string; reason: string };

export type Statement = { object: "statement"; id: string; state: "open" | "closed"; period: { from: string; to: string }; is_trial: boolean; plan_name: string; currency: string; mails: number; lines: readonly (StatementLine)[]; subtotal: string; overage: string; tax: string; total: string; closed_at: string | null; created_at: string; updated_at: string };

export type StatementPage = { object: "list"; data: readonly (Statement)[]; has_more: boolean; next_cursor: string | null; total?: number };

export type CheckoutCreate = { plan_id: string; success_url?: string; cancel_url?: string };

export type BillingLink = { object: "billing_link"; url: string };

export type PortalCreate = { return_url?: string };

export type PlanChange = { plan_id: string };

export type PlanCancel = { at: "period_end" | "now" };

export type PlanOffer = { object: "plan_offer"; id: string; name: string; price: string; currency: string; interval: "month" | "year"; included_mails: number | null; overage_per_1000: string | null; at_limit: "stop" | "overage"; transactional_reserve: number; daily_mails: number | null; contacts: number | null; members: number | null; features: readonly ("automations" | "smtp_submission" | "transports" | "webhooks")[] | null; trial_days: number; created_at: string; updated_at: string };

export type PlanOfferPage = { object: "list"; data: readonly (PlanOffer)[]; has_more: boolean; next_cursor: string | null; total?: number };

export type Invoice = { object: "invoice"; id: string; number: string | null; status: string; currency: string; total: string; amount_due: string; amount_paid: string; period: { from: string; to: string }; hosted_invoice_url: string | null; invoice_pdf: string | null; created_at: string; updated_at: string };

export type InvoicePage = { object: "list"; data: readonly (Invoice)[]; has_more: boolean; next_cursor: string | null; total?: number };

export type SampleData = { object: "sample_data"; list_id: string | null; campaign_id: string | null; subscribers: number; own_subscribers: number; drafts: number; campaigns: number };

export type Instance = { object: "instance"; version: string; may_read_health: boolean; submission: { host: string; port: number; tls_port: number | null; tls: boolean } | null };

export type HealthCheck = { name: string; group: "machine" | "network" | "database" | "work"; status: "ok" | "warn" | "fail" | "info"; finding: string; remedy: string | null };

export type InstanceHealth = { object: "instance_health"; version: string; checked_at: string; checks: readonly (HealthCheck)[]; report: string };

export type Review = { object: "review"; id: string; state: "pending" | "approved" | "refused" | "withdrawn"; account_id: string; account_name: string; campaign_id: string; campaign_name: string; subject: string; from_name: string | null; from_email: string | null; recipients: number; reason: string | null; decided_at: string | null; created_at: string; updated_at: string };

export type ReviewPage = { object: "list"; data: readonly (Review)[]; has_more: boolean; next_cursor: string | null; total?: number };

export type ReviewRefusal = { reason: string };

export type InstanceSummary = { object: "instance_summary"; version: string; accounts: { total: number; suspended: number; deletion: number; standing: number }; people: number; operators: number };

export type InstanceAccount = { object: "instance_account"; id: string; name: string; state: "active" | "suspended" | "deletion" | "standing" | "payment_overdue"; holds: readonly ({ kind: "suspended" | "deletion" | "standing" | "payment_overdue"; since: string; reason: string | null })[]; debt: { past_due_since: string; grace_until: string | null } | null; users: number; subscribers: number; mails_30_days: number; daily_mail_limit: number | null; subscriber_limit: number | null; created_at: string; updated_at: string };

export type InstanceAccountPage = { object: "list"; data: readonly (InstanceAccount)[]; has_more: boolean; next_cursor: string | null; total?: number };

export type InstanceAccountCreate = { name: string; owner_email: string; owner_name?: string };

export type NewInstanceAccount = { object: "instance_account"; id: string; name: string; state: "active" | "suspended" | "deletion" | "standing" | "payment_overdue"; holds: readonly ({ kind: "suspended" | "deletion" | "standing" | "payment_overdue"; since: string; reason: string | null })[]; debt: { past_due_since: string; grace_until: string | null } | null; users: number; subscribers: number; mails_30_days: number; daily_mail_limit: number | null; subscriber_limit: number | null; created_at: string; updated_at: string; owner_link: string | null };

export type InstanceAccountPatch = { name?: string; daily_mail_limit?: number | null; subscriber_limit?: number | null };

export type Suspension = { reason: string };

export type Release = { reason: string };

export type PaymentGrace = { until: string | null; reason: string };

export type LookIn = { reason: string; minutes?: number };

export type InstanceOperations = {
  /** List what operators did */
  "GET /v1/instance/audit": {
    path: undefined;
    query: { actor?: string; action?: string; target?: string; created_after?: string; created_before?: string; limit?: number; cursor?: string; include_total?: boolean };
    body: undefined;
    answer: AuditPage;
  };
  /** Get the account's plan */
  "GET /v1/billing": {
    path: undefined;
    query: undefined;
    body: undefined;
    answer: Billing;
  };
  /** List plans */
  "GET /v1/instance/plans": {
    path: undefined;
    query: { state?: "active" | "archived"; limit?: number; cursor?: string; include_total?: boolean };
    body: undefined;
    answer: PlanPage;
  };
  /** Make a plan */
  "POST /v1/instance/plans": {
    path: undefined;
    query: undefined;
    body: PlanCreate;
    answer: Plan;
  };
  /** Get a plan */
  "GET /v1/instance/plans/{id}": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: Plan;
  };
  /** Change a plan */
  "PATCH /v1/instance/plans/{id}": {
    path: { id: string };
    query: undefined;
    body: PlanPatch;
    answer: Plan;
  };
  /** Archive a plan */
  "POST /v1/instance/plans/{id}/archive": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: Plan;
  };
  /** Get an account's subscription */
  "GET /v1/instance/accounts/{id}/subscription": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: PlanSubscription;
  };
  /** Give an account a plan */
  "PUT /v1/instance/accounts/{id}/subscription": {
    path: { id: string };
    query: undefined;
    body: PlanSubscriptionPut;
    answer: PlanSubscription;
  };
  /** End an account's subscription */
  "DELETE /v1/instance/accounts/{id}/subscription": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: undefined;
  };
  /** List an account's credits */
  "GET /v1/instance/accounts/{id}/credits": {
    path: { id: string };
    query: { limit?: number; cursor?: string; include_total?: boolean };
    body: undefined;
    answer: CreditPage;
  };
  /** Give an account a credit */
  "POST /v1/instance/accounts/{id}/credits": {
    path: { id: string };
    query: undefined;
    body: CreditCreate;
    answer: Credit;
  };
  /** See what an account sent */
  "GET /v1/instance/accounts/{id}/usage": {
    path: { id: string };
    query: { from?: string; to?: string };
    body: undefined;
    answer: Usage;
  };
  /** List statements */
  "GET /v1/usage/statements": {
    path: undefined;
    query: { state?: "open" | "closed"; limit?: number; cursor?: string; include_total?: boolean };
    body: undefined;
    answer: StatementPage;
  };
  /** Get a statement */
  "GET /v1/usage/statements/{id}": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: Statement;
  };
  /** List an account's statements */
  "GET /v1/instance/accounts/{id}/statements": {
    path: { id: string };
    query: { state?: "open" | "closed"; limit?: number; cursor?: string; include_total?: boolean };
    body: undefined;
    answer: StatementPage;
  };
  /** Get a statement to print */
  "GET /v1/usage/statements/{id}/document": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: unknown;
  };
  /** Buy a plan */
  "POST /v1/billing/checkout": {
    path: undefined;
    query: undefined;
    body: CheckoutCreate;
    answer: BillingLink;
  };
  /** Change how the account pays */
  "POST /v1/billing/portal": {
    path: undefined;
    query: undefined;
    body: PortalCreate | undefined;
    answer: BillingLink;
  };
  /** Take another plan */
  "POST /v1/billing/change": {
    path: undefined;
    query: undefined;
    body: PlanChange;
    answer: Billing;
  };
  /** Cancel the plan */
  "POST /v1/billing/cancel": {
    path: undefined;
    query: undefined;
    body: PlanCancel;
    answer: Billing;
  };
  /** List the plans that can be bought */
  "GET /v1/billing/plans": {
    path: undefined;
    query: { limit?: number; cursor?: string; include_total?: boolean };
    body: undefined;
    answer: PlanOfferPage;
  };
  /** List invoices */
  "GET /v1/billing/invoices": {
    path: undefined;
    query: { limit?: number; cursor?: string; include_total?: boolean };
    body: undefined;
    answer: InvoicePage;
  };
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
  /** List reviews */
  "GET /v1/instance/reviews": {
    path: undefined;
    query: { state?: "pending" | "approved" | "refused" | "withdrawn"; limit?: number; cursor?: string; include_total?: boolean };
    body: undefined;
    answer: ReviewPage;
  };
  /** Get a review */
  "GET /v1/instance/reviews/{id}": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: Review;
  };
  /** Approve a campaign */
  "POST /v1/instance/reviews/{id}/approve": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: Review;
  };
  /** Refuse a campaign */
  "POST /v1/instance/reviews/{id}/refuse": {
    path: { id: string };
    query: undefined;
    body: ReviewRefusal;
    answer: Review;
  };
  /** Count what the instance has */
  "GET /v1/instance/summary": {
    path: undefined;
    query: undefined;
    body: undefined;
    answer: InstanceSummary;
  };
  /** List accounts */
  "GET /v1/instance/accounts": {
    path: undefined;
    query: { state?: "active" | "suspended" | "deletion" | "standing" | "payment_overdue"; q?: string; limit?: number; cursor?: string; include_total?: boolean };
    body: undefined;
    answer: InstanceAccountPage;
  };
  /** Open an account */
  "POST /v1/instance/accounts": {
    path: undefined;
    query: undefined;
    body: InstanceAccountCreate;
    answer: NewInstanceAccount;
  };
  /** Get an account */
  "GET /v1/instance/accounts/{id}": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: InstanceAccount;
  };
  /** Change the name and the limits of an account */
  "PATCH /v1/instance/accounts/{id}": {
    path: { id: string };
    query: undefined;
    body: InstanceAccountPatch;
    answer: InstanceAccount;
  };
  /** Suspend an account */
  "POST /v1/instance/accounts/{id}/suspend": {
    path: { id: string };
    query: undefined;
    body: Suspension;
    answer: InstanceAccount;
  };
  /** Take a suspension back */
  "POST /v1/instance/accounts/{id}/reinstate": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: InstanceAccount;
  };
  /** Let an account send again */
  "POST /v1/instance/accounts/{id}/release": {
    path: { id: string };
    query: undefined;
    body: Release;
    answer: InstanceAccount;
  };
  /** Let an account send that hasn't paid yet */
  "POST /v1/instance/accounts/{id}/grace": {
    path: { id: string };
    query: undefined;
    body: PaymentGrace;
    answer: InstanceAccount;
  };
  /** Look into an account as a viewer */
  "POST /v1/instance/accounts/{id}/look_in": {
    path: { id: string };
    query: undefined;
    body: LookIn;
    answer: Visit;
  };
};
