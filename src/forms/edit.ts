/** Forms are made, changed and deleted here. */
import type { Unsigned } from "../accounts/accounts.ts";
import { changedFields, recordEvent } from "../events/events.ts";
import type { TxCtx } from "../platform/context.ts";
import type { Queryable } from "../platform/db/db.ts";
import { etagOf, requireMatch } from "../platform/http/etag.ts";
import { fromPublicId, newId, toPublicId } from "../platform/ids.ts";
import { AppError, type Fault, invalid, missing } from "../platform/problems.ts";
import { claimPublicName, releasePublicName } from "../platform/public-names.ts";
import { allFields, findTopicIds, shareLists } from "../subscribers/subscribers.ts";
import { BLANK, EDITABLE, type Editable, type Known, readInput } from "./form-input.ts";
import { KIND } from "./open-form.ts";
import { tooManyForms } from "./problems.ts";
import type { FormCreate, FormPatch } from "./schema.ts";
import { countForms, type FormRow, insertForm, lockForm, removeForm, updateFormRow } from "./store.ts";

const MOST_FORMS = 1_000;
export async function createForm(ctx: TxCtx, { list_id, ...given }: FormCreate): Promise<FormRow> {
  if ((await countForms(ctx.sql, ctx.accountId, undefined)) >= MOST_FORMS)
    throw new AppError(tooManyForms, `an account may have ${MOST_FORMS} forms`);
  const listId = fromPublicId("lst", list_id);
  const [list] = listId === undefined ? [] : await shareLists(ctx.sql, ctx.accountId, [listId]);
  const { form, faults } = readInput({ ...BLANK, name: given.name }, given, await readKnown(ctx, given));
  if (!list) faults.unshift(UNKNOWN_LIST);
  if (faults.length > 0 || !list) throw invalid(...faults);
  const now = ctx.clock.now();
  const made: Unsigned<FormRow> = {
    ...form,
    account_id: ctx.accountId,
    id: newId(ctx.clock),
    list_id: list.id,
    version: 1,
    created_at: now,
    updated_at: now,
  };
  const row = await insertForm(ctx.sql, made, ctx.actor);
  await claimPublicName(ctx.sql, KIND, toPublicId("frm", row.id), ctx.accountId, row.id);
  await recordEvent(ctx, { type: "form.created", data: about(row) });
  return row;
}

export async function updateForm(
  ctx: TxCtx,
  id: string,
  patch: FormPatch,
  ifMatch: string | undefined,
): Promise<FormRow> {
  const row = await lockForm(ctx.sql, ctx.accountId, id);
  if (!row) throw missing("form");
  requireMatch(ifMatch, formEtag(row));
  const { form, faults } = readInput(row, patch, await readKnown(ctx, patch));
  if (faults.length > 0) throw invalid(...faults);
  const changed = changedFields<Editable>(row, form, EDITABLE);
  if (changed.length === 0) return row;
  const after = { ...row, ...form, version: row.version + 1, updated_at: ctx.clock.now() };
  const written = await updateFormRow(ctx.sql, after, ctx.actor);
  await recordEvent(ctx, { type: "form.updated", data: { ...about(row), changed } });
  return written;
}

/** Returns the form as it would be with a patch; nothing is saved. */
export async function previewForm(
  ctx: Pick<TxCtx, "accountId"> & { sql: Queryable },
  row: FormRow,
  patch: FormPatch,
): Promise<FormRow> {
  const { form, faults } = readInput(row, patch, await readKnown(ctx, patch));
  if (faults.length > 0) throw invalid(...faults);
  return { ...row, ...form };
}

/** What was sent in and isn't done yet is dropped by its job, which no longer finds the form. */
export async function deleteForm(ctx: TxCtx, id: string): Promise<void> {
  const row = await lockForm(ctx.sql, ctx.accountId, id);
  if (!row) throw missing("form");
  await releasePublicName(ctx.sql, KIND, toPublicId("frm", id), ctx.accountId);
  await removeForm(ctx.sql, ctx.accountId, id);
  await recordEvent(ctx, { type: "form.deleted", data: about(row) });
}

export function formEtag(row: Editable): string {
  return etagOf(Object.fromEntries(EDITABLE.map((name) => [name, row[name]])));
}

/** Reads what a body may name. */
async function readKnown(
  { sql, accountId }: { sql: Queryable; accountId: string },
  { topic_ids: given }: FormPatch,
): Promise<Known> {
  const topicIds = (given ?? []).flatMap((id) => fromPublicId("top", id) ?? []);
  return {
    fields: await allFields(sql, accountId),
    topicIds: topicIds.length === 0 ? new Set() : await findTopicIds(sql, accountId, topicIds),
  };
}

function about({ id }: Pick<FormRow, "id">) {
  return { form_id: toPublicId("frm", id) };
}

const UNKNOWN_LIST: Fault = {
  pointer: "/list_id",
  code: "not_found",
  detail: "there is no such list in this account",
};
