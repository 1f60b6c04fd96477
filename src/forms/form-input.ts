/** Reads what a client says of a form, and names everything that is wrong with it. */
import { fromPublicId } from "../platform/ids.ts";
import type { Fault } from "../platform/problems.ts";
import { plainName } from "../public-pages/public-pages.ts";
import { type FieldRow, tagKey } from "../subscribers/subscribers.ts";
import type { FormPatch, FormTexts } from "./schema.ts";
import type { FormRow, StoredField } from "./store.ts";

export const EDITABLE = [
  "name",
  "topic_ids",
  "fields",
  "double_opt_in",
  "locale",
  "texts",
  "redirect_url",
  "tags",
  "checks",
  "status",
] as const;
export type Editable = Pick<FormRow, (typeof EDITABLE)[number]>;

const EMAIL: StoredField = { name: "email", label: null, required: true };
export const BLANK: Omit<Editable, "name"> = {
  topic_ids: [],
  fields: [EMAIL],
  double_opt_in: true,
  locale: null,
  texts: {},
  redirect_url: null,
  tags: [],
  checks: "report",
  status: "active",
};

/** What the account has, as far as a body may name it. */
export type Known = { readonly fields: readonly FieldRow[]; readonly topicIds: ReadonlySet<string> };

/** Merges a body over what there is, as RFC 7396 says. */
export function readInput(
  base: Editable,
  given: FormPatch,
  known: Known,
): { form: Editable; faults: Fault[] } {
  const faults: Fault[] = [];
  const fault = (pointer: string, code: string, detail: string) =>
    void faults.push({ pointer, code, detail });
  const form: Editable = {
    name: given.name ?? base.name,
    topic_ids: given.topic_ids
      ? readTopics(given.topic_ids, base.topic_ids, known.topicIds, fault)
      : base.topic_ids,
    fields: given.fields ? readFields(given.fields, known.fields, fault) : base.fields,
    double_opt_in: given.double_opt_in ?? base.double_opt_in,
    locale: given.locale === undefined ? base.locale : readLocale(given.locale, fault),
    texts: mergeTexts(base.texts, given.texts ?? {}),
    redirect_url: given.redirect_url === undefined ? base.redirect_url : given.redirect_url,
    tags: given.tags ? readTags(given.tags, fault) : base.tags,
    checks: given.checks ?? base.checks,
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

/** Line breaks and other control characters, and what turns the reading direction around. */
const CONTROLS = /[\p{Cc}\u2028-\u202E\u2066-\u2069]/u;
const CONTROL_FAULT = ["invalid_character", "has a line break or another control character in it"] as const;
const NO_ADDRESS = ["invalid_url", "must be an http or https address"] as const;

type Report = (pointer: string, code: string, detail: string) => void;

/** A topic that the form had and that was deleted since goes, so that a form can be sent back as it was got. */
function readTopics(
  given: readonly string[],
  before: readonly string[],
  known: Known["topicIds"],
  fault: Report,
): readonly string[] {
  const ids = given.flatMap((id, at) => {
    const topicId = fromPublicId("top", id);
    if (topicId !== undefined && known.has(topicId)) return [topicId];
    if (topicId !== undefined && before.includes(topicId)) return [];
    fault(`/topic_ids/${at}`, "not_found", "there is no such topic in this account");
    return [];
  });
  return [...new Set(ids)];
}

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
  const merged = Object.entries({ ...base, ...given }).filter(
    ([, text]) => plainName(text ?? null, "") !== "",
  );
  return Object.fromEntries(merged.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Each is taken once, whatever the case it was written in. */
function readTags(given: readonly string[], fault: Report): readonly string[] {
  const byKey = new Map<string, string>();
  given.forEach((tag, at) => {
    if (tagKey(tag) === "") fault(`/tags/${at}`, "required", "must not be blank");
    else if (CONTROLS.test(tag)) fault(`/tags/${at}`, ...CONTROL_FAULT);
    else if (!byKey.has(tagKey(tag))) byKey.set(tagKey(tag), tag.trim());
  });
  return [...byKey.values()];
}

/** The form is spelt out, because the URL parser alone would take `https:example.com`, and blanks and line breaks inside. */
function isWebAddress(text: string): boolean {
  return /^https?:\/\/[^\s/]\S*$/i.test(text) && !CONTROLS.test(text) && URL.canParse(text);
}
