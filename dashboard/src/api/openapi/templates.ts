// Made by `npm run client-types` from the OpenAPI document. Don't edit it: `npm run check` compares.

import type { CampaignCheck } from "./sending.ts";

export type TemplateSummary = { object: "template"; id: string; name: string; subject: string; preview_text: string | null; variables: readonly ({ name: string; type: "string" | "number" | "boolean" | "date" | "list" | "object"; required: boolean; sample: unknown; default: unknown })[]; draft_version: number; published_version: number | null; has_unpublished_changes: boolean; published_at: string | null; created_at: string; updated_at: string; updated_by: { kind: "user" | "api_key" | "import" | "system"; id: string | null; name: string | null } | null; used_by: { campaigns: number; unsent_campaigns: number } };

export type TemplatePage = { object: "list"; data: readonly (TemplateSummary)[]; has_more: boolean; next_cursor: string | null; total?: number };

export type TemplateCreate = { name: string; starter?: "letter" | "newsletter" | "announcement" | "digest" | "catalogue" | "receipt"; subject?: string; preview_text?: string | null; html?: string | null; mjml?: string | null; text?: string | null; variables?: readonly ({ name: string; type: "string" | "number" | "boolean" | "date" | "list" | "object"; required?: boolean; sample?: unknown; default?: unknown })[] };

export type Template = { object: "template"; id: string; name: string; subject: string; preview_text: string | null; variables: readonly ({ name: string; type: "string" | "number" | "boolean" | "date" | "list" | "object"; required: boolean; sample: unknown; default: unknown })[]; draft_version: number; published_version: number | null; has_unpublished_changes: boolean; published_at: string | null; created_at: string; updated_at: string; updated_by: { kind: "user" | "api_key" | "import" | "system"; id: string | null; name: string | null } | null; html: string | null; mjml: string | null; text: string | null };

export type TemplatePatch = { name?: string; subject?: string; preview_text?: string | null; html?: string | null; mjml?: string | null; text?: string | null; variables?: readonly ({ name: string; type: "string" | "number" | "boolean" | "date" | "list" | "object"; required?: boolean; sample?: unknown; default?: unknown })[] };

export type TemplateRender = { variables?: Record<string, unknown>; version?: number; draft?: { subject?: string; preview_text?: string | null; html?: string | null; mjml?: string | null; text?: string | null; variables?: readonly ({ name: string; type: "string" | "number" | "boolean" | "date" | "list" | "object"; required?: boolean; sample?: unknown; default?: unknown })[] }; strict?: boolean; checks?: boolean };

export type TemplateRendering = { object: "template_rendering"; template_id: string; version: number; subject: string; html: string | null; text: string; missing: readonly (string)[]; undeclared: readonly ({ name: string; is_of_campaigns: boolean; part: string; line: number; column: number })[]; checks: readonly (CampaignCheck)[] };

export type TemplateVersionSummary = { object: "template_version"; template_id: string; number: number; subject: string; actor: { kind: "api_key" | "user" | "system"; id: string | null; name: string | null }; created_at: string };

export type TemplateVersionPage = { object: "list"; data: readonly (TemplateVersionSummary)[]; has_more: boolean; next_cursor: string | null; total?: number };

export type TemplateVersion = { object: "template_version"; template_id: string; number: number; subject: string; actor: { kind: "api_key" | "user" | "system"; id: string | null; name: string | null }; created_at: string; preview_text: string | null; html: string | null; mjml: string | null; text: string | null; variables: readonly ({ name: string; type: "string" | "number" | "boolean" | "date" | "list" | "object"; required: boolean; sample: unknown; default: unknown })[] };

export type TemplatesOperations = {
  /** List templates */
  "GET /v1/templates": {
    path: undefined;
    query: { q?: string; limit?: number; cursor?: string; include_total?: boolean };
    body: undefined;
    answer: TemplatePage;
  };
  /** Make a template */
  "POST /v1/templates": {
    path: undefined;
    query: undefined;
    body: TemplateCreate;
    answer: Template;
  };
  /** Get a template */
  "GET /v1/templates/{id}": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: Template;
  };
  /** Change a template */
  "PATCH /v1/templates/{id}": {
    path: { id: string };
    query: undefined;
    body: TemplatePatch;
    answer: Template;
  };
  /** Delete a template */
  "DELETE /v1/templates/{id}": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: undefined;
  };
  /** Publish a template */
  "POST /v1/templates/{id}/publish": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: Template;
  };
  /** Copy a template */
  "POST /v1/templates/{id}/duplicate": {
    path: { id: string };
    query: undefined;
    body: undefined;
    answer: Template;
  };
  /** Render a template */
  "POST /v1/templates/{id}/render": {
    path: { id: string };
    query: undefined;
    body: TemplateRender | undefined;
    answer: TemplateRendering;
  };
  /** List a template's versions */
  "GET /v1/templates/{id}/versions": {
    path: { id: string };
    query: { limit?: number; cursor?: string; include_total?: boolean };
    body: undefined;
    answer: TemplateVersionPage;
  };
  /** Get a version of a template */
  "GET /v1/templates/{id}/versions/{number}": {
    path: { id: string; number: string };
    query: undefined;
    body: undefined;
    answer: TemplateVersion;
  };
  /** Restore a version of a template */
  "POST /v1/templates/{id}/versions/{number}/restore": {
    path: { id: string; number: string };
    query: undefined;
    body: undefined;
    answer: Template;
  };
};
