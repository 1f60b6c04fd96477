/** Renders templates with values, in threads that can be killed: for whoever looks at one, and for mail that is made from one. */
import { getAccount } from "../accounts/accounts.ts";
import type { CompiledContent, ContentFault, ContentWorkers, MergeData } from "../content/content.ts";
import { fillSlots } from "../mail/mime/pieces.ts";
import {
  type Check,
  contentBusy,
  INERT_TOKEN,
  linksFor,
  type MessageTools,
  sampleSubscriber,
} from "../messages/messages.ts";
import type { Ctx } from "../platform/context.ts";
import { AppError, invalid, missing } from "../platform/problems.ts";
import { allFields } from "../subscribers/subscribers.ts";
import { checkTemplate } from "./check.ts";
import { faultsIn, sourceOf, type TemplateContent } from "./content.ts";
import { readInput } from "./edit.ts";
import { templateFaulty } from "./problems.ts";
import type { TemplatePatch } from "./schema.ts";
import { findTemplate, type TemplateRow } from "./store.ts";
import { readUndeclared, type UndeclaredName } from "./undeclared.ts";
import { readValues } from "./variables.ts";
import { findCompiled, findVersion } from "./version-store.ts";

export type TemplateTools = Pick<MessageTools, "publicUrl"> & {
  readonly workers: Pick<ContentWorkers, "compile" | "render" | "check">;
};

export type Rendered = { readonly subject: string; readonly html: string | null; readonly text: string };

export async function renderCompiled(
  workers: Pick<ContentWorkers, "render">,
  accountId: string,
  compiled: CompiledContent,
  data: MergeData,
): Promise<{ ok: true; rendered: Rendered } | { ok: false; fault: ContentFault }> {
  const made = await workers.render(compiled, data, accountId);
  if (!made.ok) return made;
  const rendered = {
    subject: fillSlots(compiled.subject, made.values),
    html: compiled.html && fillSlots(compiled.html, made.values),
    text: fillSlots(compiled.text, made.values),
  };
  return { ok: true, rendered };
}

/** That the threads have too much to do says nothing about the template. */
export function refuseWhenBusy(faults: readonly ContentFault[]): void {
  if (!faults.some(({ code }) => code === "worker_failed")) return;
  throw new AppError(contentBusy, "it could not be made just now; try again in a moment", {
    headers: { "retry-after": "1" },
  });
}

/** Returns what names have in a campaign, for a made-up recipient, under the values of the template's own variables. */
export async function previewData(
  ctx: Ctx,
  { publicUrl }: Pick<TemplateTools, "publicUrl">,
  variables: NonNullable<MergeData["variables"]>,
): Promise<MergeData> {
  const [fields, account] = await Promise.all([
    allFields(ctx.sql, ctx.accountId),
    getAccount(ctx.sql, ctx.accountId),
  ]);
  return {
    subscriber: sampleSubscriber(fields),
    list: null,
    campaign: null,
    postalAddress: account?.postal_address ?? null,
    urls: linksFor(publicUrl(), INERT_TOKEN),
    variables,
  };
}

type RenderRequest = {
  readonly values: Readonly<Record<string, unknown>>;
  /** Undefined for the draft. */
  readonly version: number | undefined;
  /** What is typed and not saved. */
  readonly changes: TemplatePatch | undefined;
  readonly isStrict: boolean;
  readonly hasChecks: boolean;
};

export type Rendering = Rendered & {
  readonly version: number;
  readonly missing: readonly string[];
  readonly undeclared: readonly UndeclaredName[];
  readonly checks: readonly Check[];
};

/** Renders the draft or a version, for whoever looks at it. */
export async function renderTemplate(
  ctx: Ctx,
  tools: TemplateTools,
  id: string,
  { values: given, version, changes, isStrict, hasChecks }: RenderRequest,
): Promise<Rendering> {
  const row = await findTemplate(ctx.sql, ctx.accountId, id);
  if (!row) throw missing("template");
  if (changes && version !== undefined)
    throw invalid({ pointer: "/version", code: "conflict", detail: "never changes; give it or draft" });
  const typed = changes ? { ...row, ...readInput(row, changes, "/draft") } : row;
  const { number, content, compiled } = await readWanted(ctx, tools, typed, version);
  const { values, missing: without, faults } = readValues(content.variables, given, isStrict);
  if (faults.length > 0) throw invalid(...faults);
  const made = await renderCompiled(
    tools.workers,
    ctx.accountId,
    compiled,
    await previewData(ctx, tools, values),
  );
  if (!made.ok) throw faulty(content, [made.fault]);
  const fields = await allFields(ctx.sql, ctx.accountId);
  const undeclared = readUndeclared(compiled, content.variables, fields);
  const checks = hasChecks
    ? await checkTemplate(tools.workers, ctx.accountId, content, made.rendered, undeclared)
    : [];
  return { ...made.rendered, version: number, missing: without, undeclared, checks };
}

type Wanted = {
  readonly number: number;
  readonly content: TemplateContent;
  readonly compiled: CompiledContent;
};

async function readWanted(
  ctx: Ctx,
  tools: TemplateTools,
  row: TemplateRow,
  version: number | undefined,
): Promise<Wanted> {
  const { sql, accountId } = ctx;
  if (version === undefined || version === row.draft_version) {
    const made = await tools.workers.compile(sourceOf(row, await getAccount(sql, accountId)), accountId);
    if (!made.ok) throw faulty(row, made.faults);
    return { number: row.draft_version, content: row, compiled: made.compiled };
  }
  const [content, frozen] = await Promise.all([
    findVersion(sql, accountId, row.id, version),
    findCompiled(sql, accountId, row.id, version),
  ]);
  if (content && frozen) return { number: version, content, compiled: frozen.compiled };
  throw invalid({
    pointer: "/version",
    code: "not_found",
    detail: "the template has no such version, or keeps it no longer",
  });
}

export function faulty(content: TemplateContent, faults: readonly ContentFault[]): AppError {
  refuseWhenBusy(faults);
  return new AppError(templateFaulty, "the template can't be made into mail; see errors", {
    faults: faultsIn(content, faults),
  });
}
