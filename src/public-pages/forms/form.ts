/** The page on which people sign up, what it says afterwards, and the same form for another site, all of it without a script. */
import { type PublicPage, renderPage, type Sender } from "../document/document.ts";
import { type Html, html, toText } from "../document/html.ts";
import { withoutTurns } from "../document/names.ts";
import type { Words } from "../locales/words.ts";

/** The names of inputs that are no field of a subscriber. A hyphen can't stand in the key of a custom field. */
export const formInputs = {
  consent: "agree-to-mail",
  tracking: "agree-to-tracking",
  /** What people can't see and programs fill in. */
  trap: "your-fax",
  proof: "proof-of-work",
  shown: "form-shown",
  /** The address that somebody was asked about; sent again with the same, it is taken. */
  kept: "address-kept",
} as const;

export type FormFieldType = "email" | "text" | "number" | "date" | "url" | "boolean";

export type FormField = {
  readonly name: string;
  readonly label: string;
  readonly type: FormFieldType;
  readonly isRequired: boolean;
  readonly maxLength: number;
  readonly autocomplete: string;
};

/** All that a form says, in one language. */
export type SignUpForm = {
  readonly words: Words;
  readonly sender: Sender;
  readonly title: string;
  readonly intro: string | null;
  readonly fields: readonly FormField[];
  readonly consent: string;
  /** Null where nobody is asked about it. */
  readonly tracking: string | null;
  readonly button: string;
  readonly note: string;
  readonly privacyUrl: string | null;
  /** Where it is sent. */
  readonly action: string;
  /** Says which version with which words was shown; it is sent along. */
  readonly shown: string;
};

/** What somebody sent, to be shown again beside what is wrong with it. */
export type Returned = {
  readonly values: ReadonlyMap<string, string>;
  readonly faults: ReadonlyMap<string, string>;
  /** The address that the person is only asked about, and may send again; null where something must be mended. */
  readonly kept: string | null;
};

export type SignUpPage = SignUpForm & {
  readonly returned: Returned | null;
  /** Solves the proof of work; null for a preview. */
  readonly scriptPath: string | null;
  /** A browser obeys `form-action` also where the answer leads it on. */
  readonly redirectUrl: string | null;
};

export function signUpPage(page: SignUpPage): PublicPage {
  const { words, sender, title, intro, returned, scriptPath } = page;
  const asked = returned?.kept === null ? words.form.again : words.form.once;
  const wrong = returned && html`<p class="err" role="alert">${ALERT_ICON}${asked}</p>`;
  const kept =
    returned?.kept && html`<input type="hidden" name="${formInputs.kept}" value="${returned.kept}">`;
  const script = scriptPath && html`<script src="${scriptPath}" defer></script>`;
  return renderPage({
    words,
    title,
    sender,
    status: returned ? 422 : 200,
    isIndexable: returned === null && scriptPath !== null,
    formAction: page.redirectUrl,
    hasScript: scriptPath !== null,
    links: script || null,
    main: html`<div class="stack"><h1>${lines(title)}</h1>${intro && html`<p class="mid lead">${lines(intro)}</p>`}</div>
${wrong}<form method="post" action="${page.action}" accept-charset="utf-8" novalidate>
${page.fields.map((field) => fieldOf(words, field, returned))}
${boxOf({ name: formInputs.consent, label: page.consent, isRequired: true, returned })}
${page.tracking !== null && boxOf({ name: formInputs.tracking, label: page.tracking, isRequired: false, returned })}
${hiddenInputs(page)}${kept}<button class="main">${withoutTurns(page.button)}</button></form>
<p class="xs dim">${lines(page.note)}${privacyLink(page)}</p>`,
  });
}

/** What everybody sees who has signed up, known or not. */
export function signedUpPage(page: {
  readonly words: Words;
  readonly sender: Sender;
  readonly title: string;
  readonly text: string;
}): PublicPage {
  const { words, sender, title, text } = page;
  const main = html`<div class="stack" role="status"><h1>${lines(title)}</h1><p class="mid lead">${lines(text)}</p></div>`;
  return renderPage({ words, title, sender, main });
}

/** The form is paused, or its list is gone. */
export function closedForm({ words, sender }: { words: Words; sender: Sender }): PublicPage {
  const { title, text } = words.form.closed;
  const main = html`<div class="stack"><h1>${title}</h1><p class="mid">${text}</p></div>`;
  return renderPage({ words, title, sender, main, status: 410 });
}

/**
 * The form as markup for another site: plain elements that take that site's looks. No inline style, so that the strictest policy
 * leaves it as it is; what is for programs alone is `hidden`.
 */
