/** The content of a template: what its author writes, and what a published version keeps. */
import { createHash } from "node:crypto";
import type { ContentFault, ContentSource } from "../content/content.ts";
import type { Fault } from "../platform/problems.ts";
import type { Variable } from "./variables.ts";

export type TemplateContent = {
  readonly subject: string;
  readonly preview_text: string | null;
  readonly html: string | null;
  readonly mjml: string | null;
  readonly text: string | null;
  readonly variables: readonly Variable[];
};

export function pickContent(row: TemplateContent): TemplateContent {
  const { subject, preview_text, html, mjml, text, variables } = row;
  return { subject, preview_text, html, mjml, text, variables };
}

/** Two contents with the same digest are the same. */
export function digestOf(content: TemplateContent): string {
  return createHash("sha256")
    .update(JSON.stringify(pickContent(content)))
    .digest("base64url");
}

/** A campaign adds its own footer and its own links to a template, and a transactional mail has neither. */
export function sourceOf({ subject, preview_text, html, mjml, text }: TemplateContent): ContentSource {
  return {
    subject,
    preheader: preview_text,
    html,
    mjml,
    text,
    tracking: { opens: false, clicks: false },
    links: { utm: null, ownUrl: "", honeypot: false, areTokensPersonal: false },
    footer: null,
  };
}

/** Says of faults of the content where in the template they are. */
export function faultsIn(content: TemplateContent, faults: readonly ContentFault[]): Fault[] {
  const main = content.mjml !== null ? "mjml" : content.html !== null ? "html" : "text";
  return faults.map(({ code, part, line, column, detail }) => ({
    pointer: part === "preheader" ? "/preview_text" : `/${part === "html" ? main : (part ?? main)}`,
    code,
    detail,
    ...(line !== null && { line, column: column ?? 1 }),
  }));
}
