/** Supplies a content and a recipient to test with, and joins a mail's parts as its recipient would see them. */
import assert from "node:assert/strict";
import { compileSource } from "./compile.ts";
import type { Piece } from "./compiled.ts";
import {
  type CompiledContent,
  type ContentFault,
  type ContentSource,
  type MergeData,
  prepareContent,
  renderValues,
} from "./content.ts";
import { ContentError } from "./faults.ts";

export const bare: ContentSource = {
  subject: "News",
  preheader: null,
  html: null,
  mjml: null,
  text: null,
  tracking: { opens: false, clicks: false },
  links: { utm: null, ownUrl: null, honeypot: false, areTokensPersonal: true },
  footer: null,
};

export function recipientWith(fields: Record<string, unknown>, firstName: string | null = "Zoë"): MergeData {
  return {
    subscriber: { email: "zoe+news@example.org", first_name: firstName, last_name: null, fields },
    list: { id: "lst_1", name: "News & more" },
    campaign: { name: "November" },
    postalAddress: "1 High Street",
    urls: {
      unsubscribe: "https://mail.example/u?m=1&t=2",
      preferences: "https://mail.example/p/1",
      view: "https://mail.example/v/1",
      linkBase: "https://mail.example/c?m=1&n=",
      pixel: "https://mail.example/o?m=1&t=2",
    },
  };
}

export type Mail = { readonly subject: string; readonly html: string; readonly text: string };

export function joinMail(compiled: CompiledContent, recipient: MergeData): Mail {
  const rendered = renderValues(prepareContent(compiled), recipient);
  assert.ok(rendered.ok, rendered.ok ? "" : rendered.fault.detail);
  return joinParts(compiled, rendered.values);
}

export function joinParts(compiled: CompiledContent, values: readonly string[]): Mail {
  const join = (pieces: readonly Piece[]) =>
    pieces.map((piece) => (typeof piece === "string" ? piece : values[piece.slot])).join("");
  return { subject: join(compiled.subject), html: join(compiled.html ?? []), text: join(compiled.text) };
}

export async function renderMail(source: Partial<ContentSource>, recipient: MergeData): Promise<Mail> {
  return joinMail(await compileSource({ ...bare, ...source }), recipient);
}

export async function faultsOf(source: Partial<ContentSource>): Promise<readonly ContentFault[]> {
  const compiled = await tryCompile(source);
  return Array.isArray(compiled) ? compiled : [];
}

export async function tryCompile(
  source: Partial<ContentSource>,
): Promise<CompiledContent | readonly ContentFault[]> {
  try {
    return await compileSource({ ...bare, ...source });
  } catch (error) {
    if (error instanceof ContentError) return error.faults;
    throw error;
  }
}
