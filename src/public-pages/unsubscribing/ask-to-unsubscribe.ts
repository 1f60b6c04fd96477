/** The page behind a mail's unsubscribe link. It asks, because machines follow links; the button's POST acts. */
import { CHEVRON_ICON, type PublicPage, renderPage, type Sender } from "../document/document.ts";
import { fill, fillText, type Html, html } from "../document/html.ts";
import { maskAddress, plainName, showName } from "../document/names.ts";
import type { Words } from "../locales/words.ts";
import { fields, MOST_COMMENT } from "./unsubscribe-form.ts";

export type AskToUnsubscribe = {
  readonly words: Words;
  readonly sender: Sender;
  /** Null when it is gone or was never named. */
  readonly listName: string | null;
  /** What the mail was about; then the main button leaves the topic, and the list is offered too. Null where it has none. */
  readonly topicName: string | null;
  /** The whole address; the page masks it. Null when it isn't known any more. */
  readonly address: string | null;
  /** Lists marked public that may be left by the same click; no other list may be named to whoever holds the mail. */
  readonly otherLists: readonly { readonly id: string; readonly name: string }[];
  /** Where the form is sent. */
  readonly unsubscribePath: string;
};

export function askToUnsubscribe(page: AskToUnsubscribe): PublicPage {
  const { words, sender, address } = page;
  const said = words.ask;
  const named = page.topicName ?? page.listName;
  const list = showName(named, words.thisList);
  const goesTo = address
    ? fill(said.goesTo, { address: html`<b><bdi>${maskAddress(address)}</bdi></b>` })
    : html`${said.oneClick}`;
  return renderPage({
    words,
    title: fillText(said.title, { list: plainName(named, words.thisList) }),
    sender,
    main: html`<div class="stack"><h1>${fill(said.title, { list })}</h1><p class="mid">${goesTo}</p></div>
<form method="post" action="${page.unsubscribePath}">
${otherLists(page)}
${reasons(page)}
<button class="main" name="${fields.scope}" value="topic">${said.button}</button>
<div class="stack"><p class="label">${said.orRather}</p>
${wholeList(page)}${everything(page)}</div>
</form>`,
  });
}

function otherLists({ words, otherLists: lists }: AskToUnsubscribe): Html | null {
  if (lists.length === 0) return null;
  const choices = lists.map(
    ({ id, name }) =>
      html`<label class="choice"><input type="checkbox" name="${fields.also}" value="${id}"><b>${showName(name, words.thisList)}</b></label>`,
  );
  return html`<fieldset class="stack"><legend class="label">${words.ask.also}</legend><div class="choices">${choices}</div></fieldset>`;
}

/** Closed at first, so that the button is what a reader sees. */
function reasons({ words, sender }: AskToUnsubscribe): Html {
  const said = words.ask;
  const choices = Object.entries(said.reasons).map(
    ([value, label]) =>
      html`<label class="choice"><input type="radio" name="${fields.reason}" value="${value}"><span>${label}</span></label>`,
  );
  const hint = fill(said.commentHint, { sender: showName(sender.name, words.thisSender) });
  return html`<details class="choices"><summary>${CHEVRON_ICON}<span><b>${said.reason}</b> <span class="dim">(${said.optional})</span></span></summary>
<div class="inner"><fieldset><legend class="sr">${said.reason}</legend>${choices}</fieldset>
<div><label class="label" for="comment">${said.comment}</label>
<textarea id="comment" name="${fields.comment}" maxlength="${MOST_COMMENT}" rows="3" aria-describedby="comment-hint"></textarea></div>
<p class="label" id="comment-hint">${hint}</p></div></details>`;
}

/** One click further than the topic: the button shows when the line is opened. */
function wholeList({ words, listName, topicName }: AskToUnsubscribe): Html | null {
  if (topicName === null) return null;
  const said = words.ask;
  const name = showName(listName, words.thisList);
  return html`<details class="choices"><summary>${CHEVRON_ICON}<span><b>${fill(said.wholeList, { list: name })}</b></span></summary>
<div class="inner"><p class="sm dim">${said.wholeListHint}</p>
<button class="other" name="${fields.scope}" value="list">${said.wholeListButton}</button></div></details>`;
}

/** One click further than this list. */
function everything({ words, sender }: AskToUnsubscribe): Html {
  const said = words.ask;
  const name = showName(sender.name, words.thisSender);
  return html`<details class="choices"><summary>${CHEVRON_ICON}<span><b>${fill(said.everything, { sender: name })}</b></span></summary>
<div class="inner"><p class="sm dim">${said.everythingHint}</p>
<button class="other" name="${fields.scope}" value="all">${said.everythingButton}</button></div></details>`;
}
