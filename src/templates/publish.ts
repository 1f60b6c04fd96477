/** Publishing: the draft is examined, and becomes a version that never changes. */
import { getAccount } from "../accounts/accounts.ts";
import type { CompiledContent, UsedVariable } from "../content/content.ts";
import { recordEvent } from "../events/events.ts";
import { isKnownVariable } from "../messages/messages.ts";
import type { Ctx, TxCtx } from "../platform/context.ts";
import { requireMatch } from "../platform/http/etag.ts";
import { AppError, type Fault, missing } from "../platform/problems.ts";
import { allFields } from "../subscribers/subscribers.ts";
import { faultsIn, pickContent, sourceOf } from "./content.ts";
import { about, templateEtag } from "./edit.ts";
import { templateChanged, templateFaulty } from "./problems.ts";
import { faulty, previewData, refuseWhenBusy, renderCompiled, type TemplateTools } from "./render.ts";
import { findTemplate, lockTemplate, type TemplateRow, updateTemplateRow } from "./store.ts";
import { undeclaredNames } from "./undeclared.ts";
import { sampleValues } from "./variables.ts";
import { findCompiled, insertVersion } from "./version-store.ts";

export const MOST_VERSIONS = 100;

/** A content that may be published, as it was when it was examined; null where there is nothing new to publish. */
export type Examined = {
  readonly digest: string;
  readonly compiled: CompiledContent;
  /** What was published then. */
  readonly before: number | null;
} | null;

/** Examines the draft before the transaction, because compiling is slow. It throws where the draft can't be published. */
export async function examineDraft(ctx: Ctx, tools: TemplateTools, id: string): Promise<Examined> {
  const row = await findTemplate(ctx.sql, ctx.accountId, id);
  if (!row) throw missing("template");
  const isSame = row.digest === row.published_digest;
  if (isSame && row.blocks === null) return null;
  const made = await tools.workers.compile(
    sourceOf(row, await getAccount(ctx.sql, ctx.accountId)),
    ctx.accountId,
  );
  if (!made.ok) throw faulty(row, made.faults);
  const { compiled } = made;
  if (isSame && (await isPublishedAs(ctx, row, compiled))) return null;
  const [data, fields] = await Promise.all([
    previewData(ctx, tools, sampleValues(row.variables)),
    allFields(ctx.sql, ctx.accountId),
  ]);
  const rendered = await renderCompiled(tools.workers, ctx.accountId, compiled, data);
  if (!rendered.ok) refuseWhenBusy([rendered.fault]);
  const keys = new Set(fields.map(({ key }) => key));
  const faults = [
    ...undeclaredNames(compiled, row.variables)
      .filter(({ name }) => !isKnownVariable(name, keys))
      .map((used) => unresolved(row, used)),
    ...(rendered.ok ? [] : faultsIn(row, [rendered.fault])),
  ];
  if (faults.length > 0) {
    const count = faults.length === 1 ? "one fault stands" : `${faults.length} faults stand`;
    throw new AppError(templateFaulty, `${count} in the way; see errors`, { faults });
  }
  return { digest: row.digest, compiled, before: row.published_version };
}

/** The same blocks may be published again in another style of the account. */
async function isPublishedAs(
  { sql, accountId }: Ctx,
  { id, published_version: number }: TemplateRow,
  compiled: CompiledContent,
): Promise<boolean> {
  const published = number === null ? undefined : await findCompiled(sql, accountId, id, number);
  return JSON.stringify(published?.compiled) === JSON.stringify(compiled);
}

function unresolved(row: TemplateRow, { name, part, line, column }: UsedVariable): Fault {
  const detail = `Nothing is known by the name ${name.slice(0, 60)}. Correct it, or declare it as a variable.`;
  const [fault] = faultsIn(row, [{ code: "liquid_failed", part, line, column, detail }]);
  return { ...(fault as Fault), code: "unresolved_variable" };
}

/** Makes the draft that was examined the newest version. Of two at once the second finds nothing new, and answers the same. */
export async function publishTemplate(
  ctx: TxCtx,
  id: string,
  ifMatch: string | undefined,
  examined: Examined,
): Promise<TemplateRow> {
  const { sql, accountId, actor } = ctx;
  const row = await lockTemplate(sql, accountId, id);
  if (!row) throw missing("template");
  requireMatch(ifMatch, templateEtag(row));
  if (row.digest === row.published_digest && examined?.before !== row.published_version) return row;
  if (row.digest !== examined?.digest)
    throw new AppError(templateChanged, "the draft was changed while it was examined");
  const now = ctx.clock.now();
  const version = {
    ...pickContent(row),
    number: row.draft_version,
    digest: row.digest,
    compiled: examined.compiled,
    actor_kind: actor.kind,
    actor_id: actor.id,
    created_at: now,
  };
  await insertVersion(sql, accountId, id, version, MOST_VERSIONS);
  const published = {
    ...row,
    draft_version: row.draft_version + 1,
    published_version: row.draft_version,
    published_digest: row.digest,
    published_at: now,
    updated_at: now,
  };
  const written = await updateTemplateRow(sql, published, actor);
  await recordEvent(ctx, {
    type: "template.published",
    data: { ...about(row), version: row.draft_version },
  });
  return written;
}
