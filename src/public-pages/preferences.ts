/** The preference page of a mail: what somebody gets, and for how long not. One form; only its POST changes anything. */
import { CHECK_ICON, CHEVRON_ICON, type PublicPage, renderPage, type Sender } from "./document/document.ts";
import { fill, fillText, type Html, html } from "./document/html.ts";
import { maskAddress, showName } from "./document/names.ts";
import { pluralOf, type Words } from "./locales/words.ts";
import { fields as unsubscribeFields } from "./unsubscribing/unsubscribe-form.ts";

const PAUSE_DAYS = [30, 90] as const;

type Choice = {
  /** A public id. */
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly isOn: boolean;
};

export type Preferences = {
  readonly words: Words;
  readonly sender: Sender;
  /** The whole address; the page masks it. */
  readonly address: string;
  readonly topics: readonly Choice[];
  /** Lists marked public, and the mail's own. `isWaiting`: the address hasn't confirmed yet. */
  readonly lists: readonly (Omit<Choice, "description"> & { readonly isWaiting: boolean })[];
  readonly hasLeftAll: boolean;
  /** Null while mail goes out as ever. */
  readonly pausedUntil: Date | null;
  /** Null where nobody's opens and clicks are kept in person, whatever the answer. */
  readonly isTracked: boolean | null;
  readonly timeZone: string;
  readonly isSaved: boolean;
  readonly path: string;
};

const ACTS = ["save", "data", "address", "delete"] as const;
type PreferenceAct = (typeof ACTS)[number];

const fields = { act: "act", shown: "shown", on: "on", pause: "pause", tracking: "tracking" } as const;
const TRACKING = "tracking";

export type PreferenceForm = {
  readonly act: PreferenceAct;
  /** Which choices the page had: what it didn't show can't have been taken away. */
  readonly shown: ReadonlySet<string>;
  readonly on: ReadonlySet<string>;
  readonly pause: "keep" | "none" | number;
  /** Null where it wasn't asked. */
  readonly tracking: boolean | null;
};

const MOST_CHOICES = 500;

/** Returns undefined where none of these buttons was pressed: then it is an unsubscribe, of everything or by one click (RFC 8058). */
/** Tells our form from the POST of a mail program, which has none of its fields. */
export function isPreferenceForm(sent: URLSearchParams): boolean {
  return sent.has(fields.act);
}

export function readPreferenceForm(sent: URLSearchParams): PreferenceForm | undefined {
  const act = ACTS.find((one) => one === sent.get(fields.act));
  if (!act) return undefined;
  const shown = new Set(sent.getAll(fields.shown).slice(0, MOST_CHOICES));
  const pause = sent.get(fields.pause);
  return {
    act,
    shown,
    on: new Set(sent.getAll(fields.on).slice(0, MOST_CHOICES)),
    pause: pause === "none" ? "none" : (PAUSE_DAYS.find((days) => String(days) === pause) ?? "keep"),
    tracking: shown.has(TRACKING) ? sent.has(fields.tracking) : null,
  };
}

export function preferencesPage(page: Preferences): PublicPage {
  const { words, sender, address } = page;
  const said = words.preferences;
  const hasBoth = page.topics.length > 0 && page.lists.length > 0;
  const lists = page.lists.map(({ isWaiting, ...list }) => ({
    ...list,
    description: isWaiting ? said.waiting : null,
  }));
  return renderPage({
    words,
    title: said.title,
    sender,
    main: html`${page.isSaved && note(said.saved)}${page.hasLeftAll && !page.isSaved && note(said.hasLeftAll)}
<div class="stack"><h1>${said.title}</h1><p class="mid">${fill(said.whose, { address: html`<b><bdi>${maskAddress(address)}</bdi></b>` })}</p></div>
<form method="post" action="${page.path}">
${group(words, said.topics, page.topics, hasBoth)}
${group(words, said.lists, lists, hasBoth)}
${pause(page)}
${tracking(page)}
<button class="main" name="${fields.act}" value="save">${said.save}</button>
<div class="row acts">${acts(words)}</div>
</form>`,
  });
}

function note(text: string): Html {
  return html`<div class="note" role="status">${CHECK_ICON}<span>${text}</span></div>`;
}

function group(words: Words, title: string, choices: readonly Choice[], isTitled: boolean): Html | null {
  if (choices.length === 0) return null;
  const lines = choices.map(({ id, name, description, isOn }) => {
    const below = description && html`<span class="sm dim">${showName(description, "")}</span>`;
    return html`<label class="choice"><input type="checkbox" name="${fields.on}" value="${id}"${isOn && html` checked`}><span><b>${showName(name, words.thisListFirst)}</b>${below}</span></label>`;
  });
  const shown = choices.map(({ id }) => html`<input type="hidden" name="${fields.shown}" value="${id}">`);
  return html`<fieldset class="stack"><legend class="${isTitled ? "label" : "sr"}">${title}</legend>${shown}<div class="choices">${lines}</div></fieldset>`;
}

function pause({ words, pausedUntil, timeZone }: Preferences): Html {
  const said = words.preferences;
  const date = new Intl.DateTimeFormat(words.lang, { dateStyle: "long", timeZone });
  const until =
    pausedUntil &&
    html`<option value="keep" selected>${fillText(said.pausedUntil, { date: date.format(pausedUntil) })}</option>`;
  const lengths = PAUSE_DAYS.map(
    (days) =>
      html`<option value="${days}">${fillText(pluralOf(words, said.pauseFor, days), { n: days })}</option>`,
  );
  return html`<div class="field"><label for="pause">${said.pause}</label>
<div class="select"><select id="pause" name="${fields.pause}">${until}<option value="none">${said.noPause}</option>${lengths}</select>${CHEVRON_ICON}</div></div>`;
}

function tracking({ words, isTracked }: Preferences): Html | null {
  if (isTracked === null) return null;
  const said = words.preferences;
  return html`<input type="hidden" name="${fields.shown}" value="${TRACKING}"><div class="choices"><label class="choice"><input type="checkbox" name="${fields.tracking}" value="yes"${isTracked && html` checked`}><span><b>${said.tracking}</b><span class="sm dim">${said.trackingHint}</span></span></label></div>`;
}

/** What goes further than this page: the first at once, the others by a link to the mailbox itself. */
function acts({ preferences: said }: Words): Html[] {
  const labels = [
    ["data", said.data],
    ["address", said.address],
    ["delete", said.delete],
  ] as const satisfies readonly (readonly [PreferenceAct, string])[];
  const everything = html`<button name="${unsubscribeFields.scope}" value="all">${said.everything}</button>`;
  const mailed = labels.map(
    ([act, label]) => html`<button name="${fields.act}" value="${act}">${label}</button>`,
  );
  return [everything, ...mailed];
}
