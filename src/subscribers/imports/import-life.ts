/** This file has what may be done with an import: it is created from a received file, cancelled, undone. `run.ts` runs it. */
import { open } from "node:fs/promises";
import type { Ctx, TxCtx } from "../../platform/context.ts";
import { notify } from "../../platform/db/listen.ts";
import { fromPublicId, newId } from "../../platform/ids.ts";
import { addJob } from "../../platform/jobs/jobs.ts";
import { AppError, invalid, missing } from "../../platform/problems.ts";
import { unknownList } from "../changes/changes.ts";
import { allFields } from "../fields/fields.ts";
import { findList, shareLists } from "../lists/lists.ts";
import { invalidState } from "../problems.ts";
import { readTags } from "../tags/tags.ts";
import {
  blankFaultsAbout,
  type ImportRowInDb,
  type ImportStatus,
  insertImport,
  lockImport,
  updateImport,
} from "./import-store.ts";
import { keepFaultsForAWhile, runImportKind, undoImportKind } from "./job-kinds.ts";
import {
  FileFault,
  type Format,
  findFormat,
  type Plan,
  parseSample,
  planColumns,
  SAMPLE_BYTES,
  toAsciiSuperset,
} from "./reading/reading.ts";
import { IMPORTS_CHANNEL } from "./running/running.ts";
import type { ImportOptions } from "./schema.ts";
import { removeUpload, saveUpload } from "./upload.ts";
import { suppressionReasonOf } from "./values/values.ts";

/** A file of 2 GB has some 30 million rows. */
export const MOST_UPLOAD_BYTES = 2 * 1_024 * 1_024 * 1_024;

/** This is a file on disk, and what is known of it. */
export type Received = {
  readonly id: string;
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly fileName: string;
  readonly format: Format;
  readonly plan: Plan;
};

const SUPPRESSING_TARGETS: readonly string[] = ["status", "is_bounced", "is_complained", "is_suppressed"];

/** Says whether a row may suppress an address in the whole account, as far as the options tell, and the file where it is given. */
export function canSuppress(options: ImportOptions, plan?: Plan): boolean {
  const targets = plan ? plan.columns.map(({ target }) => target) : Object.values(options.mapping ?? {});
  const standing = options.default_status ?? plan?.standing ?? "active";
  return (
    options.target === "suppressions" ||
    targets.some((target) => SUPPRESSING_TARGETS.includes(target)) ||
    suppressionReasonOf(standing) !== undefined
  );
}

/**
 * Takes the file in and looks at its start. Every fault that can be seen so early is one of the request. `permit` throws where
 * the caller may not do what the file turns out to ask for.
 */
export async function receiveFile(
  ctx: Ctx,
  uploadDir: string,
  options: ImportOptions,
  file: { name: string; chunks: AsyncIterable<Buffer> },
  permit: (plan: Plan) => void,
): Promise<Received> {
  await checkOptions(ctx, options);
  const id = newId(ctx.clock);
  const owner = { accountId: ctx.accountId, importId: id };
  const saved = await saveUpload(uploadDir, owner, file.chunks, MOST_UPLOAD_BYTES);
  try {
    const fileName = file.name
      .normalize("NFC")
      .replaceAll(/[\p{Cc}\p{Cs}]/gu, "")
      .slice(0, 255);
    const { format, plan } = await examine(ctx, { ...saved, fileName }, options);
    permit(plan);
    return { id, ...saved, fileName, format, plan };
  } catch (error) {
    await removeUpload(saved.path);
    if (!(error instanceof FileFault)) throw error;
    throw invalid({ pointer: "/file", code: error.code, detail: error.message });
  }
}

/** This is checked before the file is read, since nobody wants to send 2 GB to learn of a mistyped list. */
async function checkOptions(ctx: Ctx, options: ImportOptions): Promise<void> {
  if (options.target === "suppressions") return checkSuppressionOptions(options);
  if (options.list_id === undefined) throw invalid(listRequired);
  const listId = fromPublicId("lst", options.list_id);
  const list = listId === undefined ? undefined : await findList(ctx.sql, ctx.accountId, listId);
  const { faults } = readTags(options.tags ?? [], "/tags");
  const all = [
    ...(list ? [] : [unknownList]),
    ...(list?.double_opt_in && !options.dry_run && options.consent?.attested !== true
      ? [consentRequired]
      : []),
    ...faults,
  ];
  if (all.length > 0) throw invalid(...all);
}

const listRequired = { pointer: "/list_id", code: "required", detail: "is required" };

/** What belongs to a list would be lost on an address that is on none. */
function checkSuppressionOptions(options: ImportOptions): void {
  const faults = (["list_id", "tags", "consent", "checks"] as const)
    .filter((name) => options[name] !== undefined)
    .map((name) => ({
      pointer: `/${name}`,
      code: "not_allowed",
      detail: "suppressions hold whatever the list: leave this out",
    }));
  if (faults.length > 0) throw invalid(...faults);
}

