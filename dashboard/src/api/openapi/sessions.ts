// Made by `npm run client-types` from the OpenAPI document. Don't edit it: `npm run check` compares.

import type { User, PasswordLink } from "./access.ts";

export type OwnSession = { object: "own_session"; id: string; is_present: boolean; user_agent: string; network: string; last_seen_at: string; expires_at: string; created_at: string; updated_at: string };

export type OwnSessions = { object: "list"; data: readonly (OwnSession)[]; has_more: boolean };

export type SessionCreate = { email: string; password: string };

export type Session = { object: "session"; id: string; account_id: string; user: User; memberships: readonly ({ account_id: string; account_name: string; user_id: string; role: "owner" | "admin" | "marketer" | "writer" | "viewer"; visit_until: string | null; require_two_factor: boolean })[]; scopes: readonly ("full" | "account:read" | "account:write" | "account:export" | "api_keys:read" | "api_keys:write" | "users:read" | "users:write" | "events:read" | "events:write" | "lists:read" | "subscribers:read" | "subscribers:write" | "subscribers:export" | "subscribers:forget" | "suppressions:read" | "suppressions:write" | "campaigns:read" | "campaigns:write" | "campaigns:test" | "campaigns:send" | "campaigns:export" | "campaigns:recipients" | "automations:read" | "automations:write" | "automations:send" | "emails:read" | "emails:send" | "templates:read" | "templates:write" | "transports:read" | "transports:write" | "files:read" | "files:write" | "forms:read" | "forms:write" | "inbound:read" | "inbound:write" | "domains:read" | "domains:write" | "deliverability:read" | "deliverability:write" | "webhooks:read" | "webhooks:write" | "audit:read" | "usage:read" | "billing:read" | "billing:write" | "sso:read" | "sso:write" | "instance:read")[]; is_operator: boolean; factors: readonly ("totp" | "passkey")[]; by_single_sign_on: boolean; confirmed_until: string | null; expires_at: string; created_at: string; updated_at: string };

export type PendingSignIn = { object: "pending_sign_in"; token: string; factors: readonly ("totp" | "passkey")[]; expires_at: string };

export type PasswordChange = { current_password: string; new_password: string };

export type PasswordResetCreate = { email: string };

export type PasswordReset = { object: "password_reset" };

export type LinkInspection = { token: string };

export type LinkRedemption = { token: string; password: string; email?: string; name?: string };

export type SecondFactor = { token: string; code?: string; recovery_code?: string; passkey?: { id: string; type: "public-key"; response: Record<string, unknown> } };

export type Confirmation = { password?: string; code?: string; recovery_code?: string; passkey?: { id: string; type: "public-key"; response: Record<string, unknown> } };

export type Factor = { object: "factor"; id: string; type: "totp" | "passkey"; name: string; status: "pending" | "active"; last_used_at: string | null; created_at: string; updated_at: string };

export type FactorList = { object: "list"; data: readonly (Factor)[]; has_more: false };

export type FactorCreate = { type: "totp"; name?: string };

export type NewFactor = { object: "factor"; id: string; type: "totp" | "passkey"; name: string; status: "pending" | "active"; last_used_at: string | null; created_at: string; updated_at: string; secret: string | null; uri: string | null };

export type FactorActivation = { code: string };

export type AddedFactor = { object: "factor"; id: string; type: "totp" | "passkey"; name: string; status: "pending" | "active"; last_used_at: string | null; created_at: string; updated_at: string; recovery_codes: readonly (string)[] | null };

export type FactorPatch = { name?: string };

export type RecoveryCodes = { object: "recovery_codes"; left: number; made_at: string | null };

export type NewRecoveryCodes = { object: "recovery_codes"; left: number; made_at: string | null; codes: readonly (string)[] | null };

export type PasskeyOptionsWanted = { token?: string };

export type PasskeyOptions = { object: "passkey_options"; public_key: Record<string, unknown>; expires_at: string };

export type PasskeySignIn = { passkey: { id: string; type: "public-key"; response: Record<string, unknown> } };

export type PasskeyCreate = { name?: string; passkey: { id: string; type: "public-key"; response: Record<string, unknown> } };

