/** The drafts of templates are made and changed here. */
import type { Unsigned } from "../accounts/accounts.ts";
import { listStarters, type Starter } from "../content/content.ts";
import { changedFields, recordEvent } from "../events/events.ts";
import type { TxCtx } from "../platform/context.ts";
import type { Queryable } from "../platform/db/db.ts";
import { isUniqueViolation } from "../platform/db/errors.ts";
import { etagOf, requireMatch } from "../platform/http/etag.ts";
import { newId, toPublicId } from "../platform/ids.ts";
import { AppError, type Fault, invalid, missing } from "../platform/problems.ts";
import { digestOf, markupFaults, pickContent, type TemplateContent } from "./content.ts";
import { templateExists, templateInUse, tooManyTemplates } from "./problems.ts";
import type { TemplateCreate, TemplatePatch } from "./schema.ts";
import {
  countTemplates,
  insertTemplate,
  lockTemplate,
  removeTemplate,
  type TemplateRow,
  takenNames,
  updateTemplateRow,
} from "./store.ts";
import { readVariables, type Variable } from "./variables.ts";
import { findVersion } from "./version-store.ts";

const MOST_TEMPLATES = 1_000;
const LONGEST_NAME = 200;
const CONTROLS = /[\p{Cc}\u2028\u2029]/u;
const BLANK: TemplateContent = {
  subject: "",
  preview_text: null,
  html: null,
  mjml: null,
  blocks: null,
  text: null,
  variables: [],
};
const EDITABLE = ["name", "subject", "preview_text", "html", "mjml", "blocks", "text", "variables"] as const;

export async function createTemplate(
  ctx: TxCtx,
  { starter, ...given }: TemplateCreate,
): Promise<TemplateRow> {
  const begun = starter === undefined ? undefined : listStarters().find(({ id }) => id === starter);
  const content = begun ? contentOfStarter(begun) : BLANK;
  // Whoever gives the content in another way takes only the rest from the starter.
  const isWritten = given.html != null || given.mjml != null;
  const base = { name: "", ...content, ...(isWritten && { blocks: null }) };
  return insertDraft(ctx, readInput(base, given));
}

function contentOfStarter(starter: Starter): TemplateContent {
  const { subject, preheader, blocks, stream, sample } = starter;
  return {
    ...BLANK,
    subject,
    preview_text: preheader,
    blocks,
    variables: stream === "transactional" ? variablesOfSample(sample) : [],
  };
}

/** No subscriber is known to a program that sends, so it gives the name of whom it writes to as well. */
function variablesOfSample(sample: Starter["sample"]): Variable[] {
  const plain = { required: false, default: null };
  return [
    { name: "first_name", type: "string", ...plain, sample: "Ada" },
    ...Object.entries(sample).map(([name, value]) => {
      const type = Array.isArray(value) ? ("list" as const) : ("string" as const);
      return { name, type, ...plain, required: true, sample: value };
    }),
  ];
}

async function insertDraft(ctx: TxCtx, draft: Draft): Promise<TemplateRow> {
  if ((await countTemplates(ctx.sql, ctx.accountId, undefined)) >= MOST_TEMPLATES)
    throw new AppError(tooManyTemplates, `an account may have ${MOST_TEMPLATES} templates`);
  const now = ctx.clock.now();
  const made: Unsigned<TemplateRow> = {
    ...draft,
    account_id: ctx.accountId,
    id: newId(ctx.clock),
    digest: digestOf(draft),
    draft_version: 1,
    published_version: null,
    published_digest: null,
    published_at: null,
    created_at: now,
    updated_at: now,
  };
  const row = await refusingTakenName(draft.name, () => insertTemplate(ctx.sql, made, ctx.actor));
  await recordEvent(ctx, { type: "template.created", data: about(row) });
  return row;
}

export async function updateTemplate(
  ctx: TxCtx,
  id: string,
  patch: TemplatePatch,
  ifMatch: string | undefined,
): Promise<TemplateRow> {
  const row = await locked(ctx, id, ifMatch);
  return writeDraft(ctx, row, readInput(row, patch));
}

/** Makes the draft say what an earlier version says. What mails and campaigns take stays until it is published. */
export async function restoreVersion(
  ctx: TxCtx,
  id: string,
  number: number,
  ifMatch: string | undefined,
): Promise<TemplateRow> {
  const row = await locked(ctx, id, ifMatch);
  const version = await findVersion(ctx.sql, ctx.accountId, id, number);
  if (!version) throw missing("version");
  return writeDraft(ctx, row, { name: row.name, ...pickContent(version) });
}

