/** The public archive of a list: a page of mails, newest first, and a page for each with the mail in a frame. */
import { type PublicPage, renderPage, type Sender } from "../document/document.ts";
import { fill, fillText, type Html, html } from "../document/html.ts";
import { plainName, showName } from "../document/names.ts";
import type { Words } from "../locales/words.ts";

type Archive = {
  readonly words: Words;
  readonly sender: Sender;
  readonly listName: string;
  /** Search engines are kept out unless the list says otherwise. */
  readonly isIndexable: boolean;
  /** For dates; the account's. */
  readonly timeZone: string;
  readonly rssPath: string;
  readonly atomPath: string;
};

type ArchivedMail = {
  readonly path: string;
  readonly subject: string;
  /** The preview text; null when there is none. */
  readonly summary: string | null;
  readonly sentAt: Date;
};

export type ArchivePage = Archive & {
  readonly mails: readonly ArchivedMail[];
  /** Null on the first page and on the last. */
  readonly newerPath: string | null;
  readonly olderPath: string | null;
  readonly subscribePath: string | null;
};

export function archivePage(page: ArchivePage): PublicPage {
  const { words } = page;
  const said = words.archive;
  const list = showName(page.listName, words.thisListFirst);
  const lead = fill(said.lead, { sender: showName(page.sender.name, words.thisSender) });
  const subscribe =
    page.subscribePath && html`<a class="main" href="${page.subscribePath}">${said.subscribe}</a>`;
  const mails = page.mails.map((mail) => lineOf(mail, page));
  return renderPage({
    words,
    title: fillText(said.title, { list: plainName(page.listName, words.thisListFirst) }),
    sender: page.sender,
    layout: "wide",
    isIndexable: page.isIndexable,
    links: feedLinks(page),
    main: html`<div class="stack"><h1>${fill(said.title, { list })}</h1><p class="mid">${lead}</p></div>
${subscribe}
${mails.length > 0 ? html`<ul class="mails">${mails}</ul>` : html`<p class="mid">${said.empty}</p>`}
${neighbours(page, said.pages)}
<p class="row sm"><span class="dim">${said.feeds}</span><a href="${page.rssPath}">${said.rss}</a><a href="${page.atomPath}">${said.atom}</a></p>`,
  });
}

export type ArchivedMailPage = Archive & {
  readonly subject: string;
  readonly sentAt: Date;
  /** Where the mail itself is served, as `mailDocument` with `isFramed`. */
  readonly documentPath: string;
  readonly archivePath: string;
  readonly newerPath: string | null;
  readonly olderPath: string | null;
};

export function archivedMailPage(page: ArchivedMailPage): PublicPage {
  const { words } = page;
  const said = words.archive;
  const subject = plainName(page.subject, words.noSubject);
  return renderPage({
    words,
    title: subject,
    sender: page.sender,
    layout: "reader",
    isIndexable: page.isIndexable,
    links: feedLinks(page),
    main: html`<div class="bar"><div class="row between sm"><a href="${page.archivePath}">${said.back}: ${showName(page.listName, words.thisList)}</a>${neighbours(page, said.mails)}</div>
<h1>${showName(page.subject, words.noSubject)}</h1>
<p class="sm dim">${showName(page.sender.name, words.thisSender)} · ${dateOf(page.sentAt, page)}</p></div>
<iframe src="${page.documentPath}" title="${fillText(said.frame, { subject })}" sandbox="allow-popups allow-popups-to-escape-sandbox" referrerpolicy="no-referrer"></iframe>`,
  });
}

/** The same for an archive that never was, one that is closed, and a mail that was taken out. */
export function notInArchive(words: Words): PublicPage {
  const { title, text } = words.archive.nothing;
  return renderPage({
    words,
    title,
    sender: null,
    status: 404,
    main: html`<div class="stack"><h1>${title}</h1><p class="mid">${text}</p></div>`,
  });
}

function lineOf({ path, subject, summary, sentAt }: ArchivedMail, page: Archive): Html {
  const below = plainName(summary, "") && html`<span class="sm dim">${showName(summary, "")}</span>`;
  return html`<li><a href="${path}"><b>${showName(subject, page.words.noSubject)}</b>${dateOf(sentAt, page)}${below}</a></li>`;
}

function dateOf(at: Date, { words, timeZone }: Archive): Html {
  const format = new Intl.DateTimeFormat(words.lang, { dateStyle: "medium", timeZone });
  return html`<time datetime="${at.toISOString()}">${format.format(at)}</time>`;
}

function neighbours(
  { words, newerPath, olderPath }: Pick<ArchivePage, "words" | "newerPath" | "olderPath">,
  label: string,
): Html | null {
  if (!newerPath && !olderPath) return null;
  const [before, after] = words.direction === "rtl" ? ["→", "←"] : ["←", "→"];
  const newer = newerPath && html`<a rel="prev" href="${newerPath}">${before} ${words.archive.newer}</a>`;
  const older = olderPath && html`<a rel="next" href="${olderPath}">${words.archive.older} ${after}</a>`;
  return html`<nav class="row" aria-label="${label}">${newer}${older}</nav>`;
}

function feedLinks({ words, rssPath, atomPath, listName }: Archive): Html {
  const title = plainName(listName, words.thisList);
  return html`
<link rel="alternate" type="application/rss+xml" title="${title} (${words.archive.rss})" href="${rssPath}">
<link rel="alternate" type="application/atom+xml" title="${title} (${words.archive.atom})" href="${atomPath}">`;
}