export type EmailChange = { object: "email_change"; id: string; email: string; expires_at: string; created_at: string; updated_at: string };

export type EmailChangeList = { object: "list"; data: readonly (EmailChange)[]; has_more: false };

export type EmailChangeCreate = { email: string };

export type EmailChangeRedemption = { token: string };

export type SingleSignOn = { object: "single_sign_on"; is_configured: boolean; name: string | null; issuer: string | null; redirect_url: string; password_sign_in: boolean; groups_claim: string; groups: readonly ({ group: string; role: "owner" | "admin" | "marketer" | "writer" | "viewer" })[] };

export type SsoUser = { object: "sso_user"; id: string; email: string; provider_email: string | null; role: "owner" | "admin" | "marketer" | "writer" | "viewer"; by_groups: boolean; last_signed_in_at: string; created_at: string; updated_at: string };

export type SsoUserPage = { object: "list"; data: readonly (SsoUser)[]; has_more: boolean; next_cursor: string | null; total?: number };

export type SignInMethods = { object: "sign_in_methods"; password: boolean; single_sign_on: { name: string } | null; sign_up: "closed" | "invite" | "open" };

export type SsoStart = { invitation?: string; again?: boolean };

export type SsoStarted = { object: "sso_start"; authorization_url: string; expires_at: string };

export type SsoAnswer = { state: string; code?: string; iss?: string; error?: string };

export type SignUpCreate = { email: string; account_name: string; name?: string };

export type SignUp = { object: "sign_up" };

export type SignUpInspection = { token: string };

export type SignUpLink = { object: "sign_up_link"; email: string; account_name: string; name: string; expires_at: string };

export type SignUpRedemption = { token: string; password: string; name?: string };

