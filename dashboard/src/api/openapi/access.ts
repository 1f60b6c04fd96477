// Made by `npm run client-types` from the OpenAPI document. Don't edit it: `npm run check` compares.

export type Guardrails = { hard_bounce_pause_rate: number; hard_bounce_after_mails: number; complaint_warn_rate: number; complaint_pause_rate: number; complaint_after_mails: number; complaint_after_complaints: number; released_at: string | null };

export type BounceLimits = { soft_limit: number; soft_days: number; soft_half_life_days: number };

export type Account = { object: "account"; id: string; name: string; time_zone: string; locale: string | null; from_name: string | null; from_email: string | null; reply_to: string | null; postal_address: string | null; tracking: "individual" | "consented" | "aggregate" | "off" | null; honeypot_link: boolean; require_two_factor: boolean; branding: { colour: string | null; logo_file_id: string | null }; blocks_style: { width?: number; font?: "sans" | "serif" | "mono" | "arial" | "georgia" | "tahoma" | "trebuchet" | "verdana"; heading_font?: "sans" | "serif" | "mono" | "arial" | "georgia" | "tahoma" | "trebuchet" | "verdana"; font_size?: number; background?: string; content_background?: string; text_colour?: string; heading_colour?: string; link_colour?: string; button_background?: string; button_colour?: string; button_radius?: number } | null; guardrails: Guardrails; bounces: BounceLimits; holds: readonly ({ kind: "suspended" | "deletion" | "standing" | "payment_overdue"; stops: "all" | "campaigns"; since: string; reason: string | null })[]; daily_mail_limit: number | null; subscriber_limit: number | null; plan_limits: { contacts: number | null; members: number | null; features: readonly ("automations" | "smtp_submission" | "transports" | "webhooks")[] | null }; checklist: { dismissed: boolean; skipped: readonly ("sender" | "tracking" | "subscribers" | "sending_server" | "campaign")[] }; created_at: string; updated_at: string; updated_by: { kind: "user" | "api_key" | "import" | "system"; id: string | null; name: string | null } | null };

export type AccountPatch = { name?: string; time_zone?: string; locale?: string | null; from_name?: string | null; from_email?: string | null; reply_to?: string | null; postal_address?: string | null; tracking?: "individual" | "consented" | "aggregate" | "off" | null; honeypot_link?: boolean; require_two_factor?: boolean; branding?: { colour?: string | null; logo_file_id?: string | null } | null; blocks_style?: { width?: number; font?: "sans" | "serif" | "mono" | "arial" | "georgia" | "tahoma" | "trebuchet" | "verdana"; heading_font?: "sans" | "serif" | "mono" | "arial" | "georgia" | "tahoma" | "trebuchet" | "verdana"; font_size?: number; background?: string; content_background?: string; text_colour?: string; heading_colour?: string; link_colour?: string; button_background?: string; button_colour?: string; button_radius?: number } | null; guardrails?: { hard_bounce_pause_rate?: number | null; hard_bounce_after_mails?: number | null; complaint_warn_rate?: number | null; complaint_pause_rate?: number | null; complaint_after_mails?: number | null; complaint_after_complaints?: number | null; released_at?: string | null } | null; bounces?: { soft_limit?: number | null; soft_days?: number | null; soft_half_life_days?: number | null } | null; checklist?: { dismissed?: boolean; skipped?: readonly ("sender" | "tracking" | "subscribers" | "sending_server" | "campaign")[] } };

export type ApiKey = { object: "api_key"; id: string; name: string; scopes: readonly ("full" | "account:read" | "account:write" | "account:export" | "api_keys:read" | "api_keys:write" | "users:read" | "users:write" | "events:read" | "events:write" | "lists:read" | "subscribers:read" | "subscribers:write" | "subscribers:export" | "subscribers:forget" | "suppressions:read" | "suppressions:write" | "campaigns:read" | "campaigns:write" | "campaigns:test" | "campaigns:send" | "campaigns:export" | "campaigns:recipients" | "automations:read" | "automations:write" | "automations:send" | "emails:read" | "emails:send" | "templates:read" | "templates:write" | "transports:read" | "transports:write" | "files:read" | "files:write" | "forms:read" | "forms:write" | "inbound:read" | "inbound:write" | "domains:read" | "domains:write" | "deliverability:read" | "deliverability:write" | "webhooks:read" | "webhooks:write" | "audit:read" | "usage:read" | "billing:read" | "billing:write" | "sso:read" | "sso:write" | "instance:read")[]; hint: string; unlimited: boolean; last_used_at: string | null; expires_at: string | null; allowed_networks: readonly (string)[]; previous_until: string | null; created_at: string; updated_at: string; updated_by: { kind: "user" | "api_key" | "import" | "system"; id: string | null; name: string | null } | null };

