/** The pages behind links that were mailed to an address for one thing: somebody's data, their deletion, a change of address. */
import { CHECK_ICON, type PublicPage, renderPage, type Sender } from "./document/document.ts";
import { fill, type Html, html } from "./document/html.ts";
import { maskAddress, plainName, showName } from "./document/names.ts";
import type { Words } from "./locales/words.ts";

type OfSender = { readonly words: Words; readonly sender: Sender };
type Asking = OfSender & {
  /** The whole address; the page masks it. */
  readonly address: string;
  readonly path: string;
};

/** Says the same whether or not a mail was sent, so that nobody learns from it who is known. */
export function linkMailed({ words, sender }: OfSender): PublicPage {
  const { title, text, why } = words.preferences.mailed;
  return renderPage({
    words,
    title,
    sender,
    main: html`${stack(title, html`${text}`)}<p class="sm dim">${why}</p>`,
  });
}

/** For whoever is forgotten. */
export function nothingKept({ words, sender }: OfSender): PublicPage {
  const { title, text } = words.preferences.nothing;
  return saying({ words, sender }, title, fill(text, { sender: nameOf(words, sender) }));
}

/** Of a link that was used, or is older than an hour. */
export function linkExpired({
  words,
  sender,
}: Omit<OfSender, "sender"> & { readonly sender: Sender | null }): PublicPage {
  const { title, text } = words.preferences.expired;
  return renderPage({ words, title, sender, status: 410, main: stack(title, html`${text}`) });
}

export function askForData({ words, sender, address, path }: Asking): PublicPage {
  const { title, text, button } = words.preferences.myData;
  const said = fill(text, { sender: nameOf(words, sender), address: masked(address) });
  return renderPage({ words, title, sender, main: html`${stack(title, said)}${act(path, button, null)}` });
}

export function askToDelete({ words, sender, address, path }: Asking): PublicPage {
  const { title, text, button } = words.preferences.deleteMe;
  const said = fill(text, { sender: nameOf(words, sender), address: masked(address) });
  return renderPage({ words, title, sender, main: html`${stack(title, said)}${act(path, button, null)}` });
}

export function deleted({ words, sender }: OfSender): PublicPage {
  const { done, doneText } = words.preferences.deleteMe;
  return saying({ words, sender }, done, fill(doneText, { sender: nameOf(words, sender) }));
}

export const NEW_ADDRESS_FIELD = "email";

export function askForAddress(page: Asking & { readonly wrong: string | null }): PublicPage {
  const { words, sender, address, path, wrong } = page;
  const said = words.preferences.newAddress;
  const fault = wrong !== null && html`<p class="err" id="email-error" role="alert">${said.wrong}</p>`;
  const invalid = wrong !== null && html` aria-invalid="true" aria-describedby="email-error"`;
  const field = html`<div class="field"><label for="email">${said.label}</label>
<input class="text" id="email" type="email" name="${NEW_ADDRESS_FIELD}" autocomplete="email" required maxlength="254" value="${plainName(wrong, "")}"${invalid}>${fault}</div>`;
  return renderPage({
    words,
    title: said.title,
    sender,
    status: wrong === null ? 200 : 422,
    main: html`${stack(said.title, fill(said.text, { address: masked(address) }))}${act(path, said.button, field)}`,
  });
}

/** The same whether or not the new address may be written to. */
export function newAddressMailed(page: OfSender & { readonly address: string }): PublicPage {
  const { mailed, mailedText } = page.words.preferences.newAddress;
  return saying(page, mailed, fill(mailedText, { address: masked(page.address) }));
}

type Move = OfSender & { readonly from: string; readonly to: string };

export function askToMove(page: Move & { readonly path: string }): PublicPage {
  const { words, sender, from, to, path } = page;
  const { title, text, button } = words.preferences.moveHere;
  const said = fill(text, { sender: nameOf(words, sender), from: masked(from), to: masked(to) });
  return renderPage({ words, title, sender, main: html`${stack(title, said)}${act(path, button, null)}` });
}

export function moved({ words, sender, to }: Omit<Move, "from">): PublicPage {
  const { done, doneText } = words.preferences.moveHere;
  const note = html`<div class="note" role="status">${CHECK_ICON}<span>${fill(doneText, { sender: nameOf(words, sender), to: masked(to) })}</span></div>`;
  return renderPage({ words, title: done, sender, main: html`<h1>${done}</h1>${note}` });
}

function saying({ words, sender }: OfSender, title: string, text: Html): PublicPage {
  return renderPage({ words, title, sender, main: stack(title, text) });
}

function stack(title: string, text: Html): Html {
  return html`<div class="stack"><h1>${title}</h1><p class="mid">${text}</p></div>`;
}

function act(path: string, button: string, field: Html | null): Html {
  return html`<form method="post" action="${path}">${field}<button class="main">${button}</button></form>`;
}

function masked(address: string): Html {
  return html`<b><bdi>${maskAddress(address)}</bdi></b>`;
}

function nameOf(words: Words, { name }: Sender): Html {
  return showName(name, words.thisSenderFirst);
}
