/** Says in one language what a form shows: the account's own texts, and the usual ones where it has none. */
import { toPublicId } from "../platform/ids.ts";
import type { Secrets } from "../platform/secrets.ts";
import {
  type FormField,
  type FormFieldType,
  fillText,
  formSnippet,
  plainName,
  type SignUpForm,
  scriptSnippets,
  senderOf,
  type Words,
} from "../public-pages/public-pages.ts";
import type { AskedField, OpenForm } from "./open-form.ts";
import type { FormSnippet } from "./schema.ts";
import { signWording } from "./wording.ts";

/** `baseUrl` is empty on our own pages, where the path alone leads back under any host name. */
export function presentForm(
  { row, account, list, fields, asksTracking }: OpenForm,
  words: Words,
  secrets: Secrets,
  baseUrl: string,
): SignUpForm {
  const said = words.form;
  const { texts } = row;
  const id = toPublicId("frm", row.id);
  const privacyUrl = texts.privacy_url ?? null;
  const consent = texts.consent ?? fillText(said.consent, { list: plainName(list.name, words.thisList) });
  const tracking = asksTracking
    ? (texts.tracking ?? fillText(said.tracking, { sender: plainName(account.name, words.thisSenderFirst) }))
    : null;
  const asks = row.double_opt_in || list.double_opt_in;
  const note = texts.note ?? (asks ? said.noteConfirm : said.note);
  const wording = [consent, note, ...(privacyUrl ? [`${said.privacy}: ${privacyUrl}`] : [])].join("\n");
  return {
    words,
    sender: senderOf(account, list),
    title: texts.title ?? said.title,
    intro: texts.intro ?? null,
    fields: fields.map((field) => presentField(field, words)),
    consent,
    tracking,
    button: texts.button ?? said.button,
    note,
    privacyUrl,
    action: `${baseUrl}/f/${id}`,
    shown: signWording(secrets, id, { version: row.version, locale: words.lang, consent: wording, tracking }),
  };
}

/** What everybody is told who has signed up. */
export function thanksOf({ row, list }: OpenForm, words: Words): { title: string; text: string } {
  const said = words.form.done;
  const asks = row.double_opt_in || list.double_opt_in;
  return {
    title: row.texts.done_title ?? said.title,
    text: row.texts.done_text ?? (asks ? said.textConfirm : said.text),
  };
}

/** The snippets of a form, for another site. */
export function snippetOf(form: SignUpForm, row: OpenForm["row"]): FormSnippet {
  const id = toPublicId("frm", row.id);
  const { inline, popup } = scriptSnippets(form, id);
  return {
    object: "form_snippet",
    form_id: id,
    version: row.version,
    locale: form.words.lang,
    html: formSnippet(form),
    script_inline: inline,
    script_popup: popup,
  };
}

const LENGTHS = { email: 254, first_name: 200, last_name: 200 } as const;
const AUTOCOMPLETE = { email: "email", first_name: "given-name", last_name: "family-name" } as const;
type Plain = keyof typeof LENGTHS;

function presentField({ name, label, isRequired, custom }: AskedField, words: Words): FormField {
  if (custom) {
    const maxLength = custom.type === "url" ? 2_000 : 1_000;
    const type: FormFieldType = custom.type;
    return { name, label: label ?? custom.name, type, isRequired, maxLength, autocomplete: "off" };
  }
  const plain = name as Plain;
  return {
    name,
    label: label ?? words.form.labels[plain],
    type: plain === "email" ? "email" : "text",
    isRequired,
    maxLength: LENGTHS[plain],
    autocomplete: AUTOCOMPLETE[plain],
  };
}
