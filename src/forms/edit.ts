/** Forms are made, changed and deleted here. */
import type { Unsigned } from "../accounts/accounts.ts";
import { changedFields, recordEvent } from "../events/events.ts";
import type { TxCtx } from "../platform/context.ts";
import { etagOf, requireMatch } from "../platform/http/etag.ts";
import { fromPublicId, newId, toPublicId } from "../platform/ids.ts";
import { AppError, type Fault, invalid, missing } from "../platform/problems.ts";
import { claimPublicName, releasePublicName } from "../platform/public-names.ts";
import { allFields, type FieldRow, shareLists, tagKey } from "../subscribers/subscribers.ts";
import { tooManyForms } from "./problems.ts";
import type { FormCreate, FormPatch, FormTexts } from "./schema.ts";
import {
  countForms,
  type FormRow,
  insertForm,
  lockForm,
  removeForm,
  type StoredField,
  updateFormRow,
} from "./store.ts";

/** In public_names: a form's address names no account. */
export const KIND = "form";
const MOST_FORMS = 1_000;
const EDITABLE = [
  "name",
  "fields",
  "double_opt_in",
  "locale",
  "texts",
  "redirect_url",
  "tags",
  "status",
] as const;
type Editable = Pick<FormRow, (typeof EDITABLE)[number]>;

const EMAIL: StoredField = { name: "email", label: null, required: true };
const BLANK: Omit<Editable, "name"> = {
  fields: [EMAIL],
  double_opt_in: true,
  locale: null,
  texts: {},
  redirect_url: null,
  tags: [],
  status: "active",
};

export async function createForm(ctx: TxCtx, { list_id, ...given }: FormCreate): Promise<FormRow> {
  if ((await countForms(ctx.sql, ctx.accountId, undefined)) >= MOST_FORMS)
    throw new AppError(tooManyForms, `an account may have ${MOST_FORMS} forms`);
  const listId = fromPublicId("lst", list_id);
  const [list] = listId === undefined ? [] : await shareLists(ctx.sql, ctx.accountId, [listId]);
  const { form, faults } = readInput(
    { ...BLANK, name: given.name },
    given,
    await allFields(ctx.sql, ctx.accountId),
  );
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
  const { form, faults } = readInput(row, patch, await allFields(ctx.sql, ctx.accountId));
  if (faults.length > 0) throw invalid(...faults);
  const changed = changedFields<Editable>(row, form, EDITABLE);
  if (changed.length === 0) return row;
  const after = { ...row, ...form, version: row.version + 1, updated_at: ctx.clock.now() };
  const written = await updateFormRow(ctx.sql, after, ctx.actor);
  await recordEvent(ctx, { type: "form.updated", data: { ...about(row), changed } });
  return written;
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

function about({ id }: Pick<FormRow, "id">) {
  return { form_id: toPublicId("frm", id) };
}

const UNKNOWN_LIST: Fault = {
  pointer: "/list_id",
  code: "not_found",
  detail: "there is no such list in this account",
};

/** Merges a body over what there is, as RFC 7396 says, and names everything that is wrong with it. */
function readInput(
  base: Editable,
  given: FormPatch,
  known: readonly FieldRow[],
): { form: Editable; faults: Fault[] } {
  const faults: Fault[] = [];
  const fault = (pointer: string, code: string, detail: string) =>
    void faults.push({ pointer, code, detail });
  const form: Editable = {
    name: given.name ?? base.name,
    fields: given.fields ? readFields(given.fields, known, fault) : base.fields,
    double_opt_in: given.double_opt_in ?? base.double_opt_in,
    locale: given.locale === undefined ? base.locale : readLocale(given.locale, fault),
    texts: mergeTexts(base.texts, given.texts ?? {}),
    redirect_url: given.redirect_url === undefined ? base.redirect_url : given.redirect_url,
    tags: given.tags ? readTags(given.tags, fault) : base.tags,
    status: given.status ?? base.status,
  };
  if (CONTROLS.test(form.name)) fault("/name", ...CONTROL_FAULT);
  for (const [name, text] of Object.entries(form.texts)) {
    // Paragraphs may have lines; whatever else is no text goes.
    if (CONTROLS.test(text.replaceAll("\n", ""))) fault(`/texts/${name}`, ...CONTROL_FAULT);
  }
  if (form.redirect_url !== null && !isWebAddress(form.redirect_url)) fault("/redirect_url", ...NO_ADDRESS);
  if (form.texts.privacy_url && !isWebAddress(form.texts.privacy_url))
    fault("/texts/privacy_url", ...NO_ADDRESS);
  return { form, faults };
}

const CONTROLS = /[\p{Cc}\u2028\u2029]/u;
const CONTROL_FAULT = ["invalid_character", "has a line break or another control character in it"] as const;
const NO_ADDRESS = ["invalid_url", "must be an http or https address"] as const;

type Report = (pointer: string, code: string, detail: string) => void;

function readFields(
  given: NonNullable<FormPatch["fields"]>,
  known: readonly FieldRow[],
  fault: Report,
): readonly StoredField[] {
  const seen = new Set<string>();
  const fields = given.flatMap(({ name, label = null, required = false }, at): StoredField[] => {
    if (seen.has(name)) fault(`/fields/${at}/name`, "duplicate", "is there twice");
    seen.add(name);
    if (label !== null && CONTROLS.test(label)) fault(`/fields/${at}/label`, ...CONTROL_FAULT);
    const shown = label?.trim() ? label.trim() : null;
    if (name === "email") return [{ name, label: shown, required: true }];
    if (name === "first_name" || name === "last_name") return [{ name, label: shown, required }];
    const custom = known.find(({ key }) => `fields.${key}` === name);
    if (custom) return [{ field_id: custom.id, label: shown, required }];
    fault(`/fields/${at}/name`, "not_found", "there is no such field in this account");
    return [];
  });
  return seen.has("email") ? fields : [EMAIL, ...fields];
}

function readLocale(tag: string | null, fault: Report): string | null {
  if (tag === null) return null;
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? null;
  } catch {
    fault("/locale", "invalid_locale", "must be a language tag such as en-GB");
    return null;
  }
}

function mergeTexts(base: FormTexts, given: NonNullable<FormPatch["texts"]>): FormTexts {
  const merged = Object.entries({ ...base, ...given }).filter(([, text]) => text?.trim());
  return Object.fromEntries(merged.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Each is taken once, whatever the case it was written in. */
function readTags(given: readonly string[], fault: Report): readonly string[] {
  const byKey = new Map<string, string>();
  given.forEach((tag, at) => {
    if (tagKey(tag) === "") fault(`/tags/${at}`, "required", "must not be blank");
    else if (!byKey.has(tagKey(tag))) byKey.set(tagKey(tag), tag.trim());
  });
  return [...byKey.values()];
}

/** The form is spelt out, because the URL parser alone would take `https:example.com`, and blanks and line breaks inside. */
function isWebAddress(text: string): boolean {
  return /^https?:\/\/[^\s/]\S*$/i.test(text) && !CONTROLS.test(text) && URL.canParse(text);
}