async function writeDraft(ctx: TxCtx, row: TemplateRow, draft: Draft): Promise<TemplateRow> {
  const changed = changedFields<Draft>(row, draft, EDITABLE);
  if (changed.length === 0) return row;
  const after = { ...row, ...draft, digest: digestOf(draft), updated_at: ctx.clock.now() };
  const written = await refusingTakenName(draft.name, () => updateTemplateRow(ctx.sql, after, ctx.actor));
  await recordEvent(ctx, { type: "template.updated", data: { ...about(row), changed } });
  return written;
}

/** What a floor above says of a template: the id of what still needs it, or null. It is asked with the template's row locked. */
export type UsedBy = (db: Queryable, accountId: string, templateId: string) => Promise<string | null>;

/** What a floor above has made from templates. */
export type Uses = { readonly campaigns: number; readonly unsent: number };
/** Counts for each of these templates what was made from it; those of which there is nothing are left out. */
export type CountUses = (
  db: Queryable,
  accountId: string,
  templateIds: readonly string[],
) => Promise<ReadonlyMap<string, Uses>>;

export async function deleteTemplate(ctx: TxCtx, usedBy: readonly UsedBy[], id: string): Promise<void> {
  const row = await locked(ctx, id, undefined);
  const users: string[] = [];
  for (const ask of usedBy) {
    const user = await ask(ctx.sql, ctx.accountId, id);
    if (user !== null) users.push(user);
  }
  if (users.length > 0) {
    throw new AppError(templateInUse, `the template is used by ${users.join(" and ")}`, {
      members: { used_by: users },
    });
  }
  await removeTemplate(ctx.sql, ctx.accountId, id);
  await recordEvent(ctx, { type: "template.deleted", data: about(row) });
}

/** Copies the draft. The copy isn't published. */
export async function duplicateTemplate(ctx: TxCtx, id: string): Promise<TemplateRow> {
  // Two who copy it at once get two names.
  const row = await locked(ctx, id, undefined);
  return insertDraft(ctx, { name: await nameOfCopy(ctx, row.name), ...pickContent(row) });
}

async function nameOfCopy({ sql, accountId }: TxCtx, name: string): Promise<string> {
  const candidates = Array.from({ length: MOST_TEMPLATES + 1 }, (_, nth) => {
    const suffix = nth === 0 ? " (copy)" : ` (copy ${nth + 1})`;
    return [...name].slice(0, LONGEST_NAME - suffix.length).join("") + suffix;
  });
  const taken = await takenNames(sql, accountId, candidates);
  return candidates.find((candidate) => !taken.has(candidate)) ?? name;
}

async function locked(ctx: TxCtx, id: string, ifMatch: string | undefined): Promise<TemplateRow> {
  const row = await lockTemplate(ctx.sql, ctx.accountId, id);
  if (!row) throw missing("template");
  requireMatch(ifMatch, templateEtag(row));
  return row;
}

export function templateEtag(row: Draft): string {
  return etagOf({ name: row.name, ...pickContent(row) });
}

export function about({ id }: Pick<TemplateRow, "id">) {
  return { template_id: toPublicId("tpl", id) };
}

type Draft = TemplateContent & { readonly name: string };

/** Merges a body, or what stands `at` a place in one, over what there is, as RFC 7396 says, and names everything that is wrong with it. */
export function readInput(base: Draft, { variables: given, ...plain }: TemplatePatch, at = ""): Draft {
  const read = given && readVariables(given);
  const merged: Draft = {
    name: base.name,
    ...pickContent(base),
    ...plain,
    ...(read && { variables: read.variables }),
  };
  const faults: Fault[] = [...(read?.faults ?? [])];
  for (const field of ["name", "subject", "preview_text"] as const) {
    if (CONTROLS.test(merged[field] ?? ""))
      faults.push({
        pointer: `/${field}`,
        code: "invalid_character",
        detail: "has a line break or another control character in it",
      });
  }
  faults.push(...markupFaults(merged, base.blocks));
  if (faults.length > 0)
    throw invalid(...faults.map((fault) => ({ ...fault, pointer: `${at}${fault.pointer}` })));
  return merged;
}

async function refusingTakenName<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isUniqueViolation(error, "templates_by_name")) throw error;
    throw new AppError(templateExists, `there is a template named ${name} already`);
  }
}