const consentRequired = {
  pointer: "/consent",
  code: "consent_required",
  detail:
    "this list asks for confirmation by mail, and imports send none: say `attested: true` that everybody agreed",
};

async function examine(
  ctx: Ctx,
  { path, bytes, fileName }: { path: string; bytes: number; fileName: string },
  options: ImportOptions,
) {
  const sample = await readStart(path, SAMPLE_BYTES);
  const format = findFormat(sample, { encoding: options.encoding, delimiter: options.delimiter });
  const text = toAsciiSuperset(sample.subarray(format.skipBytes), format.encoding);
  const records = parseSample(text, format.delimiter, bytes <= sample.length);
  const plan = planColumns(records, format, await allFields(ctx.sql, ctx.accountId), {
    target: options.target ?? "subscribers",
    fileName,
    order: options.date_order,
    now: ctx.clock.now(),
    mapping: options.mapping,
    hasHeader: options.has_header,
  });
  if ("faults" in plan) throw invalid(...plan.faults);
  return { format, plan };
}

async function readStart(path: string, bytes: number): Promise<Buffer> {
  const file = await open(path, "r");
  try {
    const buffer = Buffer.alloc(bytes);
    const { bytesRead } = await file.read(buffer, 0, bytes, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

export async function createImport(
  ctx: TxCtx,
  options: ImportOptions,
  received: Received,
): Promise<ImportRowInDb> {
  const list = await shareList(ctx, options);
  const { plan } = received;
  const row = await insertImport(ctx.sql, {
    account_id: ctx.accountId,
    id: received.id,
    list_id: list?.id ?? null,
    dry_run: options.dry_run ?? false,
    file_name: received.fileName,
    file_bytes: received.bytes,
    options: {
      on_conflict: options.on_conflict ?? "skip",
      tags: readTags(options.tags ?? [], "/tags").tags,
      consent: options.consent ?? null,
      trigger_automations: options.trigger_automations ?? false,
      has_header: plan.hasHeader,
      format: received.format,
      target: options.target ?? "subscribers",
      preset: plan.preset,
      default_status: options.default_status ?? plan.standing,
      status_values: options.status_values ?? {},
      date_order: plan.order,
      checks: options.target === "suppressions" ? "off" : (options.checks ?? "report"),
    },
    columns: plan.columns,
    actor_kind: ctx.actor.kind,
    actor_id: ctx.actor.id,
    created_at: ctx.clock.now(),
  });
  const payload = { account_id: ctx.accountId, import_id: row.id };
  await addJob(ctx.sql, runImportKind, payload, { key: `import ${row.id}` });
  return row;
}

async function shareList(ctx: TxCtx, { target, list_id: listId }: ImportOptions) {
  if (target === "suppressions") return undefined;
  const [list] = await shareLists(ctx.sql, ctx.accountId, [fromPublicId("lst", listId ?? "") ?? ""]);
  if (!list) throw invalid(unknownList);
  return list;
}

/** The batch in progress is finished, and no other is begun. What is imported stays until it is undone. */
export async function cancelImport(ctx: TxCtx, id: string): Promise<ImportRowInDb> {
  await lockInState(ctx, id, ["pending", "running"], "canceled");
  const now = ctx.clock.now();
  const row = await updateImport(ctx.sql, ctx.accountId, id, { status: "canceled", finished_at: now }, now);
  await keepFaultsForAWhile(ctx.sql, row, now);
  await notify(ctx.sql, IMPORTS_CHANNEL, id);
  return row;
}

export async function undoImport(ctx: TxCtx, id: string): Promise<ImportRowInDb> {
  const row = await lockInState(ctx, id, ["completed", "failed", "canceled"], "undone");
  if (row.dry_run) throw new AppError(invalidState, "a dry run made nothing that could be undone");
  if (!row.list_id) {
    throw new AppError(invalidState, "suppressions stay: remove those that are wrong one by one", {
      members: { current_status: row.status },
    });
  }
  const undoing = await updateImport(ctx.sql, ctx.accountId, id, { status: "undoing" }, ctx.clock.now());
  await addJob(ctx.sql, undoImportKind, { account_id: ctx.accountId, import_id: id }, { key: `undo ${id}` });
  return undoing;
}

async function lockInState(
  ctx: TxCtx,
  id: string,
  allowed: readonly ImportStatus[],
  what: string,
): Promise<ImportRowInDb> {
  const row = await lockImport(ctx.sql, ctx.accountId, id);
  if (!row) throw missing("import");
  if (allowed.includes(row.status)) return row;
  throw new AppError(invalidState, `an import that is ${row.status} can't be ${what}`, {
    members: { current_status: row.status },
  });
}

/** An erasure comes here. Uploads live only while they are imported, so what is left are the rows kept for download. */
export async function forgetInImports(
  ctx: TxCtx,
  contactId: string,
  addressKeys: readonly string[],
): Promise<void> {
  await blankFaultsAbout(ctx.sql, ctx.accountId, contactId, addressKeys);
}