export type ApiKeyPage = { object: "list"; data: readonly (ApiKey)[]; has_more: boolean; next_cursor: string | null; total?: number };

export type ApiKeyCreate = { name: string; scopes: readonly ("full" | "account:read" | "account:write" | "account:export" | "api_keys:read" | "api_keys:write" | "users:read" | "users:write" | "events:read" | "events:write" | "lists:read" | "subscribers:read" | "subscribers:write" | "subscribers:export" | "subscribers:forget" | "suppressions:read" | "suppressions:write" | "campaigns:read" | "campaigns:write" | "campaigns:test" | "campaigns:send" | "campaigns:export" | "campaigns:recipients" | "automations:read" | "automations:write" | "automations:send" | "emails:read" | "emails:send" | "templates:read" | "templates:write" | "transports:read" | "transports:write" | "files:read" | "files:write" | "forms:read" | "forms:write" | "inbound:read" | "inbound:write" | "domains:read" | "domains:write" | "deliverability:read" | "deliverability:write" | "webhooks:read" | "webhooks:write" | "audit:read" | "usage:read" | "billing:read" | "billing:write" | "sso:read" | "sso:write" | "instance:read")[]; expires_at?: string | null; allowed_networks?: readonly (string)[] };

export type NewApiKey = { object: "api_key"; id: string; name: string; scopes: readonly ("full" | "account:read" | "account:write" | "account:export" | "api_keys:read" | "api_keys:write" | "users:read" | "users:write" | "events:read" | "events:write" | "lists:read" | "subscribers:read" | "subscribers:write" | "subscribers:export" | "subscribers:forget" | "suppressions:read" | "suppressions:write" | "campaigns:read" | "campaigns:write" | "campaigns:test" | "campaigns:send" | "campaigns:export" | "campaigns:recipients" | "automations:read" | "automations:write" | "automations:send" | "emails:read" | "emails:send" | "templates:read" | "templates:write" | "transports:read" | "transports:write" | "files:read" | "files:write" | "forms:read" | "forms:write" | "inbound:read" | "inbound:write" | "domains:read" | "domains:write" | "deliverability:read" | "deliverability:write" | "webhooks:read" | "webhooks:write" | "audit:read" | "usage:read" | "billing:read" | "billing:write" | "sso:read" | "sso:write" | "instance:read")[]; hint: string; unlimited: boolean; last_used_at: string | null; expires_at: string | null; allowed_networks: readonly (string)[]; previous_until: string | null; created_at: string; updated_at: string; updated_by: { kind: "user" | "api_key" | "import" | "system"; id: string | null; name: string | null } | null; key: string | null };

export type ApiKeyPatch = { name?: string; expires_at?: string | null; allowed_networks?: readonly (string)[] };

export type ApiKeyRotation = { grace_hours?: number };

export type User = { object: "user"; id: string; email: string; name: string; role: "owner" | "admin" | "marketer" | "writer" | "viewer"; notices: boolean; visit_until: string | null; last_signed_in_at: string | null; created_at: string; updated_at: string; updated_by: { kind: "user" | "api_key" | "import" | "system"; id: string | null; name: string | null } | null };

export type UserPage = { object: "list"; data: readonly (User)[]; has_more: boolean; next_cursor: string | null; total?: number };

export type UserPatch = { name?: string; role?: "owner" | "admin" | "marketer" | "writer" | "viewer"; notices?: boolean };

export type PasswordLink = { object: "password_link"; id: string; user_id: string | null; email: string | null; purpose: "setup" | "reset" | "join"; url: string | null; expires_at: string; created_at: string; updated_at: string };

export type Invitation = { object: "invitation"; id: string; email: string; name: string; role: "owner" | "admin" | "marketer" | "writer" | "viewer"; status: "pending" | "expired"; expires_at: string; created_at: string; updated_at: string; updated_by: { kind: "user" | "api_key" | "import" | "system"; id: string | null; name: string | null } | null };

export type InvitationPage = { object: "list"; data: readonly (Invitation)[]; has_more: boolean; next_cursor: string | null; total?: number };

export type InvitationCreate = { email: string; name?: string; role?: "owner" | "admin" | "marketer" | "writer" | "viewer" };

export type SentInvitation = { object: "invitation"; id: string; email: string; name: string; role: "owner" | "admin" | "marketer" | "writer" | "viewer"; status: "pending" | "expired"; expires_at: string; created_at: string; updated_at: string; updated_by: { kind: "user" | "api_key" | "import" | "system"; id: string | null; name: string | null } | null; link: string | null; mailed: boolean };

export type AccountDeletion = { object: "account_deletion"; id: string; status: "pending" | "running"; requested_by: string | null; due_at: string; created_at: string; updated_at: string };

export type AccountDeletionCreate = { name: string };