export function formSnippet(form: SignUpForm): string {
  const { words } = form;
  const fields = form.fields.map((field) => {
    const label = html`${withoutTurns(field.label)}${!field.isRequired && html` ${words.form.optional}`}`;
    const input = html`<input type="${field.type === "boolean" ? "checkbox" : field.type}" ${attributesOf(field)}>`;
    return field.type === "boolean"
      ? html`  <p><label>${input} ${label}</label></p>\n`
      : html`  <p><label>${label}<br>${input}</label></p>\n`;
  });
  const box = (name: string, label: string, isRequired: boolean) =>
    html`  <p><label><input type="checkbox" name="${name}" value="yes"${isRequired && html` required`}> ${withoutTurns(label)}</label></p>\n`;
  return toText(html`<form class="postrider-form" method="post" action="${form.action}" accept-charset="utf-8" lang="${words.lang}">
${fields}${box(formInputs.consent, form.consent, true)}${form.tracking !== null && box(formInputs.tracking, form.tracking, false)}  ${hiddenInputs(form)}
  <p><button type="submit">${withoutTurns(form.button)}</button></p>
  <p><small>${withoutTurns(form.note)}${privacyLink(form)}</small></p>
</form>
`);
}

/** The script that shows the form where it stands, and the one that opens it as a dialog by a button. */
export function scriptSnippets(form: SignUpForm, formId: string): { inline: string; popup: string } {
  const src = `${form.action}.js`;
  return {
    inline: toText(html`<script async src="${src}"></script>`),
    popup: toText(html`<script async src="${src}" data-popup></script>
<button type="button" data-postrider-open="${formId}">${withoutTurns(form.button)}</button>`),
  };
}

const ALERT_ICON = html`<svg class="i" viewBox="0 0 24 24" aria-hidden="true"><circle cx="12" cy="12" r="10"/><path d="M12 8v4M12 16h.01"/></svg>`;

function fieldOf(words: Words, field: FormField, returned: Returned | null): Html {
  const fault = returned?.faults.get(field.name);
  if (field.type === "boolean") {
    const { name, label, isRequired } = field;
    return boxOf({ name, label, isRequired, returned });
  }
  const id = idOf(field.name);
  const value = withoutTurns(returned?.values.get(field.name) ?? "");
  const optional = !field.isRequired && html` <span class="dim">${words.form.optional}</span>`;
  return html`<div class="field"><label for="${id}"><bdi>${withoutTurns(field.label)}</bdi>${optional}</label>
<input class="text" id="${id}" type="${field.type}" value="${value}" ${attributesOf(field)}${invalid(id, fault)}>${faultOf(id, fault)}</div>`;
}

function attributesOf({ name, type, isRequired, maxLength, autocomplete }: FormField): Html {
  if (type === "boolean") return html`name="${name}" value="yes"${isRequired && html` required`}`;
  const length = type !== "number" && type !== "date" && html` maxlength="${maxLength}"`;
  const step = type === "number" && html` step="any"`;
  return html`name="${name}" autocomplete="${autocomplete}"${length}${step}${isRequired && html` required`}`;
}

function boxOf(box: {
  readonly name: string;
  readonly label: string;
  readonly isRequired: boolean;
  readonly returned: Returned | null;
}): Html {
  const id = idOf(box.name);
  const fault = box.returned?.faults.get(box.name);
  const isTicked = (box.returned?.values.get(box.name) ?? "") !== "";
  return html`<div class="field"><label class="tick"><input id="${id}" type="checkbox" name="${box.name}" value="yes"${isTicked && html` checked`}${box.isRequired && html` required`}${invalid(id, fault)}><span class="mid">${lines(box.label)}</span></label>${faultOf(id, fault)}</div>`;
}

function invalid(id: string, fault: string | undefined): Html | null {
  return fault === undefined ? null : html` aria-invalid="true" aria-describedby="${id}-fault"`;
}

function faultOf(id: string, fault: string | undefined): Html | null {
  return fault === undefined
    ? null
    : html`<p class="err" id="${id}-fault">${ALERT_ICON}<span>${withoutTurns(fault)}</span></p>`;
}

function idOf(name: string): string {
  return `f-${name.replaceAll(".", "-")}`;
}

function hiddenInputs({ words, shown }: SignUpForm): Html {
  return html`<div hidden><label>${words.form.trap} <input name="${formInputs.trap}" tabindex="-1" autocomplete="off"></label></div><input type="hidden" name="${formInputs.shown}" value="${shown}">`;
}

function privacyLink({ words, privacyUrl }: SignUpForm): Html | null {
  return privacyUrl === null ? null : html` <a href="${privacyUrl}">${words.form.privacy}</a>`;
}

/** Somebody's own words may have several lines. */
function lines(text: string): Html {
  const parts = withoutTurns(text)
    .split("\n")
    .map((line) => html`${line}`);
  return html`<bdi>${parts.flatMap((part, at) => (at === 0 ? [part] : [html`<br>`, part]))}</bdi>`;
}
