/** The page behind the link of a confirmation mail. It asks, because machines follow links; the button's POST confirms. */
import { CHECK_ICON, type PublicPage, renderPage, type Sender } from "./document/document.ts";
import { fill, fillText, type Html, html } from "./document/html.ts";
import { maskAddress, plainName, showName } from "./document/names.ts";
import type { Words } from "./locales/words.ts";

export type ConfirmPage = {
  readonly words: Words;
  /** `confirmed`: the button was just pressed. `already`: it was before. In all others but `ask` nothing can be confirmed. */
  readonly state:
    | "ask"
    | "confirmed"
    | "already"
    | "expired"
    | "left"
    | "suppressed"
    | "forgotten"
    | "list_deleted";
  readonly sender: Sender;
  /** Null when it is gone. */
  readonly listName: string | null;
  /** The whole address; the page masks it. Null when it isn't known any more. */
  readonly address: string | null;
  /** Whether a box was ticked that opens and clicks may be kept by name: whoever confirms is told, for it may have been somebody else. */
  readonly agreesToTracking: boolean;
  /** Where the form is sent. */
  readonly confirmPath: string;
  /** Where whoever has confirmed is led, at once; null shows the page alone. */
  readonly afterUrl: string | null;
};

export function confirmPage(page: ConfirmPage): PublicPage {
  if (page.state === "ask") return ask(page);
  if (page.state === "confirmed" || page.state === "already") return confirmed(page, page.state);
  const { title, text } = page.words.confirm[page.state];
  const main = html`<div class="stack"><h1>${title}</h1><p class="mid">${fill(text, placesOf(page))}</p></div>`;
  return renderPage({ words: page.words, title, sender: page.sender, status: 410, main });
}

/** What the page says to whoever presses the button, as plain text: the evidence of a consent names it. */
export function confirmWording(
  words: Words,
  { listName, agreesToTracking }: Pick<ConfirmPage, "listName" | "agreesToTracking">,
): string {
  const { title, button, tracking } = words.confirm;
  const question = fillText(title, { list: plainName(listName, words.thisList) });
  return [question, ...(agreesToTracking ? [tracking] : []), button].join(" – ");
}

function ask(page: ConfirmPage): PublicPage {
  const { words, sender, listName } = page;
  const said = words.confirm;
  return renderPage({
    words,
    title: fillText(said.title, { list: plainName(listName, words.thisList) }),
    sender,
    main: html`<div class="stack"><h1>${fill(said.title, { list: showName(listName, words.thisList) })}</h1>
<p class="mid">${fill(said.goesTo, placesOf(page))}</p>${page.agreesToTracking && html`<p class="mid">${said.tracking}</p>`}</div>
<form method="post" action="${page.confirmPath}"><button class="main">${said.button}</button></form>
<p class="sm dim">${said.notYou}</p>`,
  });
}

/** A redirect would be one to another host after a form, which our own policy forbids; a refresh isn't, and leaves a page to read. */
function confirmed(page: ConfirmPage, state: "confirmed" | "already"): PublicPage {
  const { words, sender, afterUrl } = page;
  const { title, text } = words.confirm[state];
  const { done, onward } = words.confirm.confirmed;
  const note = html`<div class="note" role="status">${CHECK_ICON}<span>${done}</span></div>`;
  const target = readTarget(afterUrl);
  return renderPage({
    words,
    title,
    sender,
    ...(target && { headers: { refresh: `0; url=${target}` } }),
    main: html`${state === "confirmed" && note}
<div class="stack"><h1>${title}</h1><p class="mid">${fill(text, placesOf(page))}</p></div>
${target && html`<a class="other" href="${target}" rel="noreferrer">${onward}</a>`}`,
  });
}

function readTarget(url: string | null): string | null {
  if (url === null || !URL.canParse(url)) return null;
  const { protocol, href } = new URL(url);
  return protocol === "https:" || protocol === "http:" ? href : null;
}

function placesOf({
  words,
  sender,
  listName,
  address,
}: ConfirmPage): Record<"list" | "sender" | "address", Html> {
  return {
    list: showName(listName, words.thisListFirst),
    sender: showName(sender.name, words.thisSenderFirst),
    address: html`<b><bdi>${address === null ? words.confirm.thisAddress : maskAddress(address)}</bdi></b>`,
  };
}