export type BrandingPreview = { object: "branding_preview"; colour: string | null; light: { sheet: string; text: string; button: string; button_text: string; button_edge: string; mark: string; contrast: number }; dark: { sheet: string; text: string; button: string; button_text: string; button_edge: string; mark: string; contrast: number } };

export type PageLocale = { object: "page_locale"; locale: string; direction: "ltr" | "rtl"; own_texts: number };

export type PageLocales = { data: readonly (PageLocale)[] };

export type PageWords = { object: "page_words"; locale: string; direction: "ltr" | "rtl"; texts: Record<string, string>; standard: Record<string, string> };

export type PageWordsInput = { texts: Record<string, string> };

export type AccessOperations = {
  /** Get the account */
  "GET /v1/account": {
    path: undefined;
    query: undefined;
    body: undefined;
    answer: Account;
  };
  /** Change the account */
  "PATCH /v1/account": {
    path: undefined;
    query: undefined;
    body: AccountPatch;
    answer: Account;
  };
  /** List API keys */
  "GET /v1/api_keys": {
    path: undefined;
    query: { limit?: number; cursor?: string; include_total?: boolean };
    body: undefined;
    answer: ApiKeyPage;
  };
  /** Make an API key */
  "POST /v1/api_keys": {
    path: undefined;
    query: undefined;
    body: ApiKeyCreate;
    answer: NewApiKey;
  };
  /** Get an API key */
  "GET /v1/api_keys/{id}": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: ApiKey;
  };
  /** Rename an API key, or change when it expires and where it works */
  "PATCH /v1/api_keys/{id}": {
    path: { id: string };
    query: undefined;
    body: ApiKeyPatch;
    answer: ApiKey;
  };
  /** Revoke an API key */
  "DELETE /v1/api_keys/{id}": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: undefined;
  };
  /** Give an API key another secret */
  "POST /v1/api_keys/{id}/rotate": {
    path: { id: string };
    query: undefined;
    body: ApiKeyRotation | undefined;
    answer: NewApiKey;
  };
  /** List users */
  "GET /v1/users": {
    path: undefined;
    query: { limit?: number; cursor?: string; include_total?: boolean };
    body: undefined;
    answer: UserPage;
  };
  /** Get a user */
  "GET /v1/users/{id}": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: User;
  };
  /** Change a user's name, role or notices */
  "PATCH /v1/users/{id}": {
    path: { id: string };
    query: undefined;
    body: UserPatch;
    answer: User;
  };
  /** Remove a user */
  "DELETE /v1/users/{id}": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: undefined;
  };
  /** Make a link that sets a user's password */
  "POST /v1/users/{id}/password_link": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: PasswordLink;
  };
  /** List invitations */
  "GET /v1/invitations": {
    path: undefined;
    query: { limit?: number; cursor?: string; include_total?: boolean };
    body: undefined;
    answer: InvitationPage;
  };
  /** Invite somebody */
  "POST /v1/invitations": {
    path: undefined;
    query: undefined;
    body: InvitationCreate;
    answer: SentInvitation;
  };
  /** Get an invitation */
  "GET /v1/invitations/{id}": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: Invitation;
  };
  /** Revoke an invitation */
  "DELETE /v1/invitations/{id}": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: undefined;
  };
  /** Send an invitation again */
  "POST /v1/invitations/{id}/resend": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: SentInvitation;
  };
  /** Export everything that the account has */
  "GET /v1/account/export": {
    path: undefined;
    query: undefined;
    body: undefined;
    answer: unknown;
  };
  /** Get the deletion of the account */
  "GET /v1/account/deletion": {
    path: undefined;
    query: undefined;
    body: undefined;
    answer: AccountDeletion;
  };
  /** Delete the account */
  "POST /v1/account/deletion": {
    path: undefined;
    query: undefined;
    body: AccountDeletionCreate;
    answer: AccountDeletion;
  };
  /** Take the deletion of the account back */
  "DELETE /v1/account/deletion": {
    path: undefined;
    query: undefined;
    body: undefined;
    answer: undefined;
  };
  /** Preview the colour of public pages */
  "GET /v1/branding_preview": {
    path: undefined;
    query: { colour?: string };
    body: undefined;
    answer: BrandingPreview;
  };
  /** List the languages of public pages */
  "GET /v1/page_words": {
    path: undefined;
    query: undefined;
    body: undefined;
    answer: PageLocales;
  };
  /** Get the words of public pages */
  "GET /v1/page_words/{locale}": {
    path: { locale: string };
    query: undefined;
    body: undefined;
    answer: PageWords;
  };
  /** Replace the account's own words of public pages */
  "PUT /v1/page_words/{locale}": {
    path: { locale: string };
    query: undefined;
    body: PageWordsInput;
    answer: PageWords;
  };
};
