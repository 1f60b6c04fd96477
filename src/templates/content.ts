/** The content of a template: what its author writes, and what a published version keeps. */
import { createHash } from "node:crypto";
import {
  type BlocksDocument,
  type ContentFault,
  type ContentSource,
  findBlockFaults,
  inStyleOf,
} from "../content/content.ts";
import type { Fault } from "../platform/problems.ts";
import type { Variable } from "./variables.ts";

export type TemplateContent = {
  readonly subject: string;
  readonly preview_text: string | null;
  readonly html: string | null;
  readonly mjml: string | null;
  readonly blocks: BlocksDocument | null;
  readonly text: string | null;
  readonly variables: readonly Variable[];
};

export function pickContent(row: TemplateContent): TemplateContent {
  const { subject, preview_text, html, mjml, blocks, text, variables } = row;
  return { subject, preview_text, html, mjml, blocks, text, variables };
}

/** Two contents with the same digest are the same. */
export function digestOf(content: TemplateContent): string {
  const { blocks, ...rest } = pickContent(content);
  // Digests were stored before there were blocks, so that a content without any has the same as ever.
  return createHash("sha256")
    .update(JSON.stringify(blocks === null ? rest : { ...rest, blocks }))
    .digest("base64url");
}

type Styled = Parameters<typeof inStyleOf>[1];

/** A campaign adds its own footer and its own links to a template, and a transactional mail has neither. */
export function sourceOf(
  { subject, preview_text, html, mjml, blocks, text }: TemplateContent,
  account: Styled | undefined,
): ContentSource {
  return {
    subject,
    preheader: preview_text,
    html,
    mjml,
    blocks: inStyleOf(blocks, account),
    text,
    tracking: { opens: false, clicks: false },
    links: { utm: null, ownUrl: "", honeypot: false, areTokensPersonal: false },
    footer: null,
  };
}

/** Says of faults of the content where in the template they are. */
export function faultsIn(content: TemplateContent, faults: readonly ContentFault[]): Fault[] {
  const main =
    content.blocks !== null
      ? "blocks"
      : content.mjml !== null
        ? "mjml"
        : content.html !== null
          ? "html"
          : "text";
  return faults.map(({ code, part, line, column, detail }) => ({
    pointer: part === "preheader" ? "/preview_text" : `/${part === "html" ? main : (part ?? main)}`,
    code,
    detail,
    ...(line !== null && { line, column: column ?? 1 }),
  }));
}

const MARKUPS = ["html", "mjml", "blocks"] as const;
const MOST_BYTES = 512 * 1_024;

type Markup = Pick<TemplateContent, (typeof MARKUPS)[number] | "text">;

/** Whether there is more than text. */
export function hasMarkup(content: Markup): boolean {
  return MARKUPS.some((name) => content[name] !== null);
}

/**
 * Names what is wrong with the ways in which a content is written: it has one, which isn't too long. Blocks that are stored so already
 * aren't wrong, whatever they are.
 */
export function markupFaults(content: Markup, stored: BlocksDocument | null): Fault[] {
  const [first, ...more] = MARKUPS.filter((name) => content[name] !== null);
  const faults: Fault[] = more.map((name) => ({
    pointer: `/${name}`,
    code: "only_one",
    detail: `is there beside ${first}; give one of them, and null for the other`,
  }));
  for (const name of ["html", "mjml", "text"] as const) {
    if (Buffer.byteLength(content[name] ?? "") > MOST_BYTES)
      faults.push({ pointer: `/${name}`, code: "too_long", detail: "must have at most 512 KB" });
  }
  return content.blocks === null ? faults : [...faults, ...findBlockFaults(content.blocks, stored)];
}
