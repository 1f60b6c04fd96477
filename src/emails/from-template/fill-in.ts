/** Fills in the template that a request names. What follows then knows only a mail with its texts, exactly as it will leave. */
import type { Ctx } from "../../platform/context.ts";
import type { Fault } from "../../platform/problems.ts";
import type { FillTemplate, TemplateRef } from "../../templates/templates.ts";
import type { FilledEmail } from "../input/input.ts";
import type { EmailCreate } from "../schema.ts";

export type FilledIn = {
  readonly mail: FilledEmail;
  readonly template: TemplateRef | null;
  /** Where there are any, the texts of the mail are made up, so that what else is wrong with it can be said as well. */
  readonly faults: readonly Fault[];
};

const LONGEST_SUBJECT = 998;
/** The compiler takes no more, by which links are counted. */
const LONGEST_TEXT = 1_000_000;

export async function fillIn(ctx: Ctx, fillTemplate: FillTemplate, given: EmailCreate): Promise<FilledIn> {
  const { template_id: templateId, variables, ...mail } = given;
  const { subject } = mail;
  if (templateId === undefined) {
    const faults = [...(subject === undefined ? [NO_SUBJECT] : []), ...(variables ? [NO_TEMPLATE] : [])];
    return { mail: { ...mail, subject: subject ?? "" }, template: null, faults };
  }
  const beside = (["html", "mjml", "text"] as const).filter((field) => mail[field] !== undefined);
  if (beside.length > 0) return unfilled(mail, beside.map(conflictOf));
  const filled = await fillTemplate(ctx, templateId, variables ?? {});
  if ("faults" in filled) return unfilled(mail, filled.faults);
  const { rendered, template } = filled;
  const texts = { ...(rendered.html !== null && { html: rendered.html }), text: rendered.text };
  const made = { ...mail, ...texts, subject: subject ?? rendered.subject.trim() };
  const faults = made.subject === "" && subject === undefined ? [NO_SUBJECT] : overgrown(made);
  return { mail: made, template, faults };
}

const NO_SUBJECT: Fault = { pointer: "/subject", code: "required", detail: "give a subject" };
const NO_TEMPLATE: Fault = {
  pointer: "/variables",
  code: "conflict",
  detail: "are of a template; give template_id",
};

function conflictOf(field: string): Fault {
  return { pointer: `/${field}`, code: "conflict", detail: "comes from the template; give one of them" };
}

function unfilled(mail: Omit<EmailCreate, "template_id" | "variables">, faults: readonly Fault[]): FilledIn {
  const { html: _html, mjml: _mjml, ...rest } = mail;
  return { mail: { ...rest, subject: mail.subject ?? "", text: "" }, template: null, faults };
}

/** Values may make much of a short template. */
function overgrown({ subject, html, text }: FilledEmail): Fault[] {
  const isLong =
    subject.length > LONGEST_SUBJECT || [html, text].some((one) => (one?.length ?? 0) > LONGEST_TEXT);
  if (!isLong) return [];
  const detail = `make a subject of more than ${LONGEST_SUBJECT} characters, or a text of more than 1,000,000`;
  return [{ pointer: "/variables", code: "too_large", detail }];
}