export type SessionsOperations = {
  /** List one's own sessions */
  "GET /v1/sessions": {
    path: undefined;
    query: undefined;
    body: undefined;
    answer: OwnSessions;
  };
  /** End all of one's other sessions */
  "DELETE /v1/sessions": {
    path: undefined;
    query: undefined;
    body: undefined;
    answer: undefined;
  };
  /** End one of one's own sessions */
  "DELETE /v1/sessions/{id}": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: undefined;
  };
  /** Sign in */
  "POST /v1/session": {
    path: undefined;
    query: undefined;
    body: SessionCreate;
    answer: Session | PendingSignIn;
  };
  /** Get the present session */
  "GET /v1/session": {
    path: undefined;
    query: undefined;
    body: undefined;
    answer: Session;
  };
  /** Sign out */
  "DELETE /v1/session": {
    path: undefined;
    query: undefined;
    body: undefined;
    answer: undefined;
  };
  /** Change one's own password */
  "POST /v1/session/password": {
    path: undefined;
    query: undefined;
    body: PasswordChange;
    answer: Session;
  };
  /** Mail a link that sets a new password */
  "POST /v1/password_resets": {
    path: undefined;
    query: undefined;
    body: PasswordResetCreate;
    answer: PasswordReset;
  };
  /** See what a password link is for */
  "POST /v1/password_links/inspect": {
    path: undefined;
    query: undefined;
    body: LinkInspection;
    answer: PasswordLink;
  };
  /** Set a password by a link, and sign in */
  "POST /v1/password_links/redeem": {
    path: undefined;
    query: undefined;
    body: LinkRedemption;
    answer: Session | PendingSignIn;
  };
  /** Sign in with a second factor */
  "POST /v1/session/second_factor": {
    path: undefined;
    query: undefined;
    body: SecondFactor;
    answer: Session;
  };
  /** Confirm that it is you */
  "POST /v1/session/confirm": {
    path: undefined;
    query: undefined;
    body: Confirmation;
    answer: Session;
  };
  /** List one's own second factors */
  "GET /v1/factors": {
    path: undefined;
    query: undefined;
    body: undefined;
    answer: FactorList;
  };
  /** Begin to set up an authenticator app */
  "POST /v1/factors": {
    path: undefined;
    query: undefined;
    body: FactorCreate;
    answer: NewFactor;
  };
  /** Activate an authenticator app */
  "POST /v1/factors/{id}/activate": {
    path: { id: string };
    query: undefined;
    body: FactorActivation;
    answer: AddedFactor;
  };
  /** Rename a second factor */
  "PATCH /v1/factors/{id}": {
    path: { id: string };
    query: undefined;
    body: FactorPatch;
    answer: Factor;
  };
  /** Remove a second factor */
  "DELETE /v1/factors/{id}": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: undefined;
  };
  /** See how many recovery codes are left */
  "GET /v1/recovery_codes": {
    path: undefined;
    query: undefined;
    body: undefined;
    answer: RecoveryCodes;
  };
  /** Make new recovery codes */
  "POST /v1/recovery_codes": {
    path: undefined;
    query: undefined;
    body: undefined;
    answer: NewRecoveryCodes;
  };
  /** Ask for a passkey to sign in */
  "POST /v1/session/passkey_options": {
    path: undefined;
    query: undefined;
    body: PasskeyOptionsWanted;
    answer: PasskeyOptions;
  };
  /** Sign in by a passkey alone */
  "POST /v1/session/passkey": {
    path: undefined;
    query: undefined;
    body: PasskeySignIn;
    answer: Session;
  };
  /** Ask for a passkey to confirm with */
  "POST /v1/session/confirm/passkey_options": {
    path: undefined;
    query: undefined;
    body: undefined;
    answer: PasskeyOptions;
  };
  /** Ask for a new passkey */
  "POST /v1/factors/passkey_options": {
    path: undefined;
    query: undefined;
    body: undefined;
    answer: PasskeyOptions;
  };
  /** Add a passkey */
  "POST /v1/factors/passkeys": {
    path: undefined;
    query: undefined;
    body: PasskeyCreate;
    answer: AddedFactor;
  };
  /** See which change of one's own address is pending */
  "GET /v1/email_changes": {
    path: undefined;
    query: undefined;
    body: undefined;
    answer: EmailChangeList;
  };
  /** Ask for a change of one's own address */
  "POST /v1/email_changes": {
    path: undefined;
    query: undefined;
    body: EmailChangeCreate;
    answer: EmailChange;
  };
  /** Take back a change of one's own address */
  "DELETE /v1/email_changes": {
    path: undefined;
    query: undefined;
    body: undefined;
    answer: undefined;
  };
  /** Prove the new address by its link */
  "POST /v1/email_changes/redeem": {
    path: undefined;
    query: undefined;
    body: EmailChangeRedemption;
    answer: Session;
  };
  /** See how single sign-on is set up */
  "GET /v1/single_sign_on": {
    path: undefined;
    query: undefined;
    body: undefined;
    answer: SingleSignOn;
  };
  /** List who is linked */
  "GET /v1/single_sign_on/users": {
    path: undefined;
    query: { limit?: number; cursor?: string; include_total?: boolean };
    body: undefined;
    answer: SsoUserPage;
  };
  /** Unlink somebody */
  "DELETE /v1/single_sign_on/users/{id}": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: undefined;
  };
  /** See how people sign in */
  "GET /v1/sign_in_methods": {
    path: undefined;
    query: undefined;
    body: undefined;
    answer: SignInMethods;
  };
  /** Begin to sign in by single sign-on */
  "POST /v1/session/sso": {
    path: undefined;
    query: undefined;
    body: SsoStart;
    answer: SsoStarted;
  };
  /** Sign in by what the provider answered */
  "POST /v1/session/sso/callback": {
    path: undefined;
    query: undefined;
    body: SsoAnswer;
    answer: Session;
  };
  /** Ask for an account of one's own */
  "POST /v1/sign_ups": {
    path: undefined;
    query: undefined;
    body: SignUpCreate;
    answer: SignUp;
  };
  /** See what a sign-up's link is for */
  "POST /v1/sign_ups/inspect": {
    path: undefined;
    query: undefined;
    body: SignUpInspection;
    answer: SignUpLink;
  };
  /** Open the account by the link, and sign in */
  "POST /v1/sign_ups/redeem": {
    path: undefined;
    query: undefined;
    body: SignUpRedemption;
    answer: Session;
  };
};
