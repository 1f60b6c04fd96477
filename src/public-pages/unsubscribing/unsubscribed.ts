/** What an unsubscribe came to. Always 200: a mail program takes anything else for a failure, and nothing here is one. */
import { CHECK_ICON, type PublicPage, renderPage, type Sender } from "../document/document.ts";
import { fill, type Html, html } from "../document/html.ts";
import { maskAddress, showName } from "../document/names.ts";
import type { Words } from "../locales/words.ts";
import { fields, type UnsubscribeForm } from "./unsubscribe-form.ts";

export type Unsubscribed = {
  readonly words: Words;
  /**
   * `nobody`: the contact is forgotten or gone. `list_deleted`: the list went meanwhile, and the opt-out is kept all the same.
   * `undone`: the undo of either unsubscribe was carried out.
   */
  readonly state: "list" | "everything" | "already" | "undone" | "nobody" | "list_deleted";
  readonly sender: Sender;
  readonly listName: string | null;
  /** The topic that was left or taken back; then the list is offered too. Null where it was about the list, or everything. */
  readonly topicName: string | null;
  /** The whole address; the page masks it. */
  readonly address: string | null;
  /** Where *undo* is sent; null where there is nothing to take back. */
  readonly undoPath: string | null;
  /** Where an unsubscribe is sent, for "everything" and, once undone, for doing it again; null offers neither. */
  readonly unsubscribePath: string | null;
};

export function unsubscribed(page: Unsubscribed): PublicPage {
  const { words, state, sender } = page;
  const isOff = state === "list" || state === "everything" || state === "list_deleted";
  const note = html`<div class="note" role="status">${CHECK_ICON}<span>${words.unsubscribed.done}</span></div>`;
  return renderPage({
    words,
    title: words.unsubscribed[state].title,
    sender,
    main: html`${(isOff || state === "undone") && note}
<div class="stack"><h1>${words.unsubscribed[state].title}</h1><p class="mid">${sentence(page)}
${isOff && words.unsubscribed.inTransit}</p></div>
${undo(page)}${further(page)}`,
  });
}

function sentence({ words, state, sender, listName, topicName, address }: Unsubscribed): Html {
  const said = words.unsubscribed[state];
  const values = {
    list: showName(topicName ?? listName, words.thisListFirst),
    sender: showName(sender.name, words.thisSenderFirst),
    address: address && html`<b><bdi>${maskAddress(address)}</bdi></b>`,
  };
  return fill(!address && "textNoAddress" in said ? said.textNoAddress : said.text, values);
}

function undo({ words, state, undoPath }: Unsubscribed): Html | null {
  if (!undoPath || state === "undone" || state === "nobody") return null;
  const label = state === "already" ? null : html`<p class="label">${words.unsubscribed.undoLabel}</p>`;
  const button = state === "already" ? words.unsubscribed.subscribeAgain : words.unsubscribed.undo;
  return html`<form method="post" action="${undoPath}"><div class="stack">${label}<button class="other">${button}</button></div></form>`;
}

function further(page: Unsubscribed): Html | null {
  const { words, state, sender, listName, topicName, unsubscribePath } = page;
  if (!unsubscribePath || state === "everything" || state === "nobody") return null;
  if (state === "undone") return offer(unsubscribePath, null, "topic", words.unsubscribed.again);
  const list = fill(words.ask.wholeList, { list: showName(listName, words.thisList) });
  const all = fill(words.ask.everything, { sender: showName(sender.name, words.thisSender) });
  return html`${topicName !== null && offer(unsubscribePath, list, "list", words.ask.wholeListButton)}${offer(unsubscribePath, all, "all", words.ask.everythingButton)}`;
}

function offer(path: string, label: Html | null, scope: UnsubscribeForm["scope"], button: string): Html {
  return html`<form method="post" action="${path}"><div class="stack">${label && html`<p class="label">${label}</p>`}
<button class="other" name="${fields.scope}" value="${scope}">${button}</button></div></form>`;
}
