/** Pages that only say something: a test mail's link, and what can't be shown. */
import { CLOCK_ICON, type PublicPage, renderPage, type Sender } from "./document/document.ts";
import { fill, fillText, type Html, html } from "./document/html.ts";
import { pluralOf, type Words } from "./locales/words.ts";
import { fields } from "./unsubscribing/unsubscribe-form.ts";

type OfSender = { readonly words: Words; readonly sender: Sender | null };

/** Behind every link of a test mail. It answers a POST as well as a GET. */
export function testMail({ words, sender }: OfSender): PublicPage {
  return renderPage({ ...notice(words.testMail), words, sender });
}

/** Behind the link that no person can see. */
export function nothingToSee(words: Words): PublicPage {
  return renderPage({ ...notice(words.nothingToSee), words, sender: null });
}

export function notFound(words: Words): PublicPage {
  return renderPage({ ...notice(words.notFound), words, sender: null, status: 404 });
}

export function gone({ words, sender }: OfSender): PublicPage {
  return renderPage({ ...notice(words.gone), words, sender, status: 410 });
}

export type TooMany = {
  readonly words: Words;
  readonly retryAfterSeconds: number;
  /** The page to open again by GET. */
  readonly retryPath: string;
};

export function tooMany({ words, retryAfterSeconds, retryPath }: TooMany): PublicPage {
  const seconds = Math.max(1, Math.ceil(retryAfterSeconds));
  const { title, text, again } = words.tooMany;
  return renderPage({
    words,
    title,
    sender: null,
    status: 429,
    headers: { "retry-after": String(seconds) },
    main: html`${saying(title, fill(text, { wait: waitOf(words, seconds) }))}<a class="other" href="${retryPath}">${again}</a>`,
  });
}

/** The answer to a POST that was written to disk while the database was away: 202, for RFC 8058 wants a 2xx. */
export function recorded(words: Words): PublicPage {
  const { title, text } = words.recorded;
  return renderPage({
    words,
    title,
    sender: null,
    status: 202,
    main: html`<h1>${title}</h1><div class="note warn" role="status">${CLOCK_ICON}<span>${text}</span></div>`,
  });
}

export type Unavailable = {
  readonly words: Words;
  readonly retryAfterSeconds: number;
  /** Where an unsubscribe can be sent all the same, to be written down; null for other pages. */
  readonly unsubscribePath: string | null;
  readonly retryPath: string;
};

/** The answer to a GET while the database is away. */
export function unavailable(page: Unavailable): PublicPage {
  const { words, retryAfterSeconds, unsubscribePath, retryPath } = page;
  const said = words.unavailable;
  const form =
    unsubscribePath &&
    html`<form method="post" action="${unsubscribePath}"><button class="main" name="${fields.scope}" value="topic">${words.ask.button}</button></form>`;
  return renderPage({
    words,
    title: said.title,
    sender: null,
    status: 503,
    headers: { "retry-after": String(Math.max(1, Math.ceil(retryAfterSeconds))) },
    main: html`${saying(said.title, html`${form ? said.textUnsubscribe : said.text}`)}${form || null}
<a class="other" href="${retryPath}">${said.again}</a>`,
  });
}

function notice({ title, text }: { readonly title: string; readonly text: string }) {
  return { title, main: saying(title, html`${text}`) };
}

function saying(title: string, text: Html): Html {
  return html`<div class="stack"><h1>${title}</h1><p class="mid">${text}</p></div>`;
}

function waitOf(words: Words, seconds: number): string {
  const [forms, n] =
    seconds <= 90 ? [words.wait.seconds, seconds] : [words.wait.minutes, Math.ceil(seconds / 60)];
  return fillText(pluralOf(words, forms, n), { n });
}
